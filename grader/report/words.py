"""What every report says alike, in whatever form: which case tells most, how a number reads, where something stands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from grader.course.lesson import FRACTION_OF, SPEED_AGAINST
from grader.devices.evidence import Finding
from grader.judge.targets import METRICS
from grader.judge.verdict import WITHOUT_CAUSE, CaseGrade, Grade, Position, TargetResult, TaskGrade

FULL_MARKS = 3
NOTHING = 1e-37  # an error that only a result which must be exact is allowed
ENOUGH_TO_SEE = 8  # elements of an output, for a pattern to be convincing
MOST_IMPRECISE = 2.0**14  # times the error that is allowed: numbers of 8 bits, as bfloat16's, go no further


def harmless(text: str) -> str:
    """Text from a submission for a file that others open: no control, no invisible and no half characters."""
    return "".join("�" if _is_odd(letter) else letter for letter in text.replace("\r\n", "\n"))


def _is_odd(letter: str) -> bool:
    """Control, format (which turns the order of letters round), surrogates, and what Unicode calls no character."""
    return letter not in "\n\t" and (
        unicodedata.category(letter) in ("Cc", "Cf", "Cs") or ord(letter) & 0xFFFE == 0xFFFE
    )


# ---- what went wrong ----


def telling_case(task: TaskGrade) -> CaseGrade | None:
    """Of the cases with the task's status, the smallest that shows what is wrong, and not only that something is."""
    cases = [case for case in task.cases if case.status == task.status]
    # Among large numbers, as logarithms may be, any error looks small: another case may show another formula.
    too_far = any((case.max_error or 0) > MOST_IMPRECISE * (case.allowed_error or 1) for case in cases)
    return min(cases, key=lambda case: _vagueness(case, too_far), default=None)


def _vagueness(case: CaseGrade, too_far: bool) -> int:
    """0 for a finding with its line (on a GPU, the emulator's), 1 for a cause, 2 for a pattern or NaN without one, 3
    for either in a few elements, 4 for mere numbers or sizes, 5 for a pattern that another case is `too_far` off for.
    """
    if any(finding.line for finding in case.findings if finding.severity == "error"):
        return 0
    if case.details.get("pattern") in (None, "chance", "lost_nan", "sizes"):
        return 4
    if too_far and case.details["pattern"] == "imprecise":
        return 5
    if case.details["total"] < ENOUGH_TO_SEE:
        return 3
    return 2 if case.details["pattern"] in ("nan", *WITHOUT_CAUSE) else 1


def _says_no_cause(case: CaseGrade) -> bool:
    return case.details.get("pattern") in (None, "nan", "lost_nan", *WITHOUT_CAUSE)


def call(task: TaskGrade, case: CaseGrade) -> str:
    """`matmul(m=1, n=257, k=100)`, `histogram(n=33), inputs: one bin`; how many multiprocessors, if that is said."""
    name, _, where = case.name.partition(" [")
    sizes, _, variant = name.partition(" (")
    inputs = f", inputs: {variant.removesuffix(')')}" if variant else ""
    return f"{task.name}({', '.join(sizes.split())}){inputs}{', ' if where else ''}{where.removesuffix(']')}"


def how_many_fail(task: TaskGrade) -> str:
    """`(12 of 13 cases fail)`, `(3 of 5 cases fail, 8 slow ones were not run)`; "" where there is but one."""
    failing = sum(case.status != "passed" for case in task.cases)
    if len(task.cases) + task.not_run < 2:
        return ""
    slow = f", {task.not_run} slow one{' was' if task.not_run == 1 else 's were'} not run" if task.not_run else ""
    return f"({failing} of {len(task.cases)} cases fail{'s' if failing == 1 else ''}{slow})"


def all_right(task: TaskGrade) -> str:
    """`right in all 13 cases, largest error 25% of what is allowed`"""
    used = [case.max_error / case.allowed_error for case in task.cases if case.max_error and case.allowed_error]
    cases = "the one case that ran" if len(task.cases) == 1 else f"all {len(task.cases)} cases"
    return f"right in {cases}" + (f", largest error {percent(max(used))} of what is allowed" if used else "")


