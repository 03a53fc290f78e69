"""Lesson 09's operators on CUDA tensors of bfloat16: values and derivatives beside torch's, at sizes of many tiles."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from kernels import ops


def draw(*shape: int) -> torch.Tensor:
    generator = torch.Generator("cuda").manual_seed(sum(shape))
    return (torch.randn(shape, generator=generator, device="cuda") + 0.3).bfloat16().requires_grad_()


@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (513, 259, 4099), (1024, 512, 2048)])
def test_products_beside_float64(m, n, k):
    a, b = draw(m, k), draw(n, k)
    out = ops.matmul_bf16(a, b)
    exact, scale = a.double() @ b.double().mT, a.double().abs() @ b.double().abs().mT
    assert out.dtype == torch.float32 and ((out - exact).abs() <= 2.0**-24 * (4 * k**0.5 + k / 8) * scale).all()
    weights = torch.rand(m, n, device="cuda")
    for found, expected in zip(
        torch.autograd.grad((out * weights).sum(), (a, b)), (weights @ b.float(), weights.mT @ a.float()), strict=True
    ):
        torch.testing.assert_close(found.float(), expected, rtol=2.0**-7, atol=2.0**-7)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", [64, 128])
def test_attention_beside_torch(d, causal):
    q, k, v = (draw(2, 3, n, d)[..., :1031, :] for n in (1031, 1032, 1033))
    weights = torch.rand(2, 3, 1031, d, device="cuda")
    exact = scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=causal)
    out = ops.attention(q, k, v, causal)
    assert out.dtype == torch.bfloat16
    torch.testing.assert_close(out.double(), exact, rtol=2.0**-7, atol=2.0**-7)
    found = torch.autograd.grad((out * weights).sum(), (q, k, v))
    for x, y in zip(found, torch.autograd.grad((exact * weights).sum(), (q, k, v)), strict=True):
        torch.testing.assert_close(x.double(), y.double(), rtol=2.0**-6, atol=2.0**-7)
