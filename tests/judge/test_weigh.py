"""From evidence to a verdict, with the shared memory that a worker would write into."""

import dataclasses

import pytest

from grader.course.call import calls_of, graded_calls
from grader.course.lesson import Case, Counted, Rung, Task, Timed
from grader.devices.buffers import Arena
from grader.devices.evidence import Build, CaseRun, Diagnostic, Evidence, Finding
from grader.judge.compare import expect
from grader.judge.inputs import fill
from grader.judge.timing.speed import Speed
from grader.judge.weigh import DRAWN, Prepared, is_any_wrong, judge_task, kernels_of
from grader.report.words import how_many_fail

TASK = Task(
    prototype="void add(const float* x, const float* y, float* z, int n, cudaStream_t stream)",
    shapes={"x": "n", "y": "n", "z": "n"},
    cases=[Case(n=1), Case(n=33), Case(n=100)],
    make_inputs=lambda draw, variant, n: {"x": draw.normal(n), "y": draw.normal(n)},
    reference=lambda x, y, n: {"z": x + y},
    ladder=[
        Rung("once", "each input once", [Counted("loads_per_input_byte", at_most=1.0), Timed("fraction_of_copy", 0.6)]),
        Rung("few", "few sectors", [Counted("sectors", at_most=10)]),
    ],
    stars={2: "once", 3: "few"},
    floor=[Timed("fraction_of_copy", 0.1)],
)
COUNTERS = {"global_load_bytes": 800, "sectors": 99}


@pytest.fixture
def prepared():
    calls = calls_of(TASK)
    with Arena.of(calls) as arena:
        ready = []
        for call, buffers in zip(calls, arena.cases, strict=True):
            inputs = fill(call, buffers, seed=1)
            ready.append(Prepared(call, buffers, inputs, expect(call, inputs)))
        yield ready


def solve(prepared):
    """What a right kernel does."""
    for each in prepared:
        each.buffers.read("z").copy_(each.inputs["x"] + each.inputs["y"])


def evidence(prepared, *findings, cases=None, **extra):
    """All cases ran (or the first `cases`); the second has these findings."""
    runs = [CaseRun(each.call.name, counters=COUNTERS, lines=[{"line": 1}]) for each in prepared]
    runs[1].findings = list(findings)
    return Evidence(build=Build(), cases=runs[:cases], **extra)


def test_a_right_answer_gets_its_stars_and_counters_of_the_last_case(prepared):
    solve(prepared)
    grade = judge_task(TASK, prepared, evidence(prepared))
    assert (grade.status, grade.stars) == ("passed", 2)
    assert [case.name for case in grade.cases] == ["n=1", "n=33", "n=100"]
    assert all(case.max_error <= case.allowed_error for case in grade.cases)
    assert grade.counters == COUNTERS | {
        "input_elements": 200, "input_bytes": 800, "output_elements": 100, "output_bytes": 400
    }  # fmt: skip
    assert [(target.rung, target.met) for target in grade.targets] == [(0, False), (1, True), (1, False), (2, False)]
    assert (grade.position.rung, grade.position.name, grade.position.next) == (1, "once", "few")
    assert grade.lines == [{"line": 1}]


@pytest.mark.parametrize("problem", ["of an unknown kind", "passed", ["no", "kind"]])
def test_a_problem_that_a_submission_invents_is_a_crash(prepared, problem):
    solve(prepared)
    for cases in (0, 2, 3):
        found = judge_task(TASK, prepared, evidence(prepared, cases=cases, problem=problem, ended="It ended."))
        assert (found.status, found.stars) == ("crash", 0)
    assert judge_task(TASK, prepared, Evidence(problem=problem)).status == "crash"
    assert judge_task(TASK, prepared, Evidence(build=Build(problem=problem))).status == "crash"


def test_an_untouched_output_is_not_written(prepared):
    grade = judge_task(TASK, prepared, evidence(prepared))
    assert (grade.status, grade.stars) == ("not_written", 0)
    assert grade.cases[2].details["pattern"] == "nothing_written"


