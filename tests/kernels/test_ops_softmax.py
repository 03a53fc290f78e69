"""kernels.ops.softmax on CPU tensors: values, derivatives, types, and the error bound of docs/numerics.md."""

from __future__ import annotations

import math

import pytest
import torch

from grader.course.catalog import find
from grader.course.lesson import Case
from grader.judge.inputs import Draw
from kernels import ops
from tests.shared import long_tail

ROUNDOFF = 2.0**-24
TINY = 2.0**-126
NARROW_SHAPES = [(5, 33), (3, 136), (2, 1001), (2, 16_384), (1, 16_392), (1, 20_001)]
make_inputs = find("06").lesson.tasks[0].make_inputs


def draw(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(3)).to(dtype)


# ---- values ----


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "dim"), [((3, 4, 5), -1), ((3, 4, 5), 1), ((3, 4, 5), 0), ((7,), 0), ((), -1)])
def test_any_dimension(shape, dim):
    x = draw(*shape)
    found = ops.softmax(x, dim)
    assert found.is_contiguous() and found.shape == x.shape
    torch.testing.assert_close(found.double(), x.double().softmax(dim), rtol=1e-6, atol=0)


def test_a_view_is_taken_as_it_is():
    x = draw(6, 5).t()[:, ::2]
    torch.testing.assert_close(ops.softmax(x, 1).double(), x.double().softmax(1), rtol=1e-6, atol=0)


def test_nothing_gives_nothing():
    assert ops.softmax(torch.zeros(3, 0), 1).shape == (3, 0)


@pytest.mark.parametrize("dtype", long_tail([torch.float16, torch.bfloat16], every=4))
@pytest.mark.parametrize(("rows", "cols"), long_tail(NARROW_SHAPES, every=12, slow=12))
@pytest.mark.slow
def test_narrow_types_are_rounded_once(rows, cols, dtype):
    x = draw(rows, cols, dtype=dtype)
    found, expected = ops.softmax(x, -1), x.double().softmax(-1)
    assert found.dtype == dtype
    allowed = (
        1.001 * expected * torch.finfo(dtype).eps / 2 + torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps
    )
    assert bool(((found.double() - expected).abs() <= allowed).all())


@pytest.mark.slow
@pytest.mark.parametrize("dtype", long_tail([torch.float16, torch.bfloat16], every=4))
def test_a_narrow_view_that_starts_anywhere(dtype):
    x = draw(2, 128 + 3, dtype=dtype).view(-1)[3 : 3 + 256].view(2, 128)  # no load of 16 bytes fits
    torch.testing.assert_close(ops.softmax(x, 1), x.softmax(1))


def test_rows_without_numbers_are_those_of_torch():
    inf, nan = math.inf, math.nan
    x = torch.tensor([[1.0, 2.0, 3.0], [1.0, nan, 3.0], [inf, 2.0, 3.0], [-inf, -inf, -inf], [-inf, 2.0, 3.0]])
    torch.testing.assert_close(ops.softmax(x, 1), x.softmax(1), rtol=1e-6, atol=0, equal_nan=True)


# ---- the bound ----


def bound(x: torch.Tensor, adds: float) -> torch.Tensor:
    """docs/numerics.md, "06 softmax": how far each element may be off; x in float64, `adds` as told there."""
    distance = x.amax(1, keepdim=True) - x
    return ROUNDOFF * (distance + math.log(x.shape[1]) + adds) * x.softmax(1) + TINY


@pytest.mark.parametrize("variant", long_tail([None, "equal", "wide", "rising", "falling", "lowest"], every=6))
@pytest.mark.parametrize(("rows", "cols", "adds"), [(6, 517, 65), (3, 16_384, 65), (1, 60_001, 80 + 1.4 * 118)])
def test_the_error_bound_holds(variant, rows, cols, adds):
    case = Case(rows=rows, cols=cols, scratch_len=0, variant=variant)
    x = make_inputs(Draw(11), variant, **case.sizes)["x"]
    error = (ops.softmax(x, 1).double() - x.double().softmax(1)).abs()
    assert bool((error <= bound(x.double(), adds)).all())


@pytest.mark.parametrize("tiny", [2.0**-149, -(2.0**-130)])
def test_denormal_logits_are_nearly_equal_ones(tiny):
    x = torch.full((2, 40), tiny)
    torch.testing.assert_close(ops.softmax(x, 1), torch.full((2, 40), 1 / 40))


def test_large_logits_lose_nothing_but_what_their_difference_loses():
    x = draw(4, 1000) + 1e4
    torch.testing.assert_close(ops.softmax(x, 1).double(), x.double().softmax(1), rtol=1e-5, atol=0)


# ---- derivatives and registration ----


@pytest.mark.parametrize("dim", [0, 1])
def test_derivatives_of_first_and_second_order(dim):
    x, weights = draw(4, 6).requires_grad_(), draw(4, 6)
    wide = x.detach().double().requires_grad_()

    def both(y, given, weights):
        (first,) = torch.autograd.grad((weights * y.square()).sum(), given, create_graph=True)
        return first, torch.autograd.grad((weights * first.square()).sum(), given)[0]

    found = both(ops.softmax(x, dim), x, weights)
    expected = both(wide.softmax(dim), wide, weights.double())
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one.double(), other, rtol=1e-4, atol=1e-6)


def test_the_derivative_is_the_slope():
    """As gradcheck has it, with steps for float32: a difference of two results, far from their rounding."""
    x, step = draw(3, 7), 1e-2
    (slope,) = torch.autograd.functional.jacobian(lambda x: ops.softmax(x, 1)[1, 2], (x,))
    for place in [(1, 2), (1, 0), (0, 2)]:
        above, below = x.clone(), x.clone()
        above[place] += step
        below[place] -= step
        measured = (ops.softmax(above, 1) - ops.softmax(below, 1))[1, 2] / (2 * step)
        assert float(slope[place]) == pytest.approx(float(measured), abs=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", long_tail([torch.float16, torch.bfloat16], every=4))
def test_narrow_gradients_keep_their_type(dtype):
    x = draw(3, 5, dtype=dtype).requires_grad_()
    ops.softmax(x, 1)[:, 0].sum().backward()
    wide = x.detach().float().requires_grad_()
    wide.softmax(1)[:, 0].sum().backward()
    assert x.grad.dtype == dtype
    torch.testing.assert_close(x.grad.float(), wide.grad, rtol=0, atol=torch.finfo(dtype).eps)


@pytest.mark.whole
@pytest.mark.parametrize("dim", [0, -1])
def test_torch_checks_the_registration(dim):
    assert set(torch.library.opcheck(ops.softmax, (draw(3, 5).requires_grad_(), dim)).values()) == {"SUCCESS"}


@pytest.mark.whole
def test_compiles_without_a_graph_break():
    x = draw(4, 9)
    compiled = torch.compile(lambda x: ops.softmax(x * 2, -1), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x), (x * 2).softmax(-1))


# ---- what it refuses ----


def test_other_types_and_dimensions_are_refused_in_a_sentence():
    with pytest.raises(TypeError, match=r"softmax takes float32, .* x is torch.float64: write x.to\(torch.float32\)"):
        ops.softmax(torch.zeros(3, dtype=torch.float64), 0)
    with pytest.raises(IndexError, match="softmax has no dimension 2 here: x has 2, so write -2 to 1"):
        ops.softmax(torch.zeros(3, 3), 2)
