"""Lesson 06: softmax."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.devices.load import ReferenceKernel
from kernels.ops._register import Inputs, Shape, dimension, operator, reference

_SCRATCH = 1024  # floats: a pair for each block that a row is spread over


def _stored_as(number: str, name: str) -> ReferenceKernel:
    """The entry point of lesson 06's top rung for another type of number in x and y."""
    sizes = "int rows, int cols, float* scratch, int scratch_len, cudaStream_t stream"
    return reference("06", "softmax", prototype=f"void {name}(const {number}* x, {number}* y, {sizes})")


_softmax = {
    torch.float32: reference("06", "softmax"),
    torch.float16: _stored_as("half", "softmax_half"),
    torch.bfloat16: _stored_as("__nv_bfloat16", "softmax_bfloat16"),
}


def _softmax_shape(x: Tensor, dim: int) -> Shape:
    if x.dtype not in _softmax:
        raise TypeError(f"softmax takes float32, float16 and bfloat16, and x is {x.dtype}: write x.to(torch.float32)")
    dimension("softmax", x.ndim, dim)
    return x.shape, x.dtype


def _softmax_saves(ctx: Any, inputs: Inputs, output: Tensor) -> None:
    ctx.save_for_backward(output)
    ctx.dim = dimension("softmax", output.ndim, inputs[1])


def _softmax_backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
    """dy_i / dx_j = y_i ((i = j) - y_j), summed over i with grad_i; in float32, as the result was computed."""
    (saved,) = ctx.saved_tensors
    y, wide = saved.float(), grad.float()
    return (y * (wide - (y * wide).sum(ctx.dim, keepdim=True))).to(saved.dtype), None


@operator("(Tensor x, int dim) -> Tensor", _softmax_shape, backward=_softmax_backward, saves=_softmax_saves)
def softmax(out: Tensor, x: Tensor, dim: int) -> None:
    """softmax(x, dim): as torch.softmax, for float32, float16 and bfloat16; computed in float32 and rounded once.

    Another dimension than the last one costs a copy before and one after. How far an element may be off stands in
    docs/numerics.md.
    """
    dim = dimension("softmax", x.ndim, dim)
    if x.ndim == 0:
        x, out = x.view(1), out.view(1)
    rows, target = x.movedim(dim, -1).contiguous(), out.movedim(dim, -1)
    result = target if target.is_contiguous() else torch.empty_like(rows)
    cols = rows.shape[-1]
    scratch = rows.new_empty(_SCRATCH, dtype=torch.float32)
    _softmax[x.dtype](rows, result, rows.numel() // cols, cols, scratch, _SCRATCH)
    if result is not target:
        target.copy_(result)
