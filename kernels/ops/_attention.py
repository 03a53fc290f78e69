"""Lesson 08: attention; of bfloat16, lesson 09's."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from kernels.ops._register import Inputs, check, define, from_16_bytes, reference, text

_KERNELS = {torch.float32: reference("08", "attention"), torch.bfloat16: reference("09", "attention_bf16")}
_attention_backward = reference("08", "attention_backward")

_HEAD_SIZES = {torch.float32: (32, 64, 128), torch.bfloat16: (64, 128)}
_QUERIES = 128  # that the composed backward pass looks at together: its memory grows with n, not with n * n


def attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> Tensor:
    """attention(q, k, v, causal=False): softmax(q k^T / sqrt(d)) v of float32 tensors (..., n, d), d = 32, 64 or 128.

    Or of bfloat16, d = 64 or 128, on tensor cores (compute capability 8.0 and newer): with sums in float32, rounded to
    bfloat16 at the end. Its derivatives are computed in float32, and rounded.

    The leading dimensions are the batch and the heads. Query i sees the keys 0 ... i if causal, else all of them. The
    memory of the forward and of the backward pass grows with n, not with n * n. The first derivative is a kernel's,
    which adds with atomics: the last bits of the gradient of q differ from run to run. With create_graph=True it is
    composed of torch's matrix products, so that it can be differentiated again.
    """
    return attention_with_lse(q, k, v, causal)[0].to(q.dtype)


def _outputs(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> tuple[Tensor, Tensor]:
    """Empty out and lse, once the arguments are checked."""
    if q.dtype not in _KERNELS:
        raise TypeError(
            f"attention takes torch.float32 and torch.bfloat16, and q is {q.dtype}: write q.to(torch.bfloat16)"
        )
    check("attention", q.dtype, q=q, k=k, v=v)
    if not q.shape == k.shape == v.shape or q.ndim < 2:
        shapes = f"{text(q)}, {text(k)} and {text(v)}"
        raise ValueError(f"attention takes q, k and v of one shape (..., n, d), not {shapes}: expand or unsqueeze them")
    if q.shape[-1] not in (sizes := _HEAD_SIZES[q.dtype]):
        *some, last = map(str, sizes)
        raise ValueError(
            f"attention takes heads of {', '.join(some)} or {last} numbers, not {q.shape[-1]}: reshape q, k and v"
        )
    return q.new_empty(q.shape, dtype=torch.float32), q.new_empty(q.shape[:-1], dtype=torch.float32)


def _run(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> tuple[Tensor, Tensor]:
    out, lse = _outputs(q, k, v, causal)
    if out.numel():
        n, d = q.shape[-2:]
        _KERNELS[q.dtype](*map(from_16_bytes, (q, k, v)), out, lse, lse.numel() // n, n, d, int(causal))
    return out, lse


# ---- derivatives ----


def _saves(ctx: Any, inputs: Inputs, output: tuple[Tensor, Tensor]) -> None:
    *tensors, ctx.causal = inputs
    ctx.save_for_backward(*tensors, *output)
    ctx.set_materialize_grads(False)  # a result that nobody used has the gradient None


def _derivative(
    ctx: Any, grad_out: Tensor | None, grad_lse: Tensor | None
) -> tuple[Tensor | None, Tensor | None, Tensor | None, None]:
    """By the kernel, where it does: it knows no gradient of lse, and is not differentiable itself."""
    *given, out, lse = ctx.saved_tensors
    if grad_out is None and grad_lse is None:
        return None, None, None, None
    q, k, v = (each.float() for each in given)
    if grad_out is not None and grad_lse is None and not torch.is_grad_enabled():
        gradients = attention_backward(q, k, v, out, lse, grad_out, ctx.causal)
    else:
        grad_out = torch.zeros_like(out) if grad_out is None else grad_out
        grad_lse = torch.zeros_like(lse) if grad_lse is None else grad_lse
        gradients = _composed_gradients(q, k, v, out, lse, grad_out, grad_lse, ctx.causal)
    grad_q, grad_k, grad_v = (each.to(given[0].dtype) for each in gradients)
    return grad_q, grad_k, grad_v, None


def _empty_gradients(q: Tensor, k: Tensor, v: Tensor, *_: Any) -> tuple[Tensor, Tensor, Tensor]:
    return q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)


def _gradients(
    q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, grad_out: Tensor, causal: bool
) -> tuple[Tensor, Tensor, Tensor]:
    gradients = _empty_gradients(q, k, v)
    if out.numel():
        n, d = q.shape[-2:]
        tensors = map(from_16_bytes, (q, k, v, out, lse, grad_out))
        _attention_backward(*tensors, *gradients, lse.numel() // n, n, d, int(causal))
    return gradients


def _composed_gradients(
    q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, grad_out: Tensor, grad_lse: Tensor, causal: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """p = exp(score - lse) is computed again, for some queries at a time; d(score) = p * (grad_out v^T - rest).

    Dao et al., "FlashAttention", 2022, appendix B.2. Composed of differentiable operators, so derivatives go on.
    """
    n, scale = q.shape[-2], q.shape[-1] ** -0.5
    rest = (grad_out * out).sum(-1) - grad_lse
    grad_q, grad_k, grad_v = [], torch.zeros_like(k), torch.zeros_like(v)
    for first in range(0, n, _QUERIES):
        rows = slice(first, min(first + _QUERIES, n))
        p = (q[..., rows, :] @ k.mT * scale - lse[..., rows, None]).exp()
        if causal:
            p = p.masked_fill(p.new_ones(p.shape[-2:], dtype=torch.bool).triu(first + 1), 0.0)
        of_scores = p * (grad_out[..., rows, :] @ v.mT - rest[..., rows, None]) * scale
        grad_q.append(of_scores @ k)
        grad_k = grad_k + of_scores.mT @ q[..., rows, :]
        grad_v = grad_v + p.mT @ grad_out[..., rows, :]
    return torch.cat(grad_q, -2) if grad_q else torch.zeros_like(q), grad_k, grad_v


attention_with_lse = define(
    "attention_with_lse",
    "(Tensor q, Tensor k, Tensor v, bool causal=False) -> (Tensor, Tensor)",
    _run,
    _outputs,
    backward=_derivative,
    saves=_saves,
    doc="""attention_with_lse(q, k, v, causal=False): `attention`, (..., n, d), and lse, (..., n); always float32.

    lse is the logarithm of the sum of exp(q k^T / sqrt(d)) of each query: with it, results over parts of the keys can
    be combined.
    """,
)
attention_backward = define(
    "attention_backward",
    "(Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse, Tensor grad_out, bool causal) -> (Tensor, Tensor, Tensor)",
    _gradients,
    _empty_gradients,
)