def test_an_answer_of_nan_is_wrong_and_not_unwritten(prepared):
    solve(prepared)
    prepared[2].buffers.read("z").fill_(float("nan"))
    assert judge_task(TASK, prepared, evidence(prepared)).status == "wrong_result"


def test_a_reason_that_cannot_be_worked_out_takes_no_verdict_away(prepared, monkeypatch):
    def fails(*_):
        raise RuntimeError("two sizes do not fit")

    monkeypatch.setattr("grader.judge.why.name_all", fails)
    solve(prepared)
    prepared[2].buffers.read("z").add_(1)
    grade = judge_task(TASK, prepared, evidence(prepared))
    assert grade.status == "wrong_result"
    assert "a fault of the grader's own (RuntimeError)" in grade.cases[2].details["pattern_message"]


def test_a_changed_input_is_found_even_if_the_answer_is_right(prepared):
    solve(prepared)
    prepared[1].buffers.read("y")[7] = 0
    grade = judge_task(TASK, prepared, evidence(prepared))
    assert grade.status == "input_modified"
    assert "y[7]" in grade.cases[1].message
    assert [case.status for case in grade.cases] == ["passed", "input_modified", "passed"]


def test_a_broken_guard_band_is_found_even_if_the_answer_is_right(prepared):
    solve(prepared)
    buffers = prepared[1].buffers
    slot = buffers.slots["z"]
    buffers._memory[slot.right_guard[0] : slot.right_guard[0] + 4] = bytes(4)
    grade = judge_task(TASK, prepared, evidence(prepared))
    assert grade.status == "out_of_bounds" and "beyond the end of z" in grade.cases[1].message


def test_a_finding_fails_a_right_answer_and_a_note_does_not(prepared):
    solve(prepared)
    race, note = Finding("race", "lines 3 and 4"), Finding("race", "same value", severity="note")
    grade = judge_task(TASK, prepared, evidence(prepared, note, race))
    assert (grade.status, grade.cases[1].message) == ("race", "lines 3 and 4")
    assert grade.cases[1].findings == [note, race]
    assert judge_task(TASK, prepared, evidence(prepared, note)).status == "passed"


def test_the_more_urgent_of_finding_and_result_is_told(prepared):
    solve(prepared)
    prepared[1].buffers.read("z")[3] += 1
    leak, race = Finding("leak", "64 bytes"), Finding("race", "lines 3 and 4")
    grade = judge_task(TASK, prepared, evidence(prepared, race))
    assert (grade.status, grade.cases[1].message) == ("race", "lines 3 and 4")
    assert grade.cases[1].details["index"] == [3]
    assert judge_task(TASK, prepared, evidence(prepared, leak)).status == "leak"


def test_the_previous_case_explains_a_stale_answer(prepared):
    solve(prepared)
    prepared[2].buffers.read("z")[:33] = prepared[1].buffers.read("z")
    grade = judge_task(TASK, prepared, evidence(prepared))
    assert grade.cases[2].details["pattern"] == "stale"


@pytest.mark.parametrize(("problem", "status"), [("timeout", "timeout"), ("crash", "crash"), (None, "crash")])
def test_a_case_without_evidence_fails_even_if_memory_holds_the_answer(prepared, problem, status):
    solve(prepared)
    grade = judge_task(TASK, prepared, evidence(prepared, cases=1, problem=problem, ended="it died in case n=33"))
    assert (grade.status, grade.stars) == (status, 0)
    assert [case.status for case in grade.cases] == ["passed", status]
    assert grade.cases[1].message == "it died in case n=33"
    assert grade.targets == [] and grade.counters == {}


def test_a_finding_that_ended_the_run_is_told_once(prepared):
    solve(prepared)
    crash = Finding("crash", "a segmentation fault", line=3)
    grade = judge_task(TASK, prepared, evidence(prepared, crash, cases=2, problem="crash", ended="a segfault (n=33)"))
    assert (grade.status, grade.message) == ("crash", "")
    assert [(case.status, case.message) for case in grade.cases] == [("passed", ""), ("crash", "a segmentation fault")]


