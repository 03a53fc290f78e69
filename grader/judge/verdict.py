"""The records of a verdict, what `grade` returns and `report` shows; and which status a finding leads to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from grader.devices.build.not_emulated import is_not_emulated
from grader.devices.evidence import Diagnostic, Finding, Json

# In the order in which a learner should hear of them. `below_target`: right, but it misses a goal of the task's
# floor; missing the goals of a rung costs that rung only.
Status = Literal[
    "passed",
    "build_error",
    "missing_entry_point",
    "not_emulated",
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
]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass
class TargetResult:
    """A goal and what was measured for it. Shares are from 0 to 1, other values in the metric's own unit."""

    metric: str
    value: float | None  # None: could not be measured on this device
    goal: str  # ">= 0.97"
    stars: int  # the fewest that need it; 0 for a goal above the rung that earns the last star
    met: bool
    why: str = ""
    rung: int = 0  # the number of the rung that asks for it, from 1; 0: the floor, which all must reach
    case: str = ""  # the case that it was counted at, where that is not the counted case


@dataclass
class Position:
    """Where a right kernel stands on its task's ladder. Names are those of the rungs' files, "" where there is none."""

    rung: int = 0  # the highest that is reached, from 1; 0: none
    rungs: int = 0  # of the ladder; 0: the task has none
    name: str = ""
    idea: str = ""
    next: str = ""
    next_idea: str = ""
    next_is_told: bool = True  # whether this device can tell the next rung from this one
    told: int = 0  # the number of the lowest rung above that it can tell from the one below; 0: none


@dataclass
class Speed:
    """What timing has found: `values` by the metric's name, for targets; `status` is "passed" or what was wrong."""

    status: Status = "passed"
    message: str = ""
    case: str = ""
    values: dict[str, float] = field(default_factory=dict)
    timings: Json = field(default_factory=dict)
    launches: list[Json] = field(default_factory=list)  # of one run
    findings: list[Finding] = field(default_factory=list)


@dataclass
class CaseGrade:
    """One case's verdict. Of the errors, the worst element's, and what is allowed there; None if none was compared."""

    name: str
    status: Status
    message: str = ""  # one sentence: what is wrong
    max_error: float | None = None
    allowed_error: float | None = None
    findings: list[Finding] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)  # first wrong index, got, expected, block, thread, pattern


@dataclass
class TaskGrade:
    """One task's verdict; counters, by line and by kernel too, are those of its counted case. `output` was printed."""

    name: str
    status: Status
    stars: int
    message: str = ""
    cases: list[CaseGrade] = field(default_factory=list)
    counters: dict[str, Any] = field(default_factory=dict)
    lines: list[dict[str, Any]] = field(default_factory=list)
    kernels: list[dict[str, Any]] = field(default_factory=list)
    timings: dict[str, Any] = field(default_factory=dict)
    targets: list[TargetResult] = field(default_factory=list)
    position: Position = field(default_factory=Position)  # nowhere, unless the task is passed
    diagnostics: list[Diagnostic] = field(default_factory=list)
    output: str = ""
    bonus: bool = False
    emulator: str = ""  # of a grade on a GPU: one sentence, if the emulator has not looked at all of it
    modelled: list[Json] = field(default_factory=list)  # the timed case on other cards (grader/model/times.py)
    withheld: str = ""  # one sentence, if counts alone would give more stars than a card (grader/model/withheld.py)
    requests: list[dict[str, Any]] = field(default_factory=list)  # accesses that waste most, of the counted case
    not_run: int = 0  # cases that would take long, while one that ran is wrong

    @property
    def build_errors(self) -> list[Diagnostic]:
        """What keeps the file from being built."""
        return [said for said in self.diagnostics if said.level == "error"]

    @property
    def build_notes(self) -> list[Diagnostic]:
        """What the compilers warn of, and what is to be known of the build."""
        return [said for said in self.diagnostics if said.level != "error"]


@dataclass
class Grade:
    """A lesson's verdict: its weakest task's, bonus tasks aside. `seconds` has "build", "run" and "total".

    `sandbox` says what held the kernel: "level", "held" and "lacking" (devices/worker/confine.py); {} if it never ran.
    """

    lesson: str
    kernel: str
    device: dict[str, Any]
    status: Status
    stars: int
    seed: int
    tasks: list[TaskGrade] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    several: bool = False  # whether the lesson has more tasks than one, graded here or not
    sandbox: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return self.status == "passed"


def falls_behind(own: Grade, model: Grade) -> list[TargetResult]:
    """The own targets that are missed where the model meets them, in the tasks that both grades have."""
    theirs = {task.name: task.targets for task in model.tasks}
    tasks = [(task.targets, theirs[task.name]) for task in own.tasks if task.name in theirs]
    pairs = (pair for targets in tasks for pair in zip(*targets, strict=True))
    return [mine for mine, other in pairs if other.met and not mine.met]


# Patterns of a wrong answer that say where it is wrong, or what is there, and not why (patterns.py).
WITHOUT_CAUSE = (
    "belongs",
    "all_zeros",
    "constant",
    "scaled",
    "scaled_alike",
    "head",
    "tail",
    "first_block",
    "columns",
    "every_kth",
    "imprecise",
    "chance",
    "sizes",
)


# ---- what findings lead to ----

# Kind of finding -> status. Kinds that are a status of their own stand for themselves.
STATUS_OF: Mapping[str, Status] = {
    **{status: status for status in STATUSES if status not in ("passed", "below_target", "impossible_speed")},
    "shuffle_partner": "deadlock",  # the lane waits for ever, or on a GPU reads an undefined value
    "missing_lanes": "deadlock",
    "assert": "crash",
    "trap": "crash",
    "inline_ptx": "build_error",  # a GPU's assembler would refuse it
    "stack_overflow": "crash",
    "invalid_free": "crash",
    "wrong_call": "crash",
    "texture_type": "wrong_result",
    "shuffle_source": "uninitialized_read",
    "own_array": "out_of_bounds",
    "never_set": "uninitialized_read",
    "block_order": "wrong_result",
}


def status_of(finding: Finding) -> Status:
    """The status a finding asks for; "passed" for a note."""
    return (lacking(finding) or status_named(finding.kind)) if finding.severity == "error" else "passed"


def lacking(finding: Finding) -> Status | None:
    """Its status, if the kernel came to what is not emulated, whatever kind of stop that was."""
    is_ours = finding.kind in ("inline_ptx", "trap") and is_not_emulated(finding.message)
    return "not_emulated" if is_ours else None


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
    """The error that decides a case: the first one with the most urgent status.

    What a shuffle takes from no lane is often thrown away, as at the end of a tree: what was never written comes first.
    """
    errors = [finding for finding in findings if status_of(finding) != "passed"]
    return min(
        errors,
        key=lambda finding: (STATUSES.index(status_of(finding)), finding.kind == "shuffle_source"),
        default=None,
    )
