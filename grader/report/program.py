"""How the run of a whole program is told: its findings, how it ended, and a table of its kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.devices.emulator.fewer_checks import KIND as FEWER_CHECKS
from grader.devices.emulator.first_thread import KIND as FIRST_THREAD
from grader.devices.emulator.halved_trees import KIND as HALVED
from grader.devices.emulator.result_wording import RESULTS
from grader.devices.evidence import Finding
from grader.judge.verdict import lacking
from grader.report.advice import on_finding
from grader.report.messages import TITLES

REFUSED = "refused_call"  # by a library, whose status says so
UNASKED, CROWD = "unchecked_error", "crowd"  # a call has failed; blocks would wait for ever on an H200
CAST = "cast"  # a number that a whole one cannot hold
SHIFT = "shift"  # of all bits: a GPU shifts them out, and a CPU takes another distance
RESTRICTED = "written_restricted"  # what a launch has read by a pointer that promises otherwise
SHUFFLE_DISTANCE = "shuffle_distance"  # of which a GPU uses five bits only
COORDINATES = "texture_coordinates"  # fractions of an array where it counts texels, or these where all of it is 1
TIMES_NOTHING = "times_nothing"  # two events around work of another stream
SAME_SEQUENCE = "same_sequence"  # of random numbers, in all threads
DEEP_CALLS = "deep_calls"  # a recursion that a GPU's stack may not hold
# A call whose value is thrown away: behind the end of what stands before it, or behind the ( ) of an `if`.
_THROWN_AWAY = re.compile(r"(?:^|[;{})])\s*(?:\(void\)\s*)?cu(?:da|blas)\w+\s*\(")
FOLLOWS_A_RACE = "follows_a_race"  # a detail of a read that may only come too early
RACE_FIRST = "Mend the data race above first: once it is gone, this read may come late enough, too."
AROUND = 1  # lines above and below the line of a finding
WAYS = ("load", "store", "atomic")
WARNING = "warning"  # a note that is about the text alone, and told first: as the compiler says it
MOST_LINES = 30  # of the program's, in the table of what each costs
# Faults that are not of threads: their messages say what to type, and advice about threads would mislead.
_OF_WORK = "another stream|another node of the graph|another thread of the host"
_NO_THREADS = re.compile(
    rf"^host code |, (?:on |of )?(?:{_OF_WORK}), |is the direction right\?$|programmaticStreamSerializationAllowed"
)


@dataclass
class Run:
    """A program that was run. Lines of files are `file` and `line` of findings and of the counters by line."""

    program: str
    exit_code: int
    ended: str = ""  # one sentence; empty if it came to its own end
    stopped_at: Finding | None = None  # where in a kernel, if it was stopped there
    findings: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)
    kernels: list[dict[str, Any]] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)
    counted: bool = True

    def to_json(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def tell(run: Run, console: Console, notes: bool) -> None:
    """The findings, the program's end, the kernels."""
    advised = set[str]()
    for finding in _warnings(run):
        console.print(Text.assemble((WARNING, "bold yellow"), f"  {scene(finding)}"))
        _body(finding, console)
    for number, finding in enumerate(run.findings, start=1):
        console.print(Text.assemble((f"{number}. {title(finding)}", "bold red"), f"  {scene(finding)}"))
        _body(finding, console)
        said = _advice(finding)
        if said and said not in advised:
            console.print(Text(f"   {said}", style="dim"))
            advised.add(said)
    for finding in _told(run, notes):
        console.print(Text.assemble(("note", "bold cyan"), f"  {scene(finding)}"))
        _body(finding, console)
    if run.ended:
        console.print(Text(run.ended, style="bold"))
    if run.stopped_at:
        _source(run.stopped_at, console)
    if run.kernels:
        console.print(_table(run.kernels, run.counted))
    console.print(Text(summary(run, notes)))


def _advice(finding: Finding) -> str:
    if FOLLOWS_A_RACE in finding.details:
        return RACE_FIRST
    return "" if _NO_THREADS.search(finding.message) else on_finding(finding, _lines_of(finding.file))


def summary(run: Run, notes: bool = True) -> str:
    """`2 findings in 3 kernels; --notes shows 1 more`"""
    count = len(run.findings)
    said = f"{count} finding{'' if count == 1 else 's'}" if count else "no findings"
    where = f" in {len(run.kernels)} kernel{'' if len(run.kernels) == 1 else 's'}" if run.kernels else ""
    hidden = len(run.notes) - len(_told(run, notes)) - (warned := len(_warnings(run)))
    where += f", and {warned} warning{'' if warned == 1 else 's'}" if warned else ""
    return said + where + (f"; --notes shows {hidden} more" if hidden else "")


