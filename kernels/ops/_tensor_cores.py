"""Lesson 09: a product of matrices on tensor cores. Its attention is `attention` of bfloat16: _attention.py."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from kernels.ops._register import Inputs, Shape, check, from_16_bytes, operator, reference, text

_matmul_bf16 = reference("09", "matmul_bf16")


def _shape(a: Tensor, b: Tensor) -> Shape:
    check("matmul_bf16", torch.bfloat16, a=a, b=b)
    if a.ndim < 1 or b.ndim != 2:
        raise ValueError(
            f"matmul_bf16 takes rows (..., k) and a matrix (n, k), not {text(a)} and {text(b)}: reshape them"
        )
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(
            f"matmul_bf16 cannot multiply {text(a)} by {text(b)} turned: the last sizes must be equal, so write b.mT"
        )
    return (*a.shape[:-1], b.shape[0]), torch.float32


def _saves(ctx: Any, inputs: Inputs, output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
    """By torch's products in float32, rounded to bfloat16 at the end."""
    a, b = ctx.saved_tensors
    needs_a, needs_b = ctx.needs_input_grad
    rows = grad.flatten(0, -2) if grad.ndim > 1 else grad[None]
    grad_a = (grad @ b.float()).to(a.dtype) if needs_a else None
    grad_b = (rows.mT @ a.float().reshape(len(rows), a.shape[-1])).to(b.dtype) if needs_b else None
    return grad_a, grad_b


@operator("(Tensor a, Tensor b) -> Tensor", _shape, backward=_backward, saves=_saves)
def matmul_bf16(out: Tensor, a: Tensor, b: Tensor) -> None:
    """matmul_bf16(a, b): a bᵀ for bfloat16 a, (..., k), and b, (n, k), in float32, (..., n): sums are never narrow.

    As torch.nn.functional.linear(a, b). One launch, whatever the leading dimensions. On a GPU it needs compute
    capability 8.0. The derivatives are torch's products in float32, rounded to bfloat16.
    """
    n, k = b.shape
    if k == 0:
        out.zero_()
        return
    _matmul_bf16(from_16_bytes(a), from_16_bytes(b), out, out.numel() // n, n, k)
