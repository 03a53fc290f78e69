"""Shares of 1 whose row a warp works on, with shuffles that do not bring every lane the whole row's maximum or sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause
from grader.judge.causes.often import LANES
from grader.judge.causes.vectors import WAYS, Numbers
from grader.judge.causes.weights import STEPS


@dataclass(frozen=True, eq=False)
class Program:
    """Shuffles in a row: how often each lane's result has each lane's value, and what is wrong with them."""

    name: str
    has: Tensor  # lanes x lanes
    why: str


_DOWN = (
    "__shfl_down_sync leaves {what} in lane 0 alone, so write __shfl_xor_sync, or hand lane 0's on to all, `value ="
    " __shfl_sync(0xffffffff, value, 0)`"
)
_UP = "__shfl_up_sync leaves {what} in the last lane alone: write __shfl_xor_sync, by which all lanes have it"
_ONE = "by __shfl_sync all lanes take the value of the one that is named: write __shfl_xor_sync"
_ASSIGNED = "the shuffles' line replaces a lane's own value: put the two together, by `+=`, or by fmaxf(mine, other's)"
_WITHOUT = "the step by {d} is missing: shuffles need 16, 8, 4, 2 and 1, each once, `for (int d = 16; d > 0; d /= 2)`"
_NARROW = "with the width {d}, the shuffle's last argument, lanes meet {d} lanes only: leave it out"


@cache
def _programs() -> Sequence[Program]:
    found = []
    for kind, why in (("down", _DOWN), ("up", _UP), ("one", _ONE)):
        for order in (STEPS, STEPS[::-1]):
            found.append(Program(f"{kind}_{order[0]}", _lanes([(kind, d) for d in order]), why))
    for kind in ("xor", "down"):
        found.append(Program(f"{kind}_assigned", _lanes([(kind, d) for d in STEPS], adds=False), _ASSIGNED))
    for step in STEPS:
        rest = [("xor", d) for d in STEPS if d != step]
        found.append(Program(f"without_{step}", _lanes(rest), _WITHOUT.replace("{d}", str(step))))
        twice = [("xor", max(step // 2, 1) if d == step else d) for d in STEPS]
        found.append(Program(f"twice_{step}", _lanes(twice), _WITHOUT.replace("{d}", str(step))))
    for width in STEPS[:-1]:
        has = _lanes([("xor", d) for d in STEPS], width=width)
        found.append(Program(f"width_{width}", has, _NARROW.replace("{d}", str(width))))
    return found


def _lanes(steps: Sequence[tuple[str, int]], adds: bool = True, width: int = LANES) -> Tensor:
    lanes = torch.arange(LANES)
    has = torch.eye(LANES, dtype=torch.float64)
    first = lanes // width * width
    for kind, step in steps:
        origin = {"down": lanes + step, "up": lanes - step, "xor": lanes ^ step, "one": first + step % width}[kind]
        lowest = first if kind == "up" else 0  # lanes of earlier parts of a warp may be asked, of later ones not
        taken = has[torch.where((origin >= lowest) & (origin < first + width), origin, lanes)]
        has = has + taken if adds else taken
    return has


_MAXIMUM = "Each lane subtracts a maximum that is not the whole row's: {why}."
_SUM = "Each lane divides by a sum that is not the whole row's: {why}."
_BOTH = "Each lane has a maximum and a sum that are not the whole row's: {why}."
_WRONG = (("maximum", (True, False), _MAXIMUM), ("sum", (False, True), _SUM), ("both", (True, True), _BOTH))


def causes_of_lanes() -> Iterator[Cause]:
    """Of an output that is the softmax of an input's rows; of fewer columns than lanes much would be true."""
    for what, (of_maximum, of_sum), words in _WRONG:
        for each in _programs():
            name = {"maximum": "the maximum", "sum": "the sum", "both": "both"}[what]
            said = words.format(why=each.why.format(what=name))
            for way, numbers in (("", _as_they_come), *WAYS):
                agrees = partial(_is_so, each.has, of_maximum, of_sum, numbers)
                yield Cause(f"lanes_{what}_{each.name}_{way}", partial(_tells, agrees), partial(_said, said), agrees)


def _as_they_come(places: Tensor, _: int) -> Tensor:
    return places


def _said(words: str, _: Case) -> str:
    return words


def _tells(agrees: partial[bool], case: Case) -> bool:
    return case.got.shape[-1] >= LANES and agrees(case)


def _is_so(has: Tensor, of_maximum: bool, of_sum: bool, numbers: Numbers, case: Case) -> bool:
    """Whether lane l, which has the elements, or vectors, l, l + 32, ..., knows what `has` says, and takes no more."""
    if (x := _rows(case)) is None:
        return False
    lane = numbers(torch.arange(x.shape[1]), x.shape[1]) % LANES
    nothing = torch.zeros(len(x), LANES, dtype=x.dtype)
    own = (nothing - torch.inf).scatter_reduce(1, lane.expand_as(x), x, "amax")
    known = own[:, None, :].masked_fill(has == 0, -torch.inf).amax(2) if of_maximum else own.amax(1, keepdim=True)
    terms = torch.exp(x - known.expand_as(own)[:, lane]).nan_to_num(0.0)
    sums = nothing.index_add(1, lane, terms)
    divided = sums @ has.T if of_sum else sums.sum(1, keepdim=True)
    return case.is_right_for(terms / divided.expand_as(own)[:, lane])


def _rows(case: Case) -> Tensor | None:
    found = [x for x in case.inputs.values() if x.is_floating_point() and x.shape == case.got.shape]
    return found[0].reshape(-1, found[0].shape[-1]) if found else None
