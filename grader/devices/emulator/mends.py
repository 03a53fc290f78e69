"""What mends a race: where a barrier belongs, or what else orders two accesses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.devices.emulator.barrier_wording import WARP, too_few_between
from grader.devices.emulator.kinds import WAITED
from grader.devices.emulator.reading import Reading

_VOLATILE = {
    "volatile warp": "volatile does not order the lanes of a warp: type __syncwarp() between reading and writing and"
    " after each step, or use __shfl_down_sync()",
    "volatile": "volatile orders nothing: type __syncthreads() between the two",
    "volatile block": "volatile orders nothing: type __threadfence() between writing it and setting the flag or ticket"
    " that hands it over, and draw a ticket, or keep a maximum, by an atomic",
}

_OF_ONE_WARP = (
    "the __syncwarp() of line {line} waits for lanes of one warp, and these two threads are of different ones: write"
    " __syncthreads() there, for all threads of the block"
)

_OF_ONE_BLOCK = (
    "an atomic whose scope is one block orders nothing between blocks: write `atomicAdd` in the place of"
    " `atomicAdd_block`, or `cuda::thread_scope_device`"
)

# How a thread has waited for its copies, by what they belong to.
_LANDED = {
    "primitives": "__pipeline_wait_prior()",
    "group": "cooperative_groups::wait()",
    "own_pipeline": "consumer_wait()",
    "ptx": "cp.async.wait_group",
}


_ROUNDS = (
    ", or, if one block does it all round by round, type __syncthreads() at the end of each round, outside of any `if`"
)
_OF_FRAGMENTS = (
    "two fragments are stored over one another: is the leading dimension of store_matrix_sync, its third argument, the"
    " length of a row of the whole matrix, and has each warp a tile of its own?"
)


_BETWEEN = "what another thread writes between the look and this exchange is lost"
_SWAP = "where another thread has changed the word since the look, nothing is swapped and this update is lost"
_LOST = {
    "lost": f"{_BETWEEN}: use atomicMax() or atomicMin()",
    "lost update": f"{_BETWEEN}: use one atomicAdd(), or atomicCAS() in a loop",
    "lost swap": f"{_SWAP}: ask what atomicCAS() gives, and try again in a loop",
    "lost step": f"{_SWAP}: ask what atomicCAS() gives, and try again in a loop, unless one of them is enough",
}


def mend(fact: Mapping[str, Any]) -> str:
    """What to do about a race, as the runtime reports it, with lines and the file's `reading`."""
    first, last = _between(fact)
    if fact["text"] in _VOLATILE:
        return _VOLATILE[fact["text"]]
    if fact["text"] in _LOST:
        return _LOST[fact["text"]]
    if fact["text"].startswith("landed "):
        wait = _LANDED[WAITED[int(fact["text"].removeprefix("landed "))]]
        between = f"between {wait} and line {fact['line']}"
        return f"a __syncthreads() is missing {between}, for a thread waits for its own copies"
    if fact["text"].startswith("widths "):
        less, more = map(int, fact["text"].split()[1:])
        sizes = f"{less} byte{'' if less == 1 else 's'} and with {more}"
        told = f"the two accesses differ in size, here with {sizes}, so a thread may read a part of a store"
        return f"{told}: use one type for the flag"
    both_write = fact["access"] == fact["other_access"] == "write"
    if where := _between_blocks(fact, both_write, first == last):
        return where
    reading: Reading = fact["reading"]
    if first == last and both_write:
        return "each element needs one writer, or an atomic"
    if first == last and reading.reads_neighbours(first) and reading.barrier_in_loop(first):
        return (
            "the line reads what other threads write in it: read into a variable first, type __syncthreads(), and then"
            " write"
        )
    if first == last:
        return (
            "if both change it, use an atomic; if one only reads it, a __syncthreads() is missing"
            f"{_or_of_warp(fact)}, in a loop at the end of each round"
        )
    return _between_lines(fact, first, last)


def _between_lines(fact: Mapping[str, Any], first: int, last: int) -> str:
    """Which barrier is missing between two lines, or does not do, or what else it may be."""
    reading: Reading = fact["reading"]
    if plain := _adds_beside_atomic(fact):
        return plain
    parts = _or_else(fact, first, last)
    if uncalled := reading.uncalled_barrier(first, last):
        return f"line {uncalled} names __syncthreads, but does not call it: write `__syncthreads();`"
    if inside := reading.barrier_in_branch(first, last):
        return (
            f"the __syncthreads() of line {inside} stands in an `if`, where not all threads come by: move it behind the"
            " `if`, for all threads of the block"
        )
    of_warp = reading.warp_barrier_between(first, last)
    if few := too_few_between(fact, first, last):
        return few.told if few.all > WARP or _in_one_warp(fact) else _OF_ONE_WARP.format(line=few.line)
    if any(first < barrier.line < last for barrier in fact["passed_barriers"]):
        # There is one on the way down, so the one on the way back to the top of the loop is missing.
        return f"a __syncthreads() is missing between line {last} and the next round's line {first}{_or_of_warp(fact)}"
    if of_warp and not _in_one_warp(fact):
        return _OF_ONE_WARP.format(line=of_warp)
    if of_warp:
        return f"a __syncwarp() is missing between line {last} and the next round's line {first}"
    if reading.has("__syncwarp") and _in_one_warp(fact):
        return f"a __syncwarp() is missing between line {first} and line {last}, or a __syncthreads() if warps share it"
    return f"a __syncthreads() is missing between line {first} and line {last}{parts or _or_of_warp(fact)}"


