"""What of a row a sum may lack, by how threads share it: the rest behind whole steps, all warps but the first, ..."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from grader.judge.causes.elements import ordinal
from grader.judge.causes.often import LANES

MOST_NAMED = 4
FACTORS = (4, 8, 16, 32, 64, 128, 256)  # of tiles, vectors and loops
DEPTHS, STEPS = (16, 32, 64), (4, 8, 16)  # of tiles along a sum, and of the products that a tile takes
TEAMS = (16, 8)  # lanes of a warp that add up what is theirs

Along = Callable[[Tensor, int], Tensor]  # from the places along an axis and its length
Lacking = tuple[str, Along, str, str]  # a key, what is left out, that in words, and what to ask


def masks(noun: str, threads: list[int]) -> Iterator[Lacking]:
    """What may be left out, in words, and what to ask then."""
    yield "first", lambda c, n: c == 0, f"the first {noun} of {{x}}", "does a loop begin at 1, where 0 belongs?"
    yield (
        "last",
        lambda c, n: c == n - 1,
        f"the last {noun} of {{x}}",
        "does a loop or a guard end one too early, or does a tree halve an odd number?",
    )
    yield "all_but_last", lambda c, n: c < n - 1, f"all {noun}s of {{x}} but the last", "is it `=` where `+=` belongs?"
    for k in FACTORS:
        yield (
            f"all_but_end_{k}",
            lambda c, n, k=k: c != (n + k - 1) // k * k - 1,  # type: ignore[misc]
            f"all {noun}s of {{x}}, or all but the last of a whole tile",
            "is it `=` where `+=` belongs?",
        )
    yield "all_but_first", lambda c, n: c > 0, f"all {noun}s of {{x}} but the first", "is there a loop over the others?"
    for k in dict.fromkeys([*threads, *FACTORS]):
        yield from _of_size(k, noun)
    yield from masks_of_threads(noun, threads)
    for k in DEPTHS:
        for step in STEPS:
            yield (
                f"all_but_end_{k}_{step}",
                lambda c, n, k=k, step=step: c < (n + k - 1) // k * k - step,  # type: ignore[misc]
                f"all {noun}s of {{x}} but the last {step} of its last whole tile",
                f"is the sum begun again with each step of {step}, as by `=` in the place of `+=`, or by a product that"
                " adds to 0?",
            )


def masks_of_threads(noun: str, threads: list[int]) -> Iterator[Lacking]:
    """What is left out of that which the threads of a team have, each every so many-th."""
    for k in dict.fromkeys([*threads, LANES, *TEAMS]):
        yield from _of_threads(k, noun)
    yield from _of_pairs(noun)
    for k in dict.fromkeys([LANES, *threads]):
        yield from _of_steps(k, noun)


def _of_pairs(noun: str) -> Iterator[Lacking]:
    yield (
        "odd",
        lambda c, n: c % 2 == 1,
        f"every second {noun} of {{x}}",
        "do the shuffles, or the tree, go down to a distance of 1, or does a loop go on by 2 where it takes one?",
    )
    yield (
        "odd_pairs",
        lambda c, n: c % 4 != 0,
        f"three of four {noun}s of {{x}}",
        "do the shuffles go down to a distance of 1?",
    )


def _of_size(k: int, noun: str) -> Iterator[Lacking]:
    """Of tiles, vectors or blocks of this size."""
    yield (
        f"rest_{k}",
        lambda c, n: c >= n // k * k,
        f"what is left of the {{n}} {noun}s of {{x}} behind steps of {k}",
        f"round the number of steps up, add {k - 1} before you divide by {k}, and guard the last one",
    )
    yield (
        f"above_{k}",
        lambda c, n: c >= k,
        f"what comes behind the first {k} {noun}s of {{x}}",
        "let each thread go on to the others, in a loop, or let more blocks add theirs",
    )
    yield (
        f"before_last_{k}",
        lambda c, n: c < (n - 1) // k * k,
        f"all {noun}s of {{x}} but the last step of {k}",
        "is the sum set to 0 again in each step, or is it `=` where `+=` belongs?",
    )
    yield (
        f"end_of_{k}",
        lambda c, n: c % k == k - 1,
        f"every {ordinal(k)} {noun} of {{x}}",
        f"does a loop of {k} steps end one too early?",
    )
    yield (
        f"start_of_{k}",
        lambda c, n: c % k == 0,
        f"every {ordinal(k)} {noun} of {{x}}, from the first on",
        f"does a loop of {k} steps begin at 1, where 0 belongs?",
    )
    yield (
        f"each_last_{k}",
        lambda c, n: c + k < n,
        f"all but each thread's last {noun} of {{x}}, in steps of {k}",
        "is it `=` where `+=` belongs?",
    )


def _of_threads(k: int, noun: str) -> Iterator[Lacking]:
    """Of the threads of a warp or a block, each of which has every k-th."""
    who = "lanes" if k == LANES else "threads"
    for part in (2, 4):
        half = k // part
        if half and half != LANES:  # of a whole warp: below
            yield (
                f"upper_{k}_{part}",
                lambda c, n, half=half: c % k >= half,  # type: ignore[misc]
                f"{noun}s {half} to {k - 1} of each {k} of {{x}}",
                f"does the sum over {who} begin with a distance of {k // 2}, and not of {half // 2}, or does a loop"
                f" go on by {k} where {half} threads share the {noun}s, or where it takes {half} each time?",
            )
    yield from _of_warps(k, noun)
    yield (
        f"alone_{k}",
        lambda c, n: c % k != 0,
        f"the {noun}s of {{x}} of all {who} but the first of each {k}",
        f"are the {who}' values added up before the first one writes?",
    )
    yield (
        f"not_last_{k}",
        lambda c, n: c % k != k - 1,
        f"the {noun}s of {{x}} of all {who} but the last of each {k}",
        "is it `=` where `+=` belongs, or does a thread write that does not have the sum?",
    )
    if left := sorted(set(range(k)) - _reached_by_halving(k)):
        places = torch.tensor(left)
        yield (
            f"tree_{k}",
            lambda c, n: torch.isin(c % k, places),
            f"the {noun}s of {{x}} that {_named(left)} of each block add{'s' if len(left) == 1 else ''}",
            f"a tree that halves {k} threads leaves one out wherever the number is odd: launch a power of two,"
            f" {1 << (k - 1).bit_length()}, or {1 << (k.bit_length() - 1)}",
        )


def _of_warps(k: int, noun: str) -> Iterator[Lacking]:
    """Of the warps of a block, whose sums are added up in turn."""
    if k > 2 * LANES:
        yield (
            f"last_warp_{k}",
            lambda c, n: c % k >= k - LANES,
            f"the {noun}s of {{x}} that the last {LANES} of each {k} threads add",
            "does what adds up the warps' sums, a loop or a guard, leave the last warp out?",
        )
    if k > LANES:
        yield (
            f"warps_{k}",
            lambda c, n: c % k >= LANES,
            f"the {noun}s of {{x}} of all warps of a block but the first",
            "shuffles reach one warp only, so add up the warps' sums, too, through shared memory or with an atomic;"
            " a tree"
            f" begins with a distance of {k // 2}",
        )
        yield (
            f"leaders_{k}",
            lambda c, n: c % LANES != 0,
            f"the {noun}s of {{x}} of all lanes but lane 0 of each warp",
            "are the lanes' values added up before lane 0 writes?",
        )


def _of_steps(k: int, noun: str) -> Iterator[Lacking]:
    """Of `k` threads that add up by halves, k / 2, ..., 2, 1: steps are missing, or take a value in place of adding it.

    A value comes to the first thread by the steps of its own number's bits.
    """
    if k & (k - 1) or k < 4:
        return
    steps = [1 << bit for bit in reversed(range(k.bit_length() - 1))]
    for absent in _absent_steps(k):
        named = [step for step in steps if step & absent]
        yield (
            f"steps_{k}_{absent}",
            lambda c, n, absent=absent: (c & absent) != 0,  # type: ignore[misc]
            f"{noun}s of {{x}} of some of the threads",
            f"is the step by {_listed(named)} missing? Shuffles, or a tree, over {k} threads take"
            f" {_listed(steps)}, each once."
            if len(named) == 1
            else f"are the steps by {_listed(named)} missing? Shuffles, or a tree, over {k} threads take"
            f" {_listed(steps)}, each once.",
        )
    for step in steps:
        of_next = ", or is the second of the threads' sums read, where the first has all" if step == 1 else ""
        yield (
            f"assigned_{k}_{step}",
            lambda c, n, step=step: (c & step) == 0,  # type: ignore[misc]
            f"{noun}s of {{x}} of half of the threads",
            f"is it `=` where `+=` belongs in the step by {step}{of_next}?",
        )


def _absent_steps(k: int) -> Sequence[int]:
    """Steps that may be missing together, as the sum of their distances.

    Any of a warp's may be, here and again among the warps' sums; of larger trees one, the first few, the last few, or
    every second one, as where the distance is divided by 4.
    """
    ones = [1 << bit for bit in range(k.bit_length() - 1)]
    ends = [k - step for step in ones] + [2 * step - 1 for step in ones]
    of_warp = list(range(1, min(k, LANES)))
    twice = [(each | each * LANES) & (k - 1) for each in of_warp] if k > LANES else []
    among_warps = [each * LANES for each in range(1, k // LANES)]
    seconds = sum(ones[-2::-2])
    return list(
        dict.fromkeys(each for each in [*ones, *ends, seconds, *of_warp, *among_warps, *twice] if 0 < each < k - 1)
    )


def _listed(numbers: Sequence[int]) -> str:
    """`4`, `16 and 1`, `16, 8 and 1`"""
    return " and ".join(filter(None, (", ".join(map(str, numbers[:-1])), str(numbers[-1]))))


def _named(threads: Sequence[int]) -> str:
    """`thread 4`, `threads 2, 5, 8, 11, ...`"""
    more = ", ..." if len(threads) > MOST_NAMED else ""
    return f"thread{'s' if len(threads) > 1 else ''} {', '.join(map(str, threads[:MOST_NAMED]))}{more}"


def _reached_by_halving(threads: int) -> set[int]:
    """Whose values are in the first thread's sum behind `for (s = threads / 2; s > 0; s /= 2)`."""
    sums = [{thread} for thread in range(threads)]
    step = threads // 2
    while step:
        for thread in range(step):
            sums[thread] = sums[thread] | sums[thread + step]
        step //= 2
    return sums[0]
