"""`ladder view`: a kernel's steps on a page for a browser, lane by lane, beside its source."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.course.call import Call
from grader.course.catalog import Entry, UsageError
from grader.course.choose import choose_rung, choose_task, count_at
from grader.course.files import shown_path
from grader.course.lesson import Case, Task
from grader.course.work import read_kernel
from grader.faces import puzzles
from grader.faces.handover import pass_on

if TYPE_CHECKING:
    from grader.devices.emulator.recording import BlockToRecord
    from grader.devices.evidence import CaseRun, Evidence, Finding, Json
    from grader.report.viewer.page import Side
    from grader.report.viewer.places import Part

ROOM = 2_400_000  # numbers in all recorded blocks of a kernel: some 100,000 steps
MULTIPROCESSORS = 16  # of the emulated GPU: it deals blocks out in turn
MOST_TRIED, MOST_TRIED_ELEMENTS = 6, 40_000  # cases that are searched for errors, besides the one that is counted
MOST_BLOCKS = 4  # of one multiprocessor, which are recorded, beside those that findings name
MOST_LAUNCHES = 4  # of those with errors, on one page
FILE = click.Path(path_type=Path)


@click.command("view")
@click.argument("lesson")
@click.argument("file", required=False, type=FILE)
@click.option("--task", metavar="NAME", help="The task that is meant, if the lesson has several.")
@click.option("--case", metavar="NAME", help="Look at this case, 'n=31', instead of the lesson's choice.")
@click.option("--reference", is_flag=True, help="Look at the lesson's reference kernel instead of yours.")
@click.option("--rung", type=int, metavar="N", help="With the course's rung N beside it.")
@click.option("--out", type=FILE, metavar="PAGE.html", help="Where the page goes, instead of work/views/.")
def command(lesson: str, file: Path | None, task: str | None, case: str | None, reference: bool, rung: int | None,
            out: Path | None) -> None:  # fmt: skip
    """Show a kernel step by step in a browser: lanes, sectors, banks, who waits, both sides of a race.

    \b
    ladder view 04                     your kernel for lesson 04
    ladder view 04 --rung 3            beside the course's rung 3; that rung alone where you have no file yet
    ladder view 03 FILE --task row_sum
    """
    from grader.faces.check import progress_line

    if reference and file is not None:
        raise UsageError("give either a file or --reference, not both")
    entry = puzzles.find(lesson, file)
    with progress_line(entry.name) as tell:
        tell("recording")
        page, found = write_page(entry, file, out, task=task, case=case, reference=reference, rung=rung)
    for finding in found.findings:
        click.echo(f"◆ {_said(finding)}")
    click.echo(f"{shown_path(page)} shows {found.about}.\nNext: open it in a browser; it needs no network")


def write_page(entry: Entry, file: Path | None = None, out: Path | None = None, **asked: Any) -> tuple[Path, View]:
    """Writes what `view` makes, to `out` or into work/views/: where it is, and what is on it. Raises UsageError."""
    from grader.report.graded import check_writable, write

    page = out or _page_file(entry)
    check_writable([page])
    found = view(entry, file, **asked)
    write(page, found.html)
    return page, found


def _page_file(entry: Entry) -> Path:
    """Where the page goes. Raises UsageError if there can be no folder for it."""
    file = entry.root / "work" / "views" / f"{entry.name}.html"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{shown_path(file.parent)} cannot be made ({error.strerror}): name a file, --out") from None
    return file


@dataclass(frozen=True)
class View:
    """A page, and in a few words what is on it. A notebook shows it."""

    html: str
    about: str
    findings: Sequence[Finding]

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" title="{escape(self.about)}" width="100%" height="900"></iframe>'


def view(
    entry: Entry,
    file: Path | None = None,
    *,
    task: str | None = None,
    case: str | None = None,
    reference: bool = False,
    rung: int | None = None,
) -> View:
    """Records a kernel, and beside it a rung if that is asked for, and makes the page. Raises UsageError, one sentence,
    if there is nothing to show: the kernel does not build, ends before it launches anything, or launches nothing.
    """
    chosen = task_to_view(entry, file, task)
    files = _files(entry, chosen, file, reference, rung)
    texts = [read_kernel(each, entry) for each, _ in files]
    pass_on()
    from grader.report.viewer.page import dumps

    recorded = [_side(entry, chosen, *each, text, case) for each, text in zip(files, texts, strict=True)]
    sides, about = [side for side, _ in recorded], " beside ".join(name for _, name in files)
    title = f"{entry.lesson.title}: {chosen.name}"
    html = dumps(sides, title, f"{about}, case {recorded[0][1]}, as the emulator ran it.")
    errors = [finding for side in sides for finding in side.findings if finding.severity == "error"]
    return View(html, about, errors)


def task_to_view(entry: Entry, file: Path | None, task: str | None, typed: str = "ladder view") -> Task:
    """The task of this name, else that of the file, else the only one. Raises UsageError: `typed 03 --task ...`"""
    named = entry.task_of(file) if file and not task else None
    return choose_task(entry, task or named, f"{typed} {entry.label}")


def _files(entry: Entry, task: Task, file: Path | None, reference: bool, rung: int | None) -> list[tuple[Path, str]]:
    """The kernels to show, each with its name: the learner's, or what was asked for, and a rung. Raises UsageError."""
    rungs = entry.rungs_of(task.name)
    mine = file or ((rungs[-1] if rungs else entry.reference) if reference else entry.work_file)
    sides = [(mine, shown_path(mine))]
    if rung is not None:
        chosen = task.ladder[choose_rung(task, rung, ()) - 1]
        if not (file or reference or mine.exists()):
            sides = []
        sides.append((entry.rung_file(task.name, chosen.name), f"rung {rung} ({chosen.title})"))
    return sides


