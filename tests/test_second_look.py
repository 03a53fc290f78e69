"""A grade on a GPU with the emulator beside it: the GPU is made of Python, the emulator is the real one."""

from __future__ import annotations

import json
import select
import time
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from grader.course.catalog import UsageError, find
from grader.devices.cuda.card import Card
from grader.devices.evidence import Build, CaseRun, Evidence, Finding
from grader.devices.worker import server
from grader.devices.worker.job import Cancel, Cancelled
from grader.grade import grade
from grader.judge import second_look
from grader.judge.second_look import LEFT_OUT, Seen, weigh
from grader.judge.verdict import CaseGrade, Speed, TaskGrade
from grader.report import html, json_, junit
from grader.report.graded import Graded
from grader.report.terminal import console_in_memory, printed, show
from tests.shared import long_tail

LESSON = """
from grader.course.lesson import Case, Counted, Lesson, Task

def task(name, factor):
    return Task(
        prototype=f"void {name}(const float* x, float* y, int n, cudaStream_t stream)",
        shapes={"x": "n", "y": "n"},
        cases=[Case(n=5), Case(n=100)],
        make_inputs=lambda draw, variant, n: {"x": draw.normal(n)},
        reference=lambda x, n: {"y": factor * x},
    )

lesson = Lesson(title="Multiples", tasks=[task("twice", 2)])
"""
RIGHT = """\
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
extern "C" void twice(const float* x, float* y, int n, cudaStream_t stream) {
    k<<<(n + 31) / 32, 32, 0, stream>>>(x, y, n);
}
"""
# Lane l + 1 writes what lane l reads: on a card of today the warp runs in step.
BY_LUCK = """\
__global__ void k(const float* x, float* y, int n) {
    __shared__ float tile[32];
    int i = blockIdx.x * 32 + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0;
    if (i < n) y[i] = tile[threadIdx.x ^ 1] * 0 + 2 * tile[threadIdx.x];
}
extern "C" void twice(const float* x, float* y, int n, cudaStream_t stream) {
    k<<<(n + 31) / 32, 32, 0, stream>>>(x, y, n);
}
"""
LINE = 5
NOT_EMULATED = RIGHT.replace("__global__", "#include <curand_kernel.h>\n__global__", 1)
NEVER_ENDS = RIGHT.replace("    if (i < n)", "    for (int k = 0; k < 3; k = n < 50 ? k + 1 : 0) ;\n    if (i < n)")
TRAPS = RIGHT.replace("    if (i < n)", "    if (n == 100) __trap();\n    if (i < n)")


@pytest.fixture
def entry(tmp_path, monkeypatch):
    folder = tmp_path / "lessons" / "01_multiples"
    folder.mkdir(parents=True)
    (folder / "lesson.py").write_text(LESSON)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "01_multiples.cu").write_text(RIGHT)
    monkeypatch.chdir(tmp_path)
    return find("01", tmp_path)


