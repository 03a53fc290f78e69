"""How the run of a whole program is told: its findings, how it ended, and a table of its kernels."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.devices.evidence import Finding
from grader.report.messages import ADVICE, TITLES

AROUND = 1  # lines above and below the line of a finding


@dataclass
class Run:
    """A program that was run."""

    program: str
    exit_code: int
    ended: str  # one sentence; "" if it came to its own end
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
    for number, finding in enumerate(run.findings, start=1):
        console.print(Text.assemble((f"{number}. {_title(finding)}", "bold red"), f"  {_scene(finding)}"))
        _body(finding, console)
    for finding in run.notes if notes else ():
        console.print(Text.assemble(("note", "bold cyan"), f"  {_scene(finding)}"))
        _body(finding, console)
    if run.ended:
        console.print(Text(run.ended, style="bold"))
    if run.kernels:
        console.print(_table(run.kernels, run.counted))
    count = len(run.findings)
    said = f"{count} finding{'' if count == 1 else 's'}" if count else "no findings"
    hidden = "" if notes or not run.notes else f"; --notes shows {len(run.notes)} more"
    console.print(Text(f"{said} in {len(run.kernels)} kernel{'' if len(run.kernels) == 1 else 's'}{hidden}"))


def _title(finding: Finding) -> str:
    return TITLES.get(finding.kind, finding.kind.replace("_", " "))


def _scene(finding: Finding) -> str:
    where = f"{finding.file}:{finding.line}" if finding.file and finding.line else ""
    return " ".join(filter(None, [where, f"in kernel {finding.kernel}" if finding.kernel else ""]))


def _body(finding: Finding, console: Console) -> None:
    console.print(Text(f"   {finding.message}"))
    for row in _source(finding):
        console.print(row)
    if advice := ADVICE.get(finding.kind):
        console.print(Text(f"   {advice}", style="dim"))


def _source(finding: Finding) -> Iterator[Text]:
    """The finding's line between its neighbours."""
    if not finding.file or not finding.line:
        return
    try:
        with open(finding.file, errors="replace") as file:
            lines = file.read().split("\n")
    except OSError:
        return
    for number in range(max(finding.line - AROUND, 1), min(finding.line + AROUND, len(lines)) + 1):
        here = number == finding.line
        mark = ">" if here else " "
        yield Text(f"   {mark} {number:>4} | {lines[number - 1].rstrip()}", style="bold" if here else "dim")


def _table(kernels: Sequence[dict[str, Any]], counted: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("kernel")
    names = ["launches", "blocks", "threads"]
    names += ["requests", "sectors", "bank conflicts", "divergence"] if counted else []
    for name in names:
        table.add_column(name, justify="right")
    for kernel in kernels:
        cells = [f"{kernel[name]:,}" for name in ("launches", "blocks", "threads")]
        table.add_row(kernel["name"], *cells, *(_counters(kernel) if counted else ()))
    return table


def _counters(kernel: dict[str, Any]) -> Iterator[str]:
    ways = ("load", "store", "atomic")
    yield f"{sum(kernel[f'global_{way}_requests'] for way in ways):,}"
    yield f"{sum(kernel[f'global_{way}_sectors'] for way in ways):,}"
    yield f"{sum(kernel[f'shared_{way}_bank_conflicts'] for way in ('load', 'store')):,}"
    yield f"{kernel['divergent_branches'] / max(kernel['branches'], 1):.0%}"


def how_it_ended(code: int) -> str:
    """One sentence for the end of a process by a signal; "" for an end by itself."""
    if code >= 0:
        return ""
    return f"the program was ended by signal {-code} ({signal.strsignal(-code)})"
