"""nvcuda::wmma: products against numpy, where each element lies, counts worked out by hand, wrong kernels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.shared import long_tail

SOURCE = (Path(__file__).parent / "kernels" / "wmma.cu").read_text()

DEPTH = 48
LANE = np.arange(32)
G, T = LANE // 4, LANE % 4


def brain(x: np.ndarray) -> np.ndarray:
    """The bits of bfloat16, cut off."""
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def value(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


# Name of the entry, m, n, type of the elements, type of the sums, what the error of a sum may be.
PRODUCTS = (
    ("half_16", 16, 16, np.float16, np.float32, 2e-5),
    ("half_32", 32, 8, np.float16, np.float32, 2e-5),
    ("half_8", 8, 32, np.float16, np.float32, 2e-5),
    ("half_sums_16", 16, 16, np.float16, np.float16, 2e-2),
    ("half_sums_8", 8, 32, np.float16, np.float16, 2e-2),
    ("bf16_16", 16, 16, np.uint16, np.float32, 2e-5),
    ("bf16_32", 32, 8, np.uint16, np.float32, 2e-5),
    ("bf16_8", 8, 32, np.uint16, np.float32, 2e-5),
    ("s8_16", 16, 16, np.int8, np.int32, 0),
    ("u8_32", 32, 8, np.uint8, np.int32, 0),
    ("s8_8", 8, 32, np.int8, np.int32, 0),
    ("tf32_16", 16, 16, np.float32, np.float32, 2e-5),
    ("double_8", 8, 8, np.float64, np.float64, 1e-14),
)


def matrix(random: np.random.RandomState, shape: tuple[int, int], dtype) -> np.ndarray:
    if dtype in (np.int8, np.uint8):
        return random.randint(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape).astype(dtype)
    x = random.uniform(-1, 1, shape)
    if dtype == np.uint16:
        return brain(x)
    if dtype == np.float32:  # ten digits, as tf32 has them
        return (x.astype(np.float32).view(np.uint32) & 0xFFFFE000).view(np.float32)
    return x.astype(dtype)


def at_least_16_bytes(x: np.ndarray) -> np.ndarray:
    """With zeros behind each row, as far as a leading dimension needs them."""
    return np.ascontiguousarray(np.pad(x, ((0, 0), (0, max(0, 16 // x.itemsize - x.shape[1])))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "m", "n", "dtype", "sums", "allowed"),
    long_tail(PRODUCTS, every=16, slow=3),
    ids=[row[0] for row in PRODUCTS],
)
def test_products_of_every_order(call, name, m, n, dtype, sums, allowed):
    random = np.random.RandomState(3)
    a, b = matrix(random, (m, DEPTH), dtype), matrix(random, (DEPTH, n), dtype)
    columns = {"at": at_least_16_bytes(a.T), "bt": np.ascontiguousarray(b.T)}
    z = call(name, a=a, b=at_least_16_bytes(b), **columns, z=np.zeros((4, m, n), sums), depth=DEPTH)["z"]
    known = [(value(each) if dtype == np.uint16 else each).astype(np.float64) for each in (a, b)]
    wanted = known[0] @ known[1]
    found = [*z[:3], z[3].reshape(n, m).T]
    for each in found:
        assert np.abs(each.astype(np.float64) - wanted).max() <= allowed


# ---- where elements lie, as on a GPU from compute capability 8.0 on ----


@pytest.mark.slow
def test_elements_of_a_repeat_after_eight(call):
    x = np.arange(256, dtype=np.float16).reshape(16, 16)
    z = call("shown_a", x=x, z=np.zeros((32, 16), np.float16), n=16)["z"]
    for e in range(16):
        number, part = e % 8 // 2, e % 2
        assert np.array_equal(z[:, e], x[G + 8 * (number % 2), 2 * T + part + 8 * (number // 2)])


def test_elements_of_b_are_two_tiles_of_eight_columns(call):
    x = np.arange(256, dtype=np.float16).reshape(16, 16)
    z = call("shown_b", x=x, z=np.zeros((32, 16), np.float16), n=16)["z"]
    for e in range(8):
        number, part = e // 2, e % 2
        assert np.array_equal(z[:, e], x[2 * T + part + 8 * (number % 2), G + 8 * (number // 2)])


def test_elements_of_tf32_and_of_sums(call):
    x = np.arange(128, dtype=np.float32).reshape(16, 8)
    z = call("shown_tf32", x=x, z=np.zeros((32, 4), np.float32), n=8)["z"]
    for e in range(4):
        assert np.array_equal(z[:, e], x[G + 8 * (e % 2), T + 4 * (e // 2)])
    x = np.arange(256, dtype=np.float32).reshape(16, 16)
    z = call("shown_sums", x=x, z=np.zeros((32, 8), np.float32))["z"]
    for e in range(8):
        assert np.array_equal(z[:, e], x[G + 8 * (e % 4 // 2), 2 * T + e % 2 + 8 * (e // 4)])


def test_elements_can_be_computed_with(call):
    random = np.random.RandomState(4)
    a, b = (random.randint(-8, 8, (16, 16)).astype(np.float16) for _ in range(2))
    c = random.randint(-8, 8, (16, 16)).astype(np.float32)
    found = call("scaled", a=a, b=b, c=c, z=np.zeros((16, 16), np.float32))
    assert np.array_equal(found["z"], 2 * (a.astype(np.float32) @ b.astype(np.float32).T) + 0.5 * c)
    assert found.run.counters["local_requests"] == 0  # fragments are registers
    z = call("mixed", a=a, b=b, z=np.zeros((16, 16), np.float32))["z"]
    assert np.array_equal(z, 2 * (a.astype(np.float32) @ b.astype(np.float32).T) + 1)


SOME = np.arange(256, dtype=np.float16).reshape(16, 16)
BY_PLACE = {
    "shown_a": {"x": SOME, "z": np.zeros((32, 16), np.float16), "n": 16},
    "shown_sums": {"x": SOME.astype(np.float32), "z": np.zeros((32, 8), np.float32)},
    "mixed": {"a": SOME, "b": SOME, "z": np.zeros((16, 16), np.float32)},  # floats from halves
}


def found_in_elements(called):
    return [finding for finding in called.run.findings if finding.kind != "other_stream"]


@pytest.mark.slow
@pytest.mark.parametrize("name", long_tail(BY_PLACE, every=8))
def test_who_knows_where_an_element_lies_is_told_that_cuda_does_not_say(call, name):
    (finding,) = found_in_elements(call(name, **BY_PLACE[name], checked=True))
    line = next(number for number, text in enumerate(SOURCE.splitlines(), 1) if ".x[" in text)
    assert (finding.kind, finding.severity, finding.line) == ("element_place", "note", line)
    assert "treat all elements alike" in finding.message


@pytest.mark.whole
def test_who_treats_all_elements_alike_is_told_nothing(call):
    given = {"a": SOME, "b": SOME, "c": SOME.astype(np.float32), "z": np.zeros((16, 16), np.float32)}
    assert found_in_elements(call("scaled", **given, checked=True)) == []


def test_whole_numbers_wrap_or_saturate(call):
    a = np.eye(16, dtype=np.int8)
    z = call("saturated", a=a, z=np.zeros((2, 16, 16), np.int32))["z"]
    assert (z[0] == 2**31 - 1).all()
    assert np.array_equal(z[1], np.where(a, -(2**31), 2**31 - 1))


def test_tf32_rounds_to_the_nearest_and_halves_away_from_zero(call):
    step = 2.0**-10
    x = np.array([1, 1 + step / 2, 1 + step / 4, -1 - step / 2, np.inf, 3.0e38, 0], np.float32)
    z = call("rounded", x=x, z=np.zeros(7, np.float32), n=7)["z"]
    assert np.array_equal(z[:5], np.array([1, 1 + step, 1, -1 - step, np.inf], np.float32))
    assert z[6] == 0


# ---- counts ----


@pytest.mark.parametrize(("name", "wavefronts"), [("tile_16", 8), ("tile_24", 4), ("tile_64", 32)])
def test_half_comes_from_shared_memory_by_ldmatrix(call, name, wavefronts):
    """Four matrices of eight rows of 16 bytes: one wavefront each, unless rows share banks.

    Rows of 16 halves are 32 bytes apart: every fourth begins in the same bank, so two wavefronts. Of 24: 48 bytes, no
    two share. Of 64: 128 bytes, all eight share.
    """
    x = np.arange(256, dtype=np.float16)
    found = call(name, x=x, z=np.zeros((32, 8), np.float16))
    line = found.at_line("// counted", SOURCE)
    assert line["ldmatrix_requests"] == 1
    assert line["ldmatrix_wavefronts"] == wavefronts
    assert line["ldmatrix_bank_conflicts"] == wavefronts - 4


def test_bf16_comes_from_shared_memory_word_by_word(call):
    """nvcc makes four loads of four bytes a lane. Rows are 48 bytes apart: no two lanes' words share a bank."""
    x = brain(np.arange(256))
    line = call("tile_of_bf16", x=x, z=np.zeros((32, 8), np.uint16)).at_line("// counted", SOURCE)
    assert (line["ldmatrix_requests"], line["shared_load_requests"], line["shared_load_wavefronts"]) == (0, 4, 4)