@pytest.fixture
def card(monkeypatch):
    """A GPU whose kernel does `card.kernel(x, y)`; `card.jobs` are those that it was given."""
    fake = SimpleNamespace(kernel=lambda x, y: y.copy_(2 * x), jobs=[])

    def run(job, on_event):
        if not job.gpu:
            return server.second_server().run(job, on_event)
        fake.jobs.append(job)
        job.inputs()
        launches = [{"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1]}]
        for buffers in job.arena.cases:
            fake.kernel(buffers.read("x"), buffers.read("y"))
        found = Evidence(build=Build(), cases=[CaseRun(name, launches=launches) for name, _ in job.cases])
        assert job.gpu.dialogue is None or list(job.gpu.dialogue(found)) == []
        return found

    monkeypatch.setattr("grader.grade.choose_card", lambda device: Card("a card", "90a", 132, l2_bytes=1, uuid=""))
    monkeypatch.setattr(server, "server", lambda: SimpleNamespace(run=run))
    return fake


def told(found, source: str = RIGHT) -> str:
    console = console_in_memory(100, color_system=None)
    show(console, found, source=source)
    return printed(console)


def test_what_is_right_on_both_passes_and_nothing_more_is_said(entry, card):
    found = grade(entry, seed=1)
    assert found.device["kind"] == "cuda" and found.passed and found.tasks[0].emulator == ""
    assert found.tasks[0].cases[0].findings == [] and "emulator" not in told(found)


def test_what_is_right_by_luck_is_refused_with_its_line(entry, card):
    found = grade(entry, seed=1, source=BY_LUCK)
    (task,) = found.tasks
    assert (found.status, found.stars, task.status) == ("race", 0, "race")
    assert {case.status for case in task.cases} == {"race"}
    finding = task.cases[0].findings[0]
    assert finding.line == LINE and finding.details["emulated"] and task.cases[0].message == finding.message
    said = " ".join(told(found, BY_LUCK).split())
    assert "right on this GPU, but only by luck" in said and f"❱ {LINE} │" in said
    assert said.count(finding.message[:40]) == 1
    assert finding.message in html.dumps([Graded("01", "k.cu", BY_LUCK, found)]).replace("&#x27;", "'")


# Each is right as long as what lies there happens to be harmless.
PAST_ITS_OWN_ARRAY = RIGHT.replace(
    "    if (i < n) y[i] = 2 * x[i];",
    """    float kept[2];
    for (int k = 0; k <= 2; ++k) kept[k] = i < n ? x[i] : 0;
    if (i < n) y[i] = kept[0] + kept[1];""",
)
FAR_PAST_ITS_OWN_ARRAY = RIGHT.replace(
    "    if (i < n) y[i] = 2 * x[i];",
    """    if (i >= n) return;
    float kept[2] = {x[i], x[i]}, *p = kept;
    for (int k = 0; k < 4; ++k) p[25 * k + 1] += 0;
    y[i] = kept[0] + kept[1];""",
)
DIVIDES_BY_ZERO = RIGHT.replace("2 * x[i]", "2 * x[i] + (i % (n / 1024) > n)")
NEVER_SET = RIGHT.replace("    if (i < n)", "    int more;\n    if (i < n)").replace("2 * x[i]", "2 * x[i] + more")


@pytest.mark.parametrize(
    ("source", "status", "words"),
    long_tail(
        [
            (PAST_ITS_OWN_ARRAY, "out_of_bounds", "uses kept[2], past its end"),
            (NEVER_SET, "uninitialized_read", "`more`"),
            (FAR_PAST_ITS_OWN_ARRAY, "crash", "outside its own stack"),
            (DIVIDES_BY_ZERO, "crash", "an integer division by zero"),
        ],
        every=4,
        slow=2,
    ),
)
def test_what_has_no_meaning_is_refused_too(entry, card, source, status, words):
    found = grade(entry, seed=1, source=source)
    assert (found.status, found.stars) == (status, 0) and words in found.tasks[0].cases[0].message


TICKETS = """\
__device__ unsigned next;
__global__ void k(const float* x, float* y, int n) {{
    __shared__ unsigned ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(&next, 1u);
    __syncthreads();
    int i = {read} * 32 + threadIdx.x, to = ticket * 32 + threadIdx.x;
    if (i < n && to < n) y[to] = 2 * x[i];
}}
extern "C" void twice(const float* x, float* y, int n, cudaStream_t stream) {{
    unsigned none = 0;
    cudaMemcpyToSymbolAsync(next, &none, sizeof none, 0, cudaMemcpyHostToDevice, stream);
    k<<<(n + 31) / 32, 32, 0, stream>>>(x, y, n);
}}
"""
ORDERED = TICKETS.format(read="blockIdx.x")


def test_what_is_right_in_one_order_of_blocks_is_refused_too(entry, card):
    found = grade(entry, seed=1, source=ORDERED)
    (task,) = found.tasks
    assert (found.status, found.stars, task.emulator) == ("wrong_result", 0, "")
    assert [case.status for case in task.cases] == ["passed", "wrong_result"], "the first has one block"
    finding = task.cases[1].findings[0]
    assert (finding.kind, finding.line) == ("block_order", 4) and finding.details["emulated"]
    assert "outputs" not in finding.details
    assert "if the last block begins first" in " ".join(told(found, ORDERED).split())


def test_what_is_right_in_each_order_passes(entry, card):
    found = grade(entry, seed=1, source=TICKETS.format(read="ticket"))
    assert found.passed and found.tasks[0].emulator == ""
    assert all(case.findings == [] for case in found.tasks[0].cases)


@pytest.mark.parametrize(("source", "status"), [(RIGHT, "impossible_speed"), (BY_LUCK, "race")])
def test_a_time_that_cannot_be_is_told_by_its_cause(entry, card, monkeypatch, source, status):
    timing = Timing([])
    timing.speed = Speed("impossible_speed", "0.1 us is too good to be true", "n=9")
    monkeypatch.setattr("grader.grade.speed_test", lambda *_: nullcontext(timing))
    found = grade(entry, seed=1, source=source)
    assert (found.status, found.stars, found.tasks[0].cases[-1].status) == (status, 0, "impossible_speed")


def test_a_failure_on_a_gpu_comes_with_the_order_that_explains_it(entry, card):
    card.kernel = lambda x, y: y.copy_(x) if len(x) > 5 else y.copy_(2 * x)
    failed = grade(entry, seed=1, source=ORDERED).tasks[0].cases[1]
    assert [finding.kind for finding in failed.findings] == ["block_order"]


def test_without_the_emulator_it_passes_and_every_report_says_so(entry, card, monkeypatch):
    monkeypatch.setattr(server, "second_server", lambda: pytest.fail("the emulator was asked"))
    found = grade(entry, seed=1, source=BY_LUCK, emulator=False)
    assert found.passed and found.tasks[0].emulator == LEFT_OUT
    graded = [Graded("01", "k.cu", BY_LUCK, found)]
    assert LEFT_OUT in " ".join(told(found).split())
    assert json.loads(json_.dumps(found))["tasks"][0]["emulator"] == LEFT_OUT
    assert "--no-emulator" in html.dumps(graded) and LEFT_OUT in junit.dumps(graded)


def test_a_grade_of_an_older_version_can_still_be_read(entry, card):
    data = json_.to_json(grade(entry, seed=1, emulator=False))
    del data["tasks"][0]["emulator"]
    assert json_.from_json(data).tasks[0].emulator == ""


@pytest.mark.parametrize(
    ("source", "words"),
    [(NOT_EMULATED, "it cannot build the file (line 1:"), (TRAPS, "__trap"), (NEVER_ENDS, "loop")],
)
def test_what_the_emulator_cannot_run_passes_and_the_report_says_so(entry, card, source, words):
    found = grade(entry, seed=1, source=source)
    assert found.passed, found.tasks[0].cases
    said = found.tasks[0].emulator
    assert said.startswith("the emulator could not look") and words in said, said


def test_nor_does_it_look_at_wider_cases_of_such_a_file(entry, card):
    lesson = entry.folder / "lesson.py"
    lesson.write_text(lesson.read_text().replace("make_inputs", "wide_case=Case(n=66_000),\n        make_inputs"))
    found = grade(find("01", entry.root), seed=1, source=NOT_EMULATED)
    assert found.passed, found.tasks[0].cases


class Timing:
    """The judge's part in timing, without a card: asks whether the kernel deserves it, and notes what runs then."""

    def __init__(self, began: list[bool]):
        self.call, self.speed, self.began, self.timed = SimpleNamespace(name="n=9", scalars={}), Speed(), began, []

    def is_prepared(self) -> bool:
        return True

    def dialogue(self, is_right):
        if is_right():
            self.timed.append(bool(self.began))
        yield from ()


@pytest.mark.parametrize(("factor", "status", "timed"), [(2, "passed", [True]), (1, "wrong_result", [])])
def test_the_emulator_begins_before_the_timing_does(entry, card, monkeypatch, factor, status, timed):
    began: list[bool] = []
    real = second_look.SecondLook.begin
    monkeypatch.setattr(second_look.SecondLook, "begin", lambda look: (began.append(True), real(look))[1])
    timing = Timing(began)
    monkeypatch.setattr("grader.grade.speed_test", lambda *_: nullcontext(timing))
    card.kernel = lambda x, y: y.copy_(factor * x)
    assert grade(entry, seed=1).status == status
    assert timing.timed == timed


def test_a_failure_on_a_gpu_comes_with_the_emulators_finding(entry, card):
    card.kernel = lambda x, y: y.copy_(x) if len(x) > 5 else y.copy_(2 * x)
    found = grade(entry, seed=3, source=BY_LUCK)
    assert found.status == "wrong_result"
    passed, failed = found.tasks[0].cases
    assert passed.status == "passed" and passed.findings == []
    assert failed.status == "wrong_result"
    assert failed.findings[0].kind == "race" and failed.findings[0].details["emulated"]
    silent = grade(entry, seed=3, source=BY_LUCK, emulator=False)
    assert silent.tasks[0].cases[1].findings == [] and silent.tasks[0].emulator == LEFT_OUT


def test_an_emulator_that_cannot_start_or_is_slow_costs_no_grade(entry, card, monkeypatch):
    def fails(job, on_event):
        raise UsageError("the worker cannot start")

    def sleeps(job, on_event):
        while not os_ready(job.cancel):
            time.sleep(0.01)
        raise Cancelled

    def os_ready(cancel: Cancel) -> bool:
        return bool(select.select([cancel.fd], [], [], 0)[0])

    monkeypatch.setattr(second_look, "PATIENCE_SECONDS", 0.05)
    for run, words in ((fails, "cannot start"), (sleeps, "not done in time")):
        monkeypatch.setattr(server, "second_server", lambda run=run: SimpleNamespace(run=run))
        found = grade(entry, seed=1)
        assert found.passed and words in found.tasks[0].emulator


def test_no_emulator_without_a_gpu_is_a_slip_of_the_fingers(entry, monkeypatch):
    monkeypatch.setattr("grader.grade.choose_card", lambda device: None)
    with pytest.raises(UsageError, match="--no-emulator is for a grade on a GPU"):
        grade(entry, emulator=False)


@pytest.mark.parametrize("kind", ["timeout", "crash", "assert", "trap", "stack_overflow", "launch_error", "other"])
def test_the_emulators_own_limits_refuse_nothing(kind):
    result = TaskGrade("twice", "passed", 3, cases=[CaseGrade("n=5", "passed")])
    weigh(result, Seen(Evidence(Build(), [CaseRun("n=5", [Finding(kind, "what it is")])])))
    assert (result.status, result.stars) == ("passed", 3) and "what it is" in result.emulator


def test_below_the_floor_the_star_for_right_stays_where_the_emulator_has_seen_the_work():
    result = TaskGrade("twice", "below_target", 0, cases=[CaseGrade("n=5", "passed")])
    weigh(result, Seen(Evidence(Build(), [CaseRun("n=5", [])])))
    assert (result.status, result.stars) == ("below_target", 1)
    unseen = TaskGrade("twice", "below_target", 0, cases=[CaseGrade("n=5", "passed")])
    weigh(unseen, Seen(why_not="it was not done in time"))
    assert (unseen.status, unseen.stars) == ("below_target", 0)


def test_what_a_case_that_ran_shows_counts_although_a_later_one_did_not_run():
    cases = [CaseGrade("n=5", "passed"), CaseGrade("n=6", "passed")]
    result = TaskGrade("twice", "below_target", 0, "slow", cases=cases)
    race = CaseRun("n=5", [Finding("race", "two threads", line=3)])
    weigh(result, Seen(Evidence(Build(), [race], "it crashed", "crash")))
    assert (result.status, result.message, cases[1].status) == ("race", "", "passed")
    assert "it crashed" in result.emulator


def test_notes_refuse_nothing():
    result = TaskGrade("twice", "passed", 3, cases=[CaseGrade("n=5", "passed")])
    weigh(result, Seen(Evidence(Build(), [CaseRun("n=5", [Finding("race", "the same value", "note")])])))
    assert (result.status, result.emulator) == ("passed", "")


@pytest.mark.parametrize(
    ("most", "emulator", "status", "stars"),
    [(8, True, "passed", 1), (4, True, "below_target", 0), (4, False, "passed", 1)],
)
def test_a_floor_that_is_counted_holds_on_a_gpu_too(entry, card, most, emulator, status, stars):
    floor = f'floor=[Counted("global_load_requests", at_most={most}, why="one for each warp")],\n        reference='
    lesson = entry.folder / "lesson.py"
    lesson.write_text(lesson.read_text().replace("reference=", floor))
    doubled = RIGHT.replace("2 * x[i]", "x[i] + ((const volatile float*)x)[i]")  # 4 warps, 8 requests
    found = grade(find("01", entry.root), seed=1, source=doubled, emulator=emulator)
    assert (found.status, found.stars) == (status, stars)
    (target,) = found.tasks[0].targets
    assert (target.value, target.met) == ((8, most == 8) if emulator else (None, False))


IN_Y = RIGHT.replace("blockIdx.x *", "blockIdx.y *").replace("<<<(n + 31) / 32, 32,", "<<<GRID, 32,")


@pytest.mark.parametrize(
    ("grid", "status"), [("dim3(1, (n + 31) / 32)", "passed"), ("dim3(1, n)", "launch_error")], ids=["few", "many"]
)
def test_a_grid_that_is_too_large_in_the_wide_case_is_refused(entry, card, grid, status):
    lesson = entry.folder / "lesson.py"
    lesson.write_text(lesson.read_text().replace("make_inputs", "wide_case=Case(n=66_000),\n        make_inputs"))
    found = grade(find("01", entry.root), seed=1, source=IN_Y.replace("GRID", grid))
    assert (found.status, found.stars) == (status, status == "passed")


@pytest.mark.parametrize(("factor", "status"), [("n > 50000 ? 3 : 2", "wrong_result"), ("n > 50000 ? 2 : 2", "passed")])
def test_a_size_that_the_file_names_and_no_case_has_is_looked_at(entry, card, factor, status):
    lesson = entry.folder / "lesson.py"
    lesson.write_text(lesson.read_text().replace("make_inputs", "wide_case=Case(n=66_000),\n        make_inputs"))
    found = grade(find("01", entry.root), seed=1, source=RIGHT.replace("2 * x[i]", f"({factor}) * x[i]"))
    assert (found.status, found.stars) == (status, status == "passed")
