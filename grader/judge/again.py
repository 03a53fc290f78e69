"""Two grades of the same text with the same seed: does the earlier one stand?

What the emulator counts is the same each time, so it must agree exactly; but where two versions of g++ have compiled
the kernel, instructions and branches are not the same. A GPU's times never are: there a ratio may be another by noise,
and with it a target that it just met or just missed.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.course.catalog import Entry
from grader.course.lesson import FRACTION_OF, SPEED_AGAINST
from grader.judge.targets import METRICS
from grader.judge.verdict import Grade, TargetResult, TaskGrade

Targets = Sequence[TargetResult]
SAME_RATIO = 0.02  # of two ratios on one kind of card; five grades of one kernel lay 0.1 % apart (docs/grading.md)
RIGHT = ("passed", "below_target")
COUNTERS = 4  # differences that are named
# What a compiler decides, and the targets that follow from it. Accesses to memory are what the source says.
COMPILED = (
    "warp_instructions",
    "thread_instructions",
    "branches",
    "divergent_branches",
    "task_active_lanes",
    "task_divergence",
    "local_requests",
    "local_bytes",
)
COMPILED_TARGETS = ("active_lanes", "branch_uniformity", *COMPILED)


@dataclass(frozen=True)
class Again:
    """How a grade differs from one that was claimed, and what could not be compared, in sentences."""

    differs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def stands(self) -> bool:
        return not self.differs


def compare_grades(claimed: Grade, now: Grade, *, same_compiler: bool = True) -> Again:
    """Compares what a grade is made of: tasks, statuses, stars, counters, targets."""
    if [task.name for task in claimed.tasks] != [task.name for task in now.tasks]:
        return Again((f"it is of other tasks: {_names(claimed)} then, {_names(now)} now",))
    if claimed.device != now.device:
        return _on_another_device(claimed, now)
    found = [_compare_tasks(*pair, same_compiler) for pair in zip(claimed.tasks, now.tasks, strict=True)]
    differs = [each for one in found for each in one.differs]
    notes = [each for one in found for each in one.notes]
    if not differs and not notes:
        differs += _differ("in all", claimed.status, now.status) + _differ("in all", claimed.stars, now.stars, " stars")
    return Again(tuple(differs), tuple(notes))


def _on_another_device(claimed: Grade, now: Grade) -> Again:
    """Only whether the answers are right can be compared."""
    differs: list[str] = []
    for before, after in zip(claimed.tasks, now.tasks, strict=True):
        if (before.status in RIGHT) != (after.status in RIGHT):
            differs += _differ(before.name, before.status, after.status)
    note = (
        f"graded on {claimed.device['name']} then, {now.device['name']} now: counts, times and stars are not compared"
    )
    return Again(tuple(differs), (note,))


def _compare_tasks(before: TaskGrade, after: TaskGrade, same_compiler: bool) -> Again:
    differs, notes = [], []
    for ours, theirs in _pairs(before.targets, after.targets):
        free = not same_compiler and ours.metric in COMPILED_TARGETS
        said = _by_noise(ours, theirs)
        if said:
            notes.append(f"{before.name}: {said}")
        elif ours.met != theirs.met or (ours.value != theirs.value and not free and not _alike(ours, theirs)):
            differs.append(f"{before.name}, {_title(ours)}: {_shown(ours)} then, {_shown(theirs)} now")
    differs += _counters(before, after, () if same_compiler else COMPILED)
    only_noise = notes and not differs and before.status in RIGHT and after.status in RIGHT
    if not only_noise:
        stars = _differ(before.name, before.stars, after.stars, " stars")
        differs = _differ(before.name, before.status, after.status) + stars + differs
    return Again(tuple(differs), tuple(notes))


def _pairs(before: Targets, after: Targets) -> Iterator[tuple[TargetResult, TargetResult]]:
    """The targets that both grades have, whichever rung they belong to: a lesson may have got new ones since."""
    now = {(target.metric, target.goal, target.case): target for target in after}
    for target in before:
        if same := now.get((target.metric, target.goal, target.case)):
            yield target, same


def _differ(what: str, before: object, after: object, unit: str = "") -> list[str]:
    return [] if before == after else [f"{what}: {before}{unit} then, {after}{unit} now"]


def _counters(before: TaskGrade, after: TaskGrade, free: Sequence[str]) -> Iterator[str]:
    names = [name for name in {**before.counters, **after.counters} if name not in free]
    other = [name for name in names if before.counters.get(name) != after.counters.get(name)]
    for name in other[:COUNTERS]:
        then, now = (task.counters.get(name, "nothing") for task in (before, after))
        yield f"{before.name}, {name}: {then} then, {now} now"
    if len(other) > COUNTERS:
        yield f"{before.name}: {len(other) - COUNTERS} more counters"


def _by_noise(before: TargetResult, after: TargetResult) -> str:
    """A sentence, if a timed target was met once and missed once, with nearly the same value."""
    if before.met == after.met or not _alike(before, after):
        return ""
    return f"{_title(before)} {_shown(before)} then, {_shown(after)} now, {before.goal} is asked: within noise"


def _alike(before: TargetResult, after: TargetResult) -> bool:
    """Whether two values of a timed target are the same but for noise."""
    if before.metric in METRICS or before.value is None or after.value is None:
        return False
    timed = before.metric.startswith((SPEED_AGAINST, FRACTION_OF))
    return timed and abs(before.value - after.value) <= SAME_RATIO * max(before.value, after.value)


def _title(target: TargetResult) -> str:
    return METRICS[target.metric].title if target.metric in METRICS else target.metric.replace("_", " ")


def _shown(target: TargetResult) -> str:
    return "not measured" if target.value is None else f"{target.value:.4g}"


def _names(grade: Grade) -> str:
    return ", ".join(task.name for task in grade.tasks)


def environment(entry: Entry) -> dict[str, str]:
    """What a grade may depend on besides source and seed. Nothing in it names a person or a machine."""
    from importlib.metadata import version

    from grader.devices.build.toolchain import compiler_version

    return {
        "torch": version("torch"),
        "g++": compiler_version() or "unknown",
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "lesson": hashlib.sha256(entry.lesson_text).hexdigest()[:16],
    }
