"""The records of a verdict: what `grade` returns and `report` shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from grader.devices.evidence import Diagnostic, Finding

# In the order in which a learner should hear of them. `below_target`: right, but a target worth the first star is
# missed; missing a target worth two or three stars costs those stars only.
STATUSES = (
    "passed",
    "build_error",
    "missing_entry_point",
    "crash",
    "timeout",
    "launch_error",
    "host_access",
    "out_of_bounds",
    "misaligned",
    "barrier_divergence",
    "deadlock",
    "input_modified",
    "race",
    "uninitialized_read",
    "leak",
    "not_written",
    "wrong_result",
    "impossible_speed",
    "below_target",
)


@dataclass
class TargetResult:
    """A target and what was measured for it. Shares are from 0 to 1, other values in the metric's own unit."""

    metric: str
    value: float | None  # None: could not be measured on this device
    goal: str  # ">= 0.97"
    stars: int
    met: bool
    why: str = ""


@dataclass
class CaseGrade:
    """One case's verdict. Of the errors, the worst element's, and what is allowed there; None if none was compared."""

    name: str
    status: str
    message: str = ""  # one sentence: what is wrong
    max_error: float | None = None
    allowed_error: float | None = None
    findings: list[Finding] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)  # first wrong index, got, expected, block, thread, pattern


@dataclass
class TaskGrade:
    """One task's verdict; counters, by line and by kernel too, are those of its counted case. `output` was printed."""

    name: str
    status: str
    stars: int
    message: str = ""
    cases: list[CaseGrade] = field(default_factory=list)
    counters: dict[str, Any] = field(default_factory=dict)
    lines: list[dict[str, Any]] = field(default_factory=list)
    kernels: list[dict[str, Any]] = field(default_factory=list)
    timings: dict[str, Any] = field(default_factory=dict)
    targets: list[TargetResult] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    output: str = ""
    bonus: bool = False


@dataclass
class Grade:
    """A lesson's verdict: its weakest task's, bonus tasks aside. `seconds` has "build", "run" and "total"."""

    lesson: str
    kernel: str
    device: dict[str, Any]
    status: str
    stars: int
    seed: int
    tasks: list[TaskGrade] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return self.status == "passed"
