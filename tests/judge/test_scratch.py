"""Scratch memory: an output that carries no result; and targets that are counted at a case of their own."""

from __future__ import annotations

import ctypes

import pytest

from grader.course.call import calls_of
from grader.course.lesson import Case, Counted, Rung, Task
from grader.devices.buffers import Arena
from grader.devices.evidence import Build, CaseRun, Evidence
from grader.judge.compare import expect
from grader.judge.inputs import fill
from grader.judge.weigh import Prepared, judge_task

LONG = Case(n=50, room=4)
TASK = Task(
    prototype="void double_all(const float* x, float* y, float* scratch, int n, int room, cudaStream_t stream)",
    shapes={"x": "n", "y": "n", "scratch": "room"},
    scratch=["scratch"],
    cases=[LONG, Case(n=3, room=100)],
    make_inputs=lambda draw, variant, n, room: {"x": draw.normal(n)},
    reference=lambda x, n, room: {"y": 2 * x},
    ladder=[
        Rung("once", "each output once", [Counted("stores_per_output_byte", at_most=1.0)]),
        Rung("all", "all blocks", [Counted("busy_blocks", at_least=16, case=LONG)]),
    ],
    stars={2: "once", 3: "all"},
)


@pytest.fixture
def prepared():
    calls = calls_of(TASK)
    with Arena.of(calls) as arena:
        ready = []
        for call, buffers in zip(calls, arena.cases, strict=True):
            inputs = fill(call, buffers, seed=1)
            ready.append(Prepared(call, buffers, inputs, expect(call, inputs)))
            buffers.read("y").copy_(2 * inputs["x"])
        yield ready


def grade(prepared, *blocks):
    counters = {"global_store_bytes": 12}
    runs = [
        CaseRun(each.call.name, counters={**counters, "busy_blocks": count})
        for each, count in zip(prepared, blocks or (1, 1), strict=True)
    ]
    return judge_task(TASK, prepared, Evidence(build=Build(), cases=runs))


def test_scratch_is_no_result():
    assert [output.name for output in TASK.results] == ["y"]


def test_scratch_may_be_left_unwritten_and_counts_no_bytes(prepared):
    result = grade(prepared)
    assert result.status == "passed"
    assert result.counters["output_bytes"] == 12 and result.counters["output_elements"] == 3
    assert result.targets[0].value == 1.0


def test_scratch_may_hold_anything(prepared):
    for each in prepared:
        each.buffers.read("scratch").fill_(float("inf"))
    assert grade(prepared).status == "passed"


def test_scratch_has_guards(prepared):
    ctypes.memset(prepared[0].buffers.read("scratch").data_ptr() + 4 * LONG.sizes["room"], 0, 4)
    result = grade(prepared)
    assert result.status == "out_of_bounds"
    assert "beyond the end of scratch" in result.cases[0].message


@pytest.mark.parametrize(("blocks", "value", "stars"), [((16, 1), 16, 3), ((1, 16), 1, 2)])
def test_a_target_is_counted_at_the_case_that_it_names(prepared, blocks, value, stars):
    result = grade(prepared, *blocks)
    assert (result.targets[1].value, result.stars) == (value, stars)