def _between_blocks(fact: Mapping[str, Any], both_write: bool, one_line: bool) -> str:
    """Where no barrier of a block mends it: threads of two blocks take part, or each of many in global memory."""
    if fact["text"] == "cluster late":
        return (
            "the cluster's barrier orders what stands before barrier_arrive() and what stands behind barrier_wait(),"
            " and nothing in between: move the access out of there"
        )
    if fact["text"] == "cluster":
        first, last = _between(fact)
        alone = "use an atomic, or let one block do it" if both_write else "put a cluster.sync() between the two"
        return alone if one_line else f"a cluster.sync() is missing between line {first} and line {last}"
    if fact["text"] == "other block":
        if fact["access"] == fact["other_access"] == "atomic":
            return _OF_ONE_BLOCK
        if not both_write and one_line and fact["reading"].reads_neighbours(fact["line"]):
            return "blocks run in no order: read one array and write another"
        sets = fact["line"] if fact["access"] == "write" else fact["other_line"]
        if fact["space"] == "global" and fact["reading"].sets_to_zero(sets):
            return (
                f"a block sets it to 0 in line {sets}, also when another has added to it: set it once, with"
                " cudaMemsetAsync(..., stream) before the launch"
            )
        if both_write and one_line:
            return "two blocks write one element; use an atomic, or give each element to one block"
        return (
            "blocks run in no order; use an atomic, or two kernels (where a flag or counter says that the data is"
            " there, __threadfence() belongs before it)"
        )
    if fact["space"] == "global" and not both_write and one_line and fact["reading"].reads_neighbours(fact["line"]):
        reading: Reading = fact["reading"]
        rounds = "" if not reading.is_in_loop(fact["line"]) or reading.barrier_in_loop(fact["line"]) else _ROUNDS
        return f"the line reads what other threads write in it: read one array and write another{rounds}"
    if fact["space"] == "global" and one_line and both_write and fact["reading"].stores_a_fragment(fact["line"]):
        return _OF_FRAGMENTS
    if fact["space"] == "global" and (one_line or both_write):
        return "use an atomic, or give each element to one thread"
    if fact["other_blocks_too"]:
        return (
            "threads of other blocks do so, too, for which no barrier waits: read one array and write another, or give"
            " each block its own elements"
        )
    return ""


def _adds_beside_atomic(fact: Mapping[str, Any]) -> str:
    """Where one line adds with an atomic, and another to the same element without one: `c[i]++`."""
    sides = {fact["access"]: fact["line"], fact["other_access"]: fact["other_line"]}
    plain = next((line for access, line in sides.items() if access != "atomic"), 0)
    if "atomic" not in sides or not fact["reading"].adds(plain):
        return ""
    return (
        f"line {sides['atomic']} adds with an atomic, and line {plain} without: write atomicAdd() in line {plain}, too"
    )


def _or_else(fact: Mapping[str, Any], first: int, last: int) -> str:
    """What else it may be than a missing barrier between the two lines."""
    sides = {(fact["line"], fact["access"]), (fact["other_line"], fact["other_access"])}
    if sides == {(first, "atomic"), (last, "write")}:
        return f", or line {last} has to be an atomic, too"
    if fact["array"] or not fact["access"] == fact["other_access"] == "write":
        return ""
    return ", or two arrays in the dynamic shared memory overlap"


def _or_of_warp(fact: Mapping[str, Any]) -> str:
    """Lanes of one warp have raced, in a kernel that knows of warps: in other cases warps may do so, too."""
    known = _in_one_warp(fact) and fact["reading"].knows_warps()
    return ", or a __syncwarp() if only lanes of one warp share it" if known else ""


def _between(fact: Mapping[str, Any]) -> tuple[int, int]:
    """The two lines in order: in a function that calls have led to, or else where the kernel calls what accesses."""
    calls = sorted((fact.get("other_call_line") or 0, fact.get("call_line") or 0))
    first, last = calls if calls[0] and calls[0] != calls[1] else sorted((fact["other_line"] or 0, fact["line"] or 0))
    return first, last


def _in_one_warp(fact: Mapping[str, Any]) -> bool:
    """Whether both threads of a race are lanes of one warp, in blocks whose rows are whole warps."""
    (x, *rest), (other, *others) = fact["thread"], fact["other_thread"]
    return bool(x // 32 == other // 32 and rest == others)
