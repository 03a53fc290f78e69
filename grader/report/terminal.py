"""A grade for people: the verdict first, then the one thing to mend, then what it earned. Fits a small terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.devices.evidence import Diagnostic, Finding
from grader.judge.verdict import CaseGrade, Grade, TargetResult, TaskGrade, decisive, status_of
from grader.report.advice import advice
from grader.report.messages import TITLES, read_about
from grader.report.words import (
    BY_LUCK,
    FULL_MARKS,
    all_right,
    bar,
    call,
    footer,
    harmless,
    has_stars,
    how_many_fail,
    is_counted,
    is_timed,
    next_rung,
    number_of,
    particulars,
    resources,
    rung_words,
    scene,
    target_words,
    telling_case,
    timing,
    which_task,
)

if TYPE_CHECKING:
    from grader.judge.again import Again

GOOD, BAD, DIM, HEAD = "green", "red", "dim", "bold"
WIDEST = 100  # columns; longer lines are hard to read
OUTPUT_LINES, LAST_LINES = 20, 4  # of what the submission printed: the first, and after a crash the last
WARNINGS = 3
DIAGNOSTICS = 2  # compiler messages that are shown in full
# A submission must not move the cursor or paint over the verdict: spaces for control characters, but for line ends.
CONTROL = {code: " " for code in [*range(32), *range(127, 160)] if code != ord("\n")}


# For a Console: text is shown as it stands.
VERBATIM: Mapping[str, Any] = {"highlight": False, "emoji": False, "markup": False}


def make_console(*, stderr: bool = False, widest: int = WIDEST) -> Console:
    """Colour on a terminal only, and none with NO_COLOR; text that is piped is 80 columns wide."""
    console = Console(stderr=stderr, **VERBATIM)
    console.width = min(console.width, widest) if console.is_terminal else 80
    return console


def console_in_memory(width: int, **options: Any) -> Console:
    """A console that keeps what it prints, for `printed`; in Jupyter it does not show itself, too."""
    return Console(file=io.StringIO(), width=width, force_jupyter=False, **VERBATIM, **options)


def printed(console: Console) -> str:
    """What a console in memory has printed."""
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def show(
    console: Console,
    grade: Grade,
    *,
    source: str = "",
    next_step: str | None = "",
    asked: str = "",
    read: bool = True,
    picture: Sequence[Text] = (),
) -> None:
    """Prints a grade. `source` is the kernel file's text; `next_step` is the lesson's word for those who passed, and
    `asked` what the command named besides the lesson: ` mine.cu --task row_sum`.

    None leaves out what to do next, for a face that says so itself; without `read`, so does where to read about it.
    `picture` is of what the kernel did, line by line (report/touches.py).
    """
    print_safely(console, _parts(grade, source.split("\n"), read, picture))
    if next_step is not None:
        print_safely(console, [Text(_next(grade, next_step, asked), HEAD)])


def plain_text(task: TaskGrade, grade: Grade, source: str) -> str:
    """What there is to say of one of a grade's tasks, as plain text of 80 columns."""
    console = console_in_memory(80, color_system=None)
    right = task.status == "passed"
    print_safely(console, _success([task], grade) if right else _failure(task, grade, source.split("\n")))
    return printed(console).strip("\n")


def show_again(console: Console, again: Again) -> None:
    """Says whether the grade that a hand-in claims stands."""
    if again.stands:
        print_safely(console, [Text("Graded again with the seed of the hand-in: its grade stands.", f"{HEAD} {GOOD}")])
    else:
        print_safely(console, [Text("The grade in the hand-in does not stand:", f"{HEAD} {BAD}")])
    print_safely(console, [Padding(Text(said), (0, 0, 0, 2), expand=False) for said in again.differs])
    print_safely(console, [Padding(Text(f"note: {said}", DIM), (0, 0, 0, 2), expand=False) for said in again.notes])


def print_safely(console: Console, parts: Iterable[RenderableType]) -> None:
    """Prints parts without control characters; a Text with no_wrap takes one line, however long it is."""
    for part in parts:
        text = part.renderable if isinstance(part, Padding) else part
        if isinstance(text, Text):
            text.plain = text.plain.translate(CONTROL)
        one_line = isinstance(part, Text) and part.no_wrap
        console.print(part, no_wrap=one_line, overflow="ellipsis" if one_line else None)


