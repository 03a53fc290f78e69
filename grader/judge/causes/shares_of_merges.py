"""Shares of 1 where pairs of a maximum and a sum are put together wrongly, by lanes that shuffle or by a tree.

Each claim is what a wrong softmax of the rows of x would be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.often import LANES
from grader.judge.causes.shares_of_parts import Claim, by_thread
from grader.judge.causes.weights import STEPS

Pair = tuple[Tensor, Tensor]  # of each thread: its maximum, and its sum of expf(x - maximum)
Merge = Callable[[Pair, Pair], Tensor]  # the sum of both


def claims_of_merges(threads: list[int]) -> Iterator[tuple[str, Claim, str]]:
    """A name, what is claimed of x, and a sentence on it, where {buffer} and {x} stand for the arrays' names."""
    for name, merge, said in _MERGES:
        yield f"lanes_merge_{name}", partial(_by_lanes, merge), said
        for count in threads:
            if count > 1 and count & (count - 1) == 0:
                yield f"tree_merges_{name}_{count}", partial(_by_tree, count, merge), said
    for count in dict.fromkeys([*threads, LANES]):
        yield f"without_new_{count}", partial(_without_new, count), _NEW


def _times(sums: Tensor, less: Tensor) -> Tensor:
    """sums * exp(less); what is 0 stays so, whatever it is beside."""
    return torch.where(sums == 0, 0.0, sums * torch.exp(less))


def _other_as_it_is(mine: Pair, other: Pair) -> Tensor:
    return _times(mine[1], mine[0] - torch.maximum(mine[0], other[0])) + other[1]


def _mine_as_it_is(mine: Pair, other: Pair) -> Tensor:
    return mine[1] + _times(other[1], other[0] - torch.maximum(mine[0], other[0]))


def _both_by_the_other(mine: Pair, other: Pair) -> Tensor:
    return _times(mine[1] + other[1], other[0] - torch.maximum(mine[0], other[0]))


def _swapped(mine: Pair, other: Pair) -> Tensor:
    larger = torch.maximum(mine[0], other[0])
    return _times(mine[1], other[0] - larger) + _times(other[1], mine[0] - larger)


_BELONGS = "multiply each sum with expf(its own maximum - the larger of the two)"
_MERGES: tuple[tuple[str, Merge, str], ...] = (
    (
        "other",
        _other_as_it_is,
        "Where two threads' sums are put together for a row of {buffer}, the other one's is added as it is: "
        + _BELONGS
        + ".",
    ),
    (
        "mine",
        _mine_as_it_is,
        "Where two threads' sums are put together for a row of {buffer}, a thread's own one stays as it was: "
        + _BELONGS
        + ", and keep the old maximum until then.",
    ),
    (
        "both",
        _both_by_the_other,
        "Where two threads' sums are put together for a row of {buffer}, both are multiplied with expf(the other's"
        " maximum - the larger one): " + _BELONGS + ".",
    ),
    (
        "swapped",
        _swapped,
        "Where two threads' sums are put together for a row of {buffer}, each is multiplied with what belongs to the"
        " other one: " + _BELONGS + ".",
    ),
)
_NEW = (
    "The sum that each row of {buffer} is divided by lacks each element that was a thread's largest when it came: add"
    " its expf({x} - maximum), which is 1."
)


def _pairs(threads: int, x: Tensor) -> Pair:
    mine = by_thread(threads, x)
    largest = mine.amax(1)
    return largest, torch.exp(mine - largest[:, None]).nan_to_num(0.0).sum(1)


def _by_lanes(merge: Merge, x: Tensor) -> Tensor:
    largest, sums = _pairs(LANES, x)
    lanes = torch.arange(LANES)
    for step in STEPS:
        other = largest[:, lanes ^ step], sums[:, lanes ^ step]
        largest, sums = torch.maximum(largest, other[0]), merge((largest, sums), other)
    by_column = sums[:, torch.arange(x.shape[1]) % LANES]
    return torch.exp(x - x.amax(1, keepdim=True)) / by_column


def _by_tree(threads: int, merge: Merge, x: Tensor) -> Tensor:
    largest, sums = _pairs(threads, x)
    while (half := largest.shape[1] // 2) > 0:
        mine, other = (largest[:, :half], sums[:, :half]), (largest[:, half:], sums[:, half:])
        largest, sums = torch.maximum(mine[0], other[0]), merge(mine, other)
    return torch.exp(x - x.amax(1, keepdim=True)) / sums


def _without_new(threads: int, x: Tensor) -> Tensor:
    mine = by_thread(threads, x)
    before = mine.cummax(1).values.roll(1, 1)
    before[:, 0] = -torch.inf
    terms = torch.exp(mine - x.amax(1)[:, None, None]) * (mine <= before)
    return torch.exp(x - x.amax(1, keepdim=True)) / terms.flatten(1).sum(1, keepdim=True)
