"""The timed case, of which a few blocks run: what they have written is compared where it hangs on a part of the inputs.

An element of a product hangs on one row and one column, one of a softmax on its row: the reference can be asked for a
few rows and columns alone. Which of a task's sizes can be cut so, the reference itself tells at a small case.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from grader.course.call import Call
from grader.course.catalog import UsageError
from grader.course.lesson import Case, Task
from grader.course.prototype import CType
from grader.devices.evidence import Finding
from grader.judge.causes.elements import element_name, unravel
from grader.judge.compare import Expected, Output, compare, expect, results
from grader.judge.inputs import Draw, case_seed, draw_into

MOST_NUMBERS, MOST_WORK = 1 << 22, 1 << 29  # of all that is cut out of the inputs; operations on them, at most
_FEW = 3  # places that a size is cut down to, to see whether it can be
_MOST_OF_A_TRIAL = 1 << 16  # elements of the case that is cut for that
_WHY = "This case is timed, and a few of its blocks run: what they have written is compared"


@dataclass(frozen=True)
class Tiled:
    """An input of real size that repeats `values`, the first `elements` of them, and begins anew after so many."""

    values: Tensor
    elements: int

    @classmethod
    def of(cls, values: Tensor, tile_bytes: int) -> Tiled:
        return cls(values.flatten(), tile_bytes // values.element_size())

    def at(self, places: Tensor) -> Tensor:
        return self.values[places % self.elements % min(self.values.numel(), self.elements)]


def wrong_at(real: Call, example: Call, seed: int, sample: Mapping[str, Any], tile_bytes: int) -> Finding | None:
    """The first element that sampled blocks have left wrong; None if none is, or that cannot be told.

    `example` is the case whose inputs, drawn by `seed`, are repeated. Raises UsageError.
    """
    told: Mapping[str, Sequence[tuple[int, str]]] = sample.get("written", {})
    task = real.task
    if not any(told.values()) or not all(each.type.is_floating for each in task.signature.inputs):
        return None
    names = {name for name in task.drawn if _can_be_cut(task, name, seed)}
    values = drawn(example, seed)
    inputs = {name: Tiled.of(each, tile_bytes) for name, each in values.items()}
    for output in task.results:
        if found := _wrong_of(real, output.name, output.type, told.get(output.name, ()), names, inputs):
            return found
    return None


def _wrong_of(
    real: Call, output: str, ctype: CType, told: Sequence[tuple[int, str]], names: set[str], inputs: Mapping[str, Tiled]
) -> Finding | None:
    shape, dims = real.shapes[output], _dims(real.task, output)
    if not told or not names & set(dims):
        return None
    places = torch.tensor([unravel(flat, shape) for flat, _ in told])
    kept: dict[str, Tensor] = {}
    for axis, name in enumerate(dims):
        if name in names:
            kept[name] = torch.cat([kept.get(name, places[:0, 0]), places[:, axis]]).unique()
    call = Call(real.task, Case(**{**real.case.sizes, **{name: len(each) for name, each in kept.items()}}))
    if sum(math.prod(call.shapes[name]) for name in inputs) > MOST_NUMBERS or _work(call) > MOST_WORK:
        return _wrong_of(real, output, ctype, told[::2], names, inputs) if len(told) > 1 else None
    given = {name: _cut(real, name, kept, tiled) for name, tiled in inputs.items()}
    expected = {output: expect(call, given)[output]}
    values, looked_at = _held(call, output, dims, kept, places, [held for _, held in told], ctype)
    want = replace(expected[output], values=expected[output].values.masked_fill(~looked_at, 0))
    if not values.any() and not _are_none_zero(want, looked_at):
        return None
    found = compare({output: want}, {output: Output(values, torch.ones_like(looked_at))})
    if found.status == "passed":
        return None
    at = unravel(found.details["first"], call.shapes[output])
    there = [int(kept[name][i]) if name in kept else i for name, i in zip(dims, at, strict=True)]
    before, after = element_name(output, found.details["first"], call.shapes[output]), _named(output, there)
    said = found.message.replace(before, after, 1).partition(" (")[0].rstrip(".")
    return Finding(found.status, f"{said}. {_WHY}.")


def _are_none_zero(want: Expected, looked_at: Tensor) -> bool:
    """Whether no element there should be zero, nor nearly so. Some of them were stored, and it is not known which."""
    return bool((want.values.double().abs() > want.allowed)[looked_at].all())


def _work(call: Call) -> int:
    return call.flops or call.terms * call.facts["output_elements"]


def _named(output: str, at: Sequence[int]) -> str:
    return f"{output}[{', '.join(map(str, at))}]"


def _held(
    call: Call, output: str, dims: Sequence[str], kept: Mapping[str, Tensor], places: Tensor, held: Sequence[str],
    ctype: CType,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """What was told of an output, in the shape of what is cut out of it, and where that is."""
    shape, dtype = call.shapes[output], getattr(torch, ctype.torch)
    values, looked_at = torch.zeros(shape, dtype=dtype), torch.zeros(shape, dtype=torch.bool)
    told = torch.frombuffer(bytearray.fromhex("".join(held)), dtype=dtype)
    at = [
        torch.searchsorted(kept[name], places[:, axis].contiguous()) if name in kept else places[:, axis]
        for axis, name in enumerate(dims)
    ]
    values[tuple(at)], looked_at[tuple(at)] = told, True
    return values, looked_at


def _cut(real: Call, name: str, kept: Mapping[str, Tensor], tiled: Tiled) -> Tensor:
    """The rows, columns and so on of an input that are kept."""
    places = torch.zeros((), dtype=torch.int64)
    for size, dim in zip(real.shapes[name], _dims(real.task, name), strict=True):
        places = places.unsqueeze(-1) * size + (kept[dim] if dim in kept else torch.arange(size))
    return tiled.at(places)


def _dims(task: Task, name: str) -> list[str]:
    return [each.strip() for each in task.shapes[name].split(",")]


# ---- which sizes can be cut ----


class _Nowhere:
    """Takes inputs that are drawn for the reference alone."""

    def fill(self, name: str, values: Tensor) -> None:
        """Nothing is kept."""


def drawn(call: Call, seed: int) -> dict[str, Tensor]:
    """The inputs of a call, by name, as they are drawn for a grade."""
    return draw_into(call, _Nowhere(), Draw(case_seed(seed, call.signature.name, call.name)))


def _can_be_cut(task: Task, name: str, seed: int) -> bool:
    """Whether the reference makes of a part of the inputs along this size that part of its results."""
    cases = [Call(task, case) for case in task.judged_cases if case.sizes[name] > _FEW]
    calls = [call for call in cases if _elements(call) < _MOST_OF_A_TRIAL and call.terms < _MOST_OF_A_TRIAL]
    outputs = [each.name for each in task.results if name in _dims(task, each.name)]
    if not calls or not outputs:
        return False
    with suppress(UsageError, ValueError, IndexError, RuntimeError):
        call = max(calls, key=_elements)
        inputs = {key: each.double() for key, each in drawn(call, seed).items()}
        size = call.case.sizes[name]
        part = torch.tensor(sorted({0, size // 2, size - 1}))
        small = Call(task, Case(**{**call.case.sizes, name: len(part)}))
        whole = results(call, inputs)
        of_part = results(small, {key: _taken(task, key, each, name, part) for key, each in inputs.items()})
        return all(
            torch.allclose(
                _taken(task, each, whole[each].double().reshape(call.shapes[each]), name, part),
                of_part[each].double().reshape(small.shapes[each]),
                rtol=1e-9,
                atol=1e-12,
                equal_nan=True,
            )
            for each in outputs
        )
    return False


def _elements(call: Call) -> int:
    return call.facts["input_elements"] + call.facts["output_elements"]


def _taken(task: Task, key: str, values: Tensor, name: str, part: Tensor) -> Tensor:
    for axis, dim in enumerate(_dims(task, key)):
        if dim == name:
            values = values.index_select(axis, part)
    return values
