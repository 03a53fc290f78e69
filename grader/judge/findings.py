"""Which status a finding leads to, and which finding decides when there are several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from grader.devices.evidence import Finding
from grader.judge.verdict import STATUSES, Status, TaskGrade

# Kind of finding -> status. Kinds that are a status of their own stand for themselves.
STATUS_OF: Mapping[str, Status] = {
    **{status: status for status in STATUSES if status not in ("passed", "below_target", "impossible_speed")},
    "shuffle_partner": "deadlock",  # the lane waits for ever, or on a GPU reads an undefined value
    "assert": "crash",
    "trap": "crash",
    "stack_overflow": "crash",
    "invalid_free": "crash",
    "shuffle_source": "uninitialized_read",
    "own_array": "out_of_bounds",
    "never_set": "uninitialized_read",
}


def status_of(finding: Finding) -> Status:
    """The status a finding asks for; "passed" for a note."""
    return status_named(finding.kind) if finding.severity == "error" else "passed"


def status_named(problem: object) -> Status:
    """The status of a kind of finding, or of what ended a worker. An unknown one counts as a crash."""
    return STATUS_OF.get(problem, "crash") if isinstance(problem, str) else "crash"


def first_status(statuses: Iterable[Status]) -> Status:
    """Of several statuses, the one a learner should hear of first; "passed" only if all are."""
    return min((status for status in statuses if status != "passed"), key=STATUSES.index, default="passed")


def sum_up(tasks: Sequence[TaskGrade]) -> tuple[Status, int]:
    """Status and stars of a lesson, its weakest task's. A bonus task counts only where nothing else was graded."""
    weighed = [task for task in tasks if not task.bonus] or tasks
    return first_status(task.status for task in weighed), min(task.stars for task in weighed)


def decide(findings: Iterable[Finding], status: Status) -> tuple[Status, Finding | None]:
    """A case's status, that of its most urgent finding or the given one, whichever comes first; and that finding."""
    finding = decisive(findings)
    found: Status = status_of(finding) if finding else "passed"
    first = first_status([found, status])
    return first, finding if first == found else None


def decisive(findings: Iterable[Finding]) -> Finding | None:
    """The error that decides a case: the first one with the most urgent status."""
    errors = [finding for finding in findings if status_of(finding) != "passed"]
    return min(errors, key=lambda finding: STATUSES.index(status_of(finding)), default=None)
