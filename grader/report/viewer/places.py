"""Where in a recording a finding happened: its step, and that of the other side of a race."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grader.devices.emulator.kinds import STEPS
from grader.devices.emulator.recording import COLUMNS, LANES, Steps
from grader.devices.evidence import Finding

ACCESSES = {
    "read": ("load", "bad_load"),
    "write": ("store", "bad_store", "copy"),
    "atomic": ("atomic",),
    "copy": ("copy", "store"),
}
Index = Sequence[int]


@dataclass(frozen=True)
class Shape:
    """Of the launch that was recorded: blocks of its grid, threads of a block, each by x, y, z."""

    grid: Index
    threads: Index

    def block(self, index: Index) -> int:
        """A block's number in the grid."""
        return _number(index, self.grid)

    def thread(self, index: Index) -> int:
        """A thread's number in its block."""
        return _number(index, self.threads)


def _number(index: Index, sizes: Index) -> int:
    return int(index[0] + sizes[0] * (index[1] + sizes[1] * index[2]))


def blocks_of(finding: Finding, shape: Shape) -> list[int]:
    """The numbers of the blocks that take part in it."""
    blocks = (finding.block, finding.details.get("other_block"))
    return [shape.block(block) for block in blocks if block]


def place(finding: Finding, steps: Steps, shape: Shape) -> tuple[int, int]:
    """The number of the finding's step, and of the other access that takes part in it; -1: not among these steps.

    Where a thread makes the same access several times, the other side is the last one before the finding.
    """
    details = finding.details
    offset = details.get("index", 0) * details.get("element_bytes", 1)
    array = details.get("array", "")
    access = _Access(finding.line, finding.block, finding.thread, details.get("access"), array)
    here = _matching(steps, shape, access, offset)
    line, block, thread, verb = (details.get(f"other_{what}") for what in ("line", "block", "thread", "access"))
    other = _Access(line, block, thread, verb, array)
    there = _matching(steps, shape, other, offset)
    if not here:
        return -1, -1
    if not there:
        return here[0], -1
    first = next((at for at in here if there[0] < at), here[0])
    before = [at for at in there if at < first]
    return first, (before[-1:] or [at for at in there if at != first] or [-1])[0]


@dataclass(frozen=True)
class _Access:
    line: int | None
    block: Index | None
    thread: Index | None
    verb: str | None
    array: str


def _matching(steps: Steps, shape: Shape, access: _Access, offset: int) -> list[int]:
    """Steps of a thread at a line; of these, those that touch the place, and in that array, if there are any."""
    if not access.line:
        return []
    table = dict(zip(COLUMNS, steps.table.T, strict=True))
    chosen, lane = table["line"] == access.line, 0
    if access.block:
        chosen &= table["block"] == shape.block(access.block)
    if access.thread:
        warp, lane = divmod(shape.thread(access.thread), LANES)
        chosen &= (table["warp"] == warp) & (table["mask"] >> lane & 1 == 1) | (table["warp"] < 0)
    kinds = [number for number, name in enumerate(STEPS) if name in ACCESSES.get(access.verb or "", ())]
    fitting = np.flatnonzero(chosen & np.isin(table["kind"], kinds))
    at: list[int] = (fitting if fitting.size else np.flatnonzero(chosen)).tolist()
    touching = [row for row in at if access.thread and _touches(steps, row, lane, offset)]
    arrays = steps.table[:, COLUMNS.index("array")]
    return [row for row in touching if steps.arrays[arrays[row]].name == access.array] or touching or at


def _touches(steps: Steps, row: int, lane: int, offset: int) -> bool:
    """Whether this lane's access holds the byte at this offset in its array."""
    step = dict(zip(COLUMNS, steps.table[row].tolist(), strict=True))
    if step["array"] < 0:
        return False
    before = bin(step["mask"] & ((1 << lane) - 1)).count("1")
    first = int(steps.places[steps.first[row] + before])
    return first <= offset < first + max(int(step["bytes"]), 1)
