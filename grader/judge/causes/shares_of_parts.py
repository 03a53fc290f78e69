"""Shares of 1 where threads, warps or places of a tree have a maximum or sum of their own, or exp is taken twice.

Each claim is what a wrong softmax of the rows of x would be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.often import LANES

Claim = Callable[[Tensor], Tensor]  # of x, rows x columns
Combine = Callable[[Tensor, Tensor], Tensor]


def claims_of_parts(threads: list[int]) -> Iterator[tuple[str, Claim, str]]:
    """A name, what is claimed of x, and a sentence on it, where {buffer} and {x} stand for the arrays' names."""
    for count in threads:
        if count > LANES and count % LANES == 0:
            for name, claim, said in _OF_WARPS:
                yield f"{name}_{count}", partial(claim, partial(by_warp, count)), said
    for count in dict.fromkeys([*threads, LANES]):
        yield f"own_maximum_above_{count}", partial(_own_above, partial(_each_thread, count)), _OWN_ABOVE
        if count & (count - 1) == 0 and count > LANES:
            for name, (of_maximum, of_sum), said in _OF_TREES:
                yield f"tree_{name}_{count}", partial(_own_places, count, of_maximum, of_sum), said
    yield from _TWICE


def by_thread(threads: int, x: Tensor) -> Tensor:
    """Rows x rounds x threads: thread t has the columns t, t + threads, ...; -inf where there is none."""
    rounds = -(-x.shape[1] // threads)
    padded = torch.full((len(x), rounds * threads), -torch.inf, dtype=x.dtype)
    padded[:, : x.shape[1]] = x
    return padded.reshape(len(x), rounds, threads)


def by_warp(threads: int, x: Tensor, of: Callable[[Tensor], Tensor]) -> Tensor:
    """What is `of` the columns of each warp, rows x warps x its columns, at each of them."""
    mine = by_thread(threads, x)
    rows, rounds, _ = mine.shape
    found = of(mine.reshape(rows, rounds, -1, LANES).transpose(1, 2).reshape(rows, -1, rounds * LANES))
    spread = found[:, None, :, None].expand(rows, rounds, -1, LANES)
    return spread.reshape(rows, -1)[:, : x.shape[1]]


def _each_thread(threads: int, x: Tensor, of: Callable[[Tensor], Tensor]) -> Tensor:
    """What is `of` the columns of each thread, rows x threads x its columns, at each of them."""
    mine = by_thread(threads, x)
    return of(mine.transpose(1, 2))[:, None, :].expand(mine.shape).reshape(len(x), -1)[:, : x.shape[1]]


Parts = Callable[[Tensor, Callable[[Tensor], Tensor]], Tensor]


def _sums(x: Tensor) -> Tensor:
    return torch.exp(x - x.amax(1, keepdim=True)).sum(1, keepdim=True)


def _largest(mine: Tensor) -> Tensor:
    return mine.amax(2)


def _own(parts: Parts, x: Tensor) -> Tensor:
    return torch.exp(x - parts(x, lambda mine: mine.logsumexp(2)))


def _own_maximum(parts: Parts, x: Tensor) -> Tensor:
    terms = torch.exp(x - parts(x, _largest))
    return terms / terms.sum(1, keepdim=True)


def _own_above(parts: Parts, x: Tensor) -> Tensor:
    """The sum is beside the row's maximum, and what is divided by it beside a part's."""
    return torch.exp(x - parts(x, _largest)) / _sums(x)


def _own_below(parts: Parts, x: Tensor) -> Tensor:
    """What is divided is beside the row's maximum, and the parts of the sum beside their own."""
    return torch.exp(x - x.amax(1, keepdim=True)) / torch.exp(x - parts(x, _largest)).sum(1, keepdim=True)


_OWN_ABOVE = (
    "Above the division each thread subtracts the maximum of its own columns of {x}, and the sum is beside the whole"
    " row's: multiply what a thread has with expf(its maximum - the row's), or subtract the row's in both."
)
_OF_WARPS: tuple[tuple[str, Callable[[Parts, Tensor], Tensor], str], ...] = (
    (
        "own_of_warp",
        _own,
        "Each element of {buffer} is divided by its own warp's sum, and not by the row's: add up the warps' sums,"
        " through shared memory, and let each thread divide by the result.",
    ),
    (
        "own_maximum_of_warp",
        _own_maximum,
        "Each warp subtracts the maximum of its own columns of {x}, while all are divided by one sum: put the warps'"
        " maxima together, through shared memory, and let each thread subtract that of the whole row.",
    ),
    ("own_maximum_of_warp_above", _own_above, _OWN_ABOVE.replace("each thread", "each warp").replace("a thread", "it")),
    (
        "own_maximum_of_warp_below",
        _own_below,
        "In the sum that {buffer} is divided by each warp subtracts the maximum of its own columns of {x}: multiply a"
        " warp's sum with expf(its maximum - the row's) before you add it to the others.",
    ),
)


# ---- trees ----


def _tree(values: Tensor, combine: Combine) -> Tensor:
    """What lies in each place, rows x threads, behind `v[t] = combine(v[t], v[t + half])`, half = threads / 2 ... 1."""
    values = values.clone()
    half = values.shape[1] // 2
    while half:
        values[:, :half] = combine(values[:, :half], values[:, half : 2 * half])
        half //= 2
    return values


def _own_places(threads: int, of_maximum: bool, of_sum: bool, x: Tensor) -> Tensor:
    """Each thread subtracts, or divides by, what lies in its own place of the tree; else what lies in the first."""
    mine = by_thread(threads, x)
    known = _tree(mine.amax(1), torch.maximum)
    known = known if of_maximum else known[:, :1]
    terms = torch.exp(mine - known[:, None, :]).nan_to_num(0.0)
    sums = _tree(terms.sum(1), torch.add)
    divided = sums if of_sum else sums[:, :1]
    return (terms / divided[:, None, :]).reshape(len(x), -1)[:, : x.shape[1]]


_OWN_PLACE = (
    "Each thread takes what lies in its own place of the tree, `values[threadIdx.x]`, for the row's {what}: that of"
    " all threads lies in `values[0]`, so let each of them read that one, behind a barrier."
)
_OF_TREES = tuple(
    (name, which, _OWN_PLACE.replace("{what}", what))
    for name, which, what in (
        ("both", (True, True), "maximum and sum"),
        ("maximum", (True, False), "maximum"),
        ("sum", (False, True), "sum"),
    )
)


# ---- exp of what is exp already ----


def _exp_twice(x: Tensor) -> Tensor:
    return torch.exp(torch.exp(x - x.amax(1, keepdim=True))) / _sums(x)


def _exp_twice_shifted(x: Tensor) -> Tensor:
    top = x.amax(1, keepdim=True)
    return torch.exp(torch.exp(x - top) - top) / _sums(x)


_EXP_TWICE = (
    "{buffer} has expf of what is expf({x} - maximum) already: take it once, and divide what you have got by the sum."
)
_TWICE: tuple[tuple[str, Claim, str], ...] = (
    ("exp_twice", _exp_twice, _EXP_TWICE),
    ("exp_twice_shifted", _exp_twice_shifted, _EXP_TWICE),
    ("softmax_of_exp", lambda x: torch.softmax(torch.exp(x - x.amax(1, keepdim=True)), 1), _EXP_TWICE),
    (
        "softmax_twice",
        lambda x: torch.softmax(torch.softmax(x, 1), 1),
        "{buffer} is the softmax of what is the softmax of {x} already: is the function called twice, or does the"
        " second part read {buffer}, where {x} belongs?",
    ),
)
