"""Lesson 07: log_bmm and max_plus."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader.devices.load import ReferenceKernel
from kernels.ops._register import Inputs, Shape, batch_of, check_factors, define, flat, operator, reference, text


def _semiring(task: str, name: str, buffers: str) -> ReferenceKernel:
    """An entry point of lesson 07's other kernel, which has more types of numbers and another semiring."""
    sizes = "int batch, int n, int m, int p, cudaStream_t stream"
    return reference("07", task, file="07_log_bmm/semirings.cu", prototype=f"void {name}({buffers}, {sizes})")


_log_bmm = {
    torch.float32: reference("07", "log_bmm"),
    torch.float64: _semiring("log_bmm", "log_bmm_double", "const double* a, const double* b, double* out"),
}
_log_bmm_backward = {
    torch.float32: reference("07", "log_bmm_backward"),
    torch.float64: _semiring(
        "log_bmm_backward",
        "log_bmm_backward_double",
        "const double* a, const double* b, const double* out, const double* grad_out, double* grad_a, double* grad_b",
    ),
}
_max_plus = _semiring("log_bmm", "max_plus", "const float* a, const float* b, float* out, int* from")

_NARROW = (torch.float16, torch.bfloat16)  # converted to float32, and back

# ---- log_bmm ----


def _log_bmm_shape(a: Tensor, b: Tensor) -> Shape:
    number = a.dtype if a.dtype in (*_log_bmm, *_NARROW) else torch.float32
    check_factors("log_bmm", a, b, number)
    return (*batch_of(a, b), a.shape[-2], b.shape[-1]), a.dtype


def _log_bmm_saves(ctx: Any, inputs: Inputs, output: Tensor) -> None:
    ctx.save_for_backward(*inputs, output)


def _log_bmm_derivative(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    a, b, out = ctx.saved_tensors
    number = a.dtype
    if number in _NARROW:  # a rounded out would be off by hundredths, and so would all shares: compute it again
        a, b, grad = a.float(), b.float(), grad.float()
        out = log_bmm(a, b)
    grad_a, grad_b = log_bmm_backward(a, b, out, grad)
    return grad_a.sum_to_size(a.shape).to(number), grad_b.sum_to_size(b.shape).to(number)


@operator("(Tensor a, Tensor b) -> Tensor", _log_bmm_shape, backward=_log_bmm_derivative, saves=_log_bmm_saves)
def log_bmm(out: Tensor, a: Tensor, b: Tensor) -> None:
    """log_bmm(a, b): (a.unsqueeze(-1) + b.unsqueeze(-3)).logsumexp(-2), without that many terms in memory.

    (..., n, m) and (..., m, p) give (..., n, p), with leading dimensions as in torch.matmul; -inf, +inf and NaN as in
    torch. Differentiable once. An element of -inf counts for no gradient, where torch gives NaN. float16 and bfloat16
    are converted to float32 and the result is rounded once; float64 is exact to its own roundings, and slow.
    """
    if a.shape[-1] == 0:
        out.fill_(-math.inf)
        return
    batch = out.shape[:-2]
    a, b = (flat(x.float() if x.dtype in _NARROW else x, batch) for x in (a, b))
    wide = out if out.dtype == a.dtype else torch.empty_like(out, dtype=a.dtype)
    _log_bmm[a.dtype](a, b, wide.view(-1, *out.shape[-2:]), len(a), *a.shape[-2:], b.shape[-1])
    if wide is not out:
        out.copy_(wide)


def _empty_gradients(a: Tensor, b: Tensor, out: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    """(..., n, m) and (..., m, p), with the leading dimensions of out."""
    batch = out.shape[:-2]
    return a.new_empty((*batch, *a.shape[-2:])), b.new_empty((*batch, *b.shape[-2:]))


def _gradients(a: Tensor, b: Tensor, out: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    """Of each member of the batch, not yet summed where a or b was broadcast."""
    grad_a, grad_b = _empty_gradients(a, b, out, grad)
    if out.numel() == 0 or a.shape[-1] == 0:
        return grad_a.zero_(), grad_b.zero_()
    a, b, out, grad = (flat(x, out.shape[:-2]) for x in (a, b, out, grad))
    to = grad_a.view(a.shape), grad_b.view(b.shape)
    _log_bmm_backward[a.dtype](a, b, out, grad, *to, len(a), *a.shape[-2:], b.shape[-1])
    return grad_a, grad_b


def _no_second_derivative(ctx: Any, *grads: Tensor) -> None:
    raise RuntimeError(
        "log_bmm can be differentiated once: leave out create_graph=True, or write it with torch.logsumexp"
    )


log_bmm_backward = define(
    "log_bmm_backward",
    "(Tensor a, Tensor b, Tensor out, Tensor grad) -> (Tensor, Tensor)",
    _gradients,
    _empty_gradients,
    backward=_no_second_derivative,
)

# ---- max_plus ----


def _max_plus_results(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Empty values and indices, once the arguments are checked."""
    check_factors("max_plus", a, b)
    if a.shape[-1] == 0:
        raise ValueError(f"max_plus needs something to take the maximum of, not {text(a)} and {text(b)}")
    shape = (*batch_of(a, b), a.shape[-2], b.shape[-1])
    return a.new_empty(shape), a.new_empty(shape, dtype=torch.int64)


def _run_max_plus(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    out, index = _max_plus_results(a, b)
    if out.numel():
        a, b = (flat(x, out.shape[:-2]) for x in (a, b))
        found = torch.empty_like(index, dtype=torch.int32)
        _max_plus(a, b, *(x.view(-1, *out.shape[-2:]) for x in (out, found)), len(a), *a.shape[-2:], b.shape[-1])
        index.copy_(found)
    return out, index


def _max_plus_saves(ctx: Any, inputs: Inputs, output: tuple[Tensor, Tensor]) -> None:
    ctx.shapes = [x.shape for x in inputs]
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])


def _max_plus_derivative(ctx: Any, grad: Tensor, _: Any) -> tuple[Tensor, ...]:
    """Every output was one a[i, k] + b[k, j]: its gradient goes to these two."""
    (index,) = ctx.saved_tensors
    batch = index.shape[:-2]
    found = [grad.new_zeros(*batch, *shape[-2:]) for shape in ctx.shapes]
    return tuple(
        to.scatter_add(dim, index, grad).sum_to_size(shape)
        for to, dim, shape in zip(found, (-1, -2), ctx.shapes, strict=True)
    )


max_plus = define(
    "max_plus",
    "(Tensor a, Tensor b) -> (Tensor, Tensor)",
    _run_max_plus,
    _max_plus_results,
    backward=_max_plus_derivative,
    saves=_max_plus_saves,
    doc="""max_plus(a, b): (a.unsqueeze(-1) + b.unsqueeze(-3)).max(-2), values and int64 indices, of float32.

    The product of a semiring whose sum is the maximum: the best path, and its last step but one (Viterbi). Shapes as
    in `log_bmm`. Of equal terms the first counts, and gets the whole gradient.
    """,
)
