"""What each entry point of kernels/hardware.cu writes on a GPU, from z[0] on (H200, PTX ISA)."""

from __future__ import annotations

from collections.abc import Iterable

LANES = range(32)
REFUSED, FINE = 1, 0  # cudaErrorInvalidValue, cudaSuccess

SHUFFLES: dict[str, Iterable[int]] = {
    "xor_by_minus_1": (31 - lane for lane in LANES),
    "xor_by_33": (lane ^ 1 for lane in LANES),
    "up_by_minus_1": (0 if lane == 31 else lane for lane in LANES),
    "down_by_minus_1": (31 if lane == 0 else lane for lane in LANES),
    "down_by_32": LANES,
    "up_by_33": (max(lane - 1, 0) for lane in LANES),
    "from_minus_1": [31] * 32,
    "from_35": [3] * 32,
    "eighths_from_11": (lane // 8 * 8 + 3 for lane in LANES),
    "halves_from_minus_1": (lane // 16 * 16 + 15 for lane in LANES),
    "eighths_xor_9": (lane ^ 9 if lane // 8 % 2 else lane for lane in LANES),
    "quarters_up_5": (lane - 5 if lane % 8 >= 5 else lane for lane in LANES),
    "quarters_up_9": LANES,
    "eighths_down_34": (lane + 2 if lane % 4 < 2 else lane for lane in LANES),
    "fours_down_3": (lane + 3 if lane % 4 == 0 else lane for lane in LANES),
}
# Those of which a GPU cuts bits off, where the CUDA manual does not say so, and one that leads to no lane.
CUT = {"xor_by_minus_1", "xor_by_33", "up_by_minus_1", "down_by_minus_1", "down_by_32", "up_by_33"}
CUT |= {"eighths_down_34", "quarters_up_9"}


def launched(value: int) -> list[int]:
    return [value] * 32 + [FINE]


# The error is z[32].
LAUNCHES: dict[str, Iterable[int]] = {
    "template_within_its_bounds": launched(256),
    "namespace_within_its_bounds": launched(512),
    "overload_within_its_bounds": launched(7),
    "template_within_shared_memory": launched(31),
    "function_with_more_shared_memory": [*range(31, -1, -1), FINE],
}
REFUSALS = {
    "template_beyond_its_bounds": "the block has 256 threads, its __launch_bounds__ allow 128",
    "namespace_beyond_its_bounds": "the block has 128 threads, its __launch_bounds__ allow 64",
    "overload_beyond_its_bounds": "the block has 128 threads, its __launch_bounds__ allow 64",
    "pointer_beyond_its_bounds": "the block has 128 threads, its __launch_bounds__ allow 64",
    "template_beyond_shared_memory": "it asks for 50240 bytes of shared memory",
    "function_with_too_much_shared_memory": "it asks for 65000 bytes of shared memory",
}


def numbers(lanes: int, words: int, wanted: int) -> list[int]:
    """Words 1, 2, 3 ...: of each lane's `words`, the first `wanted`, and zeros."""
    return [lane * words + word + 1 if word < wanted else 0 for lane in range(lanes) for word in range(words)]


COPIES: dict[str, Iterable[int]] = {
    "sixteen_bytes_with_four_zeros": numbers(32, 4, 3),
    "sixteen_bytes_of_zeros": numbers(32, 4, 0),
    "eight_bytes_with_four_zeros": numbers(32, 2, 1),
    "four_bytes_with_two_zeros": numbers(32, 1, 1),
    "fifty_words_then_zeros": [*range(1, 51), *[0] * 78],
    "all_words": range(1, 129),
}
OTHERS: dict[str, Iterable[int]] = {
    "null_from_zero": [103] * 32,
    "null_from_NULL": [103] * 32,
    "null_from_nullptr": [103] * 32,
    "null_in_a_template": [5] * 32,
    "zero_in_a_template": [0] * 32,
    "braces": [1009] * 32,
    "empty_braces": [1003] * 32,
    "braces_once": [1003, 1, *[1003] * 30],
    "returned_threads_have_arrived": [*range(69, -1, -2), 35],
}
ROWS: dict[str, list[int]] = {
    name: list(values) for table in (SHUFFLES, LAUNCHES, COPIES, OTHERS) for name, values in table.items()
}
