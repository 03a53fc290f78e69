"""Results that hold what a thread computed before, too: a sum that is not set to 0 again for each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause

ALL = -1  # threads of a launch
NOUNS = {1: ("element",), 2: ("row", "column"), 3: ("matrix", "row", "column")}


def causes_of_carried(case: Case) -> Iterator[Cause]:
    """Of outputs whose elements a thread computes one after the other, some steps apart along an axis."""
    for axis in range(case.got.dim()) if case.got.dim() in NOUNS else ():
        for step in dict.fromkeys([1, *case.threads, ALL]):
            yield Cause(f"carried_{axis}_{step}", partial(_is_carried, axis, step), partial(_said, axis, step))


def _steps(step: int, case: Case) -> int:
    grids = (math.prod([*launch["grid"], *launch["block"]]) for launch in case.launches)
    return max(grids, default=0) if step == ALL else step


def _is_carried(axis: int, step: int, case: Case) -> bool:
    if case.got.dim() <= axis or not 0 < (by := _steps(step, case)) < case.got.shape[axis]:
        return False
    return case.is_right_for(_with_those_before(case.expected.reshape(case.got.shape), axis, by))


def _with_those_before(right: Tensor, axis: int, step: int) -> Tensor:
    """Each element with all that lie one, two, ... steps before it."""
    count = right.shape[axis]
    rounds = -(-count // step)
    padded = torch.nn.functional.pad(right.movedim(axis, -1), (0, rounds * step - count))
    carried: Tensor = padded.unflatten(-1, (rounds, step)).cumsum(-2).flatten(-2)[..., :count]
    return carried.movedim(-1, axis)


def _said(axis: int, step: int, case: Case) -> str:
    noun = NOUNS[case.got.dim()][axis]
    by = _steps(step, case)
    before = f"the {noun} before" if by == 1 else f"the {noun} {by} before"
    return (
        f"Each {noun} of {case.buffer} holds what {before} holds, too: set the sum to 0 in front of each, within the"
        " loop over them."
    )
