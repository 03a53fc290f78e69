"""Lesson 09's operators on CPU tensors of bfloat16: values and derivatives against float64, and what they refuse."""

from __future__ import annotations

import math

import pytest
import torch

from kernels import ops
from tests.shared import long_tail

pytestmark = pytest.mark.slow

BF16 = torch.bfloat16


def draw(*shape: int, grad: bool = False) -> torch.Tensor:
    """A mean that is not 0, so that a sum hides no error."""
    generator = torch.Generator().manual_seed(sum(shape))
    return (torch.randn(shape, generator=generator) + 0.3).to(BF16).requires_grad_(grad)


def attend64(q, k, v, causal):
    """out and lse by the definition, in float64."""
    scores = q.double() @ k.double().mT / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
    return scores.softmax(-1) @ v.double(), scores.logsumexp(-1)


def gradients(out, inputs, weights):
    return torch.autograd.grad((out * weights).sum(), inputs)


def near(found, expected):
    """Within a bfloat16's rounding of what float64 gives."""
    assert found.dtype == BF16
    torch.testing.assert_close(found.double(), expected.double(), rtol=2.0**-7, atol=2.0**-8)


# ---- products ----


@pytest.mark.parametrize(("shape",), long_tail([((5, 16),), ((2, 3, 13),), ((7,),), ((0, 4),), ((3, 0),)], every=8))
def test_products_of_any_batch(shape):
    a, b = draw(*shape), draw(9, shape[-1])
    out = ops.matmul_bf16(a, b)
    assert out.dtype == torch.float32
    torch.testing.assert_close(out.double(), a.double() @ b.double().mT, rtol=3e-6, atol=3e-6)


@pytest.mark.slow
def test_derivatives_of_products_also_of_views_that_begin_anywhere():
    a, b = draw(2 * 5 * 8 + 1, grad=True), draw(8, 3, grad=True)
    weights = torch.rand(2, 5, 3)
    found = gradients(ops.matmul_bf16(a[1:].view(2, 5, 8), b.mT), (a, b), weights)
    expected = gradients(a[1:].view(2, 5, 8).double() @ b.double(), (a, b), weights.double())
    for x, y in zip(found, expected, strict=True):
        near(x, y)


# ---- attention ----


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "causal"),
    long_tail([((2, 33, 64), True), ((2, 1, 17, 128), False), ((0, 5, 64), False)], every=8),
)
def test_attention_and_its_derivatives(shape, causal):
    q, k, v = (draw(*shape).add(each).detach().requires_grad_() for each in (0, 0.5, 1))
    weights = torch.rand(shape)
    out, lse = ops.attention_with_lse(q, k, v, causal)
    exact, exact_lse = attend64(q, k, v, causal)
    near(ops.attention(q, k, v, causal), exact)
    assert out.dtype == lse.dtype == torch.float32
    torch.testing.assert_close(lse.double(), exact_lse, rtol=2e-5, atol=2e-5)
    found = gradients(ops.attention(q, k, v, causal), (q, k, v), weights)
    for x, y in zip(found, gradients(exact, (q, k, v), weights.double()), strict=True):
        near(x, y)


@pytest.mark.whole
def test_torch_checks_the_registration():
    q, k, v = (draw(1, 5, 64, grad=True) for _ in range(3))
    a, b = draw(3, 8, grad=True), draw(4, 8, grad=True)
    for operator, arguments in ((ops.attention_with_lse, (q, k, v, True)), (ops.matmul_bf16, (a, b))):
        assert set(torch.library.opcheck(operator, arguments).values()) == {"SUCCESS"}


# ---- what is refused ----


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: ops.matmul_bf16(draw(3, 8).float(), draw(4, 8)), TypeError, "takes torch.bfloat16, and a is"),
        (lambda: ops.matmul_bf16(draw(3, 8), draw(8, 4)), ValueError, "3x8 by 8x4 turned: the last sizes must be"),
        (lambda: ops.matmul_bf16(draw(3, 8), draw(2, 4, 8)), ValueError, "(..., k) and a matrix (n, k), not 3x8 and"),
        (lambda: ops.attention(*[draw(5, 32)] * 3), ValueError, "heads of 64 or 128 numbers, not 32"),
        (lambda: ops.attention(draw(5, 64), draw(5, 64).float(), draw(5, 64)), TypeError, "and k is torch.float32"),
    ],
)
def test_refused(call, error, said):
    with pytest.raises(error) as raised:
        call()
    assert said in str(raised.value) and "\n" not in str(raised.value)
