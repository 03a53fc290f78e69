"""The quick check of a timed run: between which two numbers each output may lie, worked out once for many runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.judge.compare import Expected

SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
CHUNK = 1 << 25  # elements that are worked on at a time, so that double precision needs little memory


@dataclass(frozen=True)
class Bounds:
    """`low <= output <= high`, all of the output's type (float32 for 16-bit types); `nan` marks where a NaN belongs.

    The same verdict as `compare.is_right`, for a fifth of the memory traffic. A NaN lies between no two numbers.
    """

    low: Tensor
    high: Tensor
    nan: Tensor | None

    def wrong(self, values: Tensor) -> Tensor:
        """True for each element that may not stand; flat."""
        flat, low, high = (_comparable(each.reshape(-1)) for each in (values, self.low, self.high))
        right = (flat >= low).logical_and_(flat <= high)
        if self.nan is not None:
            right |= self.nan & flat.isnan()
        return right.logical_not_()


def _comparable(values: Tensor) -> Tensor:
    """The values in a type that a GPU compares: unsigned ones as signed, for of integers the bounds are one number."""
    if values.dtype in (torch.float16, torch.bfloat16):
        return values.float()
    return values.view(SIGNED[values.dtype]) if values.dtype in SIGNED else values


def bounds_of(want: Expected, dtype: torch.dtype) -> Bounds:
    """The bounds of an output of this type."""
    values, allowed = want.values.reshape(-1), want.allowed.reshape(-1)
    if not dtype.is_floating_point:
        exact = values.to(dtype)
        return Bounds(exact, exact, None)
    parts = [_chunk(v, a, dtype) for v, a in zip(values.split(CHUNK), allowed.split(CHUNK), strict=True)]
    low, high, nan = (torch.cat(list(part)) for part in zip(*parts, strict=True))
    return Bounds(low, high, nan if bool(nan.any()) else None)


def _chunk(values: Tensor, allowed: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    wide: Any = torch.float64 if dtype == torch.float64 else torch.float32
    rounded = values.to(dtype)
    finite = rounded.isfinite()
    low, high = _inwards(values - allowed, wide, torch.inf), _inwards(values + allowed, wide, -torch.inf)
    exact = rounded.to(wide)
    return torch.where(finite, low, exact), torch.where(finite, high, exact), rounded.isnan()


def _inwards(limit: Tensor, dtype: torch.dtype, towards: float) -> Tensor:
    """The limit in a narrower type, not rounded beyond itself."""
    rounded = limit.to(dtype)
    back = rounded.double()
    beyond = back < limit if towards > 0 else back > limit
    return torch.where(beyond, torch.nextafter(rounded, torch.full_like(rounded, towards)), rounded)