def _parts(grade: Grade, source: list[str], read: bool, picture: Sequence[Text]) -> Iterator[RenderableType]:
    yield _verdict(grade)
    if len(grade.tasks) > 1:
        yield _task_list(grade)
    if failed := _failed(grade):
        yield from _failure(failed, grade, source)
        for task in grade.tasks:
            yield from _printed(task, f" in {task.name}") if task is not failed else ()
    else:
        yield from _success(grade.tasks, grade)
    if read and (place := read_about(grade.status)):
        yield Text(f"Read: {place}", no_wrap=True)
    yield Text()
    if picture:
        yield from [*picture, Text()]
    yield Text(footer(grade), DIM)


def _failed(grade: Grade) -> TaskGrade | None:
    """The task whose fault is told first; None if all have passed."""
    failed = [task for task in grade.tasks if task.status != "passed"]
    return min(failed, key=lambda task: task.status != grade.status, default=None)


# ---- the frame ----


def stars(number: int) -> Text:
    """`★★☆`"""
    return Text("★" * number, "yellow") + Text("☆" * (FULL_MARKS - number), DIM)


def mark(good: bool) -> Text:
    """A coloured tick or cross."""
    return Text("✓ ", GOOD) if good else Text("✗ ", BAD)


def _verdict(grade: Grade) -> Text:
    title = Text(TITLES[grade.status], f"{HEAD} {GOOD if grade.passed else BAD}")
    line = mark(grade.passed) + Text(f"{grade.lesson}: ", HEAD) + title
    line += Text("  ") + stars(grade.stars) if grade.passed and has_stars(grade) else Text()
    line.append(f"  {grade.kernel}", DIM)
    line.no_wrap = True
    return line


def _task_list(grade: Grade) -> Table:
    table = Table.grid(padding=(0, 2))
    for task in grade.tasks:
        passed = task.status == "passed"
        table.add_row(
            "",
            mark(passed) + task.name + Text(" (bonus)" if task.bonus else "", DIM),
            (stars(task.stars) if has_stars(grade) else "") if passed else Text(TITLES[task.status], BAD),
            Text(rung_words(task.position)),
        )
    return table


def _next(grade: Grade, next_step: str, asked: str) -> str:
    if not grade.passed:
        failed, number = _failed(grade), number_of(grade)
        hint = f"ladder hint {number}{which_task(failed, grade) if failed else ''}"
        return f"Next: change the file and type `ladder check {number}{asked}`; stuck? `{hint}`"
    go_on = next_step or "`ladder` shows the course"
    above = any(task.position.next for task in grade.tasks)
    return f"Next: meet the targets marked ✗ for the next rung, or go on: {go_on}" if above else f"Next: {go_on}"


# ---- what went right ----


def _success(tasks: Sequence[TaskGrade], grade: Grade) -> Iterator[RenderableType]:
    timed = is_timed(grade)
    for task in tasks:
        yield Text(f"  {task.name}: {all_right(task)}")
        yield from _ladder(task, grade)
        yield from _timing(task.timings)
        if timed:
            yield from (Text(f"    {said}", DIM) for said in resources(task.kernels))
        if task.message:
            yield Text(f"    {task.message}", BAD)
        yield from _left_out(task, 4)
        if task.withheld:
            yield Padding(Text(task.withheld, BAD), (0, 0, 0, 4), expand=False)
        yield from _targets(task, timed)
        yield from _notes(task.cases, 4)
        yield from _build_notes(task)
        yield from _printed(task)


def _left_out(task: TaskGrade, indent: int = 0) -> Iterator[RenderableType]:
    """That the emulator has not looked at what a GPU finds right."""
    if task.emulator:
        yield Padding(Text(f"note: {task.emulator}", DIM), (0, 0, 0, indent), expand=False)


