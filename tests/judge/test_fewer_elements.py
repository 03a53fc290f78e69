"""The timed case with fewer elements: which it is, and that kernels of several launches are held against it."""

from __future__ import annotations

import pytest

from grader.course import catalog
from grader.course.call import Call
from grader.grade import grade
from grader.judge.fewer_elements import MOST_BYTES, MOST_WORK, with_fewer_elements
from tests.shared import ROOT

SUM = ROOT / "kernels" / "05_atomics" / "sum" / "5_many_elements.cu"
ADDS = "atomicAdd(out, sum);"


def task_of(lesson, name):
    return catalog.find(lesson).lesson.task(name)


@pytest.mark.parametrize(
    ("lesson", "name", "large"),
    [
        ("04", "matmul", {"k": 4097}),  # rows and columns are left out, the sums stay as long
        ("08", "attention", {"n": 400}),  # as many keys as there is time for
        ("08", "attention_backward", {"n": 250}),
        ("05", "sum", {"n": 3_000_000}),
    ],
)
def test_what_results_hang_on_as_a_whole_stays_as_large_as_there_is_time_for(lesson, name, large):
    for seed in range(4):
        case = with_fewer_elements(task_of(lesson, name), seed)
        assert all(case.sizes[size] >= least for size, least in large.items())
        call = Call(task_of(lesson, name), case)
        assert (call.flops or 0) <= MOST_WORK and sum(call.bytes.values()) <= MOST_BYTES


def test_where_every_part_hangs_on_its_own_inputs_there_is_no_such_case():
    for lesson, name in (("01", "vector_add"), ("03", "transpose"), ("06", "softmax")):
        assert with_fewer_elements(task_of(lesson, name), 3) is None


@pytest.mark.slow
def test_a_sum_that_leaves_blocks_out_where_there_are_many_is_wrong(tmp_path):
    text = SUM.read_text()
    assert ADDS in text
    for condition, status in (("false", "passed"), ("n > 1000000 && blockIdx.x % 64 == 37", "wrong_result")):
        file = tmp_path / "sum.cu"
        file.write_text(text.replace(ADDS, f"atomicAdd(out, {condition} ? 0.0f : sum);"))
        result = grade("05", file, device="emulator", seed=5, tasks=["sum"])
        assert result.status == status, result.tasks[0].cases[-1].message
