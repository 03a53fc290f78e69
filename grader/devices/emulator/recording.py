"""What one or all blocks of a launch did, warp instruction by warp instruction, as the emulator's replay saw it.

The counters of docs/emulator.md are sums over such steps. A recording keeps the steps themselves, so that a picture can
show which lane reads which address, which banks meet, and which lanes wait while others work.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.course.catalog import UsageError
from grader.devices.emulator.kinds import SPACES

Json = dict[str, Any]

ROOM = 600_000  # numbers in a recording: four a step, and one a lane; what comes after is left out (`cut`)
EVERY_BLOCK = (2**32 - 1, 0, 0)  # what the runtime is told for all blocks (runtime/recorder.h)
LANES, BANKS, WORD, SECTOR = 32, 32, 4, 32  # the last two in bytes
ACCESSES = ("load", "store", "atomic")


@dataclass(frozen=True)
class BlockToRecord:
    """Which block to record: the number of its launch within the case, and its index in the grid; None: all of them."""

    launch: int = 0
    block: tuple[int, int, int] | None = (0, 0, 0)


@dataclass(frozen=True)
class Array:
    """A buffer of the task, an allocation, or a shared array. `start` is its first byte's address modulo 128, in shared
    memory counted from where the block's begins: all that sectors (32 bytes) and banks (32 of 4 bytes) depend on.
    """

    name: str
    space: str  # one of kinds.SPACES
    bytes: int
    start: int


@dataclass(frozen=True)
class Step:
    """One instruction of one warp.

    `kind` is "load", "store" or "atomic"; "bad load" or "bad store", refused to one lane, and its last one,
    in the array that it was meant for; "block", the entry into a basic block; "shuffle", or "warp" for any other
    operation across a warp; "barrier", of the whole block (warp -1, no lanes).
    `offsets` has a number for each lane of `lanes`: for an access the first byte, counted from where `array` begins
    (lanes that touch another array than the first lane count from there, too); for a shuffle the lane whose value is
    taken; else it is empty.
    """

    warp: int
    line: int  # in the learner's file; 0: none, as in a header
    kind: str
    lanes: tuple[int, ...] = ()
    array: Array | None = None
    bytes: int = 0  # of one lane's access
    offsets: tuple[int, ...] = ()
    block: int = 0  # its number in the grid

    @property
    def touched(self) -> Array:
        """The array of an access, which has one."""
        assert self.array is not None
        return self.array

    @property
    def space(self) -> str:
        """Of the memory that it touches; "" for none."""
        return self.array.space if self.array else ""

    @property
    def addresses(self) -> tuple[int, ...]:
        """First byte of each lane's access, counted from a multiple of 128: sectors and banks follow from it."""
        return tuple(self.array.start + offset for offset in self.offsets) if self.array else ()

    @property
    def sectors(self) -> tuple[int, ...]:
        """The aligned pieces of 32 bytes that it touches, in order; 0 holds the multiple of 128 before the array."""
        touched = {byte // SECTOR for a in self.addresses for byte in range(a, a + self.bytes, WORD)}
        return tuple(sorted(touched))

    @property
    def rounds(self) -> tuple[tuple[int, ...], ...]:
        """The lanes of each phase in which shared memory serves it: all at once up to 4 bytes a lane, half the warp
        for 8, a quarter for 16; loads whose neighbours share their addresses in half as many. Lanes of an atomic that
        update the same address take turns (docs/emulator.md).
        """
        if self.kind == "atomic":
            return self._turns()
        size = LANES if self.bytes <= 4 else LANES // 2 if self.bytes == 8 else LANES // 4
        if self.kind == "load" and self.bytes > 4 and self._neighbours_share():
            size *= 2
        phases = (tuple(lane for lane in self.lanes if lane // size == phase) for phase in range(LANES // size))
        return tuple(phase for phase in phases if phase)

    def _turns(self) -> tuple[tuple[int, ...], ...]:
        turns: dict[int, list[int]] = defaultdict(list)
        taken: dict[int, int] = defaultdict(int)
        for lane, offset in zip(self.lanes, self.offsets, strict=True):
            turns[taken[offset]].append(lane)
            taken[offset] += 1
        return tuple(map(tuple, turns.values()))

    def _neighbours_share(self) -> bool:
        at = dict(zip(self.lanes, self.offsets, strict=True))
        return any(all(at.get(lane ^ d, a) == a for lane, a in at.items()) for d in (1, 2))

    def words_by_bank(self, lanes: Sequence[int]) -> dict[int, list[int]]:
        """The different words (byte address / 4) that these lanes ask of each bank, in the order of the lanes."""
        at = dict(zip(self.lanes, self.addresses, strict=True))
        words: dict[int, list[int]] = defaultdict(list)
        for lane in lanes:
            for word in range(at[lane] // WORD, (at[lane] + self.bytes - 1) // WORD + 1):
                if word not in words[word % BANKS]:
                    words[word % BANKS].append(word)
        return words

    @property
    def wavefronts(self) -> int:
        """How many rounds shared memory needs for it (docs/emulator.md, "Wavefronts"); 0 for other memory."""
        if self.space != "shared":
            return 0
        return sum(max(map(len, self.words_by_bank(lanes).values())) for lanes in self.rounds)


@dataclass(frozen=True)
class Recording:
    """One block of one launch: its steps in the order in which the emulator ran them, warps in turn. Or all blocks."""

    kernel: str
    case: str
    grid: tuple[int, int, int]
    threads: tuple[int, int, int]  # of a block
    block: tuple[int, int, int] | None  # which one this is; None: all of them are here
    source: str  # the kernel file's text
    steps: tuple[Step, ...]
    cut: bool = False  # there was more than there is room for

    def accesses(self, line: int | None = None, warp: int | None = None, space: str | None = None) -> list[Step]:
        """Loads, stores and atomics, in order; only those of a line, a warp or a space if these are given."""
        return [
            step
            for step in self.steps
            if step.kind in ACCESSES
            and (line is None or step.line == line)
            and (warp is None or step.warp == warp)
            and (space is None or step.space == space)
        ]

    def line_with(self, text: str) -> int:
        """The number of the first source line that holds this text and did anything here.

        So notebooks need no line numbers. Raises UsageError if there is none.
        """
        ran = {step.line for step in self.steps}
        for number, line in enumerate(self.source.split("\n"), start=1):
            if text in line and number in ran:
                return number
        raise UsageError(f"no line with `{text}` did anything in block {self.block} of {self.kernel}")


# ---- its way from the worker to the judge, as JSON ----


def describe(facts: Mapping[str, Any], to_record: BlockToRecord, line_of: Callable[[int], int | None]) -> Json:
    """The runtime's recording with lines instead of program counters; `line_of` gives the line of one."""
    launches: list[Json] = facts["launches"]
    recorded: Json = facts["recording"]
    pc, line = map(recorded["columns"].index, ("pc", "line"))
    for step in recorded["steps"]:
        step[line] = step[line] or line_of(step[pc]) or 0
    launch = launches[to_record.launch] if to_record.launch < len(launches) else {"kernel": "", "grid": [], "block": []}
    return recorded | {
        "launches": len(launches),
        "kernel": launch["kernel"],
        "grid": launch["grid"],
        "threads": launch["block"],
    }


def from_json(data: Json, case: str, to_record: BlockToRecord, source: str) -> Recording:
    """What `describe` made. Raises ValueError, TypeError, KeyError or IndexError if it is something else."""
    arrays = [
        Array(_short(array["name"], SPACES[array["space"]]), SPACES[array["space"]], array["bytes"], array["start"])
        for array in data["arrays"]
    ]
    return Recording(
        kernel=str(data["kernel"]),
        case=case,
        grid=tuple(data["grid"]),
        threads=tuple(data["threads"]),
        block=to_record.block,
        source=source,
        steps=tuple(_step(dict(zip(data["columns"], row, strict=True)), arrays) for row in data["steps"]),
        cut=bool(data["cut"]),
    )


def _step(row: Json, arrays: Sequence[Array]) -> Step:
    lanes = tuple(lane for lane in range(LANES) if row["mask"] >> lane & 1)
    array = arrays[row["array"]] if row["array"] >= 0 else None
    return Step(row["warp"], row["line"], row["kind"], lanes, array, row["bytes"], tuple(row["places"]), row["block"])


def _short(name: str, space: str) -> str:
    """`void tile<32>(float const*, int)::As` is `As`; dynamic shared memory and a thread's own have no names."""
    return name.rpartition("::")[2] or {"shared": "shared memory", "local": "own variables"}.get(space, "memory")
