"""The path from a file to a Grade, with a worker that does in Python what a kernel would do."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from grader.course.catalog import UsageError, find
from grader.course.work import MOST_SOURCE_BYTES
from grader.devices.cuda.card import Card
from grader.devices.evidence import Build, CaseRun, Diagnostic, Evidence
from grader.devices.submission import NotGraded
from grader.devices.worker import server
from grader.grade import grade

LESSON = """
from grader.course.lesson import Case, Counted, Lesson, Rung, Task

def task(name, factor):
    return Task(
        prototype=f"void {name}(const float* x, float* y, int n, cudaStream_t stream)",
        shapes={"x": "n", "y": "n"},
        cases=[Case(n=5), Case(n=100)],
        make_inputs=lambda draw, variant, n: {"x": draw.normal(n)},
        reference=lambda x, n: {"y": factor * x},
        ladder=[Rung("few", "few sectors", [Counted("global_load_sectors", at_most=10)])],
        stars={2: "few"},
    )

lesson = Lesson(title="Multiples", tasks=[task("twice", 2), task("thrice", 3)])
"""


@pytest.fixture
def entry(tmp_path, monkeypatch):
    folder = tmp_path / "lessons" / "01_multiples"
    folder.mkdir(parents=True)
    (folder / "lesson.py").write_text(LESSON)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "01_multiples.cu").write_text("the source")
    monkeypatch.chdir(tmp_path)
    return find("01", tmp_path)


@pytest.fixture
def worker(monkeypatch):
    """A fork server whose kernel does `worker.kernels[task]` in place; `worker.jobs` are those it was given."""

    def double(x, y):
        y.copy_(2 * x)

    def triple(x, y):
        y.copy_(3 * x)

    fake = SimpleNamespace(jobs=[], kernels={"twice": double, "thrice": triple}, evidence={}, events=["building"])

    def run(job, on_event):
        fake.jobs.append(job)
        for event in fake.events:
            on_event({"event": event})
        if job.task in fake.evidence:
            return fake.evidence[job.task]
        runs = []
        job.inputs()
        for buffers, (name, _) in zip(job.arena.cases, job.cases, strict=True):
            on_event({"event": "running", "case": name})
            fake.kernels[job.task](buffers.read("x"), buffers.read("y"))
            runs.append(CaseRun(name, counters={"global_load_sectors": 4}, seconds=0.25))
        return Evidence(build=Build(seconds=0.5), cases=runs)

    fake.run = run
    monkeypatch.setattr(server, "server", lambda: fake)
    monkeypatch.setattr(server, "second_server", lambda: fake)
    return fake


def test_a_right_file_passes(entry, worker):
    found = grade(entry)
    assert (found.lesson, found.kernel) == ("01_multiples", "work/01_multiples.cu")
    assert (found.status, found.stars, found.passed) == ("passed", 2, True)
    assert [task.name for task in found.tasks] == ["twice", "thrice"]
    assert found.device["kind"] == "emulator"
    assert (found.seconds["build"], found.seconds["run"]) == (1.0, 1.0) and found.seconds["total"] > 0


def test_the_worker_gets_the_source_the_cases_and_nothing_secret(entry, worker):
    grade(entry, seed=5)
    job = worker.jobs[0]
    assert (job.source, job.filename, job.task) == ("the source", "01_multiples.cu", "twice")
    assert [prototype.name for prototype in job.prototypes] == ["twice", "thrice"]
    assert job.cases == [("n=5", {"n": 5}), ("n=100", {"n": 100})]


def test_who_counts_alone_asks_for_no_checking_build(entry, worker):
    from grader.faces import notebook

    assert notebook.count("01", "work", task="twice")["global_load_sectors"] == 4
    notebook.grade("01", "work", task="twice", case="n=5")
    assert [job.with_checks for job in worker.jobs] == [False, True]


def test_inputs_follow_from_the_seed_alone(entry, worker):
    drawn = []
    worker.kernels["thrice"] = lambda x, y: drawn.append(x.clone())
    for tasks in (None, ["thrice"], None):
        grade(entry, seed=9 if len(drawn) < 4 else 10, tasks=tasks)
    assert torch.equal(drawn[0], drawn[2]) and torch.equal(drawn[1], drawn[3])
    assert not torch.equal(drawn[0], drawn[4])


def test_without_a_seed_every_grade_has_its_own(entry, worker):
    assert grade(entry).seed != grade(entry).seed


def test_one_failing_task_fails_the_lesson_and_leaves_the_other(entry, worker):
    worker.evidence["twice"] = Evidence(build=Build(), problem="timeout", ended="it did not come back")
    found = grade(entry)
    assert (found.status, found.stars) == ("timeout", 0)
    assert [(task.status, task.stars) for task in found.tasks] == [("timeout", 0), ("passed", 2)]


def test_the_lessons_status_is_the_most_urgent_of_its_tasks(entry, worker):
    worker.kernels["twice"] = lambda x, y: y.zero_()
    said = [Diagnostic("no thrice", 1)]
    worker.evidence["thrice"] = Evidence(build=Build("missing_entry_point", "no thrice", said))
    found = grade(entry)
    assert [task.status for task in found.tasks] == ["wrong_result", "missing_entry_point"]
    assert found.status == "missing_entry_point"


def test_tasks_can_be_chosen(entry, worker):
    assert [task.name for task in grade(entry, tasks=["thrice"]).tasks] == ["thrice"]
    with pytest.raises(UsageError, match="no task `once`: type --task twice or --task thrice"):
        grade(entry, tasks=["thrice", "once"])


@pytest.fixture
def with_bonus(entry, tmp_path):
    """The same lesson with its second task as a bonus."""
    lesson = entry.folder / "lesson.py"
    lesson.write_text(lesson.read_text().replace("reference=lambda", 'bonus=name == "thrice", reference=lambda'))
    return find("01", tmp_path)


def test_a_bonus_task_that_is_not_there_is_not_missed(with_bonus, worker):
    assert [(task.name, task.bonus) for task in grade(with_bonus).tasks] == [("twice", False)]


@pytest.mark.parametrize(("factor", "status", "stars"), [(3, "passed", 2), (4, "wrong_result", 0)])
def test_a_bonus_task_counts_for_itself_alone(with_bonus, worker, factor, status, stars):
    with_bonus.work_file.write_text("void thrice (const float* x) {}")
    worker.kernels["thrice"] = lambda x, y: y.copy_(factor * x)
    found = grade(with_bonus)
    assert (found.status, found.stars) == ("passed", 2)
    assert [(task.name, task.status, task.stars) for task in found.tasks][1:] == [("thrice", status, stars)]
    alone = grade(with_bonus, tasks=["thrice"])
    assert (alone.status, alone.stars) == (status, stars)


def test_progress_is_told(entry, worker):
    said = []
    grade(entry, tasks=["twice"], on_progress=said.append)
    assert said == ["building", "running twice(n=5)", "running twice(n=100)"]


def test_what_fails_before_the_submission_runs_is_not_its_fault(entry, worker):
    worker.evidence["twice"] = Evidence(problem="not_graded", ended="the emulator could not be built")
    worker.events = ["preparing"]
    with pytest.raises(NotGraded, match="the emulator could not be built; `ladder doctor`"):
        grade(entry)
    worker.evidence["twice"] = Evidence(build=Build("not_graded", "there is no space left"))
    worker.events = ["preparing", "building"]
    with pytest.raises(NotGraded, match=r"there is no space left$"):
        grade(entry)
    worker.evidence["twice"] = Evidence(problem="crash", ended="it left")
    assert grade(entry, tasks=["twice"]).status == "crash"


def test_a_file_with_a_strange_name_is_graded(entry, worker, tmp_path):
    file = tmp_path / 'we"ird\\ näme\n.cu'
    file.write_text("the source")
    assert grade(entry, file).passed
    assert set(worker.jobs[0].filename) <= set('weird_näme.cu')  # fmt: skip


def test_bytes_that_are_no_text_reach_the_build_which_refuses_them(entry, worker):
    entry.work_file.write_bytes(b"\xff\x00")
    assert grade(entry).passed
    assert worker.jobs[0].source == "\udcff\0"


def test_a_file_from_windows_is_read_as_any_other(entry, worker):
    entry.work_file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    grade(entry, tasks=["twice"])
    assert worker.jobs[0].source == "one\ntwo\n"


@pytest.mark.slow
def test_an_endless_file_is_not_read_to_its_end(entry, worker):
    grade(entry, Path("/dev/zero"), tasks=["twice"])
    assert len(worker.jobs[0].source) == MOST_SOURCE_BYTES + 1


@pytest.mark.parametrize(
    ("file", "words"),
    [("no.cu", "there is no file no.cu"), ("lessons", "lessons is a folder"), ("work/01_multiples.cu/x", "Not a dir")],
)
def test_a_file_that_cannot_be_read_is_one_sentence(entry, worker, tmp_path, file, words):
    with pytest.raises(UsageError, match=words):
        grade(entry, tmp_path / file)


def test_without_a_compiler_nothing_is_graded(entry, worker, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError, match="install g"):
        grade(entry)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("draw.normal(n)", "draw.normal(n + 1)", "make_inputs of task twice failed at n=5"),
        ('{"x": draw.normal(n)}', "{}", "make_inputs of task twice failed at n=5"),
        ("factor * x", "factor / 0", "reference of task twice failed: ZeroDivisionError"),
        ('"y": factor', '"z": factor', "reference of task twice returns nothing for y"),
    ],
)
def test_a_broken_lesson_is_one_sentence(entry, worker, old, new, words):
    file = entry.folder / "lesson.py"
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(UsageError, match=words):
        grade(find("01", entry.root))


def test_who_prints_is_asked_of_the_worker_and_not_of_a_gpu(entry, worker, monkeypatch):
    grade(entry, print_threads=True)
    grade(entry)
    assert [job.print_threads for job in worker.jobs] == [True, True, False, False]
    monkeypatch.setattr("grader.grade.choose_card", lambda device: Card("a card", "90a", 132, l2_bytes=1, uuid=""))
    with pytest.raises(UsageError, match="--print-threads is for the emulator"):
        grade(entry, print_threads=True)


def test_auto_is_the_emulator_where_there_is_no_gpu(entry, worker, monkeypatch):
    monkeypatch.setattr("grader.devices.cuda.card.find_card", lambda: (None, "there is none"))
    assert grade(entry).device["kind"] == "emulator"
    with pytest.raises(UsageError, match="no GPU to grade on, as there is none"):
        grade(entry, device="cuda")