# ---- one kernel ----


def _side(entry: Entry, task: Task, file: Path, name: str, text: str, case: str | None) -> tuple[Side, str]:
    """What is to be shown of a kernel, and the name of its case: this one, else the first of the small ones with an
    error, else the counted one. They run once; then one again, if what is worth a look was not what was recorded.
    """
    from grader.faces.record import recording_of, run_recorded
    from grader.report.viewer.page import Side

    cases = [count_at(task, case).judged_cases[-1]] if case else _tried(task)
    first = first_look(cases[-1].name)
    evidence = run_recorded(entry, task, file, text, cases, first)
    again = _better(evidence, first)
    wanted = {again.launch, *again.launches}
    if not _has(evidence, first, again, wanted):
        chosen = [each for each in cases if each.name == again.case]
        evidence = run_recorded(entry, task, file, text, chosen, again)
    recording, seen = recording_of(evidence, name), evidence.cases[-1]
    parts = _parts(recording, seen.launches, wanted, name)
    if not parts:
        nothing = f"no kernel of it ran in case {again.case}; `ladder check` says more"
        raise UsageError(f"{name} cannot be viewed: {next(map(_said, _errors(seen)), nothing)}")
    findings = sorted(seen.findings, key=lambda each: each.severity != "error")
    facts = f"Case {again.case}: {launches_in_words(parts, recording['launches'])}"
    return Side(name, facts, text, parts, findings, seen.lines), again.case


