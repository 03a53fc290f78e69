"""Where in a recording a finding happened: its step, and that of the other side of a race."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grader.devices.emulator.kinds import STEPS
from grader.devices.emulator.recording import COLUMNS, LANES, Array, Steps
from grader.devices.evidence import Finding

ACCESSES = {
    "read": ("load", "bad_load"),
    "write": ("store", "bad_store", "copy"),
    "atomic": ("atomic",),
    "copy": ("copy", "store"),
}
BLOCK, ARRAY = map(COLUMNS.index, ("block", "array"))
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


@dataclass(frozen=True)
class Part:
    """What was recorded of one launch: its number from 0, its kernel's name, its shape, the steps of some blocks."""

    launch: int
    kernel: str
    shape: Shape
    steps: Steps

    @property
    def blocks(self) -> list[int]:
        """The numbers of the blocks that are here."""
        return sorted(set(self.steps.table[:, BLOCK].tolist()))


def joined(parts: Sequence[Part]) -> tuple[Steps, list[str]]:
    """All parts one after another. A step's block is then an index into the second list, which says which it is."""
    names: list[str] = []
    arrays: list[Array] = []
    tables = []
    for part in parts:
        table, blocks = part.steps.table.copy(), part.blocks
        table[:, BLOCK] = np.searchsorted(blocks, table[:, BLOCK]) + len(names)
        table[:, ARRAY] += np.where(table[:, ARRAY] >= 0, len(arrays), 0)
        names += [f"block {each}" + (f" of launch {part.launch + 1}" if len(parts) > 1 else "") for each in blocks]
        tables.append(table)
        arrays += part.steps.arrays
    places = np.concatenate([part.steps.places for part in parts])
    return Steps(np.concatenate(tables), places, tuple(arrays), any(part.steps.cut for part in parts)), names


def elsewhere(finding: Finding, parts: Sequence[Part]) -> str:
    """Which launch or which blocks it has that are not here; "" if all of it may be here."""
    launch, shown = finding.details.get("launch"), _fitting(finding, parts)
    if not shown:
        which = f"launch {launch:,}" if launch else "another launch"
        return f"{which}{f' ({finding.kernel})' if finding.kernel else ''}"
    missing = sorted({block for part in shown for block in blocks_of(finding, part.shape)} - set(shown[0].blocks))
    return f"block{'' if len(missing) == 1 else 's'} {' and '.join(f'{each:,}' for each in missing)}" if missing else ""


def _fitting(finding: Finding, parts: Sequence[Part]) -> list[Part]:
    """The parts in which it can have happened: its launch, if that is known, else any of its kernel."""
    launch = finding.details.get("launch")
    if launch:
        return [part for part in parts if part.launch + 1 == launch]
    return [part for part in parts if finding.kernel in (None, part.kernel)]


def place_in(finding: Finding, parts: Sequence[Part]) -> tuple[int, int]:
    """As `place` says, among the steps of all parts."""
    before = 0
    for part in parts:
        if part in _fitting(finding, parts):
            found = place(finding, part.steps, part.shape)
            if found[0] >= 0:
                return found[0] + before, found[1] + before if found[1] >= 0 else -1
        before += len(part.steps.table)
    return -1, -1


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