def test_products_and_loads_are_counted(call):
    """Per step of 16: 4 + 4 loads of 8 rows of 16 bytes, which are 8 sectors; two m16n8k16 of 2 x 16 x 8 x 16."""
    zeros = np.zeros((16, DEPTH), np.float16)
    found = call("half_16", a=zeros, at=zeros, b=zeros, bt=zeros, z=np.zeros((4, 16, 16), np.float32), depth=DEPTH)
    counters, steps = found.run.counters, 4 * DEPTH // 16
    assert counters["global_load_requests"] == 8 * steps
    assert counters["global_load_sectors"] == 64 * steps
    assert counters["tensor_instructions"] == counters["tensor_instructions_m16n8k16"] == 2 * steps
    assert counters["tensor_operations"] == 2 * steps * 2 * 16 * 8 * 16
    # Three results by rows: 4 stores of 8 bytes a lane, to 8 rows of a sector each. One by columns: 8 stores of
    # 4 bytes, to 8 neighbours in each of 4 columns.
    assert counters["global_store_requests"] == 3 * 4 + 8
    assert counters["global_store_sectors"] == 3 * 4 * 8 + 8 * 4


# ---- wrong ----


def messages(result) -> list[str]:
    return [finding.message for finding in result.run.findings if finding.severity == "error"]


