"""Small figures for grader.report.html, as SVG inside the page: its colours, by class, are those of the page."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from grader.judge.advice import all_sectors, ideal_sectors
from grader.judge.verdict import TargetResult

BARS = 8  # lines of source in a figure
ROW = 22  # pixels
BAR, NUMBER = 190, 110  # widths of a figure's columns, in pixels: with short labels, together that of a phone
LETTER = 8  # pixels of a label's letter, generously


def goal(target: TargetResult) -> str:
    """A value as a bar, beside a mark at its goal; nothing where there is no value."""
    bounds = [float(number) for number in re.findall(r"\d[\d.e+-]*", target.goal)]
    if target.value is None or not bounds:
        return ""
    most = max(target.value, *bounds) * 1.1 or 1.0
    marks = "".join(f'<rect class="mark" x="{100 * bound / most:.1f}" width="1.5" height="12"/>' for bound in bounds)
    bar = f'<rect class="{_kind(target.met)}" y="3" width="{100 * target.value / most:.1f}" height="6"/>'
    return f'<svg class="small" viewBox="0 0 102 12" role="img" aria-label="value and goal">{bar}{marks}</svg>'


def share(error: float | None, allowed: float | None) -> str:
    """The largest error of a case as a share of what is allowed."""
    if error is None or not allowed:
        return ""
    used = error / allowed
    if not math.isfinite(used):
        return "infinite"
    bar = f'<rect class="{_kind(used <= 1)}" y="3" width="{100 * min(used, 1):.1f}" height="6"/>'
    track = '<rect class="track" y="3" width="100" height="6"/>'
    said = f"{used:.0%}" if used < 100 else f"{used:.1e} times"
    return f'<svg class="small" viewBox="0 0 102 12" role="img" aria-label="{said}">{track}{bar}</svg> {said}'


def times(microseconds: Mapping[str, float]) -> str:
    """Times beside one another, the first one the kernel's."""
    most = max(microseconds.values())
    rows = [
        (name, [("need" if number == 0 else "other", us / most)], f"{us:,.4g} µs")
        for number, (name, us) in enumerate(microseconds.items())
    ]
    return _bars("Time of a run", rows)


def traffic(counted: Mapping[int, Mapping[str, Any]]) -> str:
    """The lines that move most sectors of global memory, and the part of them that the bytes asked for would fill."""
    moved = {line: all_sectors(counts) for line, counts in counted.items() if all_sectors(counts)}
    if not moved:
        return ""
    lines = sorted(sorted(moved, key=lambda line: -moved[line])[:BARS])
    most, rows = max(moved.values()), []
    for line in lines:
        counts = counted[line]
        needed = sum(ideal_sectors(counts, way) for way in ("load", "store")) + counts["global_atomic_sectors"]
        needed = min(needed, moved[line])
        parts = [("need", needed / most), ("waste", (moved[line] - needed) / most)]
        rows.append((f"line {line}", parts, f"{moved[line]:,} sectors"))
    key = '<span class="key need"></span>needed <span class="key waste"></span>moved besides'
    return f'<p class="why">Sectors of global memory, 32 bytes each: {key}</p>{_bars("Sectors by line", rows)}'


def _bars(title: str, rows: Sequence[tuple[str, Sequence[tuple[str, float]], str]]) -> str:
    """Bars of parts, each a share of the width, between a label and a number."""
    drawn, column = [], LETTER * (max(len(label) for label, _, _ in rows) + 1)
    for number, (label, parts, value) in enumerate(rows):
        y, x = number * ROW, float(column)
        drawn.append(f'<text x="{column - LETTER}" y="{y + 15}" text-anchor="end">{escape(label)}</text>')
        for kind, part in parts:
            drawn.append(f'<rect class="{kind}" x="{x:.1f}" y="{y + 4}" width="{BAR * part:.1f}" height="14"/>')
            x += BAR * part
        drawn.append(f'<text x="{x + 8:.1f}" y="{y + 15}">{escape(value)}</text>')
    size = f"0 0 {column + BAR + NUMBER} {len(rows) * ROW}"
    return f'<svg class="bars" viewBox="{size}" role="img" aria-label="{escape(title)}">{"".join(drawn)}</svg>'


def _kind(good: bool) -> str:
    return "fine" if good else "missed"
