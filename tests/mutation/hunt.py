"""Grades mutants of the reference kernels on the emulator, and says which of them nobody noticed."""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from grader.course.call import Call
from grader.course.catalog import Entry
from grader.course.inline import inlined
from grader.course.lesson import Task
from grader.course.prototype import elements
from grader.devices.evidence import Evidence
from grader.devices.worker.server import ForkServer, Job
from grader.grade import grade_task
from grader.judge.verdict import TaskGrade
from grader.submission import Submission
from tests.mutation.mutator import Mutant, mutants

SEED = 20240229
SMALL = 20_000  # elements of all buffers: cases up to this size are asked first, and most mutants fall there
PATIENCE = 3.0, 20.0  # seconds for a small case and for any; no reference comes near them
ALWAYS = ("barrier removed", "wait removed", "atomic made plain", "shuffle changed")  # never left out of a sample

BUILD_FAILED = ("build_error", "missing_entry_point")  # no kernel that a learner could have, so it counts for nothing

ENTRY_POINT = re.compile(r'^extern "C" void (\w+)\(.*?^}$', re.MULTILINE | re.DOTALL)

Goals = dict[str, set[tuple[str, str]]]  # metric and goal of targets, by task


@dataclass(frozen=True)
class Outcome:
    """How one mutant fared: `status` is that of its grade, or "missed_target", or "passed" if nobody noticed."""

    entry: Entry
    mutant: Mutant
    status: str

    @property
    def counts(self) -> bool:
        return self.status not in BUILD_FAILED

    @property
    def survived(self) -> bool:
        return self.status == "passed"


class OneThread:
    """A fork server for grading beside others: each emulated GPU has one CPU thread, and its own patience."""

    def __init__(self, server: ForkServer, seconds: float):
        self.server = server
        self.seconds = seconds

    def run(self, job: Job, on_event: Callable[[dict[str, Any]], None] | None = None) -> Evidence:
        return self.server.run(replace(job, threads=1, seconds=self.seconds), on_event)


def sample(entry: Entry, found: Iterable[Mutant], most: int | None) -> list[Mutant]:
    """At most `most` mutants of each kind, always the same: those whose text has the smallest hashes."""
    if most is None:
        return list(found)
    kinds: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in found:
        kinds[mutant.kind].append(mutant)
    chosen = []
    for kind, those in kinds.items():
        chosen += those if kind in ALWAYS else sorted(those, key=lambda mutant: _rank(entry, mutant))[:most]
    return chosen


def _rank(entry: Entry, mutant: Mutant) -> str:
    """Depends on the edited line alone, so that an edit elsewhere in the kernel leaves the sample as it is."""
    return hashlib.sha256(f"{entry.name} {mutant.was} {mutant.now}".encode()).hexdigest()


def hunt(wanted: Sequence[tuple[Entry, Mutant]], workers: int | None = None) -> Iterator[Outcome]:
    """Grades each mutant; the outcomes come in the order of `wanted`. One warm fork server for each CPU."""
    count = workers or len(os.sched_getaffinity(0))
    with ExitStack() as stack, ThreadPoolExecutor(count) as pool:
        free: SimpleQueue[ForkServer] = SimpleQueue()
        servers = [stack.enter_context(ForkServer()) for _ in range(count)]
        goals = {entry: reference_goals(entry, servers[0]) for entry in {entry for entry, _ in wanted}}
        for server in servers:
            free.put(server)

        def judge(each: tuple[Entry, Mutant]) -> Outcome:
            entry, mutant = each
            server = free.get()
            try:
                return Outcome(entry, mutant, fate(entry, mutant, goals[entry], server))
            finally:
                free.put(server)

        yield from pool.map(judge, wanted)


def reference_goals(entry: Entry, server: ForkServer) -> Goals:
    """The counted targets that the reference meets, by task."""
    tasks = entry.lesson.tasks
    grades = list(grades_of(tasks, tasks, inlined(entry.reference), server))
    assert all(grade.status == "passed" for grade in grades), f"the reference of {entry.name} does not pass"
    return {grade.name: goals_met(grade) for grade in grades}


def goals_met(grade: TaskGrade) -> set[tuple[str, str]]:
    return {(target.metric, target.goal) for target in grade.targets if target.met and target.value is not None}


def fate(entry: Entry, mutant: Mutant, goals: Goals, server: ForkServer) -> str:
    """The first status that is not "passed"; "missed_target" if a task loses one that the reference meets."""
    what = nearest_first(entry.lesson.tasks, mutant), entry.lesson.tasks, mutant.source, server
    for grade in grades_of(*what, small=True):
        if grade.status != "passed":
            return grade.status
    for grade in grades_of(*what):
        if grade.status != "passed":
            return grade.status
        if not goals[grade.name] <= goals_met(grade):
            return "missed_target"
    return "passed"


def nearest_first(tasks: Sequence[Task], mutant: Mutant) -> list[Task]:
    """The task whose entry point follows the edited line most closely will notice it, if any does."""
    found = ENTRY_POINT.finditer(mutant.source)
    lines = {each[1]: mutant.source.count("\n", 0, each.end()) + 1 - mutant.line for each in found}
    return sorted(tasks, key=lambda task: (lines.get(task.name, -1) < 0, lines.get(task.name, -1)))


def grades_of(
    asked: Sequence[Task], tasks: Sequence[Task], source: str, server: ForkServer, *, small: bool = False
) -> Iterator[TaskGrade]:
    """Grades task after task of those that are asked for, as long as the caller asks for more; `tasks`: the lesson's.

    `small`: at the small cases alone.
    """
    patient = OneThread(server, PATIENCE[0 if small else 1])
    for task in asked:
        text = with_entry_points(source, [task.name])
        submission = Submission(text, Path("mutant.cu"), tasks, patient, SEED, lambda what: None)
        yield grade_task(small_cases(task) if small else task, submission).grade


def with_entry_points(source: str, names: Container[str]) -> str:
    """The file with these entry points, and those that others call: it builds in half the time.

    The templates that only the others use are not built. Lines keep their numbers.
    """

    def kept(found: re.Match[str]) -> str:
        elsewhere = source[: found.start()] + source[found.end() :]
        wanted = found[1] in names or re.search(rf"\b{found[1]}\(", elsewhere)
        return found[0] if wanted else "\n" * found[0].count("\n")

    return ENTRY_POINT.sub(kept, source)


def small_cases(task: Task) -> Task:
    """The same task, judged at its small cases alone, without a ladder."""
    few = [case for case in task.judged_cases if _size(task, case) <= SMALL]
    return replace(task, cases=few or task.judged_cases[:1], counted_case=None, ladder=(), stars={}, floor=())


def _size(task: Task, case: Any) -> int:
    return sum(elements(Call(task, case).shapes[buffer.name]) for buffer in task.signature.buffers)


def mutants_of(entry: Entry, most: int | None) -> list[tuple[Entry, Mutant]]:
    """Of what the lesson grades: a reference may have more entry points, for other types."""
    source = with_entry_points(inlined(entry.reference), [task.name for task in entry.lesson.tasks])
    return [(entry, mutant) for mutant in sample(entry, mutants(source), most)]