def _timing(timings: Mapping[str, Any]) -> Iterator[Text]:
    """What `timing` says, how it was measured, and on a line of its own `torch.add 737 µs, copy 4.24 TB/s`."""
    if "median_us" not in timings:
        return
    yield Text(f"    {timing(timings)}")
    if (events_us := timings.get("events_us", timings["median_us"])) != timings["median_us"]:
        yield Text(f"    by the judge's own clock, as a call keeps the host busy; by events {events_us:,.4g} µs", DIM)
    if timings["launched"] != "one by one":
        yield Text(f"    launched {timings['launched']}", DIM)
    if not timings["shared_memory"]:
        yield Text("    on copies of the inputs, as processes cannot share the GPU's memory here", DIM)
    rates = [f"{name} {rate / 1e12:.3g} T{timings['units'][name]}" for name, rate in timings["ceilings"].items()]
    others = [f"{name} {us:,.4g} µs" for name, us in timings["baselines_us"].items()]
    yield Text(f"    {', '.join(others + rates)}", DIM)


def _ladder(task: TaskGrade, grade: Grade) -> Iterator[RenderableType]:
    """`▮▮▮▯▯▯ rung 3 of 6: shared tile ✓ · next: register tile`, and on a line of its own where hints for that are."""
    here = task.position
    if not here.rungs:
        return
    following, about = next_rung(task, grade)
    line = Text("    ") + Text(bar(here.rung, here.rungs), GOOD) + Text(f" {rung_words(here)}")
    line += Text(" ✓", GOOD) if here.rung else Text()
    yield line + Text(f" · next: {following}" if following else " · the top")
    if about:
        yield Padding(Text(about, DIM), (0, 0, 0, 6), expand=False)


def _targets(task: TaskGrade, timed: bool) -> Iterator[RenderableType]:
    """A line for each target that this device can measure, and below a missed one of the next rung why it matters."""
    shown = [target for target in task.targets if is_counted(target) != timed]
    words = [target_words(target) for target in shown]
    width = max((len(goal) + 2 for _, _, goal in words), default=0)
    for target, (title, value, goal) in zip(shown, words, strict=True):
        title = title.removesuffix(f", {target.case}")  # which is long, and has a line of its own
        line = Text("    ") + mark(target.met) + Text(f"{title:<30}{value:>12}  ") + Text(f"{goal:<{width}}", DIM)
        line += Text(f"rung {target.rung}", DIM) if target.rung else Text()
        yield line + (Text("  ") + stars(target.stars) if target.stars else Text())
        said = [f"at {target.case}"] if target.case else []
        if not target.met and target.why and target.rung <= max(task.position.rung + 1, task.position.told):
            said.append(_place(target, task) + target.why)
        if said:
            yield Padding(Text(": ".join(said), DIM), (0, 0, 0, 6), expand=False)
    if len(shown) < len(task.targets):
        number, needs = len(task.targets) - len(shown), "the emulator" if timed else "a GPU"
        kind, s = "counted" if timed else "timed", "s" if number > 1 else ""
        yield Text(f"    · {number} {kind} target{s} need{'' if s else 's'} {needs}", DIM)


def _place(target: TargetResult, task: TaskGrade) -> str:
    """The line where most warps divide, which no picture of an access shows."""
    if target.metric != "branch_uniformity":
        return ""
    from grader.judge.blame import blame  # as late as can be: few grades need it

    return "".join(f"line {found.line}: " for found in blame([target], task.lines, [], []))


def _notes(cases: Iterable[CaseGrade], indent: int) -> Iterator[RenderableType]:
    notes = {(f.kind, f.line): f for case in cases for f in case.findings if f.severity == "note"}
    for finding in list(notes.values())[:2]:
        yield Padding(Text(f"note: {_where(finding)}{finding.message}", DIM), (0, 0, 0, indent), expand=False)


# ---- what went wrong ----


def _failure(task: TaskGrade, grade: Grade, source: list[str]) -> Iterator[RenderableType]:
    case, kernel = telling_case(task), grade.kernel
    if task.build_errors:
        yield from _diagnostics(task.build_errors, kernel)
    elif task.status == "below_target":
        yield from _timing(task.timings)
        yield from _targets(task, is_timed(grade))
        yield from _left_out(task)
    elif case:
        yield from _case(task, case, kernel, source)
        yield from _emulated(case, kernel, source)
        if not decisive(case.findings):  # only the outputs say that it is wrong: what is odd may be why
            yield from _notes([case], 2)
    if task.message and not task.build_errors and not (case and case.message == task.message):
        yield Text(task.message)
    yield from _build_notes(task)
    if task.status != "build_error" or len(task.build_errors) > 1:
        yield Text(f"\n{advice(task.status, case, source, task.cases)}")
    yield from _printed(task)


