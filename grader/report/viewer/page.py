"""Recordings as one page for a browser: source, steps, sectors, banks, findings, and nothing from outside.

The page's data is what `decode.js` reads: the length of a header, the header as JSON, columns of numbers, all deflated.
`touches.js` works out what a step touches and `layout.js` where it stands, `draw.js` and `timeline.js` draw it, and
`app.js` moves from step to step. They are plain scripts, put into the page as they are.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from grader.devices.emulator.kinds import STEPS
from grader.devices.emulator.recording import COLUMNS, Steps, name_of
from grader.devices.evidence import Finding
from grader.report.html import prose, text
from grader.report.viewer.lines import sums_in_words, worst_lines
from grader.report.viewer.places import Part, elsewhere, joined, place_in
from grader.report.words import harmless

Json = dict[str, Any]

HERE = Path(__file__).parent
SCRIPTS = ("decode.js", "touches.js", "layout.js", "draw.js", "timeline.js", "app.js")
MOST_BYTES = 2_900_000  # of a page; beyond it, recordings are cut
MOST_FINDINGS = 8
TYPES: dict[str, Any] = {"u8": np.uint8, "i16": np.int16, "u16": np.uint16, "u32": np.uint32, "i32": np.int32}
TYPE_OF = {
    "block": "u32", "warp": "i16", "line": "u32", "kind": "u8", "array": "i16", "bytes": "u8", "mask": "u32",
    "count": "u8", "places": "i32",
}  # fmt: skip


@dataclass(frozen=True)
class Side:
    """One kernel of the page. `lines` are the counters of the whole case by source line (evidence.CaseRun)."""

    name: str
    facts: str  # case, launch, which blocks
    source: str
    parts: Sequence[Part]  # by launch, in the order of their numbers
    findings: Sequence[Finding]
    lines: Sequence[Json]
    whole: str = "case"  # what they are counted in, beside "program"


def dumps(sides: Sequence[Side], title: str, about: str) -> str:
    """The page, of at most 3 MB: of longer recordings the beginning, which the page says."""
    data = _data(sides)
    while len(data) > MOST_BYTES and any(len(part.steps.table) for side in sides for part in side.parts):
        sides = [replace(side, parts=[_shorter(part) for part in side.parts]) for side in sides]
        data = _data(sides)
    script, style = ("\n".join((HERE / name).read_text() for name in names) for names in (SCRIPTS, ("view.css",)))
    return Template((HERE / "page.html").read_text()).substitute(
        title=text(title),
        about=prose(about),
        css=style,
        js=script,
        data=data,
        script=_hash(f"\n{script}"),
        style=_hash(f"\n{style}"),
    )


def _hash(what: str) -> str:
    """By which the page lets itself use this, and nothing else."""
    return f"'sha256-{b64encode(sha256(what.encode()).digest()).decode()}'"


def _shorter(part: Part) -> Part:
    return replace(part, steps=beginning(part.steps, len(part.steps.table) * 2 // 3))


def beginning(steps: Steps, count: int) -> Steps:
    """The first `count` steps."""
    table = steps.table[:count]
    return Steps(table, steps.places[: int(table[:, COLUMNS.index("count")].sum())], steps.arrays, True)


def _data(sides: Sequence[Side]) -> str:
    """The page's data, as base64."""
    told, columns, offset = [], [], 0
    for side in sides:
        where: Json = {}
        steps, blocks = joined(side.parts)
        for name, numbers in _columns(steps):
            where[name] = [TYPE_OF[name], offset, len(numbers)]
            column = numbers.tobytes()
            columns.append(column + bytes(-len(column) % 8))
            offset += len(columns[-1])
        told.append(_told(side, steps) | {"blocks": blocks, "columns": where})
    header = json.dumps({"sides": told}, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    start = len(header).to_bytes(8, "little") + header + bytes(-len(header) % 8)
    return b64encode(zlib.compress(start + b"".join(columns), 9)).decode()


def _columns(steps: Steps) -> list[tuple[str, np.ndarray]]:
    table = dict(zip(COLUMNS, steps.table.T, strict=True))
    numbers = {name: table[name] for name in TYPE_OF if name in table}
    numbers["places"] = np.diff(steps.places, prepend=0)
    limits = {name: np.iinfo(TYPES[type_]) for name, type_ in TYPE_OF.items()}
    return [
        (name, np.clip(each, limits[name].min, limits[name].max).astype(TYPES[TYPE_OF[name]]))
        for name, each in numbers.items()
    ]


def _told(side: Side, steps: Steps) -> Json:
    cut = " These are its first steps: there were more than fit here." if steps.cut else ""
    lines = {row["line"]: sums_in_words(row, side.whole) for row in side.lines}
    return {
        "name": harmless(side.name),
        "facts": harmless(side.facts) + cut,
        "source": harmless(side.source),
        "kinds": [name_of(number) for number in range(len(STEPS))],
        "arrays": [
            {"name": harmless(each.name), "space": each.space, "bytes": each.bytes, "start": each.start}
            for each in steps.arrays
        ],
        "findings": [_finding(each, side.parts, steps) for each in side.findings[:MOST_FINDINGS]],
        "worst": worst_lines(side.lines, set(steps.table[:, COLUMNS.index("line")].tolist())),
        "lines": {line: said for line, said in lines.items() if said},
    }


def _finding(finding: Finding, parts: Sequence[Part], steps: Steps) -> Json:
    step, other = place_in(finding, parts)
    absent = elsewhere(finding, parts)
    if step < 0 and not absent:  # a barrier that is missed, a loop that never ends: its line is what there is
        there = np.flatnonzero(steps.table[:, COLUMNS.index("line")] == (finding.line or -1))
        step = int(there[0]) if there.size else -1
    other_line = finding.details.get("other_line")
    lines = f"lines {other_line} and {finding.line}" if other_line else f"line {finding.line}"
    return {
        "title": f"{finding.kind.replace('_', ' ')}, {lines}",
        "message": harmless(finding.message),
        "line": finding.line,
        "other_line": other_line,
        "step": step,
        "other_step": other,
        "elsewhere": absent,
    }
