"""Random inputs for a case: the same for the same seed, and unkind to kernels that are nearly right."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from grader.course.call import Call
from grader.course.catalog import UsageError
from grader.devices.buffers import Arena, CaseBuffers


def case_seed(seed: int, task: str, case: str) -> int:
    """A seed of its own for every case, so that judging one task alone gives it the same data."""
    digest = hashlib.sha256(f"{seed}/{task}/{case}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1  # torch wants a signed 64-bit number


_EXTREMES = [math.inf, -math.inf, math.nan, 0.0]
_EXTREMES += [s * 10.0**power for s in (1, -1) for power in (-37, -33, -30, -20, -9, -4, *range(2, 8), 9, 20, 38)]


class Filled(Protocol):
    """Buffers that take their inputs: those of an arena, or a set on a GPU."""

    def fill(self, name: str, values: Tensor) -> None: ...


def fill_all(calls: Sequence[Call], arena: Arena, seed: int) -> list[dict[str, Tensor]]:
    """`fill` for each call of an arena's."""
    inputs = [_draw(call, buffers, seed) for call, buffers in zip(calls, arena.cases, strict=True)]
    arena.poison()
    return inputs


def fill(call: Call, buffers: CaseBuffers, seed: int) -> dict[str, Tensor]:
    """Draws the inputs of a call into its buffers, and marks its outputs as unwritten. Raises UsageError."""
    inputs = _draw(call, buffers, seed)
    buffers.poison()
    return inputs


def _draw(call: Call, buffers: CaseBuffers, seed: int) -> dict[str, Tensor]:
    return draw_into(call, buffers, Draw(case_seed(seed, call.signature.name, call.name)))


def draw_into(call: Call, buffers: Filled, draw: Draw) -> dict[str, Tensor]:
    """Draws the inputs of a call into buffers; what was drawn, by name. Raises UsageError."""
    task, case, shapes = call.task, call.case, call.shapes
    try:
        inputs = dict(task.make_inputs(draw, case.variant, **case.sizes))
        for parameter in call.signature.inputs:
            inputs[parameter.name] = inputs[parameter.name].reshape(shapes[parameter.name])
            buffers.fill(parameter.name, inputs[parameter.name])
    except Exception as error:  # whatever a lesson's author can get wrong
        said = f"{type(error).__name__}: {error}"
        raise UsageError(f"make_inputs of task {task.name} failed at {call.name}: {said}") from error
    return inputs


class Draw:
    """Draws the tensors of one case. A lesson's make_inputs gets one and needs no torch of its own.

    Every method returns a contiguous tensor on `device`; `dtype` is the name of a torch type.
    """

    def __init__(self, seed: int, device: str = "cpu"):
        self.device = torch.device(device)
        self._generator = torch.Generator(self.device).manual_seed(seed)

    def normal(self, *shape: int, dtype: str = "float32", mean: float = 0.5, scale: float = 1.0) -> Tensor:
        """Normal numbers. The mean is not 0, so that the sum of a part differs from the sum of all."""
        values = torch.randn(shape, generator=self._generator, device=self.device)
        return values.mul_(scale).add_(mean).to(getattr(torch, dtype))

    def uniform(self, low: float, high: float, *shape: int, dtype: str = "float32") -> Tensor:
        """Numbers spread evenly over [low, high)."""
        values = torch.rand(shape, generator=self._generator, device=self.device)
        return values.mul_(high - low).add_(low).to(getattr(torch, dtype))

    def integers(self, low: int, high: int, *shape: int, dtype: str = "int32") -> Tensor:
        """Whole numbers low, low + 1, ..., high - 1, as Python's range counts."""
        values = torch.randint(low, high, shape, generator=self._generator, device=self.device)
        return values.to(getattr(torch, dtype))

    def choice(self, values: Sequence[float], *shape: int, dtype: str = "float32") -> Tensor:
        """One of `values` at every place, all equally likely."""
        which = torch.randint(len(values), shape, generator=self._generator, device=self.device)
        return torch.tensor(values, device=self.device, dtype=getattr(torch, dtype))[which]

    def plant_extremes(self, *tensors: Tensor) -> None:
        """Gives 1 element in 500 of float32 tensors numbers of all sizes, infinities and NaN, in place: what becomes of
        those follows from arithmetic alone, and is to be left to it. At the same places in all, so that all are large.
        """
        places = self.integers(0, tensors[0].numel(), max(1, tensors[0].numel() // 500)).long()
        places = places.unique()  # of two numbers for one place, threads of torch leave either
        for tensor in tensors:
            tensor.view(-1)[places] = self.choice(_EXTREMES, len(places))

    def plant_outliers(self, tensor: Tensor, count: int | None = None, scale: float = 1000.0) -> Tensor:
        """Multiplies `count` elements (1 in 1000, at least one) by `scale`, in place, and returns the tensor.

        An outlier costs a sum in too few bits the small terms that follow it, and betrays an element left out.
        """
        flat = tensor.view(-1)
        count = min(flat.numel(), max(1, flat.numel() // 1000) if count is None else count)
        places = torch.randperm(flat.numel(), generator=self._generator, device=self.device)[:count]
        flat[places] *= scale
        return tensor
