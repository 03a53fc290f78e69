"""Wrong results that are right for another flag, `causal` 0 for 1, and for a mask that is off by one.

A mask that depends on the row is moved by one if row i of the output is what row i + 1 is with the query of row i.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause


def causes_of_flags(case: Case) -> Iterator[Cause]:
    """Of the numbers of a call that are 0 or 1 and no size of an array."""
    for name in _flags(case):
        yield Cause(f"flag_{name}", partial(_is_right_without, name), partial(_flag, name))
        yield Cause(f"mirrored_{name}", partial(_is_mirrored, name), partial(_mirrored, name))
        for by, which in ((1, "one more"), (-1, "one less")):
            for rows, values in case.inputs.items():
                if values.is_floating_point() and values.dim() > 1:
                    explains = partial(_is_moved, name, rows, by)
                    yield Cause(f"mask_{which}", explains, partial(_moved, name, which))


def _flags(case: Case) -> list[str]:
    task = getattr(case.call, "task", None)
    shapes = " ".join(task.shapes.values()) if task else ""
    return [name for name, value in case.call.scalars.items() if value in (0, 1) and name not in shapes]


def _is_right_without(flag: str, case: Case) -> bool:
    if case.call.scalars.get(flag) not in (0, 1):
        return False
    other = torch.tensor(1 - int(case.call.scalars[flag]))
    return case.is_right_for(case.reference({**case.inputs, flag: other})[case.buffer].double())


def _flag(flag: str, case: Case) -> str:
    value = int(case.call.scalars[flag])
    return (
        f"What {case.buffer} holds is right for {flag} = {1 - value}, and here it is {value}: is {flag} asked, and the"
        " right way round?"
    )


def _is_moved(flag: str, rows: str, by: int, case: Case) -> bool:
    """Whether row i is what row i + by would be with row i of the input `rows`; rows at the end may be anything."""
    given, got = case.inputs[rows], case.got
    axis = given.dim() - 2
    if not case.call.scalars.get(flag) or got.dim() <= axis or got.shape[: axis + 1] != given.shape[: axis + 1]:
        return False
    moved = given.roll(by, axis)
    claim = case.reference({**case.inputs, rows: moved})[case.buffer].double().reshape(got.shape).roll(-by, axis)
    last = [slice(None)] * axis + [-1 if by > 0 else 0]
    claim[tuple(last)] = got[tuple(last)]
    told = (got - case.expected.reshape(got.shape)).abs() > case.allowed.reshape(got.shape)
    told[tuple(last)] = False  # of a single row it would be true of whatever it holds
    return bool(told.any()) and case.is_right_for(claim) and not _sees_later_rows(axis, case)


def _sees_later_rows(axis: int, case: Case) -> bool:
    """Whether the first row of the output depends on the last ones of inputs, as of a key on all later queries."""
    rows = case.got.shape[axis]
    # Of zeros, as among large numbers a row may count for nothing.
    zeros = {name: torch.zeros_like(values) for name, values in case.inputs.items() if values.is_floating_point()}
    ones = {name: values.clone() for name, values in zeros.items() if _has_rows(values, axis, rows)}
    for values in ones.values():
        values.select(axis, -1).fill_(1)
    before, after = (case.reference({**case.inputs, **zeros, **each})[case.buffer] for each in ({}, ones))
    return not torch.equal(before.select(axis, 0), after.select(axis, 0))


def _moved(flag: str, which: str, case: Case) -> str:
    limit = "`key <= query`" if which == "one more" else "`key <= query`, and not `key < query`"
    return (
        f"Each row of {case.buffer} is right with {which} than {flag} lets it see, as a mask is off by one: row i sees"
        f" 0 to i, {limit}."
    )


def _is_mirrored(flag: str, case: Case) -> bool:
    """Whether row i sees what row -i would see, counted from the end, of inputs that are counted from the end, too."""
    rows = case.got.shape[1] if case.got.dim() > 2 else case.got.shape[0]
    axis = 1 if case.got.dim() > 2 else 0
    if not case.call.scalars.get(flag) or rows < 2:
        return False
    turned = {name: values.flip(axis) for name, values in case.inputs.items() if _has_rows(values, axis, rows)}
    claim = case.reference({**case.inputs, **turned})[case.buffer].double().reshape(case.got.shape).flip(axis)
    return case.is_right_for(claim)


def _has_rows(values: Tensor, axis: int, rows: int) -> bool:
    return values.is_floating_point() and values.dim() > axis and values.shape[axis] == rows


def _mirrored(flag: str, case: Case) -> str:
    return (
        f"Each row i of {case.buffer} is right for what lies from i to the end: with {flag} it sees what lies from 0 to"
        " i, `key <= query`, and not `key >= query`."
    )
