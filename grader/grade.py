"""The whole story on one page: build a kernel, run it, judge what it left, weigh that into a grade.

inputs from a secret seed -> shared memory -> worker (builds and runs, gives evidence) -> judge -> Grade

On a GPU the worker goes on, once all is right: the judge has it run the kernel again and again, and times it.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course import catalog
from grader.course.catalog import Entry, UsageError
from grader.course.lesson import Case, Task
from grader.devices.evidence import Evidence
from grader.judge.findings import sum_up
from grader.judge.verdict import Grade, TaskGrade

if TYPE_CHECKING:
    from torch import Tensor

    from grader.devices.buffers import Arena, CaseBuffers
    from grader.devices.cuda.card import Card
    from grader.devices.forkserver import ForkServer
    from grader.devices.job import Cancel, Gpu
    from grader.judge.compare import Expected
    from grader.judge.speed import Speed, SpeedTest

Progress = Callable[[str], None]  # is told in a few words what happens now
WORDS = {"preparing": "preparing the emulator, once for this machine", "building": "building"}  # by the worker's event


def grade(
    lesson: str | Entry,
    kernel: Path | None = None,
    *,
    reference: bool = False,
    device: str = "auto",
    tasks: Sequence[str] | None = None,
    counted: str | None = None,
    alone: bool = False,
    seed: int | None = None,
    source: str | None = None,
    on_progress: Progress = lambda what: None,
    cancel: Cancel | None = None,
) -> Grade:
    """Grades one kernel file: `kernel`, else the lesson's reference if asked for, else the learner's work file.

    `tasks` names those to grade, all of them by default; `counted` names the case whose counters are kept, instead of
    the lesson's choice; if it is to run `alone`, no other case does. The same `seed` draws the same inputs again.
    `source` is the file's text, if the caller has it. Raises UsageError, one sentence, if there is nothing to grade,
    and Cancelled once `cancel` is set; whatever is wrong with the kernel itself is in the Grade.
    """
    start = time.perf_counter()
    entry = lesson if isinstance(lesson, Entry) else catalog.find(lesson)
    chosen = [count_at(task, counted) if counted else task for task in choose_tasks(entry, tasks)]
    chosen = [replace(task, cases=(), counted_case=task.judged_cases[-1]) if alone else task for task in chosen]
    file = kernel or (entry.reference if reference else entry.work_file)
    source = read_kernel(file, entry) if source is None else source
    chosen = [task for task in chosen if tasks or not task.bonus or is_there(task, source)]
    seed = secrets.randbits(31) if seed is None else seed
    server = start_server()  # gets ready while this process imports torch
    card = choose_card(device)
    submission = Submission(source, file, entry.lesson.tasks, server, seed, on_progress, card, cancel)
    grades = [grade_task(task, submission) for task in chosen]
    status, stars = sum_up([result.grade for result in grades])
    return Grade(
        lesson=entry.name,
        kernel=shown_path(file),
        device=card.to_json() if card else {"kind": "emulator", "name": "emulated GPU"},
        status=status,
        stars=stars,
        seed=seed,
        tasks=[result.grade for result in grades],
        seconds={
            "build": sum(result.evidence.build.seconds for result in grades if result.evidence.build),
            "run": sum(run.seconds for result in grades for run in result.evidence.cases),
            "total": time.perf_counter() - start,
        },
    )


# ---- what is graded, and where ----


def choose_tasks(entry: Entry, names: Sequence[str] | None) -> list[Task]:
    """The tasks of these names, in the lesson's order; all of them for None. Raises UsageError."""
    known = [task.name for task in entry.lesson.tasks]
    unknown = next((name for name in names or () if name not in known), None)
    if unknown:
        raise UsageError(f"lesson {entry.name} has no task `{unknown}`: type --task {' or --task '.join(known)}")
    return [task for task in entry.lesson.tasks if not names or task.name in names]


def is_there(task: Task, source: str) -> bool:
    """Whether a kernel file has begun with a task: somewhere it says `name(`."""
    return re.search(rf"\b{task.name}\s*\(", source) is not None


def count_at(task: Task, name: str) -> Task:
    """The task, with the case of this name as the counted one, and no targets, which suit the lesson's own choice.

    Raises UsageError.
    """
    case = next((case for case in task.judged_cases if case.name == name), None)
    if case is None:
        known = ", ".join(f"'{case.name}'" for case in task.judged_cases)
        raise UsageError(f"task {task.name} has no case '{name}': type --case and one of {known}")
    return replace(task, counted_case=case, targets=())