def test_a_worker_that_dies_after_its_last_case_has_not_passed(prepared):
    solve(prepared)
    grade = judge_task(TASK, prepared, evidence(prepared, problem="crash", ended="it died at the end"))
    assert (grade.status, grade.stars, grade.message) == ("crash", 0, "it died at the end")


def test_no_evidence_at_all_is_a_crash(prepared):
    solve(prepared)
    grade = judge_task(TASK, prepared, Evidence(ended="the worker ended", problem="crash"))
    assert (grade.status, grade.message) == ("crash", "the worker ended")


@pytest.mark.parametrize("problem", ["build_error", "missing_entry_point"])
def test_a_build_problem_is_the_status(prepared, problem):
    said = Diagnostic("expected ';'", 3)
    grade = judge_task(TASK, prepared, Evidence(build=Build(problem, "line 3: expected ';'", [said])))
    assert (grade.status, grade.stars, grade.diagnostics, grade.cases) == (problem, 0, [said], [])


def test_a_floor_that_is_counted_is_judged_on_the_emulator(prepared):
    solve(prepared)
    strict = dataclasses.replace(TASK, floor=[Counted("sectors", at_most=10)])
    grade = judge_task(strict, prepared, evidence(prepared))
    assert (grade.status, grade.stars, grade.position.rungs) == ("below_target", 0, 0)


def launched(prepared):
    """Evidence of a GPU."""
    ran = evidence(prepared)
    ran.cases[-1].launches = [{"kernel": "add", "grid": [1, 1, 1], "block": [32, 1, 1], "given_stream": True}]
    return ran


def test_on_a_gpu_the_time_decides_and_counters_do_not(prepared):
    solve(prepared)
    ran = launched(prepared)
    fast = judge_task(TASK, prepared, ran, Speed(values={"fraction_of_copy": 0.7}, timings={"median_us": 1.0}))
    assert (fast.status, fast.stars, fast.timings) == ("passed", 2, {"median_us": 1.0})
    slow = judge_task(TASK, prepared, ran, Speed(values={"fraction_of_copy": 0.5}))
    assert (slow.status, slow.stars, slow.position.rung) == ("passed", 1, 0)
    slower = judge_task(TASK, prepared, ran, Speed(values={"fraction_of_copy": 0.05}))
    assert (slower.status, slower.stars, slower.position.rungs) == ("below_target", 0, 0)
    noisy = judge_task(TASK, prepared, ran, Speed(message="too noisy"))
    assert (noisy.status, noisy.stars, noisy.message) == ("passed", 1, "too noisy")


def test_a_timed_run_that_is_wrong_fails_the_task(prepared):
    solve(prepared)
    speed = Speed("impossible_speed", "two clocks disagree", case="n=1000000")
    grade = judge_task(TASK, prepared, launched(prepared), speed)
    assert (grade.status, grade.stars) == ("impossible_speed", 0)
    assert (grade.cases[-1].name, grade.cases[-1].message) == ("n=1000000", "two clocks disagree")


def test_a_timed_run_that_does_not_end_is_named(prepared):
    solve(prepared)
    ran = dataclasses.replace(launched(prepared), problem="timeout", ended="more than 10 s")
    grade = judge_task(TASK, prepared, ran, Speed(case="n=1000000"))
    assert (grade.status, grade.stars) == ("timeout", 0)
    assert (grade.cases[-1].name, grade.cases[-1].message) == ("n=1000000", "more than 10 s")


def test_on_a_gpu_the_right_answer_of_no_kernel_does_not_count(prepared):
    solve(prepared)
    grade = judge_task(TASK, prepared, evidence(prepared), Speed())
    assert (grade.status, grade.stars) == ("host_access", 0) and "No kernel" in grade.cases[-1].message


