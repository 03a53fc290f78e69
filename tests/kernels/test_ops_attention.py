"""Attention as an operator, on CPU tensors: values, derivatives and tracing against torch in float64; the example."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from kernels import ops
from tests.shared import long_tail

ROOT = Path(__file__).parents[2]
SHAPES = [(1, 32), (3, 33, 64), (2, 1, 65, 128), (0, 5, 32), (2, 0, 64), (2, 2, 2, 7, 32)]
CAUSAL = pytest.mark.parametrize("causal", long_tail([True, False], every=4))


def draw(*shape: int, count: int = 3, grad: bool = False) -> list[torch.Tensor]:
    """q, k and v with a mean that is not 0, so that a sum hides no error."""
    generator = torch.Generator().manual_seed(sum(shape))
    return [(torch.randn(shape, generator=generator) + 0.3).requires_grad_(grad) for _ in range(count)]


def attend64(q, k, v, causal):
    """out and lse by the definition, in float64."""
    scores = q.double() @ k.double().mT / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
    return scores.softmax(-1) @ v.double(), scores.logsumexp(-1)


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(found, expected.float(), rtol=2e-5, atol=2e-5)


@CAUSAL
@pytest.mark.parametrize(("shape",), long_tail([(each,) for each in SHAPES], every=6, slow=3))
def test_values_of_any_batch(shape, causal):
    q, k, v = draw(*shape)
    out, lse = ops.attention_with_lse(q, k, v, causal)
    expected = attend64(q, k, v, causal)
    close(out, expected[0])
    close(lse, expected[1])
    assert out.is_contiguous() and out.dtype == torch.float32


@CAUSAL
def test_agrees_with_torch(causal):
    q, k, v = draw(2, 3, 70, 64)
    expected = scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=causal)
    close(ops.attention(q, k, v, causal), expected)


@pytest.mark.slow
def test_inputs_may_be_views_that_begin_anywhere():
    heads = draw(5, 3, 32)[0].transpose(0, 1)  # (batch, n, d) of a projection that was split into heads
    shifted = torch.randn(3 * 5 * 32 + 1)[1:].view(3, 5, 32)
    close(ops.attention(heads, shifted, shifted), attend64(heads, shifted, shifted, False)[0])


@CAUSAL
def test_derivatives(causal):
    q, k, v = draw(2, 150, 32, grad=True)
    weights = draw(2, 150, 32, count=1)[0]

    def loss(out, lse):
        return (out * weights).sum() + (lse * weights[..., 0]).sum()

    found = torch.autograd.grad(loss(*ops.attention_with_lse(q, k, v, causal)), (q, k, v))
    expected = torch.autograd.grad(loss(*attend64(q, k, v, causal)), (q, k, v))
    for x, y in zip(found, expected, strict=True):
        torch.testing.assert_close(x, y, rtol=1e-4, atol=1e-4)


@CAUSAL
@pytest.mark.parametrize(
    ("shape",), long_tail([((2, 67, 32),), ((1, 2, 33, 64),), ((1, 40, 128),), ((0, 5, 32),)], every=3)
)
def test_the_kernel_of_the_derivative(shape, causal, monkeypatch):
    monkeypatch.setattr("kernels.ops._attention._composed_gradients", None)  # it would say the same
    q, k, v = draw(*shape, grad=True)
    weights = draw(*shape, count=1)[0]
    found = torch.autograd.grad((ops.attention(q, k, v, causal) * weights).sum(), (q, k, v))
    expected = torch.autograd.grad((attend64(q, k, v, causal)[0] * weights).sum(), (q, k, v))
    for x, y in zip(found, expected, strict=True):
        torch.testing.assert_close(x, y, rtol=1e-4, atol=1e-5)


def test_second_derivatives():
    q, k, v = draw(9, 32, grad=True)
    twice = []
    for out in (ops.attention(q, k, v, True), attend64(q, k, v, True)[0]):
        first = torch.autograd.grad(out.square().sum(), q, create_graph=True)[0]
        twice.append(torch.autograd.grad(first.square().sum(), (q, k, v)))
    for x, y in zip(*twice, strict=True):
        torch.testing.assert_close(x, y, rtol=1e-3, atol=1e-3)


@pytest.mark.whole
@CAUSAL
def test_torch_checks_the_registration(causal):
    results = torch.library.opcheck(ops.attention_with_lse, (*draw(2, 5, 32, grad=True), causal))
    assert set(results.values()) == {"SUCCESS"}


@pytest.mark.whole
def test_torch_checks_the_registration_of_the_derivative():
    q, k, v, out, grad_out = draw(2, 5, 32, count=5)
    results = torch.library.opcheck(
        torch.ops.kernel_ladder.attention_backward.default, (q, k, v, out, out[..., 0].contiguous(), grad_out, True)
    )
    assert set(results.values()) == {"SUCCESS"}


@pytest.mark.whole
@pytest.mark.parametrize("dynamic", [False, True])
def test_compiles_without_a_graph_break(dynamic):
    torch._dynamo.reset()
    layer = lambda *qkv: ops.attention(*qkv, True).sin()  # noqa: E731
    compiled = torch.compile(layer, fullgraph=True, dynamic=dynamic, backend="aot_eager")
    for n in (4, 9) if dynamic else (4,):
        q, k, v = draw(2, n, 32, grad=True)
        plain = ops.attention(q, k, v, True).sin()
        torch.testing.assert_close(compiled(q, k, v), plain)
        found = torch.autograd.grad(compiled(q, k, v).sum(), (q, k, v))
        for x, y in zip(found, torch.autograd.grad(plain.sum(), (q, k, v)), strict=True):
            torch.testing.assert_close(x, y)


@pytest.mark.parametrize(
    ("shapes", "dtype", "error", "said"),
    [
        (
            [(4, 32)] * 3,
            torch.float16,
            TypeError,
            "attention takes torch.float32 and torch.bfloat16, and q is torch.float16",
        ),
        ([(4, 32), (5, 32), (5, 32)], torch.float32, ValueError, "one shape (..., n, d), not 4x32, 5x32 and 5x32"),
        ([(32,)] * 3, torch.float32, ValueError, "one shape (..., n, d), not 32, 32 and 32"),
        ([(4, 48)] * 3, torch.float32, ValueError, "heads of 32, 64 or 128 numbers, not 48"),
    ],
)
def test_refused(shapes, dtype, error, said):
    with pytest.raises(error) as raised:
        ops.attention(*(torch.zeros(shape, dtype=dtype) for shape in shapes))
    assert said in str(raised.value) and "\n" not in str(raised.value)


def test_a_transformer_block_gives_the_same_logits():
    example = runpy.run_path(str(ROOT / "examples" / "transformer.py"))
    model = example["Transformer"](vocabulary=11, width=64, heads=2, layers=2)
    tokens = torch.randint(0, 11, (2, 19), generator=torch.Generator().manual_seed(1))
    expected = model.double()(tokens, lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=True))
    close(model.float()(tokens, lambda q, k, v: ops.attention(q, k, v, True)), expected)


def test_a_transformer_learns_with_it():
    example = runpy.run_path(str(ROOT / "examples" / "transformer.py"))
    torch.manual_seed(0)
    model = example["Transformer"](vocabulary=5, width=32, heads=1, layers=1)
    losses = example["train"](model, steps=8, batch=2, length=12)
    assert losses[-1] < losses[0]