def read_kernel(file: Path, entry: Entry) -> str:
    """The text of a kernel file, as much of it as building accepts. Bytes that are no UTF-8 become surrogates, which
    building refuses; Windows' line ends and byte-order mark go. Raises UsageError.
    """
    from grader.devices.build import MOST_SOURCE_BYTES

    number, name = f"{entry.number:02d}", shown_path(file)
    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_SOURCE_BYTES + 1)
        return data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        hint = f"type `ladder start {number}`" if file == entry.work_file else "check the spelling"
        raise UsageError(f"there is no file {name}: {hint}") from None
    except IsADirectoryError:
        raise UsageError(f"{name} is a folder: type `ladder check {number} {name}/your_kernel.cu`") from None
    except OSError as error:
        raise UsageError(f"{name} cannot be read ({error.strerror}): mend that, or name another file") from None


def start_server() -> ForkServer:
    """What starts the workers, whichever device they use. Raises UsageError."""
    from grader.devices import forkserver
    from grader.devices.build import missing_compiler

    if missing := missing_compiler():
        raise UsageError(missing)

    return forkserver.server()


def choose_card(device: str) -> Card | None:
    """The GPU to grade on, None for the emulator; "auto" takes a GPU where there is one. Raises UsageError."""
    if device == "emulator":
        return None
    from grader.devices.cuda.card import find_card

    card, reason = find_card()
    if card is None and device == "cuda":
        raise UsageError(f"there is no GPU to grade on, as {reason}; without --device the kernel is emulated")
    return card


def shown_path(path: Path) -> str:
    """A path as people write it: relative if it lies below the current folder."""
    absolute, here = path.absolute(), Path.cwd()
    return str(absolute.relative_to(here) if absolute.is_relative_to(here) else path)


# ---- one task ----


@dataclass(frozen=True)
class Submission:
    """A kernel file on its way through the tasks of its lesson."""

    source: str
    file: Path
    tasks: Sequence[Task]
    server: ForkServer
    seed: int
    on_progress: Progress
    card: Card | None = None  # None: the emulator
    cancel: Cancel | None = None

    @property
    def filename(self) -> str:
        """The file's name, fit for a #line."""
        return re.sub(r"[^\w.-]", "_", self.file.name)


@dataclass(frozen=True)
class Result:
    """A task's grade, and the evidence it was formed from."""

    grade: TaskGrade
    evidence: Evidence


def grade_task(task: Task, submission: Submission) -> Result:
    """Runs one task in a worker of its own, so that its crash takes no other task along, and judges it."""
    from grader.devices.buffers import Arena
    from grader.judge.weigh import Prepared, judge_cases, judge_task

    signature, cases = task.signature, task.judged_cases
    shapes = [{buffer.name: task.shape(buffer.name, case) for buffer in signature.buffers} for case in cases]
    with (
        Arena([(signature, shape) for shape in shapes]) as arena,
        speed_test(task, submission) as speed,
        ThreadPoolExecutor(1) as thread,
    ):
        inputs = [fill(task, case, buffers, submission.seed) for case, buffers in zip(cases, arena.cases, strict=True)]
        expected = thread.submit(expect_all, task, cases, inputs)  # while the worker builds
        ready = thread.submit(speed.prepare) if speed else None

        def prepared() -> list[Prepared]:
            return [Prepared(*each) for each in zip(cases, arena.cases, inputs, expected.result(), strict=True)]

        def deserves_timing(found: Evidence) -> bool:
            submission.on_progress(f"timing {task.name}")
            grades = judge_cases(prepared(), found, on_gpu=True)
            return all(grade.status == "passed" for grade in grades) and (ready is None or ready.result() is None)

        evidence = run(task, cases, arena, submission, gpu_job(submission, speed, deserves_timing))
        result = judge_task(task, prepared(), evidence, speed_of(submission, speed))
        result.bonus = task.bonus
        if submission.card:
            second_look(task, result, submission)
        return Result(result, evidence)


@contextmanager
def speed_test(task: Task, submission: Submission) -> Iterator[SpeedTest | None]:
    """The judge's part in timing a task on a GPU; None where there is nothing to time. Frees the GPU's memory."""
    if not submission.card or not task.timed_case:
        yield None
        return
    from grader.judge.speed import SpeedTest

    test = SpeedTest(task, submission.card, submission.seed)
    try:
        yield test
    finally:
        test.close()