def test_each_kernel_of_a_gpus_launches_is_told_once():
    launches = [{"kernel": "fill", "grid": [1]}, {"kernel": "add", "grid": [2]}, {"kernel": "fill", "grid": [3]}]
    assert kernels_of(launches) == launches[:2]


# ---- the case of which a seed draws the sizes ----

WITH_DRAWN = dataclasses.replace(TASK, drawn={"n": range(2, 30)})


@pytest.fixture
def with_drawn():
    calls = graded_calls(WITH_DRAWN, seed=1)
    with Arena.of(calls) as arena:
        inputs = [fill(call, buffers, seed=1) for call, buffers in zip(calls, arena.cases, strict=True)]
        yield [Prepared(*each, expect(each[0], each[2])) for each in zip(calls, arena.cases, inputs, strict=True)]


def test_a_drawn_case_comes_before_the_counted_one(with_drawn):
    assert [each.call.name for each in with_drawn[:2]] == ["n=1", "n=33"] and with_drawn[-1].call.name == "n=100"
    assert with_drawn[2].call.case.sizes["n"] in range(2, 30)
    assert len({graded_calls(WITH_DRAWN, seed)[2].name for seed in range(20)}) > 5
    assert len(graded_calls(dataclasses.replace(TASK, drawn={"n": [33]}), seed=1)) == 3  # it is there already


def test_a_drawn_case_that_is_right_is_not_told(with_drawn):
    solve(with_drawn)
    grade = judge_task(WITH_DRAWN, with_drawn, evidence(with_drawn))
    assert (grade.status, [case.name for case in grade.cases]) == ("passed", ["n=1", "n=33", "n=100"])


def test_a_drawn_case_is_told_where_it_alone_is_wrong(with_drawn):
    solve([each for at, each in enumerate(with_drawn) if at != 2])
    grade = judge_task(WITH_DRAWN, with_drawn, evidence(with_drawn))
    (failed,) = [case for case in grade.cases if case.status != "passed"]
    assert (grade.status, grade.stars, failed.name) == ("not_written", 0, with_drawn[2].call.name)
    assert "was never written" in failed.message and failed.message.endswith(DRAWN)


def test_a_drawn_case_that_is_wrong_as_others_are_is_not_told(with_drawn):
    grade = judge_task(WITH_DRAWN, with_drawn, evidence(with_drawn))
    assert [case.status for case in grade.cases] == 3 * ["not_written"]


def test_what_is_wrong_in_a_small_case_comes_before_what_takes_long_in_a_large_one(prepared):
    solve(prepared)
    slow = Finding("timeout", "thread (0, 0, 0) was still running", details={"steps": 9, "slow": True})
    found = evidence(prepared, cases=2, problem="timeout", ended="it took too long")
    found.cases[1].findings = [slow]
    alone = judge_task(TASK, prepared, found)
    assert (alone.status, alone.cases[-1].message, alone.not_run) == ("timeout", slow.message, 0)
    prepared[0].buffers.read("z")[0] += 1
    grade = judge_task(TASK, prepared, found)
    assert (grade.status, grade.stars, grade.not_run) == ("wrong_result", 0, 1)
    assert how_many_fail(grade) == "(1 of 1 cases fails, 1 slow one was not run)"
    del slow.details["slow"]  # a loop without an end
    assert judge_task(TASK, prepared, found).status == "timeout"


def test_a_grade_of_less_than_all_cases_is_never_a_pass(prepared):
    found = evidence(prepared, cases=2)
    assert not is_any_wrong(prepared, found)  # nothing is written
    solve(prepared)
    assert not is_any_wrong(prepared, found)
    prepared[1].buffers.read("z")[0] += 1
    assert is_any_wrong(prepared, found)
    found.cut = True
    grade = judge_task(TASK, prepared, found)
    assert [case.status for case in grade.cases] == ["passed", "wrong_result"]
    assert (grade.status, grade.not_run) == ("wrong_result", 1)
    prepared[1].buffers.read("z")[0] -= 1  # whatever it says of itself
    assert judge_task(TASK, prepared, found).status != "passed"