def _told(run: Run, notes: bool) -> list[Finding]:
    """The notes that are told: if not all, those without which an option would seem to have done what it has not, and
    where the results of kernels come back that nothing has written, or nothing else tells
    that a GPU does not come so far, that its memory runs out, or that it makes other numbers.
    """

    def matters(note: Finding) -> bool:
        if note.kind == DEEP_CALLS or (note.kind == "leak" and "each round of its loop" in note.message):
            return not run.findings
        unwritten = note.kind == "uninitialized_read" and note.message.startswith("this copies to the host")
        if note.kind in (CAST, SHIFT, SHUFFLE_DISTANCE, RESTRICTED):
            return not run.findings
        if note.kind in (UNASKED, CROWD):
            return not run.findings and (note.kind == CROWD or _is_thrown_away(note))
        if note.kind == REFUSED:
            return run.exit_code != 0 or _is_thrown_away(note)
        wrong = note.kind in RESULTS or unwritten
        return note.kind in (FEWER_CHECKS, COORDINATES, TIMES_NOTHING, SAME_SEQUENCE, HALVED, FIRST_THREAD) or (
            wrong and bool(run.kernels) and all(map(_is_looked_at, run.findings))
        )

    return [each for each in run.notes if each.kind != WARNING and (notes or matters(each))]


def _is_thrown_away(note: Finding) -> bool:
    """Whether no call of CUDA's in that line gives its value to anything, as far as the line and the one above tell."""
    lines, line = _lines_of(note.file), note.line or 0
    if not 1 <= line <= len(lines):
        return False
    above = next((each.strip() for each in reversed(lines[: line - 1]) if each.strip()), "{")
    text = re.sub(r"//.*", "", f"{above[-1]} {lines[line - 1]}")
    return len(re.findall(r"\bcu(?:da|blas)[A-Z]\w*\s*\(", text)) == len(_THROWN_AWAY.findall(text)) > 0


def _is_looked_at(finding: Finding) -> bool:
    """Whether host code looks at what no kernel has written: the note says why nothing was."""
    return finding.kind == "uninitialized_read" and finding.thread is None


def _warnings(run: Run) -> list[Finding]:
    return [each for each in run.notes if each.kind == WARNING]


def title(finding: Finding) -> str:
    """What its kind is called."""
    return TITLES.get(lacking(finding) or finding.kind, finding.kind.replace("_", " "))


def scene(finding: Finding) -> str:
    """`stencil.cu:12 in kernel stencil`"""
    where = f"{finding.file}:{finding.line}" if finding.file and finding.line else ""
    return " ".join(filter(None, [where, f"in kernel {finding.kernel}" if finding.kernel else ""]))


def _body(finding: Finding, console: Console) -> None:
    console.print(Text(f"   {finding.message}"))
    _source(finding, console)


def _source(finding: Finding, console: Console) -> None:
    for number, row in source(finding):
        here = number == finding.line
        console.print(Text(f"   {'>' if here else ' '} {number:>4} | {row}", style="bold" if here else "dim"))


def source(finding: Finding) -> Iterator[tuple[int, str]]:
    """The finding's line between its neighbours."""
    if not finding.file or not finding.line:
        return
    lines = _lines_of(finding.file)
    for number in range(max(finding.line - AROUND, 1), min(finding.line + AROUND, len(lines)) + 1):
        yield number, lines[number - 1].rstrip()


def _lines_of(file: str | None) -> list[str]:
    if not file:
        return []
    try:
        return Path(file).read_text(errors="replace").split("\n")
    except OSError:
        return []


def _table(kernels: Sequence[dict[str, Any]], counted: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("kernel")
    some = counted and any(kernel["counted_launches"] != kernel["launches"] for kernel in kernels)
    names = ["launches", *(["counted"] if some else []), "blocks", "threads"]
    names += ["requests", "sectors", "conflicts", "divergence"] if counted else []
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for kernel in kernels:
        which = ("launches", *(["counted_launches"] if some else []), "blocks", "threads")
        cells = [f"{kernel[name]:,}" for name in which]
        table.add_row(kernel["name"], *cells, *(_counters(kernel) if counted else ()))
    return table


def _counters(counted: dict[str, Any]) -> Iterator[str]:
    yield f"{sum(counted[f'global_{way}_requests'] for way in WAYS):,}"
    yield f"{sum(counted[f'global_{way}_sectors'] for way in WAYS):,}"
    yield f"{sum(counted[f'shared_{way}_bank_conflicts'] for way in ('load', 'store')):,}"
    yield f"{counted['divergent_branches'] / max(counted['branches'], 1):.0%}"


def tell_lines(run: Run, console: Console) -> None:
    """What the dearest lines cost."""
    dear = sorted(run.lines, key=lambda line: -sum(line[f"global_{way}_sectors"] for way in WAYS))[:MOST_LINES]
    table = Table(box=None, pad_edge=False, header_style="bold", title="Lines", title_justify="left")
    for name in ("line", "code"):
        table.add_column(name)
    for name in ("requests", "sectors", "conflicts", "divergence"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in dear:
        if line["file"]:
            text = dict(enumerate(_lines_of(line["file"]), start=1)).get(line["line"], "").strip()
            table.add_row(f"{line['file']}:{line['line']}", text[:60], *_counters(line))
    console.print(table)
