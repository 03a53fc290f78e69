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

from grader import grade as grading
from grader.course.call import Call
from grader.course.catalog import Entry
from grader.course.inline import inlined
from grader.course.lesson import Task
from grader.course.prototype import elements
from grader.devices.evidence import Evidence
from grader.devices.submission import Submission
from grader.devices.worker.server import ForkServer, Job
from grader.faces import authoring
from grader.grade import grade_task
from grader.judge.verdict import TaskGrade
from tests.mutation.mutator import Mutant, mutants

SEED = 20240229
SMALL = 2_000, 20_000  # elements of all buffers: cases up to this size are asked first, and most mutants fall there
PATIENCE = 3.0, 20.0  # seconds for a small case and for any; no reference comes near them
ALWAYS = ("barrier removed", "wait removed", "atomic made plain", "shuffle changed")  # never left out of a sample

BUILD_FAILED = ("build_error", "missing_entry_point")  # no kernel that a learner could have, so it counts for nothing

ENTRY_POINT = re.compile(r'^extern "C" void (\w+)\(.*?^}$', re.MULTILINE | re.DOTALL)
NAMESPACE = re.compile(r"^namespace (\w+) \{\n.*?^}  // namespace \1$", re.MULTILINE | re.DOTALL)

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


@dataclass(frozen=True)
class OneThread:
    """A fork server for grading beside others: each emulated GPU has one CPU thread, and its own patience.

    Only the last look is with the checking build, which finds more but finds nothing right that is wrong.
    """

    server: ForkServer
    seconds: float = PATIENCE[1]
    with_checks: bool = True

    def run(self, job: Job, on_event: Callable[[dict[str, Any]], None] | None = None) -> Evidence:
        own = replace(job, threads=1, seconds=self.seconds, with_checks=self.with_checks)
        return self.server.run(own, on_event)


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
        goals = {entry: reference_goals(entry) for entry in {entry for entry, _ in wanted}}
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


def reference_goals(entry: Entry) -> Goals:
    """The counted targets that the reference meets, by task."""
    found = grading.grade(entry, reference=True, device="emulator", seed=authoring.SEED, by_counts=True)
    assert found.passed, f"the reference of {entry.name} does not pass"
    return {task.name: goals_met(task) for task in found.tasks}


def goals_met(grade: TaskGrade) -> set[tuple[str, str]]:
    return {(target.metric, target.goal) for target in grade.targets if target.met and target.value is not None}


def fate(entry: Entry, mutant: Mutant, goals: Goals, server: ForkServer) -> str:
    """The first status that is not "passed"; "missed_target" if a task loses one that the reference meets."""
    asked = [task for task in nearest_first(entry.lesson.tasks, mutant) if is_touched(entry, mutant, task)]
    what = entry.lesson.tasks, mutant.source
    for size in SMALL:
        few = [small_cases(task, size) for task in asked]
        for grade in grades_of(few, *what, OneThread(server, PATIENCE[0], with_checks=False)):
            if grade.status != "passed":
                return grade.status
    for with_checks in (False, True):
        for grade in grades_of(asked, *what, OneThread(server, with_checks=with_checks)):
            if grade.status != "passed":
                return grade.status
            if not goals[grade.name] <= goals_met(grade):
                return "missed_target"
    return "passed"


def is_touched(entry: Entry, mutant: Mutant, task: Task) -> bool:
    """Whether the text for this task is another than the reference's, which passes and meets its goals."""
    return with_entry_points(mutant.source, [task.name]) != with_entry_points(source_of(entry), [task.name])


def nearest_first(tasks: Sequence[Task], mutant: Mutant) -> list[Task]:
    """The task whose entry point follows the edited line most closely will notice it, if any does."""
    found = ENTRY_POINT.finditer(mutant.source)
    lines = {each[1]: mutant.source.count("\n", 0, each.end()) + 1 - mutant.line for each in found}
    return sorted(tasks, key=lambda task: (lines.get(task.name, -1) < 0, lines.get(task.name, -1)))


def grades_of(asked: Sequence[Task], tasks: Sequence[Task], source: str, server: OneThread) -> Iterator[TaskGrade]:
    """Grades one task after the other, as long as the caller asks for more. `tasks` are all of the lesson's."""
    for task in asked:
        text = with_entry_points(source, [task.name])
        submission = Submission(text, Path("mutant.cu"), tasks, server, SEED, lambda what: None)
        yield grade_task(task, submission).grade


def with_entry_points(source: str, names: Container[str]) -> str:
    """The file with these entry points, and those that others call: it builds in half the time.

    The templates that only the others use are not built, nor the namespaces. Lines keep their numbers.
    """

    def kept(found: re.Match[str]) -> str:
        elsewhere = source[: found.start()] + source[found.end() :]
        entries = [found[1]] if found.re is ENTRY_POINT else [each[1] for each in ENTRY_POINT.finditer(found[0])]
        used = any(name in names or re.search(rf"\b{name}\(", elsewhere) for name in entries)
        wanted = used or not entries or f"{found[1]}::" in elsewhere
        return found[0] if wanted else "\n" * found[0].count("\n")

    source = NAMESPACE.sub(kept, source)
    return ENTRY_POINT.sub(kept, source)


def small_cases(task: Task, size: int) -> Task:
    """The same task, judged at its small cases alone, without a ladder."""
    few = [case for case in task.judged_cases if _elements(task, case) <= size]
    return replace(task, cases=few or task.judged_cases[:1], counted_case=None, ladder=(), stars={}, floor=())


def _elements(task: Task, case: Any) -> int:
    return sum(elements(Call(task, case).shapes[buffer.name]) for buffer in task.signature.buffers)


def mutants_of(entry: Entry, most: int | None) -> list[tuple[Entry, Mutant]]:
    """Those of a lesson's reference."""
    return [(entry, mutant) for mutant in sample(entry, mutants(source_of(entry)), most)]


def source_of(entry: Entry) -> str:
    """The reference, with what the lesson grades: there may be more entry points, for other types."""
    return with_entry_points(inlined(entry.reference), [task.name for task in entry.lesson.tasks])