def failed(call, name: str, **values) -> str:
    x = np.zeros(512, np.float16)
    z = np.zeros(64, np.float32 if name in ("too_far", "raced") else np.float16)
    (message, *_) = messages(call(name, errors=True, x=x, z=z, **values))
    return message


def test_lanes_that_never_come(call):
    gone = failed(call, "lanes_missing", n=16)
    assert "load_matrix_sync for all 32 lanes of its warp, and only 16 come: thread (16, 0, 0)" in gone
    assert "its block has no more threads" in failed(call, "small_block", n=16)
    assert "waits in load_matrix_sync" in failed(call, "both_branches")


def test_leading_dimension_and_address(call):
    assert "leading dimension that is a multiple of 16 bytes" in failed(call, "odd_stride", n=17)
    assert "an address that is a multiple of 32 bytes" in failed(call, "odd_start", n=4)
    assert "outside" in failed(call, "too_far") or "past" in failed(call, "too_far")


def test_a_tile_that_is_read_too_early(call):
    x = np.arange(256, dtype=np.float16)
    z = call("waited", x=x, z=np.zeros((32, 8), np.float16))["z"]
    assert np.array_equal(z[:, 0], x.reshape(16, 16)[G, 2 * T])
    early = call("not_waited", x=x, z=np.zeros((32, 8), np.float16), errors=True)
    assert "while the copy that" in messages(early)[0]
    z = call("between_warps", x=x, z=np.zeros(64, np.float32))["z"]
    assert (z == 2).all()
    assert "in any order" in failed(call, "raced")
