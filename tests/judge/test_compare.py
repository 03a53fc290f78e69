"""Right answers pass, and everything that a lazy kernel could leave instead does not."""

import math

import pytest
import torch

from grader.course.call import Call
from grader.course.catalog import UsageError
from grader.course.lesson import Case, Task, Tolerance
from grader.judge.compare import Context, Expected, Output, compare, expect, guard_broken, input_modified
from grader.judge.inputs import Draw

NAN, INF = math.nan, math.inf


def make_task(
    reference, prototype="void f(const float* x, float* y, int rows, int cols, cudaStream_t stream)", **extra
):
    shapes = extra.pop("shapes", {"x": "rows, cols", "y": "rows"})
    return Task(prototype, shapes, [Case(rows=1, cols=1)], lambda draw, variant: {}, reference, **extra)


ROW_SUM = make_task(
    lambda x, rows, cols: {"y": x.sum(1)},
    tolerance=Tolerance(terms="cols", magnitude=lambda x, rows, cols: {"y": x.abs().sum(1)}),
)
# exp(x - max) inherits the rounding error of its argument.
SOFTMAX = make_task(
    lambda x, rows, cols: {"y": x.softmax(1)},
    shapes={"x": "rows, cols", "y": "rows, cols"},
    tolerance=Tolerance(
        magnitude=lambda x, rows, cols: {"y": x.softmax(1) * (1 + x.amax(1, keepdim=True) - x)},
    ),
)


def left(values, written=None):
    values = torch.as_tensor(values)
    return Output(values, torch.ones(values.shape, dtype=torch.bool) if written is None else torch.as_tensor(written))


def judge(want, values, written=None, allowed=1e-6, **context):
    want = torch.as_tensor(want)
    want = want.double() if want.is_floating_point() else want
    expected = Expected(want, torch.full(want.shape, allowed if want.is_floating_point() else 0, dtype=torch.float64))
    return compare({"y": expected}, {"y": left(values, written)}, Context(**context))


@pytest.fixture(params=[ROW_SUM, SOFTMAX], ids=["row_sum", "softmax"])
def problem(request):
    """The expected outputs, the inputs and an honest float32 answer of a reduction."""
    task, case = request.param, Case(rows=37, cols=300)
    draw = Draw(5)
    inputs = {"x": draw.plant_outliers(draw.normal(37, 300), scale=20.0)}
    answer = task.reference(**inputs, rows=37, cols=300)["y"]
    return expect(Call(task, case), inputs), inputs, answer


def test_an_honest_float_answer_passes(problem):
    expected, _, answer = problem
    result = compare(expected, {"y": left(answer)})
    assert result.status == "passed"
    assert 0 < result.max_error <= result.allowed_error


WRONG = {
    "zeros": torch.zeros_like,
    "ones": torch.ones_like,
    "mean": lambda y: torch.full_like(y, float(y.mean())),
    "half precision": lambda y: y.half().float(),
    "bfloat16": lambda y: y.bfloat16().float(),
    "negated": lambda y: -y,
    "NaN everywhere": lambda y: torch.full_like(y, NAN),
    "inf everywhere": lambda y: torch.full_like(y, INF),
    "reversed": lambda y: y.flip(0),
    "one NaN": lambda y: y.flatten().index_fill(0, torch.tensor([11]), NAN).view(y.shape),
    "one inf": lambda y: y.flatten().index_fill(0, torch.tensor([11]), INF).view(y.shape),
    "one element off": lambda y: y.flatten().index_add(0, torch.tensor([11]), torch.tensor([1e-2])).view(y.shape),
}


@pytest.mark.parametrize("spoil", WRONG.values(), ids=WRONG.keys())
def test_wrong_answers_fail(problem, spoil):
    expected, _, answer = problem
    assert compare(expected, {"y": left(spoil(answer))}).status == "wrong_result"


def test_a_copy_of_the_input_fails():
    inputs = {"x": Draw(5).normal(37, 300)}
    expected = expect(Call(SOFTMAX, Case(rows=37, cols=300)), inputs)
    result = compare(expected, {"y": left(inputs["x"])}, Context(inputs=inputs))
    assert (result.status, result.details["pattern"]) == ("wrong_result", "copied")


def test_a_half_precision_sum_fails_and_is_called_one():
    x = Draw(5).normal(37, 300)
    expected = expect(Call(ROW_SUM, Case(rows=37, cols=300)), {"x": x})
    result = compare(expected, {"y": left(x.half().sum(1, dtype=torch.float16).float())})
    assert (result.status, result.details["pattern"]) == ("wrong_result", "of_16_bits")


