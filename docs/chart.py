"""README.md's chart: the time of each rung on an H200, a row for each task, from the committed results (`make readme`).

An SVG of its own, light or dark as the reader's system is, that fetches nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from grader.report.bench import deciding_case, standings, time_text

FILE = Path(__file__).parent / "ladder.svg"
WIDTH, ROW, TOP, BOTTOM = 800, 26, 46, 40  # pixels
LEFT, RIGHT = 190, 90  # beside the axis: the task's name, the highest rung's time
FIRST, LAST = 30.0, 1e6  # microseconds at the axis' ends
TICKS = {100.0: "100 µs", 1e3: "1 ms", 1e4: "10 ms", 1e5: "100 ms"}

PICTURE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">
<title>{title}</title>
<style>
.ground {{ fill: #fcfcfc }} text {{ fill: #222; font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif }}
.grid, .way {{ stroke: #ccc }} .rung {{ fill: #0072b2 }} .first {{ fill: #fcfcfc; stroke: #0072b2; stroke-width: 2 }}
.torch {{ stroke: #b34a00; stroke-width: 3 }} .right {{ text-anchor: end }} .middle {{ text-anchor: middle }}
@media (prefers-color-scheme: dark) {{
.ground {{ fill: #161b22 }} text {{ fill: #e6e6e6 }} .grid, .way {{ stroke: #4a4f57 }}
.rung {{ fill: #56b4e9 }} .first {{ fill: #161b22; stroke: #56b4e9 }} .torch {{ stroke: #e69f00 }}
}}
</style>
<rect class="ground" width="{width}" height="{height}" rx="6"/>
{parts}
</svg>
"""
TITLE = "Time of each rung on an NVIDIA H200, by task: from rung 1 to the highest, beside PyTorch's fastest function"


def picture(measured: Sequence[Mapping[str, Any]]) -> str:
    """The chart as SVG, of what `ladder bench` has measured in each lesson."""
    tasks = [
        (f"{results['lesson'][:2]} {task['name']}", case)
        for results in measured
        for task in results["tasks"]
        if (case := deciding_case(task))
    ]
    height = TOP + ROW * len(tasks) + BOTTOM
    parts = [*_axis(height), *(part for i, (name, case) in enumerate(tasks) for part in _row(i, name, case))]
    parts += _legend(height - 14)
    return PICTURE.format(width=WIDTH, height=height, title=escape(TITLE), parts="\n".join(parts))


def _x(us: float) -> float:
    share = math.log(us / FIRST) / math.log(LAST / FIRST)
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def _axis(height: int) -> list[str]:
    lines = [f'<path class="grid" d="M{_x(us)} {TOP - 12}V{height - BOTTOM}"/>' for us in TICKS]
    return lines + [f'<text class="middle" x="{_x(us)}" y="{TOP - 20}">{said}</text>' for us, said in TICKS.items()]


def _row(number: int, name: str, case: Mapping[str, Any]) -> list[str]:
    """A task: its name, the way from rung 1 to the highest, PyTorch's mark, and the highest rung's time."""
    y = TOP + ROW * number + ROW // 2
    timed = [(each, each.us) for each in standings(case) if each.us]
    rungs = [(each.name, us) for each, us in timed if each.kind == "rung"]
    torch = [us for each, us in timed if each.kind == "baseline"]
    times = [us for _, us in rungs]
    parts = [
        f'<text class="right" x="{LEFT - 14}" y="{y + 4}">{escape(name)}</text>',
        f'<path class="way" d="M{_x(min(times))} {y}H{_x(max(times))}"/>',
    ]
    if torch:
        parts.append(f'<path class="torch" d="M{_x(min(torch))} {y - 9}v18"/>')
    for i, (rung, us) in reversed(list(enumerate(rungs))):
        said = f"<title>{escape(rung)}: {time_text(us)}</title>"
        parts.append(f'<circle class="{"rung" if i else "first"}" cx="{_x(us)}" cy="{y}" r="5">{said}</circle>')
    return [*parts, f'<text class="right" x="{WIDTH - 14}" y="{y + 4}">{time_text(times[-1])}</text>']


def _legend(y: int) -> list[str]:
    return [
        f'<circle class="first" cx="{LEFT}" cy="{y - 4}" r="5"/><text x="{LEFT + 12}" y="{y}">rung 1</text>',
        f'<circle class="rung" cx="{LEFT + 80}" cy="{y - 4}" r="5"/>',
        f'<text x="{LEFT + 92}" y="{y}">rungs above it</text>',
        f'<path class="torch" d="M{LEFT + 206} {y - 13}v18"/>',
        f'<text x="{LEFT + 218}" y="{y}">PyTorch\'s fastest</text>',
        f'<text class="right" x="{WIDTH - 14}" y="{y}">highest rung</text>',
    ]
