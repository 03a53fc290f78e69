"""kernels.ops.log_bmm on CPU tensors: against float64, on inputs that are unkind to logs, traced, and refused."""

from __future__ import annotations

import math

import pytest
import torch

from examples import hmm
from grader.course import catalog
from grader.course.call import Call
from grader.course.lesson import Case
from grader.judge.compare import Output, compare, expect
from grader.judge.inputs import Draw
from kernels import ops
from tests.shared import long_tail

pytestmark = pytest.mark.slow

INF = math.inf


def slow(value):
    return pytest.param(value, marks=pytest.mark.slow)


def draw(*shape: int, scale: float = 1.0) -> torch.Tensor:
    return scale * torch.randn(shape, generator=torch.Generator().manual_seed(hash(shape) % 2**31))


def plain(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The definition."""
    return (a.unsqueeze(-1) + b.unsqueeze(-3)).logsumexp(-2)


def leaves(*tensors: torch.Tensor) -> list[torch.Tensor]:
    return [tensor.detach().clone().requires_grad_() for tensor in tensors]


def check(a: torch.Tensor, b: torch.Tensor) -> None:
    """Values, against the definition in float64: -inf in the same places, else within a few roundings of the inputs."""
    found, wanted = ops.log_bmm(a, b), plain(a.double(), b.double())
    assert found.dtype == torch.float32 and found.shape == wanted.shape and found.is_contiguous()
    assert torch.equal(found.isneginf(), wanted.isneginf())
    size = max(1.0, *(x[x.isfinite()].abs().max().item() for x in (a, b) if x.isfinite().any()))
    seen = wanted.isfinite()
    torch.testing.assert_close(found[seen].double(), wanted[seen], rtol=0, atol=1e-6 * size)


def opposed(m: int, reach: float) -> tuple[torch.Tensor, torch.Tensor]:
    """The row maxima of a and the column maxima of b never meet; all sums are about log(m)."""
    height = torch.linspace(-reach, reach, m)[torch.randperm(m, generator=torch.Generator().manual_seed(1))]
    return draw(40, m) + height, draw(m, 35) - height[:, None]


# ---- values ----


@pytest.mark.parametrize(
    "shapes",
    [((3, 4), (4, 5)), ((2, 1, 3, 17), (4, 17, 20)), slow(((2, 20, 33), (2, 33, 18))), slow(((5, 40, 1), (1, 9)))],
)
def test_any_leading_dimensions(shapes):
    check(draw(*shapes[0]), draw(*shapes[1]))


@pytest.mark.parametrize("reach", long_tail([10, 1e30, 50, 80, 100, 1e3, 1e6], every=100))
@pytest.mark.slow
def test_maxima_that_never_meet(reach):
    a, b = opposed(50, reach)
    check(a, b)
    if reach == 100:  # and what people use instead gives up
        r, c = a.amax(1, keepdim=True), b.amax(0, keepdim=True)
        assert ((a - r).exp() @ (b - c).exp()).log().isneginf().any()


@pytest.mark.parametrize("shift", long_tail([-3e38, -4e9, -1e4, 1e4, 3e37], every=10))
def test_everything_far_from_zero(shift):
    check(draw(20, 18) + shift, draw(18, 19))
    check(draw(20, 18), draw(18, 19) + shift)


@pytest.mark.slow
def test_denormals_and_zeros():
    check(draw(20, 18, scale=1e-41), torch.zeros(18, 19))


@pytest.mark.slow
def test_masks():
    a, b = draw(3, 40, 36), draw(3, 36, 68)
    band = (torch.arange(36) - torch.arange(68)[:, None] * 36 // 68).abs().mT > 3
    a[draw(3, 40, 36) > 0] = -INF
    b[:, band] = -INF
    a[1, 7], b[2, :, 3] = -INF, -INF
    check(a, b)
    assert ops.log_bmm(a, b)[1, 7].isneginf().all()
    assert ops.log_bmm(torch.full_like(a, -INF), b).isneginf().all()


def test_infinities_and_nan_are_those_of_torch():
    for special in (INF, math.nan):
        a, b = draw(20, 18), draw(18, 19)
        a[3, 5], b[7, 2], b[5, 4] = special, special, -INF
        torch.testing.assert_close(ops.log_bmm(a, b), plain(a, b), equal_nan=True)


def test_a_sum_over_nothing():
    assert ops.log_bmm(torch.ones(2, 3, 0), torch.ones(2, 0, 4)).isneginf().all()
    assert ops.log_bmm(torch.ones(0, 4), torch.ones(4, 3)).shape == (0, 3)


def test_more_members_than_a_grid_is_high():
    a, b = draw(70_000, 1, 2), draw(70_000, 2, 1)
    check(a, b)


# ---- derivatives ----


def masked(a: torch.Tensor) -> torch.Tensor:
    a = a.clone()
    a[..., ::3] = -INF
    return a


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (draw(3, 5), draw(5, 4)),
        (draw(2, 33, 40), draw(2, 40, 20)),
        (draw(2, 1, 18, 17), draw(3, 17, 20)),
        (masked(draw(20, 18)), draw(18, 20)),
        (draw(30, 20, scale=1e3), draw(20, 30, scale=1e3)),
        opposed(40, 60.0),
        opposed(40, 500.0),
    ],
)
def test_derivatives_are_those_of_float64(a, b):
    ours, theirs = leaves(a, b), leaves(a.double(), b.double())
    out, wanted = ops.log_bmm(*ours), plain(*theirs)
    grad = draw(*out.shape)
    found = torch.autograd.grad(out, ours, grad)
    for one, other in zip(found, torch.autograd.grad(wanted, theirs, grad.double()), strict=True):
        size = max(1.0, a[a.isfinite()].abs().max().item())
        torch.testing.assert_close(one.double(), other, rtol=2e-5, atol=3e-6 * size)


@pytest.mark.parametrize("height", long_tail([60.0, 80.0, 88.0, 91.0, 94.0, 100.0], every=6))
def test_derivatives_where_one_element_is_large(height):
    """The factor exp(x + r + c) of the top rung comes near to, and beyond, what a float holds."""
    a, b = draw(20, 18), draw(18, 20)
    a[3, 5], a[11, 2], b[7, 4] = height, -height, height - 1
    ours, theirs = leaves(a, b), leaves(a.double(), b.double())
    grad = draw(20, 20)
    found = torch.autograd.grad(ops.log_bmm(*ours), ours, grad)
    for one, other in zip(found, torch.autograd.grad(plain(*theirs), theirs, grad.double()), strict=True):
        torch.testing.assert_close(one.double(), other, rtol=1e-4, atol=1e-6)


def test_what_adds_nothing_gets_no_gradient():
    a, b = leaves(masked(draw(20, 18)), draw(18, 20))
    with torch.no_grad():
        a[4] = -INF
    ops.log_bmm(a, b).nan_to_num(neginf=0.0).sum().backward()
    assert a.grad.isfinite().all() and b.grad.isfinite().all()
    assert not a.grad[4].any() and not a.grad[:, ::3].any()


def test_a_second_derivative_is_refused():
    a, b = leaves(draw(3, 4), draw(4, 5))
    (first,) = torch.autograd.grad(ops.log_bmm(a, b).sum(), a, create_graph=True)
    with pytest.raises(RuntimeError, match="can be differentiated once"):
        first.sum().backward()


# ---- tracing, and what is refused ----


@pytest.mark.whole
def test_torch_checks_the_registration():
    assert set(torch.library.opcheck(ops.log_bmm, leaves(draw(2, 3, 4), draw(4, 5))).values()) == {"SUCCESS"}


@pytest.mark.whole
def test_compiles_without_a_graph_break():
    torch._dynamo.reset()
    a, b = leaves(draw(2, 3, 4), draw(4, 5))
    compiled = torch.compile(lambda a, b: ops.log_bmm(a.exp(), b).sum(), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(a, b), ops.log_bmm(a.exp(), b).sum())
    found = torch.autograd.grad(compiled(a, b), (a, b))
    torch.testing.assert_close(found, torch.autograd.grad(ops.log_bmm(a.exp(), b).sum(), (a, b)))


@pytest.mark.parametrize(
    ("shapes", "error", "said"),
    [
        (((3,), (3, 4)), ValueError, "unsqueeze the vector"),
        (((3, 4), (3, 4)), ValueError, "cannot multiply 3x4 by 3x4"),
    ],
)
def test_refused(shapes, error, said):
    with pytest.raises(error, match=said):
        ops.log_bmm(*(draw(*shape) for shape in shapes))
    with pytest.raises(TypeError, match=r"takes torch\.float32"):
        ops.log_bmm(draw(3, 4).int(), draw(4, 5))
    with pytest.raises(TypeError, match=r"takes torch\.float16, and b is torch\.float32"):
        ops.log_bmm(draw(3, 4).half(), draw(4, 5))


# ---- other numbers ----


@pytest.mark.slow
def test_float64():
    a, b = opposed(33, 400.0)
    a, b = a.double().expand(2, -1, -1), masked(b.double().mT).mT
    found = ops.log_bmm(a, b)
    assert found.dtype == torch.float64
    torch.testing.assert_close(found, plain(a, b), rtol=1e-14, atol=1e-12)


@pytest.mark.parametrize("shapes", [((3, 5), (5, 4)), slow(((2, 1, 2, 3), (2, 3, 2)))])
@pytest.mark.whole
def test_gradcheck(shapes):
    assert torch.autograd.gradcheck(ops.log_bmm, leaves(*(draw(*shape).double() for shape in shapes)))


@pytest.mark.parametrize("number", [torch.float16, torch.bfloat16])
def test_narrow_numbers_are_rounded_once(number):
    ours = leaves(*(draw(*shape, scale=4.0).to(number) for shape in ((20, 18), (18, 20))))
    wide = leaves(*(x.detach().float() for x in ours))
    out, wanted = ops.log_bmm(*ours), ops.log_bmm(*wide)
    assert torch.equal(out, wanted.to(number))
    grad = draw(20, 20).to(number)
    found, expected = torch.autograd.grad(out, ours, grad), torch.autograd.grad(wanted, wide, grad.float())
    for one, other in zip(found, expected, strict=True):
        assert torch.equal(one, other.to(number))


# ---- the max-plus semiring ----


def best(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return tuple((a.unsqueeze(-1) + b.unsqueeze(-3)).max(-2))


@pytest.mark.parametrize(
    ("shapes",),
    long_tail([(((3, 4), (4, 5)),), (((2, 1, 33, 40), (3, 40, 35)),), (((4, 1, 1), (1, 3)),)], every=4),
)
def test_max_plus_is_max_and_where(shapes):
    ours = leaves(*(draw(*shape) for shape in shapes))
    found, wanted = ops.max_plus(*ours), best(*ours)
    assert torch.equal(found[0], wanted[0]) and torch.equal(found[1], wanted[1])
    grad = draw(*found[0].shape)
    expected = torch.autograd.grad(wanted[0], ours, grad)
    torch.testing.assert_close(torch.autograd.grad(found[0], ours, grad), expected)


def test_max_plus_of_equal_infinite_and_missing_terms():
    a, b = torch.zeros(4, 40), torch.zeros(40, 4)
    a[0], a[1, 7], a[2, 35] = -INF, INF, math.nan
    values, indices = ops.max_plus(a, b)
    assert indices[:, 0].tolist() == [0, 7, 35, 0]
    torch.testing.assert_close(values[:, 0], torch.tensor([-INF, INF, math.nan, 0.0]), equal_nan=True)
    with pytest.raises(ValueError, match="something to take the maximum of"):
        ops.max_plus(torch.ones(2, 0), torch.ones(0, 2))


@pytest.mark.whole
def test_torch_checks_the_registration_of_max_plus():
    checked = torch.library.opcheck(torch.ops.kernel_ladder.max_plus.default, leaves(draw(2, 3, 4), draw(4, 5)))
    assert set(checked.values()) == {"SUCCESS"}


# ---- the guard of the top rung, at the sizes where tiles are used ----


@pytest.mark.slow
@pytest.mark.parametrize("variant", long_tail(["masked", "opposed", "large", "growing", "far below"], every=100))
def test_the_error_bound_holds_where_tiles_are_used(variant):
    """The lesson's own bound (docs/numerics.md), at more than one tile in each direction."""
    case = Case(batch=1, n=130, m=131, p=129, variant=variant)
    for task in catalog.find("07").lesson.tasks:
        inputs = task.make_inputs(Draw(3), variant, **case.sizes)
        if task.name == "log_bmm":
            results = {"out": ops.log_bmm(inputs["a"], inputs["b"])}
        else:
            found = torch.ops.kernel_ladder.log_bmm_backward(*inputs.values())
            results = dict(zip(("grad_a", "grad_b"), found, strict=True))
        left = {name: Output(result, torch.ones_like(result, dtype=torch.bool)) for name, result in results.items()}
        comparison = compare(expect(Call(task, case), inputs), left)
        assert comparison.status == "passed", comparison.message


# ---- examples/hmm.py ----


@pytest.mark.parametrize(("states", "length"), [(3, 2), (5, 37), (20, 64)])
def test_the_forward_algorithm_is_the_plain_recursion(states, length):
    model = hmm.random_model(states, symbols=6)
    observed = torch.randint(6, (3, length), generator=torch.Generator().manual_seed(length))
    found, wanted = hmm.log_likelihood(model, observed), hmm.log_likelihood_by_recursion(model, observed)
    torch.testing.assert_close(found.double(), wanted, rtol=1e-6, atol=1e-6)


def test_the_backward_algorithm_is_a_derivative():
    model, observed = hmm.random_model(5, symbols=6), torch.arange(40).view(2, 20) * 7 % 6
    counts = hmm.expected_transitions(model, observed)
    assert counts.sum().item() == pytest.approx(2 * 19, rel=1e-4)
    assert not counts[model.transition.isneginf()].any()
    wide = model.transition.double().requires_grad_()
    total = hmm.log_likelihood_by_recursion(hmm.Model(model.start, wide, model.emission), observed).sum()
    (wanted,) = torch.autograd.grad(total, wide)
    torch.testing.assert_close(counts.double(), wanted.nan_to_num(), rtol=1e-4, atol=1e-4)


def test_the_best_path_is_the_best_of_all_paths():
    model, observed = hmm.random_model(3, symbols=4), torch.tensor([[0, 3, 1, 2, 2, 0], [1, 1, 3, 0, 2, 3]])
    paths = torch.cartesian_prod(*[torch.arange(3)] * 6)
    path, score = hmm.best_path(model, observed)
    for symbols, found, best_score in zip(observed, path, score, strict=True):
        scores = model.start[paths[:, 0]] + model.transition[paths[:, :-1], paths[:, 1:]].sum(1)
        scores += model.emission[paths, symbols].sum(1)
        assert paths[scores.argmax()].tolist() == found.tolist()
        torch.testing.assert_close(scores.max(), best_score)
