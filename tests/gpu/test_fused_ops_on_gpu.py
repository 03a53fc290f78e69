"""softmax, log_bmm and attention on CUDA tensors: values and derivatives in float64, and what torch asks of them."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from kernels import ops

UNIT = {torch.float32: 2.0**-24, torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8}


def draw(*shape: int, grad: bool = False, spread: float = 1.0, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator("cuda").manual_seed(seed + hash(shape) % 2**31)
    return (torch.randn(shape, generator=generator, device="cuda") * spread).requires_grad_(grad)


def log_bmm64(a, b):
    return (a.double().unsqueeze(-1) + b.double().unsqueeze(-3)).logsumexp(-2)


def attention64(q, k, v, causal=False):
    return scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=causal)


# ---- values ----


@pytest.mark.parametrize("shape", [(1,), (33, 1), (5, 31), (1000, 2048), (3, 100_003), (1, 1 << 22), (2, 3, 4099)])
@pytest.mark.parametrize("dtype", UNIT)
@pytest.mark.parametrize("offset", [0, 1])
def test_softmax(shape, dtype, offset):
    flat = draw(offset + math.prod(shape), spread=5).to(dtype)
    x = flat[offset:].view(shape)
    found = ops.softmax(x, -1)
    assert found.dtype == dtype
    expected = x.double().softmax(-1)
    worst = ((found.double() - expected).abs() / expected.clamp(min=2.0**-14)).max()
    assert worst <= UNIT[dtype] + 16 * UNIT[torch.float32] * 4


def test_softmax_over_another_dimension_and_of_special_values():
    x = draw(64, 33, 65)
    torch.testing.assert_close(ops.softmax(x, 0), x.softmax(0))
    torch.testing.assert_close(ops.softmax(x, 1), x.softmax(1))
    inf, nan = math.inf, math.nan
    odd = torch.tensor([[-inf, 0, 1], [-inf, -inf, -inf], [inf, 0, 1], [nan, 0, 1]], device="cuda")
    torch.testing.assert_close(ops.softmax(odd, 1), odd.softmax(1), equal_nan=True)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((1, 1), (1, 1)), ((33, 65), (65, 17)), ((3, 130, 257), (3, 257, 129)), ((2, 1, 33, 17), (3, 17, 5)),
        ((8, 256, 512), (8, 512, 256)), ((70_000, 2, 3), (70_000, 3, 2)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("spread", [1.0, 100.0])
def test_log_bmm(a, b, spread):
    a, b = draw(*a, spread=spread), draw(*b, spread=spread, seed=1)
    torch.testing.assert_close(ops.log_bmm(a, b).double(), log_bmm64(a, b), rtol=1e-6, atol=3e-6 * max(spread, 1))


def test_log_bmm_where_row_and_column_maxima_never_meet():
    a, b = draw(2, 128, 256), draw(2, 256, 128)
    a[..., ::2] -= 500
    b[..., 1::2, :] -= 500
    found, expected = ops.log_bmm(a, b), log_bmm64(a, b)
    assert expected.max() < -400
    torch.testing.assert_close(found.double(), expected, rtol=1e-6, atol=1e-4)


@pytest.mark.parametrize("shapes", [((33, 65), (65, 17)), ((2, 1, 70, 300), (3, 300, 129))])
def test_log_bmm_of_float64(shapes):
    a, b = (draw(*shape, spread=100.0, seed=seed).double() for seed, shape in enumerate(shapes))
    a[..., ::3] = -math.inf
    torch.testing.assert_close(ops.log_bmm(a, b), log_bmm64(a, b), rtol=1e-14, atol=1e-12)


def test_gradcheck_of_log_bmm():
    inputs = [draw(*shape).double().requires_grad_() for shape in ((2, 1, 3, 4), (2, 4, 3))]
    assert torch.autograd.gradcheck(ops.log_bmm, inputs)


@pytest.mark.parametrize("number", [torch.float16, torch.bfloat16])
def test_log_bmm_rounds_narrow_numbers_once(number):
    a, b = draw(2, 130, 200).to(number), draw(2, 200, 129).to(number)
    assert torch.equal(ops.log_bmm(a, b), ops.log_bmm(a.float(), b.float()).to(number))


@pytest.mark.parametrize(
    "shapes", [((1, 1), (1, 1)), ((33, 65), (65, 17)), ((2, 1, 130, 257), (3, 257, 129)), ((70_000, 2, 3), (3, 2))]
)
def test_max_plus(shapes):
    ours = [draw(*shape, grad=True, seed=seed) for seed, shape in enumerate(shapes)]
    wanted = (ours[0].unsqueeze(-1) + ours[1].unsqueeze(-3)).max(-2)
    values, indices = ops.max_plus(*ours)
    assert torch.equal(values, wanted.values) and torch.equal(indices, wanted.indices)
    grad = draw(*values.shape)
    for found, expected in zip(*(torch.autograd.grad(x, ours, grad) for x in (values, wanted.values)), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("n", [1, 31, 64, 129, 1000])
@pytest.mark.parametrize("d", [32, 64, 128])
@pytest.mark.parametrize("causal", [False, True])
def test_attention(n, d, causal):
    q, k, v = (draw(2, 3, n, d, seed=seed) for seed in range(3))
    expected = attention64(q, k, v, causal)
    torch.testing.assert_close(ops.attention(q, k, v, causal).double(), expected, rtol=1e-4, atol=1e-5)


def test_attention_of_views_that_begin_anywhere():
    q, k, v = (draw(2 * 100 * 64 + 1, seed=seed)[1:].view(2, 100, 64) for seed in range(3))
    torch.testing.assert_close(ops.attention(q, k, v).double(), attention64(q, k, v), rtol=1e-4, atol=1e-5)


# ---- derivatives ----


def derivatives(function, *inputs):
    """Of a sum whose terms all weigh differently, so that no two gradients can be mixed up."""
    found = function(*inputs)
    weights = torch.linspace(0.5, 1.5, found.numel(), device="cuda", dtype=found.dtype).view(found.shape)
    return torch.autograd.grad((found * weights).sum(), inputs)


@pytest.mark.parametrize(
    ("ours", "reference", "shapes"),
    [
        (lambda x: ops.softmax(x, -1), lambda x: x.softmax(-1), [(65, 1000)]),
        (ops.log_bmm, log_bmm64, [(3, 130, 70), (3, 70, 129)]),
        (ops.log_bmm, log_bmm64, [(2, 512, 512), (2, 512, 512)]),
        (ops.attention, attention64, [(2, 3, 200, 64)] * 3),
        (lambda *x: ops.attention(*x, True), lambda *x: attention64(*x, causal=True), [(2, 129, 32)] * 3),
        (lambda *x: ops.attention(*x, True), lambda *x: attention64(*x, causal=True), [(300, 128)] * 3),
    ],
)
def test_derivatives(ours, reference, shapes):
    inputs = [draw(*shape, grad=True, seed=seed) for seed, shape in enumerate(shapes)]
    wide = [x.detach().double().requires_grad_() for x in inputs]
    for found, expected in zip(derivatives(ours, *inputs), derivatives(reference, *wide), strict=True):
        torch.testing.assert_close(found.double(), expected, rtol=1e-4, atol=1e-4 * expected.abs().max().item())


# ---- registration, graphs, compilation ----

ARGUMENTS = [
    (ops.softmax, lambda: (draw(5, 70, grad=True), -1)),
    (ops.softmax, lambda: (draw(5, 7, grad=True), 0)),
    (ops.log_bmm, lambda: (draw(2, 3, 4, grad=True), draw(2, 4, 5, grad=True))),
    (ops.attention_with_lse, lambda: tuple(draw(2, 40, 32, grad=True, seed=seed) for seed in range(3))),
]


@pytest.mark.parametrize(("operator", "arguments"), ARGUMENTS)
def test_torch_checks_the_registration(operator, arguments):
    assert set(torch.library.opcheck(operator, arguments()).values()) == {"SUCCESS"}


@pytest.mark.parametrize(("operator", "arguments"), ARGUMENTS)
def test_goes_into_a_cuda_graph(operator, arguments):
    def first(result):
        return result[0] if isinstance(result, tuple) else result

    given = [x.detach() if isinstance(x, torch.Tensor) else x for x in arguments()]
    operator(*given)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = first(operator(*given))
    given[0].mul_(0.5)
    graph.replay()
    torch.testing.assert_close(found, first(operator(*given)))


@pytest.mark.parametrize(("operator", "arguments"), ARGUMENTS)
def test_compiles_without_a_graph_break(operator, arguments):
    def loss(*given):
        found = operator(*given)
        return (found[0] if isinstance(found, tuple) else found).square().sum()

    torch._dynamo.reset()
    given = arguments()
    tensors = [x for x in given if isinstance(x, torch.Tensor)]
    found = torch.autograd.grad(torch.compile(loss, fullgraph=True)(*given), tensors)
    for ours, expected in zip(found, torch.autograd.grad(loss(*given), tensors), strict=True):
        torch.testing.assert_close(ours, expected, rtol=1e-4, atol=1e-5)
