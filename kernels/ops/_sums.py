"""Lessons 03 and 05: sums over any dimensions, and the histogram."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from kernels.ops._register import Inputs, Shape, check, dimension, operator, reference

_row_sum = reference("03", "row_sum")
_column_sum = reference("03", "column_sum")
_sum = reference("05", "sum")
_histogram = reference("05", "histogram")

_BINS = 256


@lru_cache
def _dims(ndim: int, dim: tuple[int, ...] | None) -> tuple[int, ...]:
    """The dimensions meant, counted from 0; all of them for None and for (), as torch has it."""
    dims = tuple(dimension("sum", ndim, d) for d in dim or range(ndim))
    if len(set(dims)) < len(dims):
        raise ValueError(f"sum takes each dimension once, and {dim} has one twice")
    return dims


def _given(dim: Sequence[int] | None) -> tuple[int, ...] | None:
    return dim if dim is None else tuple(dim)


def _kept(shape: Sequence[int], dims: Sequence[int]) -> list[int]:
    return [1 if d in dims else size for d, size in enumerate(shape)]


def _sum_shape(x: Tensor, dim: Sequence[int] | None = None, keepdim: bool = False) -> Shape:
    check("sum", torch.float32, x=x)
    dims = _dims(x.ndim, _given(dim))
    return [size for d, size in enumerate(_kept(x.shape, dims)) if keepdim or d not in dims], x.dtype


def _sum_saves(ctx: Any, inputs: Inputs, output: Tensor) -> None:
    x, dim, _ = inputs
    ctx.shape, ctx.dims = x.shape, _dims(x.ndim, _given(dim))


def _sum_backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    return grad.reshape(_kept(ctx.shape, ctx.dims)).expand(ctx.shape), None, None


@operator(
    "(Tensor x, int[1]? dim=None, bool keepdim=False) -> Tensor", _sum_shape, backward=_sum_backward, saves=_sum_saves
)
def sum(out: Tensor, x: Tensor, dim: Sequence[int] | None = None, keepdim: bool = False) -> None:
    """sum(x, dim=None, keepdim=False): as torch.sum, over one, several or all dimensions of a float32 tensor.

    Neighbouring dimensions are as good as one, so the tensor is (batch, rows, cols) around the dimensions to sum over:
    leading and interior ones are a `column_sum`, trailing ones a `row_sum`. Dimensions that are no neighbours, as
    (2, 4), want a pass for each. A tensor that is permuted, but without gaps, is summed as it lies.
    """
    if x.numel() == 0:
        out.zero_()
        return
    dims, target = _dims(x.ndim, _given(dim)), out
    if not x.is_contiguous():
        order = sorted(range(x.ndim), key=x.stride, reverse=True)  # as x lies in memory
        if x.permute(order).is_contiguous():
            target = out.view(_kept(x.shape, dims)).permute(order)
            x, dims = x.permute(order), tuple(place for place, d in enumerate(order) if d in dims)
        else:
            x = x.contiguous()
    total = target if target.is_contiguous() else out.new_empty(target.shape)
    _sum_in_passes(total, x, _passes(x.shape, dims))
    if total is not target:
        target.copy_(total)


@lru_cache
def _passes(shape: tuple[int, ...], dims: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    """(batch, rows, cols) of each pass over a contiguous tensor. The longest is first: it leaves least to the others.

    _passes((2, 3, 1, 5), (1, 3)) is ((2, 15, 1),), and _passes((2, 3, 4, 5), (1, 3)) is ((24, 5, 1), (2, 3, 4)).
    """
    marked = [(size, d in dims) for d, size in enumerate(shape) if size > 1]
    groups = itertools.groupby(marked, key=lambda pair: pair[1])
    runs = [(math.prod(size for size, _ in group), summed) for summed, group in groups]
    passes: list[tuple[int, int, int]] = []
    while any(summed for _, summed in runs):
        longest = max((run for run, (_, summed) in enumerate(runs) if summed), key=lambda run: runs[run][0])
        before, after = (math.prod(size for size, _ in part) for part in (runs[:longest], runs[longest + 1 :]))
        passes.append((before, runs[longest][0], after))
        del runs[longest]
    return tuple(passes)


def _sum_in_passes(total: Tensor, x: Tensor, passes: Sequence[tuple[int, int, int]]) -> None:
    if not passes:  # all sizes are 1
        total.copy_(x.view_as(total))
    for number, (batch, rows, cols) in enumerate(passes, start=1):
        out = total if number == len(passes) else x.new_empty(batch * cols)
        if batch == cols == 1:
            _sum(x, out, rows)
        elif cols == 1:
            _row_sum(x, out, batch, rows)
        else:
            _column_sum(x, out, batch, rows, cols)
        x = out


def _histogram_shape(x: Tensor) -> Shape:
    check("histogram", torch.uint8, x=x)
    return (_BINS,), torch.int64


@operator("(Tensor x) -> Tensor", _histogram_shape)
def histogram(out: Tensor, x: Tensor) -> None:
    """histogram(x): how often each of 0 to 255 occurs in a uint8 tensor, the int64 counts of torch.bincount."""
    if x.numel() == 0:
        out.zero_()
        return
    counts = out.new_empty(_BINS, dtype=torch.int32)  # the kernel's are unsigned, and none reaches 2^31
    _histogram(x.contiguous(), counts, x.numel())
    out.copy_(counts)