def scene(finding: Finding, kernel: str) -> str:
    """`work/01_vector_add.cu:12, in kernel add`, and the thread, if the finding's message does not name it."""
    parts = [f"{finding.file or kernel}:{finding.line}"] if finding.line else []
    parts += [f"in kernel {finding.kernel}"] if finding.kernel else []
    if finding.thread and finding.block and triple(finding.thread) not in finding.message:
        parts.append(f"thread {triple(finding.thread)} of block {triple(finding.block)}")
    return ", ".join(parts)


def percent(share: float) -> str:
    """`86%`; below one percent two digits, `0.43%`, as `0%` would say that there is nothing."""
    return f"{share:.0%}" if share >= 0.01 else f"{100 * share:.2g}%"


def triple(index: Sequence[int]) -> str:
    """`(1, 0, 0)`"""
    return f"({', '.join(map(str, index))})"


def particulars(case: CaseGrade) -> list[str]:
    """What is known of a wrong output beyond the case's message, in sentences."""
    details, said = case.details, []
    if details.get("allowed", 0) > NOTHING and case.status == "wrong_result":
        said.append(f"The error may be {details['allowed']:.2g} here.")
    if "pattern_message" in details:
        said.append(details["pattern_message"])
    if (right := details.get("right")) and case.status == "wrong_result" and _says_no_cause(case):
        said.append(f"In this case, {' and '.join(right)} {'is' if len(right) == 1 else 'are'} right.")
    if "block" in details:
        thread, block = triple(details["thread"]), triple(details["block"])
        said.append(f"With one thread an element, that is thread {thread} of block {block}.")
    return said


# Of a kernel in which the emulator has found a fault that did not show.
BY_LUCK = "It is right on this GPU, but only by luck: the emulator has seen a fault that need not show."


# ---- the ladder ----


def bar(rung: int, rungs: int) -> str:
    """`▮▮▮▯▯▯` for rung 3 of 6"""
    return "▮" * rung + "▯" * (rungs - rung)


def lowest_rung(grade: Grade) -> str:
    """`3/6`, of the task that stands lowest; "" where there is no ladder, or nothing is passed."""
    found = [task.position for task in grade.tasks if task.position.rungs and not task.bonus]
    lowest = min(found, key=lambda position: position.rung / position.rungs, default=None)
    return f"{lowest.rung}/{lowest.rungs}" if lowest else ""


def rung_words(position: Position) -> str:
    """`rung 3 of 6: shared tile`; "" for a task without a ladder."""
    if not position.rungs:
        return ""
    here = f": {position.name.replace('_', ' ')}" if position.rung else ", not reached yet"
    return f"rung {position.rung or 1} of {position.rungs}{here}"


def next_rung(task: TaskGrade, grade: Grade) -> tuple[str, str]:
    """The next rung's name, and where hints for it are and what it is about; "" twice at the top."""
    above = task.position
    if not above.next:
        return "", ""
    hint = f"ladder hint {number_of(grade)}{which_task(task, grade)} --rung"
    said = f"`{hint} {above.rung + 1}`: {above.next_idea}"
    if not above.next_is_told:
        said += f" (told apart on {'the emulator' if is_timed(grade) else 'a GPU'} only"
        said += f"; from there go on with `{hint} {above.told}`)" if above.told else ")"
    return above.next.replace("_", " "), said


def number_of(grade: Grade) -> str:
    """What people type for the lesson: `03`."""
    return grade.lesson.partition("_")[0]


def which_task(task: TaskGrade, grade: Grade) -> str:
    """` --task row_sum`, which commands about a task need if its lesson has several; else ""."""
    return f" --task {task.name}" if grade.several else ""


# ---- targets and times ----


def is_timed(grade: Grade) -> bool:
    """Whether the device could time, and not count."""
    return bool(grade.device["kind"] != "emulator")


def has_stars(grade: Grade) -> bool:
    """Whether there is more to earn than one star for being right: a puzzle has nothing to earn."""
    return any(target.stars > 1 for task in grade.tasks for target in task.targets)


def is_counted(target: TargetResult) -> bool:
    """Whether the emulator judges this target, and not a GPU's clock."""
    return not target.metric.startswith((SPEED_AGAINST, FRACTION_OF))


def where(grade: Grade) -> str:
    """`emulated`, or the GPU's name."""
    return grade.device["name"] if is_timed(grade) else "emulated"