def _case(task: TaskGrade, case: CaseGrade, kernel: str, source: list[str]) -> Iterator[RenderableType]:
    finding = decisive(finding for finding in case.findings if not finding.details.get("emulated"))
    yield Text("\n") + Text(call(task, case), HEAD) + Text(f"  {how_many_fail(task)}".rstrip(), DIM)
    if finding and status_of(finding) == case.status:
        yield from _found(finding, kernel, source)
        return
    if case.details.get("right_on_gpu"):
        yield Text(BY_LUCK, BAD)
        return
    yield Text(case.message, BAD)
    yield from map(Text, particulars(case))


def _emulated(case: CaseGrade, kernel: str, source: list[str]) -> Iterator[Text]:
    """What the emulator says of a case that failed on a GPU."""
    finding = decisive(finding for finding in case.findings if finding.details.get("emulated"))
    if finding:
        yield Text("\nThe emulator, on the same input:", HEAD)
        yield from _found(finding, kernel, source)


def _found(finding: Finding, kernel: str, source: list[str]) -> Iterator[Text]:
    if place := scene(finding, kernel):
        yield Text(place)
    yield from _excerpt(finding, kernel, source)
    yield Text(finding.message, BAD)


def _where(finding: Finding) -> str:
    return f"line {finding.line}: " if finding.line else ""


def _excerpt(finding: Finding, kernel: str, source: list[str]) -> Iterator[Text]:
    """The finding's line between its neighbours, and the other line that takes part in it, if there is one."""
    if not finding.line or (finding.file and finding.file != kernel):
        return
    marked = {finding.line, finding.details.get("other_line") or finding.line}
    around = {finding.line - 1, finding.line + 1}
    for number in sorted(marked | around):
        if 1 <= number <= len(source):
            yield _numbered(number, source[number - 1], number in marked)


def _numbered(number: int, line: str, marked: bool) -> Text:
    text = Text(no_wrap=True)
    text.append(f"  {'❱' if marked else ' '} {number:>4} │ ", BAD if marked else DIM)
    return text.append(line.expandtabs(4), HEAD if marked else DIM)


def _build_notes(task: TaskGrade) -> Iterator[RenderableType]:
    """What the compilers warn of: often the reason for what went wrong."""
    for said in task.build_notes[:WARNINGS]:
        place = f"line {said.line}: " if said.line else ""
        yield Padding(Text(f"{said.level}: {place}{said.message}", DIM), (0, 0, 0, 2), expand=False)


def _diagnostics(errors: Sequence[Diagnostic], kernel: str) -> Iterator[Text]:
    for diagnostic in errors[:DIAGNOSTICS]:
        place = ":".join(str(part) for part in (kernel, diagnostic.line, diagnostic.column) if part)
        yield Text("\n") + Text(f"{place}: ", HEAD) + Text(diagnostic.message, BAD)
        if diagnostic.line and diagnostic.source is not None:
            yield _numbered(diagnostic.line, diagnostic.source, marked=True)
            if diagnostic.column:
                before = diagnostic.source[: diagnostic.column - 1].expandtabs(4)
                yield Text(" " * (len("  ❱ 9999 │ ") + len(before)) + "^", BAD, no_wrap=True)
    if len(errors) > DIAGNOSTICS:
        yield Text(f"... and {len(errors) - DIAGNOSTICS} more", DIM)


def _printed(task: TaskGrade, where: str = "") -> Iterator[Text]:
    """What host code and kernels have printed, in all cases together: the first lines of it."""
    lines = harmless(task.output.translate(CONTROL)).strip("\n").splitlines() if task.output.strip() else []
    if not lines:
        return
    more = f", the first {OUTPUT_LINES} of {len(lines):,} lines" if len(lines) > OUTPUT_LINES else ""
    yield Text(f"\nWhat your program printed{where}{more}:", DIM)
    shown = lines[:OUTPUT_LINES]
    if task.status in ("crash", "timeout") and len(lines) > OUTPUT_LINES + LAST_LINES:
        shown += ["...", *lines[-LAST_LINES:]]
    yield from (Text(f"    {line}", no_wrap=True) for line in shown)
    if task.status == "passed" and any(is_counted(target) and not target.met for target in task.targets):
        yield Text("    Printing is counted, too: take it out before you work on the targets.", DIM)
