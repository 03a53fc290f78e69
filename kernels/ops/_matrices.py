"""Lessons 03 and 04: transpose and matmul."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from kernels.ops._register import Inputs, Shape, batch_of, check, check_factors, indices, operator, reference, text

_transpose = reference("03", "transpose")
_matmul = reference("04", "matmul")


def _transpose_shape(x: Tensor) -> Shape:
    check("transpose", torch.float32, x=x)
    if x.ndim < 2:
        raise ValueError(f"transpose takes a matrix or a batch of them, not {text(x)}: unsqueeze it first")
    return (*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype


def _transpose_backward(ctx: Any, grad: Tensor) -> Tensor:
    return transpose(grad)


@operator("(Tensor x) -> Tensor", _transpose_shape, backward=_transpose_backward)
def transpose(out: Tensor, x: Tensor) -> None:
    """transpose(x): (..., rows, cols) to (..., cols, rows), copied; float32. A batch takes a launch for each matrix."""
    x = x.contiguous()
    for index in indices(x.shape[:-2]):
        _transpose(x[index], out[index], *x.shape[-2:])


def _matmul_shape(a: Tensor, b: Tensor) -> Shape:
    check_factors("matmul", a, b)
    return (*batch_of(a, b), a.shape[-2], b.shape[-1]), a.dtype


def _matmul_saves(ctx: Any, inputs: Inputs, output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _matmul_backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
    a, b = ctx.saved_tensors
    needs_a, needs_b = ctx.needs_input_grad
    grad_a = matmul(grad, transpose(b)).sum_to_size(a.shape) if needs_a else None
    grad_b = matmul(transpose(a), grad).sum_to_size(b.shape) if needs_b else None
    return grad_a, grad_b


@operator("(Tensor a, Tensor b) -> Tensor", _matmul_shape, backward=_matmul_backward, saves=_matmul_saves)
def matmul(out: Tensor, a: Tensor, b: Tensor) -> None:
    """matmul(a, b): (..., m, k) times (..., k, n) for float32 matrices, with leading dimensions as in torch.matmul.

    One launch if b is a single matrix, for then a batch is just more rows of a; else one for each pair of matrices.
    """
    if a.shape[-1] == 0:
        out.zero_()
        return
    a, b = a.contiguous(), b.contiguous()
    n, k = out.shape[-1], a.shape[-1]
    if b.ndim == 2:
        _matmul(a, b, out, out.numel() // n, n, k)
        return
    batch = out.shape[:-2]
    a, b = a.expand(*batch, -1, -1), b.expand(*batch, -1, -1)
    for index in indices(batch):
        _matmul(a[index], b[index], out[index], out.shape[-2], n, k)
