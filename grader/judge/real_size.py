"""The timed case, of which a few blocks run: what they have written is compared where it hangs on a part of the inputs.

An element of a product hangs on one row and one column, one of a softmax on its row, one of attention on a row of q and
on all of k and v: the reference can be asked for these alone. Which of a task's sizes can be cut so, and of which
inputs, the reference itself tells at a small case.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
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
_TILES = range(41, 61, 2)  # times 64 KB: no power of two
_WHY = "This case is timed, and a few of its blocks run: what they have written is compared"


Names = frozenset[str]
Results = dict[str, Tensor]


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


def tile_bytes(real: Call, seed: int) -> int:
    """Behind how many bytes the inputs of the real case repeat: a number that no file knows. Else a kernel could tell
    them from a GPU's, which do not.
    """
    return random.Random(f"{seed}/{real.task.name}/{real.name}").choice(_TILES) << 16


def wrong_at(real: Call, example: Call, seed: int, sample: Mapping[str, Any], tile: int) -> Finding | None:
    """The first element that sampled blocks have left wrong; None if none is, or that cannot be told.

    `example` is the case whose inputs, drawn by `seed`, repeat behind `tile` bytes. Raises UsageError.
    """
    if not any(sample.get("written", {}).values()):
        return None
    values = drawn(example, seed)
    return wrong_of(real, seed, sample, {name: Tiled.of(each, tile) for name, each in values.items()})


def wrong_of(real: Call, seed: int, sample: Mapping[str, Any], inputs: Mapping[str, Tiled]) -> Finding | None:
    """The same, where the real inputs are these. Raises UsageError."""
    told: Mapping[str, Sequence[tuple[int, str]]] = sample.get("written", {})
    task = real.task
    if not any(told.values()) or not all(each.type.is_floating for each in task.signature.inputs):
        return None
    cuts = {name: cut_along(real, name, seed) for name in task.drawn}
    for output in task.results:
        own = {name: found[output.name] for name, found in cuts.items() if output.name in found}
        if found := _wrong_of(real, output.name, output.type, told.get(output.name, ()), own, inputs):
            return found
    return None


def repeats_in_one(real: Call, example: Call, seed: int) -> bool:
    """Whether a result of the real case hangs on two places of an input that are one in the `example`: a kernel that
    takes one for the other is right, then, with the example's values, repeated. Raises UsageError.
    """
    task = real.task
    for output in task.results:
        cuts = {
            name: found[output.name] for name in task.drawn if output.name in (found := cut_along(real, name, seed))
        }
        for name in (each.name for each in task.signature.inputs if cuts):
            kept = {size: torch.zeros(1, dtype=torch.int64) for size, cut in cuts.items() if name in cut}
            values, needed = math.prod(example.shapes[name]), _numbers(real, name, kept)
            if needed > values or len((_places(real, name, kept) % values).unique()) < needed:
                return True
    return False


def _wrong_of(
    real: Call, output: str, ctype: CType, told: Sequence[tuple[int, str]], cuts: Mapping[str, Names],
    inputs: Mapping[str, Tiled],
) -> Finding | None:  # fmt: skip
    shape, dims = real.shapes[output], _dims(real.task, output)
    if not told or not cuts:
        return None
    places = torch.tensor([unravel(flat, shape) for flat, _ in told])
    kept: dict[str, Tensor] = {}
    for axis, name in enumerate(dims):
        if name in cuts:
            kept[name] = torch.cat([kept.get(name, places[:0, 0]), places[:, axis]]).unique()
    call = Call(real.task, Case(**{**real.case.sizes, **{name: len(each) for name, each in kept.items()}}))
    parts = {name: {size: each for size, each in kept.items() if name in cuts[size]} for name in inputs}
    numbers = sum(_numbers(real, name, parts[name]) for name in inputs)
    if numbers > MOST_NUMBERS or _work(real, kept) > MOST_WORK:
        return _wrong_of(real, output, ctype, told[::2], cuts, inputs) if len(told) > 1 else None
    given = {name: _cut(real, name, parts[name], tiled) for name, tiled in inputs.items()}
    expected = {output: expect(call, given, (output,), real.terms)[output]}
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


def _work(real: Call, kept: Mapping[str, Tensor]) -> float:
    """Operations on what is kept of each size."""
    share: float = math.prod(len(each) / real.case.sizes[name] for name, each in kept.items())
    return share * (real.flops or real.terms * real.facts["output_elements"])


def _numbers(real: Call, name: str, kept: Mapping[str, Tensor]) -> int:
    """Of an input, that are kept."""
    sizes = zip(real.shapes[name], _dims(real.task, name), strict=True)
    return math.prod(len(kept[dim]) if dim in kept else size for size, dim in sizes)


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
    return tiled.at(_places(real, name, kept))


def _places(real: Call, name: str, kept: Mapping[str, Tensor]) -> Tensor:
    places = torch.zeros((), dtype=torch.int64)
    for size, dim in zip(real.shapes[name], _dims(real.task, name), strict=True):
        places = places.unsqueeze(-1) * size + (kept[dim] if dim in kept else torch.arange(size))
    return places


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


@contextmanager
def _by_one_thread() -> Iterator[None]:
    """Small products take several threads longer, where the machine is busy."""
    count = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(count)


@lru_cache(maxsize=32)  # a grade asks for it several times
@_by_one_thread()
def cut_along(real: Call, name: str, seed: int) -> dict[str, Names]:
    """By output, of which inputs a part along this size makes that part of it, all else being whole: of those whose
    other parts change nothing there, or of those of them that it hangs on, if the reference takes them so.
    """
    task = real.task
    call = _trial(real)
    if call.case.sizes[name] == real.case.sizes[name]:
        return {}
    inputs = {key: each.double() for key, each in drawn(call, seed).items()}
    along = [key for key in inputs if name in _dims(task, key)]
    outputs = [each.name for each in task.results if name in _dims(task, each.name)]
    size = call.case.sizes[name]
    part = torch.tensor(sorted({0, size // 2, size - 1}))
    want = _part_of(results(call, inputs), call, outputs, name, part)

    def changed(key: str, kept: Tensor) -> Results:
        other = {**inputs, key: _otherwise(task, key, inputs[key], name, kept)}
        return _part_of(results(call, other), call, outputs, name, part)

    alone = {key: changed(key, part) for key in along}
    of_others = {key: changed(key, part[:0]) for key in along}
    small = Call(task, Case(**{**call.case.sizes, name: len(part)}))
    cut: dict[str, Names] = {}
    tried: dict[Names, Results] = {}
    for output in outputs:
        can = frozenset(key for key in along if _same(alone[key][output], want[output]))
        for some in (can, can - {key for key in can if _same(of_others[key][output], want[output])}):
            if some not in tried:
                parts = {key: _taken(task, key, inputs[key], name, part) for key in some}
                tried[some] = _of_a_part(small, {**inputs, **parts})
            if output not in cut and output in tried[some] and _same(tried[some][output], want[output]):
                cut[output] = some
    return cut


def _of_a_part(small: Call, inputs: Mapping[str, Tensor]) -> Results:
    """What the reference makes of these; {} if it does not take them."""
    with suppress(UsageError, ValueError, IndexError, RuntimeError):
        values = results(small, inputs)
        return {each.name: _shaped(values, small, each.name) for each in small.task.results}
    return {}


def _trial(real: Call) -> Call:
    """A case of small sizes, no two of them the same, with all that takes a few values alone as in the real one."""
    sizes = dict(real.case.sizes)
    least = _FEW
    for name, values in real.task.drawn.items():
        if len(set(values)) >= _FEW and 0 not in values:
            sizes[name] = least = min((each for each in values if each > least), default=least + 1)
    return Call(real.task, Case(**sizes))


def _otherwise(task: Task, key: str, values: Tensor, name: str, part: Tensor) -> Tensor:
    """An input with other values in all but this part of it."""
    other = values.flip(0).flip(-1) * 0.75 + 0.125
    for axis, dim in enumerate(_dims(task, key)):
        if dim == name:
            other.index_copy_(axis, part, values.index_select(axis, part))
    return other


def _part_of(values: Mapping[str, Tensor], call: Call, outputs: Sequence[str], name: str, part: Tensor) -> Results:
    return {each: _taken(call.task, each, _shaped(values, call, each), name, part) for each in outputs}


def _shaped(values: Mapping[str, Tensor], call: Call, output: str) -> Tensor:
    return values[output].double().reshape(call.shapes[output])


def _same(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True)


def _taken(task: Task, key: str, values: Tensor, name: str, part: Tensor) -> Tensor:
    for axis, dim in enumerate(_dims(task, key)):
        if dim == name:
            values = values.index_select(axis, part)
    return values