@pytest.mark.parametrize(("factor", "status"), [(0.9, "passed"), (1.1, "wrong_result"), (2.0, "wrong_result")])
def test_the_tolerance_is_a_sharp_limit(factor, status):
    expected = expect(Call(ROW_SUM, Case(rows=4, cols=10000)), {"x": torch.ones(4, 10000)})
    allowed = 4 * math.sqrt(10000) * 2.0**-24 * 10000
    assert expected["y"].allowed.tolist() == pytest.approx([allowed] * 4)
    answer = torch.tensor([10000.0, 10000.0, 10000.0 + factor * allowed, 10000.0])
    result = compare(expected, {"y": left(answer)})
    assert result.status == status
    assert result.max_error == pytest.approx(factor * allowed, rel=0.05)


def test_the_magnitude_forgives_cancellation_and_nothing_else():
    x = torch.tensor([[1e6, -1e6, 1.0]])
    expected = expect(Call(ROW_SUM, Case(rows=1, cols=3)), {"x": x})
    assert compare(expected, {"y": left(torch.tensor([1.1]))}).status == "passed"
    assert compare(expected, {"y": left(torch.tensor([3.0]))}).status == "wrong_result"


@pytest.mark.parametrize(
    ("want", "got", "status"),
    [
        ([INF], [INF], "passed"),
        ([-INF], [-INF], "passed"),
        ([NAN], [NAN], "passed"),
        ([INF], [-INF], "wrong_result"),
        ([INF], [3e38], "wrong_result"),
        ([NAN], [INF], "wrong_result"),
        ([NAN], [0.0], "wrong_result"),
        ([0.0], [NAN], "wrong_result"),
        ([1e39], [INF], "passed"),  # too large for a float
        ([1e39], [3e38], "wrong_result"),
        ([1e-42], [0.0], "passed"),  # below the smallest normal float
    ],
)
def test_inf_and_nan_must_be_where_the_reference_has_them(want, got, status):
    task = make_task(lambda x, n: {"y": x}, "void f(const double* x, float* y, int n, cudaStream_t stream)",
                     shapes={"x": "n", "y": "n"})  # fmt: skip
    expected = expect(Call(task, Case(n=1)), {"x": torch.tensor(want, dtype=torch.float64)})
    assert compare(expected, {"y": left(torch.tensor(got))}).status == status


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "uint32", "int64", "uint64"])
def test_integers_must_be_exact(dtype):
    values = torch.tensor([1, 2, 3, 100], dtype=torch.int64).to(getattr(torch, dtype))
    wrong = torch.tensor([1, 2, 4, 100], dtype=torch.int64).to(getattr(torch, dtype))
    assert judge([1, 2, 3, 100], values).status == "passed"
    result = judge([1, 2, 3, 100], wrong)
    assert result.message == "y[2] is 4, but should be 3 (1 of 4 elements is wrong)."


def test_large_unsigned_numbers_are_told_apart():
    want = torch.tensor([2**62 + 1])
    assert judge(want, torch.tensor([2**62 + 1]).to(torch.uint64)).status == "passed"
    assert judge(want, torch.tensor([2**62]).to(torch.uint64)).status == "wrong_result"


def test_an_integer_that_equals_the_filling_counts_as_written():
    values, written = torch.tensor([5, 165, 7], dtype=torch.uint8), [True, False, True]
    assert judge([5, 165, 7], values, written).status == "passed"
    assert judge([5, 4, 7], values, written).status == "not_written"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_the_roundoff_is_that_of_the_output(dtype):
    ctype = {"float16": "half", "bfloat16": "__nv_bfloat16", "float64": "double"}[dtype]
    task = make_task(lambda x, n: {"y": x / 3}, f"void f(const float* x, {ctype}* y, int n, cudaStream_t stream)",
                     shapes={"x": "n", "y": "n"})  # fmt: skip
    x = Draw(1).uniform(1, 2, 100)
    expected = expect(Call(task, Case(n=100)), {"x": x})
    rounded = (x.double() / 3).to(getattr(torch, dtype))
    assert compare(expected, {"y": left(rounded)}).status == "passed"
    spoiled = rounded.clone()
    spoiled[3] *= 1 + 8 * torch.finfo(rounded.dtype).eps
    assert compare(expected, {"y": left(spoiled)}).status == "wrong_result"


def test_unwritten_elements_come_before_wrong_ones():
    result = judge([1.0, 2.0, 3.0], [9.0, NAN, 3.0], [True, False, True])
    assert result.status == "not_written"
    assert result.message == "y[1] was never written (1 of 3 elements is not written)."


def test_all_outputs_are_judged():
    want = {name: Expected(torch.tensor([1.0]).double(), torch.tensor([0.1]).double()) for name in "abc"}
    result = compare(want, {"a": left([1.0]), "b": left([1.0]), "c": left([7.0])})
    assert (result.status, result.details["buffer"]) == ("wrong_result", "c")


