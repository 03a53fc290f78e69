"""Lesson 09's error bounds: sums in float pass, also cut off as tensor cores do it, and narrow ones fail."""

import math

import pytest
import torch

from grader.course.call import Call
from grader.course.catalog import find
from grader.course.lesson import Case
from grader.faces.notebook import results
from grader.judge.compare import Output, compare, expect
from grader.judge.inputs import Draw
from grader.judge.ladder import climb, is_told
from grader.judge.targets import judge_goals
from tests.shared import ROOT

LESSON = find("09", ROOT).lesson
MATMUL, ATTENTION = LESSON.tasks


@pytest.mark.parametrize("task", LESSON.tasks, ids=lambda task: task.name)
def test_times_on_an_h200_tell_the_rungs_that_have_a_timed_goal(task):
    times = results("09", task.name)
    told = [1, *(number for number, rung in enumerate(task.ladder, start=1) if is_told(rung, on_gpu=True))]
    for number, rung in enumerate(task.ladder, start=1):
        ratios = {f"x_{name}": times[name].us / times[f"{number}_{rung.name}"].us for name in task.baselines}
        reached = climb(task, judge_goals(task, {}, ratios), on_gpu=True).rung
        assert reached == max(each for each in told if each <= number), rung.name


def judged(task, sizes, inputs, answer):
    """The status of outputs by name."""
    call = Call(task, Case(**sizes))
    outputs = {name: Output(values, torch.ones_like(values, dtype=torch.bool)) for name, values in answer.items()}
    return compare(expect(call, inputs), outputs).status


def cut_off(sums):
    """The floats below these doubles in size: a tensor core rounds towards zero."""
    floats = sums.float()
    above = floats.double().abs() > sums.abs()
    return torch.where(above, torch.nextafter(floats, torch.zeros_like(floats)), floats)


def sum_by_eights(a, b):
    """a times b transposed as a tensor core of an A100 adds: 8 exact products at a time, cut off to a float."""
    total = torch.zeros(len(a), len(b))
    for first in range(0, a.shape[1], 8):
        part = a[:, first : first + 8].double() @ b[:, first : first + 8].double().mT
        total = cut_off(total.double() + part)
    return total


SUMS = {
    "in floats": (lambda a, b: a.float() @ b.float().mT, "passed"),
    "cut off by eights": (sum_by_eights, "passed"),
    "as bfloat16": (lambda a, b: (a.float() @ b.float().mT).bfloat16().float(), "wrong_result"),
    "as half": (lambda a, b: (a.float() @ b.float().mT).half().float(), "wrong_result"),
    "tf32 of its result": (lambda a, b: cut_to_10_bits(a.float() @ b.float().mT), "wrong_result"),
}


def cut_to_10_bits(values):
    return (values.view(torch.int32) & ~0x1FFF).view(torch.float32)


@pytest.mark.parametrize(("m", "n", "k"), [(16, 8, 16), (3, 5, 1009)])
@pytest.mark.parametrize(("product", "status"), SUMS.values(), ids=SUMS.keys())
def test_products_are_judged_by_how_they_were_added_up(m, n, k, product, status):
    inputs = MATMUL.make_inputs(Draw(7), None, m, n, k)
    assert inputs["a"].dtype == inputs["b"].dtype == torch.bfloat16
    assert judged(MATMUL, {"m": m, "n": n, "k": k}, inputs, {"c": product(**inputs)}) == status


def test_a_long_sum_of_one_sign_may_lose_what_tensor_cores_cut_off():
    inputs = {name: torch.rand(2, 65536).add_(0.5).bfloat16() for name in "ab"}
    sizes = {"m": 2, "n": 2, "k": 65536}
    assert judged(MATMUL, sizes, inputs, {"c": sum_by_eights(**inputs)}) == "passed"


def attend(q, k, v, weight, output):
    """Attention in floats, with one key more for a row at a time: `weight` and `output` round what they are given."""
    heads, n, d = q.shape
    scores = q.float() @ k.float().mT / math.sqrt(d)
    top = scores.amax(2, keepdim=True)
    weights = (scores - top).exp()
    total = weights.sum(2, keepdim=True)
    out = torch.zeros(heads, n, d)
    for first in range(0, n, 64):
        keys = slice(first, first + 64)
        out = output(out + weight(weights[:, :, keys]) @ v[:, keys].float())
    return {"out": out / total, "lse": (top + total.log())[..., 0]}


def exactly(values):
    return values


def narrow(values):
    return values.bfloat16().float()


@pytest.mark.parametrize("variant", [None, "growing", "falling", "flat"])
def test_weights_may_be_narrow_and_outputs_may_not(variant):
    sizes = {"heads": 1, "n": 257, "d": 64, "causal": 0}
    inputs = ATTENTION.make_inputs(Draw(7), variant, **sizes)
    assert judged(ATTENTION, sizes, inputs, attend(**inputs, weight=narrow, output=exactly)) == "passed"
    if variant == "flat":
        assert judged(ATTENTION, sizes, inputs, attend(**inputs, weight=narrow, output=narrow)) == "wrong_result"