def confinement(grade: Grade) -> str:
    """`not confined`, what a sandbox lacks, or what a strict one holds by; "" for a usual one."""
    level, lacking = grade.sandbox.get("level"), grade.sandbox.get("lacking", {})
    if level == "none":
        return "not confined"
    missing = [words for layer, words in (("files", "Landlock"), ("calls", "seccomp")) if layer in lacking]
    if missing:
        return f"confined without {' and '.join(missing)}"
    return f"sandbox: strict, by {layers(grade.sandbox)}" if level == "strict" else ""


def layers(sandbox: dict[str, Any]) -> str:
    """What held a kernel, and what did not: `Landlock, seccomp; without bubblewrap`."""
    held = ", ".join(_LAYERS[layer] for layer in _LAYERS if layer in sandbox["held"])
    missing = ", ".join(_LAYERS[layer] for layer in _LAYERS if layer in sandbox["lacking"])
    return f"{held or 'nothing'}; without {missing}" if missing else held


_LAYERS = {
    "files": "Landlock",
    "calls": "seccomp",
    "user": "another user",
    "capabilities": "no capabilities",
    "disk": "own mounts",
    "network": "own network",
    "memory": "limited memory",
    "processes": "limited processes",
    "bubblewrap": "bubblewrap",
}


def footer(grade: Grade) -> str:
    """`emulated · seed 123 · built in 0.4 s, ran in 0.1 s`, and how the kernel was confined if not as usual."""
    named = (("build", "built in"), ("run", "ran in"))
    times = [f"{verb} {grade.seconds[key]:.1f} s" for key, verb in named if key in grade.seconds]
    return " · ".join(filter(None, [where(grade), f"seed {grade.seed}", ", ".join(times), confinement(grade)]))


def target_words(target: TargetResult) -> tuple[str, str, str]:
    """Title, value and goal, ratios as percentages where that is usual."""
    title, unit = _title(target.metric)
    title += f", {target.case}" if target.case else ""
    goal = re.sub(r"\d[\d.e+-]*", lambda number: _quantity(float(number[0]), unit), target.goal)
    if target.value is None:
        return title, "not used", goal
    value = _quantity(target.value, unit)
    looks_met = not target.met and goal.endswith(f" {value}")  # 99.98 % is not 100 %
    return title, _quantity(target.value, unit, digits=7) if looks_met else value, goal


def metric_title(metric: str) -> str:
    """What people call a metric: `load efficiency`."""
    return _title(metric)[0]


def quantity_text(metric: str, value: float | None) -> str:
    """A metric's value as people read it: `97 %`, `3 x`; a dash where there is none."""
    return "–" if value is None else _quantity(value, _title(metric)[1])


def _title(metric: str) -> tuple[str, str]:
    """What people call a metric, and its unit as judge.targets.Metric has it."""
    if metric in METRICS:
        return METRICS[metric].title, METRICS[metric].unit
    if metric.startswith(SPEED_AGAINST):
        return f"speed against {metric.removeprefix(SPEED_AGAINST)}", "x"
    return metric.replace("_", " "), "%" if metric.startswith(FRACTION_OF) else ""


def _quantity(value: float, unit: str, digits: int = 3) -> str:
    if unit == "%":
        return f"{100 * value:.{digits}g} %"
    whole = isinstance(value, int) or value.is_integer()
    return f"{value:,.0f}" if whole and not unit else f"{value:,.{digits + 1}g} {unit}".rstrip()


def timing(timings: Mapping[str, Any]) -> str:
    """`738 µs at n=268435456, median of 223 runs, noise 0.2%`; "" where nothing was timed."""
    if "median_us" not in timings:
        return ""
    noise, samples = timings["noise"], timings["samples"]
    return f"{timings['median_us']:,.4g} µs at {timings['case']}, median of {samples} runs, noise {noise:.1%}"


def resources(kernels: Sequence[Mapping[str, Any]]) -> list[str]:
    """What each kernel takes of a multiprocessor. Local memory holds spilled registers, arrays indexed at run time."""
    said = []
    for kernel in kernels:
        local = f", {kernel['local_bytes']:,} bytes local" if kernel["local_bytes"] else ""
        shared = f"{kernel['registers']} registers, {kernel['shared_bytes']:,} bytes shared"
        said.append(f"{kernel['kernel']}: {shared}{local}, occupancy {kernel['occupancy']:.0%}")
    return said
