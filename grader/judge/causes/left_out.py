"""What of a row a sum may lack, by how threads share it: the rest behind whole steps, all warps but the first, ..."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from grader.judge.causes.often import LANES

MOST_NAMED = 4
FACTORS = (4, 8, 16, 32, 64, 128, 256)  # of tiles, vectors and loops

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
    yield "all_but_first", lambda c, n: c > 0, f"all {noun}s of {{x}} but the first", "is there a loop over the others?"
    for k in dict.fromkeys([*threads, *FACTORS]):
        yield from _of_size(k, noun)
    for k in dict.fromkeys([*threads, LANES]):
        yield from _of_threads(k, noun)
    yield (
        "odd",
        lambda c, n: c % 2 == 1,
        f"every second {noun} of {{x}}",
        "do the shuffles, or the tree, go down to a distance of 1?",
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
        f"every {k}th {noun} of {{x}}",
        f"does a loop of {k} steps end one too early?",
    )
    yield (
        f"start_of_{k}",
        lambda c, n: c % k == 0,
        f"every {k}th {noun} of {{x}}, from the first on",
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
        if half:
            yield (
                f"upper_{k}_{part}",
                lambda c, n, half=half: c % k >= half,  # type: ignore[misc]
                f"the {noun}s of {{x}} that {who} {half} to {k - 1} of each {k} add",
                f"does the sum over {who} begin with a distance of {k // 2}, and not of {half // 2}?",
            )
    if k > LANES:
        yield (
            f"warps_{k}",
            lambda c, n: c % k >= LANES,
            f"the {noun}s of {{x}} of all warps of a block but the first",
            "shuffles reach one warp only, so add up the warps' sums, too, through shared memory or with an atomic",
        )
        yield (
            f"leaders_{k}",
            lambda c, n: c % LANES != 0,
            f"the {noun}s of {{x}} of all lanes but lane 0 of each warp",
            "are the lanes' values added up before lane 0 writes?",
        )
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
        "is the thread that writes the one that has the sum?",
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