def first_look(case: str) -> BlockToRecord:
    """What is recorded of a case before anything is known of it."""
    from grader.devices.emulator.recording import BlockToRecord

    some = tuple(MULTIPROCESSORS * turn for turn in range(1, MOST_BLOCKS))
    return BlockToRecord(0, (0, 0, 0), some, ROOM // MOST_BLOCKS, case, each_kernel=True)


def _parts(recording: Json, launches: Sequence[Json], wanted: Collection[int], name: str) -> list[Part]:
    """The wanted ones of the launches that were recorded, but for those in which nothing was. Raises UsageError."""
    from grader.devices.emulator.recording import one_launch, steps_from_json
    from grader.faces.record import readable
    from grader.report.viewer.places import Part, Shape

    with readable(name):
        there = sorted({part["launch"] for part in recording["parts"]} & set(wanted))
        each = [one_launch(recording, launches, launch) for launch in there]
        parts = [
            Part(one["launch"], one["kernel"], Shape(one["grid"], one["threads"]), steps_from_json(one)) for one in each
        ]
    return [part for part in parts if len(part.steps.table)]


def _has(evidence: Evidence, first: BlockToRecord, again: BlockToRecord, wanted: Collection[int]) -> bool:
    """Whether all that is worth a look was recorded by the way."""
    last = evidence.cases[-1] if evidence.cases else None
    if again.case != first.case or set(again.more) - set(first.more) or not (last and last.recording):
        return again == first
    return set(wanted) <= {part["launch"] for part in last.recording["parts"]}


def _tried(task: Task) -> list[Case]:
    """The counted case, and before it small ones in which an error may show."""
    *others, counted = task.judged_cases
    small = [each for each in others if _elements(task, each) <= MOST_TRIED_ELEMENTS]
    return [*small[:MOST_TRIED], counted]


def _elements(task: Task, case: Case) -> int:
    return sum(math.prod(shape) for shape in Call(task, case).shapes.values())


def _better(evidence: Evidence, first: BlockToRecord) -> BlockToRecord:
    """The case, launches and blocks that are worth a look: those of the errors, else the launch that does most."""
    from grader.report.viewer.page import MOST_FINDINGS
    from grader.report.viewer.places import Shape, blocks_of

    if not evidence.cases:
        return first
    seen = next((each for each in evidence.cases if _errors(each)), evidence.cases[-1])
    if not seen.launches:
        return replace(first, case=seen.name)
    errors = _errors(seen)[:MOST_FINDINGS]
    looked_at: list[Finding | None] = [*errors] or [None]
    launch, *others = list(dict.fromkeys(_launch(seen, each) for each in looked_at))[:MOST_LAUNCHES]
    named: list[int] = []
    for each in errors:
        shown = seen.launches[_launch(seen, each)]
        named += blocks_of(each, Shape(shown["grid"], shown["block"]))
    more = tuple(dict.fromkeys([*first.more, *filter(None, named)]))
    room = first.room // (1 + len(others))
    return replace(
        first, launch=launch, launches=tuple(others), each_kernel=False, more=more, room=room, case=seen.name
    )


def _said(finding: Finding) -> str:
    return f"{f'line {finding.line}: ' if finding.line else ''}{finding.message}"


def _errors(seen: CaseRun) -> list[Finding]:
    return [finding for finding in seen.findings if finding.severity == "error"]


def _launch(seen: CaseRun, error: Finding | None) -> int:
    """The number of an error's launch, else of its kernel's first; without one, of the kernel that does most."""
    if error and (number := error.details.get("launch")):
        return int(number) - 1
    kernel = error.kernel if error else None
    if kernel is None:
        kernel = max(seen.kernels, key=lambda each: each["warp_instructions"])["name"]
    return next((number for number, each in enumerate(seen.launches) if each["kernel"] == kernel), 0)


def launches_in_words(parts: Sequence[Part], launches: int) -> str:
    """Which launches of so many these are, and which of their blocks are here."""
    return " ".join(_launch_in_words(part, launches) for part in parts)


def _launch_in_words(part: Part, launches: int) -> str:
    grid, threads = _times(part.shape.grid), _times(part.shape.threads)
    total, blocks = math.prod(part.shape.grid), part.blocks
    which = f"launch {part.launch + 1:,} of {launches:,}" if launches != 1 else "its only launch"
    some = f"Block{'' if len(blocks) == 1 else 's'} {', '.join(map(str, blocks))} of {total:,}"
    here = "The only block is here." if total == 1 else f"{some} {'is' if len(blocks) == 1 else 'are'} here."
    return f"{part.kernel}, {which}, {grid} block{'' if total == 1 else 's'} of {threads} threads. {here}"


def _times(sizes: Sequence[int]) -> str:
    return " × ".join(str(size) for size in sizes if size > 1) or "1"