def speed_of(submission: Submission, test: SpeedTest | None) -> Speed | None:
    """What timing has found, nothing if the lesson times nothing; None for the emulator, which cannot time."""
    from grader.judge.speed import Speed

    if not submission.card:
        return None
    return test.speed if test else Speed()


def gpu_job(submission: Submission, speed: SpeedTest | None, is_right: Callable[[Evidence], bool]) -> Gpu | None:
    """What a job needs to run on the submission's GPU; None for the emulator."""
    from grader.devices.job import Gpu

    if not submission.card:
        return None
    if not speed:
        return Gpu(submission.card.architecture)
    case, scalars = speed.case.name, speed.scalars
    return Gpu(submission.card.architecture, case, scalars, lambda found: speed.dialogue(lambda: is_right(found)))


def second_look(task: Task, result: TaskGrade, submission: Submission) -> None:
    """A GPU says little of why a kernel fails: adds what the emulator finds in the same case, on the same inputs."""
    from grader.devices.buffers import Arena

    failed = {grade.name: grade for grade in reversed(result.cases) if grade.status != "passed"}
    case = next((case for case in task.judged_cases if case.name in failed), None)
    if case is None:
        return
    submission.on_progress("asking the emulator why")
    shape = {buffer.name: task.shape(buffer.name, case) for buffer in task.signature.buffers}
    with Arena([(task.signature, shape)]) as arena:
        fill(task, case, arena.cases[0], submission.seed)
        evidence = run(task, [case], arena, submission, None)
    for finding in (finding for ran in evidence.cases for finding in ran.findings if finding.severity == "error"):
        finding.details["emulated"] = True
        failed[case.name].findings.append(finding)


def fill(task: Task, case: Case, buffers: CaseBuffers, seed: int) -> dict[str, Tensor]:
    """Draws the inputs of a case into its buffers and marks the outputs as unwritten. Raises UsageError."""
    from grader.judge.inputs import Draw, case_seed

    try:
        inputs = dict(task.make_inputs(Draw(case_seed(seed, task.name, case.name)), case.variant, **case.sizes))
        for parameter in task.signature.inputs:
            inputs[parameter.name] = inputs[parameter.name].reshape(task.shape(parameter.name, case))
            buffers.fill(parameter.name, inputs[parameter.name])
    except Exception as error:  # whatever a lesson's author can get wrong
        said = f"{type(error).__name__}: {error}"
        raise UsageError(f"make_inputs of task {task.name} failed at {case.name}: {said}") from error
    buffers.poison()
    return inputs


def expect_all(task: Task, cases: Sequence[Case], inputs: Sequence[Mapping[str, Tensor]]) -> list[dict[str, Expected]]:
    """What the reference expects of each case, by output."""
    from grader.judge.compare import expect

    return [expect(task, case, given) for case, given in zip(cases, inputs, strict=True)]


def run(
    task: Task,
    cases: Sequence[Case],
    arena: Arena,
    submission: Submission,
    gpu: Gpu | None,
    wanted: Mapping[str, Any] | None = None,
) -> Evidence:
    """Has a worker build the file and run the task's cases, on a GPU or emulated.

    There a block that is `wanted` (devices/emulator/recording.py) is recorded besides.
    """
    from grader.devices.forkserver import Job

    scalars = [{scalar.name: case.sizes[scalar.name] for scalar in task.signature.scalars} for case in cases]
    job = Job(
        source=submission.source,
        filename=submission.filename,
        prototypes=[each.signature for each in submission.tasks],
        task=task.name,
        arena=arena,
        cases=[(case.name, values) for case, values in zip(cases, scalars, strict=True)],
        gpu=gpu,
        cancel=submission.cancel,
        wanted=wanted,
    )

    seen = ["starting"]

    def on_event(event: Mapping[str, Any]) -> None:
        seen.append(event["event"])
        if event["event"] in WORDS:
            submission.on_progress(WORDS[event["event"]])
        elif event["event"] == "running":
            submission.on_progress(f"running {task.name}({event.get('case')})")

    evidence = submission.server.run(job, on_event)
    if evidence.problem and not {"building", "running"} & {*seen}:  # nothing of the submission has run yet
        raise UsageError(f"{evidence.ended}; `ladder doctor` says what is missing")
    return evidence