def test_the_first_wrong_element_has_an_index_for_each_dimension():
    want = torch.arange(24.0).view(2, 3, 4)
    got = want.clone()
    got[1, 2, 1] += 5
    result = judge(want, got)
    assert result.details["index"] == [1, 2, 1]
    assert (result.details["got"], result.details["expected"]) == (26.0, 21.0)
    assert result.message.startswith("y[1, 2, 1] is 26, but should be 21")


def test_numbers_that_look_alike_are_shown_in_full():
    want, got = torch.tensor([1.0, 1.0 + 1e-12], dtype=torch.float64).split(1)
    result = judge(want, got, allowed=1e-13)
    assert "1.000000000001, but should be 1.0" in result.message


ONE_THREAD_EACH = [{"kernel": "k", "grid": [4, 1, 1], "block": [32, 1, 1]}]


def test_block_and_thread_are_named_only_where_the_launch_tells_them():
    want, got = torch.arange(1.0, 101.0), torch.arange(1.0, 101.0)
    got[70] = 0
    assert judge(want, got, launches=ONE_THREAD_EACH).details["block"] == [2, 0, 0]
    assert judge(want, got, launches=ONE_THREAD_EACH).details["thread"] == [6, 0, 0]
    for launches in (
        [],
        ONE_THREAD_EACH * 2,
        [{"grid": [3, 1, 1], "block": [32, 1, 1]}],
        [{"grid": [1, 1, 1], "block": [128, 1, 1]}],
        [{"grid": [4, 2, 1], "block": [32, 1, 1]}],
    ):
        assert "block" not in judge(want, got, launches=launches).details


def test_verdicts_on_memory_name_the_place():
    modified = input_modified("x[2, 3]")
    assert modified.status == "input_modified" and "x[2, 3]" in modified.message
    beside = guard_broken("z", "after", 4)
    assert beside.status == "out_of_bounds" and "beyond the end of z" in beside.message
    assert "below z[0]" in guard_broken("z", "before", 4).message


def test_an_empty_output_is_right():
    assert judge(torch.zeros(0), torch.zeros(0)).status == "passed"


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        (lambda x, rows, cols: {"z": x}, "returns nothing for y"),
        (lambda x, rows, cols: {"y": x}, r"returns the shape \(3, 4\) for y, which has the shape \(3,\)"),
        (lambda x, rows, cols: {"y": x @ x}, "failed: RuntimeError"),
    ],
)
def test_a_broken_lesson_is_one_sentence(reference, words):
    with pytest.raises(UsageError, match=words):
        expect(Call(make_task(reference), Case(rows=3, cols=4)), {"x": torch.ones(3, 4)})


COSINE = make_task(lambda x, rows, cols: {"y": x.cos()}, shapes={"x": "rows, cols", "y": "rows, cols"})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda x: (math.pi * x).cos(), "What is wrong in y is right for pi times x"),
        (lambda x: (math.pi * x).cos().where(x > 0, x.cos()), "right for pi times x"),
        (lambda x: x.rad2deg().cos(), "right for x turned into degrees"),
        (lambda x: x.deg2rad().cos(), "right for x taken as degrees"),
        (lambda x: x.sin(), None),
        (lambda x: (3 * x).cos(), None),
        (lambda x: x.cos() + 5e-5, None),  # close to the right answer
    ],
)
def test_the_answer_for_another_angle(wrong, said):
    call, inputs = Call(COSINE, Case(rows=9, cols=30)), {"x": Draw(5).normal(9, 30)}
    context = Context(inputs=inputs, call=call)
    found = compare(expect(call, inputs), {"y": left(wrong(inputs["x"].double()).float())}, context)
    assert found.status == "wrong_result"
    assert said in found.details["pattern_message"] if said else found.details.get("pattern") != "other_angle"


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda x: (x - x.nan_to_num(0).amax(1, True)).exp().nan_to_num(0), "lost_nan"),
        (lambda x: x.nan_to_num(0).softmax(1), "lost_nan"),
        (lambda x: x.softmax(1) + x.isfinite(), None),
    ],
)
def test_a_nan_that_is_lost_is_told_with_the_input_that_has_it(made, told):
    x = Draw(5).normal(4, 30)
    x[1, 7], x[2, 3] = INF, NAN
    call, inputs = Call(SOFTMAX, Case(rows=4, cols=30)), {"x": x}
    honest = x.softmax(1)
    values = torch.where(honest.isnan(), made(x), honest) if told else made(x)
    found = compare(expect(call, inputs), {"y": left(values)}, Context(inputs=inputs, call=call))
    assert found.details.get("pattern") == told or (told is None and found.details.get("pattern") != "lost_nan")
    assert told is None or "should be NaN, for x has NaN or infinite" in found.details["pattern_message"]
