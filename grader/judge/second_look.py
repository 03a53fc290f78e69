"""The emulator's part in a grade on a GPU: it sees what no result shows.

A kernel that failed is run once more, so that the report says why. One that is right is looked at while the card times
it, for it may be right by luck: a race or a read past an end need not show on the card of today.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as OutOfTime
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grader.course.call import Call
from grader.course.catalog import UsageError
from grader.course.lesson import Counted
from grader.devices.buffers import Arena
from grader.devices.evidence import Evidence, Finding
from grader.devices.submission import WORDS, Submission, run
from grader.devices.worker.job import Cancel, Cancelled
from grader.judge.grids import may_outgrow_a_grid
from grader.judge.inputs import fill, fill_all
from grader.judge.orders import BLOCK_ORDER
from grader.judge.targets import judge_goal
from grader.judge.verdict import CaseGrade, Position, Status, TaskGrade, decisive, first_status, status_of

if TYPE_CHECKING:
    from torch import Tensor

    from grader.devices.worker.server import ForkServer

PATIENCE_SECONDS = 20.0  # for the emulator, once the card is done
# The statuses of what breaks CUDA's own rules on every GPU, whether it shows or not. All other findings may be the
# emulator's limits.
BY_LUCK: frozenset[Status] = frozenset(
    {
        "race",
        "out_of_bounds",
        "misaligned",
        "uninitialized_read",
        "barrier_divergence",
        "deadlock",
        "input_modified",
        "host_access",
        "leak",
    }
)
# In a crash's sentence: a GPU goes on behind it, with a number that means nothing.
WITHOUT_MEANING = ("an integer division by zero", "outside its own stack")
LEFT_OUT = "the emulator was left out (--no-emulator): a fault that does not show on this GPU goes unseen"


@dataclass(frozen=True)
class Seen:
    """What the emulator has seen of a kernel, or one sentence that says why it could not look."""

    evidence: Evidence | None = None
    why_not: str = ""


class SecondLook:
    """The emulator's look at the calls of a task, in a thread and a worker of its own."""

    def __init__(self, calls: Sequence[Call], submission: Submission):
        self._calls, self._submission = calls, submission
        self._cancel = Cancel()
        self._thread = ThreadPoolExecutor(1)
        self._running: Future[Seen] | None = None
        self._doing = ""

    def begin(self) -> None:
        """Begins, unless it has begun or was left out: what a GPU has found right so far may be right by luck."""
        if self._submission.second_server and not self._running:
            self._running = self._thread.submit(self._look, self._submission.second_server)

    def _look(self, server: ForkServer) -> Seen:
        quiet = replace(self._submission, server=server, cancel=self._cancel, on_progress=self._note)
        half = max(len(os.sched_getaffinity(0)) // 2, 1)  # the others launch what is timed
        try:
            with Arena.of(self._calls) as arena:
                inputs = fill_all(self._calls, arena, quiet.seed)
                evidence = run(self._calls, arena, quiet, None, threads=half)
                _settle(self._calls, arena, inputs, evidence)
                return Seen(evidence)
        except Cancelled:
            return Seen(why_not="it was not done in time")
        except UsageError as error:  # this machine's fault, which is no reason to lose the grade
            return Seen(why_not=str(error))

    def _note(self, what: str) -> None:
        self._doing = what

    def conclude(self, result: TaskGrade) -> None:
        """Adds what the emulator has seen to a task's grade, or that it has not looked. Waits for it, not for ever."""
        if not self._submission.second_server:
            result.emulator = LEFT_OUT
        elif any(call.name in _failed(result) for call in self._calls):
            self._say_why(result)
        elif result.cases:  # what is wrong in the timed case alone, as a time that cannot be, may come of what it sees
            self.begin()
            seen = self._end()
            weigh(result, seen)
            if seen.evidence:
                judge_counted_floor(result, self._calls, seen.evidence)
                self._look_at_wide_cases(result, seen.evidence)

    def _end(self) -> Seen:
        assert self._running
        self._submission.on_progress("asking the emulator, too")
        while True:
            try:
                return self._running.result(PATIENCE_SECONDS)
            except OutOfTime:
                if self._doing != WORDS["preparing"]:  # once for a machine: were it ended, it would never be done
                    self._cancel.set()
                    return self._running.result()

    def _say_why(self, result: TaskGrade) -> None:
        """A GPU says little of why a kernel fails: adds what the emulator finds in the case, on the same inputs."""
        failed = _failed(result)
        call = next(call for call in self._calls if call.name in failed)
        self._submission.on_progress("asking the emulator why")
        with Arena.of([call]) as arena:
            inputs = fill(call, arena.cases[0], self._submission.seed)
            evidence = run([call], arena, self._submission, None)
            _settle([call], arena, [inputs], evidence)
        failed[call.name].findings += _emulated(found for ran in evidence.cases for found in ran.findings)

    def _look_at_wide_cases(self, result: TaskGrade, evidence: Evidence) -> None:
        """Which no card runs: a grid that is too large there is so on all, and a file may ask for sizes there."""
        task, server = self._calls[-1].task, self._submission.second_server
        if result.status != "passed" or not server:
            return
        from grader.judge.wide import refuse_beyond, refuse_wide

        submission = replace(self._submission, server=server)
        with suppress(UsageError):  # this machine's fault, as above
            if may_outgrow_a_grid(task, evidence.cases):
                refuse_wide(task, submission, result)
            refuse_beyond(task, submission, result, evidence.cases)

    def close(self) -> None:
        """Ends it, wherever it is."""
        self._cancel.set()
        self._thread.shutdown()


def _failed(result: TaskGrade) -> dict[str, CaseGrade]:
    """The first failed grade of each case, by its name."""
    return {grade.name: grade for grade in reversed(result.cases) if grade.status != "passed"}


def _settle(calls: Sequence[Call], arena: Arena, inputs: Sequence[Mapping[str, Tensor]], evidence: Evidence) -> None:
    """Judges the outputs of small cases that came out otherwise in another order of blocks, as a grade on the emulator
    does: by its own outputs in these buffers, too. What is expected is worked out of these cases only.
    """
    from grader.judge.compare import Prepared, expect
    from grader.judge.weigh import judge_case

    for call, buffers, given, ran in zip(calls, arena.cases, inputs, evidence.cases, strict=False):
        if any(finding.kind == BLOCK_ORDER for finding in ran.findings):
            judge_case(Prepared(call, buffers, given, expect(call, given)), ran, None)


def weigh(result: TaskGrade, seen: Seen) -> None:
    """Takes the pass of a kernel that is right by luck, and says so where the emulator could not look.

    One that is right and below its floor keeps the star for right: the emulator has seen that its kernels do the work.
    """
    evidence = seen.evidence
    why_not = seen.why_not or (_why_not(evidence) if evidence else "")
    runs = {ran.name: ran for ran in evidence.cases} if evidence else {}
    for case in result.cases:
        ran = runs.get(case.name)
        found = _emulated(each for each in (ran.findings if ran else ()) if _is_by_luck(each))
        if first := decisive(found):
            case.findings += found
            case.status, case.message = status_of(first), first.message
            case.details["right_on_gpu"] = True
    result.emulator = f"the emulator could not look for faults that do not show: {why_not}" if why_not else ""
    if any(case.status != "passed" for case in result.cases):
        result.status = first_status(case.status for case in result.cases)
        result.stars, result.position, result.message = 0, Position(), ""
    elif result.status == "below_target" and not why_not:
        result.stars = 1


def judge_counted_floor(result: TaskGrade, calls: Sequence[Call], evidence: Evidence) -> None:
    """Judges the counted goals of a task's floor by the emulator's counters, as a GPU does not count.

    A puzzle that is right, but solved in another way than the one it teaches, is then below target on a GPU, too. Does
    nothing if the kernel has not passed, or if the emulator has not run all cases.
    """
    floor = calls[-1].task.floor
    if result.status != "passed" or len(evidence.cases) < len(calls):
        return
    at = {call.name: run.counters | call.facts for call, run in zip(calls, evidence.cases, strict=True)}
    for place, goal in enumerate(floor):
        if isinstance(goal, Counted):
            result.targets[place] = replace(judge_goal(goal, at[calls[-1].name], at=at), stars=1)
            if not result.targets[place].met:
                result.status, result.stars, result.position = "below_target", 0, Position()


def _is_by_luck(finding: Finding) -> bool:
    if finding.kind == BLOCK_ORDER or status_of(finding) in BY_LUCK:
        return True
    return finding.kernel is not None and any(words in finding.message for words in WITHOUT_MEANING)


def _why_not(evidence: Evidence) -> str:
    """Why it has not seen all cases: one sentence, or nothing if it has."""
    if evidence.build is None or evidence.build.problem:
        return f"it cannot build the file ({evidence.build.message if evidence.build else evidence.ended})"
    limits = [found for ran in evidence.cases for found in ran.findings if not _is_by_luck(found)]
    first = decisive(limits)
    return first.message if first else evidence.ended if evidence.problem else ""


def _emulated(findings: Iterable[Finding]) -> list[Finding]:
    """The errors among them, marked as the emulator's."""
    errors = [finding for finding in findings if finding.severity == "error"]
    return [replace(error, details={**error.details, "emulated": True}) for error in errors]
