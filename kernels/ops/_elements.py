"""Lessons 01 and 02: vector_add and polar."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from kernels.ops._register import Inputs, Shape, check, operator, reference, text

_vector_add = reference("01", "vector_add")
_polar = reference("02", "polar")


def _vector_add_shape(x: Tensor, y: Tensor) -> Shape:
    check("vector_add", torch.float32, x=x, y=y)
    if x.shape != y.shape:
        raise ValueError(f"vector_add takes equal shapes, not {text(x)} and {text(y)}: write y.expand_as(x)")
    return x.shape, x.dtype


@operator("(Tensor x, Tensor y) -> Tensor", _vector_add_shape, backward=lambda ctx, grad: (grad, grad))
def vector_add(out: Tensor, x: Tensor, y: Tensor) -> None:
    """vector_add(x, y): x + y for float32 tensors of one shape."""
    _vector_add(x.contiguous(), y.contiguous(), out, out.numel())


def _polar_shape(phi: Tensor) -> Shape:
    check("polar", torch.float32, phi=phi)
    return (*phi.shape, 2), phi.dtype


def _polar_saves(ctx: Any, inputs: Inputs, output: Tensor) -> None:
    ctx.save_for_backward(output)


def _polar_backward(ctx: Any, grad: Tensor) -> Tensor:
    """cos' = -sin and sin' = cos, and both are in the result."""
    xy: Tensor
    (xy,) = ctx.saved_tensors
    return xy[..., 0] * grad[..., 1] - xy[..., 1] * grad[..., 0]


@operator("(Tensor phi) -> Tensor", _polar_shape, backward=_polar_backward, saves=_polar_saves)
def polar(out: Tensor, phi: Tensor) -> None:
    """polar(phi): cosine and sine of float32 angles, (...) to (..., 2).

    Off by less than 2^-21 within [-pi, pi], and by more the further away: the kernel uses the GPU's fast sine and
    cosine (CUDA Programming Guide, "Intrinsic Functions").
    """
    _polar(phi.contiguous(), out, phi.numel())
