"""NVIDIA's own tools on a submission: `ladder explain --device cuda` and `ladder check --sanitize`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course.call import Call, calls_of
from grader.course.catalog import Entry, UsageError
from grader.course.choose import count_at
from grader.course.lesson import Case, Task
from grader.course.work import read_kernel
from grader.devices.evidence import Finding
from grader.devices.submission import Progress, Submission, choose_card, run, start_server
from grader.judge.verdict import CaseGrade, Grade, Position, TaskGrade, first_status, status_of, sum_up

if TYPE_CHECKING:
    from grader.devices.buffers import Arena
    from grader.devices.nvidia.profile import Profile
    from grader.devices.nvidia.tool import Subject

UNBUILT = ("build_error", "missing_entry_point", "not_emulated")


def ready(name: str) -> Path:
    """The path of `ncu` or `compute-sanitizer`. Quick: to be asked before a grade.

    Raises UsageError, with what to type, if the tool or a GPU is missing.
    """
    from grader.devices.cuda.card import find_card
    from grader.devices.nvidia.tool import require

    card, reason = find_card()
    if card is None:
        raise UsageError(f"{name} needs a GPU, and {reason}; `ladder doctor` says more")
    return require(name)


def count_on_gpu(
    ncu: Path, entry: Entry, grade: Grade, case: str | None = None, on_progress: Progress = lambda what: None
) -> dict[str, Profile]:
    """What the hardware counts of each task that the emulator has counted, by name: in the same case, on the same data.

    `case` names it, instead of the lesson's choice. Raises UsageError, one sentence.
    """
    from grader.devices.nvidia.profile import profile

    profiles = {}
    for task in _tasks(entry, [result for result in grade.tasks if result.lines]):
        counted = count_at(task, case) if case else task
        subject = _subject(counted, counted.judged_cases[-1:], _submission(entry, grade, on_progress))
        on_progress(f"counting {task.name} on the GPU")
        profiles[task.name] = profile(ncu, subject)
    return profiles


def sanitize(program: Path, entry: Entry, grade: Grade, on_progress: Progress = lambda what: None) -> None:
    """Adds what compute-sanitizer finds in the cases of a grade, and lowers the grade where it must.

    A kernel that does not build stays as it is. Raises UsageError, one sentence.
    """
    from grader.devices.nvidia.sanitize import HANGING_SECONDS, SECONDS
    from grader.devices.nvidia.sanitize import sanitize as check

    for result in grade.tasks:
        if result.status in UNBUILT:
            continue
        (task,) = _tasks(entry, [result])
        subject = _subject(task, task.judged_cases, _submission(entry, grade, on_progress))
        on_progress(f"watching {task.name} with compute-sanitizer")
        for tool in check(program, subject, HANGING_SECONDS if result.status == "timeout" else SECONDS):
            for finding in tool.findings:
                _add(result, tool.case or "", finding)
    grade.status, grade.stars = sum_up(grade.tasks)


def _add(task: TaskGrade, name: str, finding: Finding) -> None:
    """Adds a finding to the case of that name. A case that was never run is there from now on."""
    case = next((case for case in task.cases if case.name == name), None)
    if case is None:
        case = CaseGrade(name, "passed")
        task.cases.append(case)
    case.findings = [each for each in case.findings if not _says_less(each, finding)]
    case.findings.append(finding)
    case.findings.sort(key=lambda each: "tool" not in each.details)  # which name lines: the report shows the first
    status = first_status([case.status, status_of(finding)])
    if status != case.status:
        case.status, case.message = status, finding.message
    if status_of(finding) != "passed":
        task.status, task.stars = first_status([task.status, *(case.status for case in task.cases)]), 0
        task.position, task.message = Position(), ""


def _says_less(known: Finding, finding: Finding) -> bool:
    """Whether `known` is the GPU's or the emulator's word for what a tool has found, and adds no line to it."""
    return known.kind == finding.kind and "tool" not in known.details and _lines(known) <= _lines(finding)


def _lines(finding: Finding) -> set[int]:
    return {line for line in (finding.line, finding.details.get("other_line")) if line}


def _tasks(entry: Entry, results: Sequence[TaskGrade]) -> list[Task]:
    return [entry.lesson.task(result.name) for result in results]


def _submission(entry: Entry, grade: Grade, on_progress: Progress) -> Submission:
    """The submission of a grade once more, on the GPU."""
    file = Path(grade.kernel)
    source, tasks, card = read_kernel(file, entry), entry.lesson.tasks, choose_card("cuda")
    return Submission(source, file, tasks, start_server(), grade.seed, on_progress, card)


def _subject(task: Task, cases: Sequence[Case], submission: Submission) -> Subject:
    """A task of the submission, built for the GPU, and the inputs of the cases."""
    from grader.devices.buffers import Arena
    from grader.devices.nvidia.tool import Subject
    from grader.judge.inputs import fill_all

    calls = calls_of(task, cases)
    with Arena.of(calls) as arena:
        fill_all(calls, arena, submission.seed)
        memory = os.pread(arena.fd, arena.bytes, 0)
        named = [(call.name, call.scalars) for call in calls]
        library = _library(calls, arena, submission)
        return Subject(library, task.signature, named, arena.layout, memory, submission.filename)


def _library(calls: Sequence[Call], arena: Arena, submission: Submission) -> Path:
    """From the cache, or built by a worker, which also runs the cases. Raises UsageError."""
    from grader.devices.cache import cache_root
    from grader.devices.cuda.compile import cuda_library
    from grader.devices.worker.job import Gpu

    assert submission.card
    architecture = submission.card.architecture
    prototypes = [each.signature for each in submission.tasks]
    place = cuda_library(submission.source, submission.filename, prototypes, cache_root(), architecture)
    if not place.exists():
        evidence = run(calls, arena, submission, Gpu(architecture))
        if evidence.build is None or evidence.build.problem:
            said = evidence.build.message if evidence.build else evidence.ended
            raise UsageError(f"the kernel cannot be built for this GPU ({said}): type `ladder check --device cuda`")
    return place
