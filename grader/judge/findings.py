"""Which status a finding leads to, and which finding decides when there are several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.devices.evidence import Finding
from grader.judge.verdict import STATUSES, TaskGrade

# Kind of finding -> status. Kinds that are a status of their own stand for themselves.
STATUS_OF = {
    **{status: status for status in STATUSES if status not in ("passed", "below_target", "impossible_speed")},
    "shuffle_partner": "deadlock",  # the lane waits for ever, or on a GPU reads an undefined value
    "assert": "crash",
    "trap": "crash",
    "stack_overflow": "crash",
    "invalid_free": "crash",
    "shuffle_source": "uninitialized_read",
}


def status_of(finding: Finding) -> str:
    """The status a finding asks for; "passed" for a note. A kind that nobody knows counts as a crash."""
    return STATUS_OF.get(finding.kind, "crash") if finding.severity == "error" else "passed"


def first_status(statuses: Iterable[str]) -> str:
    """Of several statuses, the one a learner should hear of first; "passed" only if all are."""
    return min((status for status in statuses if status != "passed"), key=STATUSES.index, default="passed")


def sum_up(tasks: Sequence[TaskGrade]) -> tuple[str, int]:
    """Status and stars of a lesson, its weakest task's. A bonus task counts only where nothing else was graded."""
    weighed = [task for task in tasks if not task.bonus] or tasks
    return first_status(task.status for task in weighed), min(task.stars for task in weighed)


def decisive(findings: Iterable[Finding]) -> Finding | None:
    """The error that decides a case: the first one with the most urgent status."""
    errors = [finding for finding in findings if status_of(finding) != "passed"]
    return min(errors, key=lambda finding: STATUSES.index(status_of(finding)), default=None)
