"""What one or all blocks of a launch did, warp instruction by warp instruction, as the emulator's replay saw it.

The counters of docs/counters.md are sums over such steps. A recording keeps the steps themselves, so that a picture can
show which lane reads which address, which banks meet, and which lanes wait while others work.
"""

from __future__ import annotations

import ctypes
import zlib
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.ctypeslib import as_array  # here: a confined worker can load nothing that numpy loads on first use

from grader.course.catalog import UsageError
from grader.devices.emulator.kinds import SPACES, STEPS

Json = dict[str, Any]

ROOM = 600_000  # numbers in a recording: four a step, and one a lane; what comes after is left out (`cut`)
MOST_NUMBERS = 1 << 23  # that are taken from a worker at all
EVERY_BLOCK = (2**32 - 1, 0, 0)  # what the runtime is told for all blocks (runtime/recorder.h)
LAST_BLOCK = 2**64 - 1  # stands for the number of a grid's last block (runtime/recorder.h)
LANES, BANKS, WORD, SECTOR = 32, 32, 4, 32  # the last two in bytes
ACCESSES = ("load", "store", "atomic")


@dataclass(frozen=True)
class BlockToRecord:
    """Which block to record: the number of its launch within the case, and its index in the grid; None: all of them.

    Other blocks can be recorded besides, by their numbers in the grid, and the same blocks of other launches, by these
    numbers, or, `each_kernel`, of the first launch of each kernel. `room` is each one's, in numbers: a step takes
    four, and one for each of its places. `case` is the name of the only one to record, if not all. With `kernel`, only
    launches of the kernel of this name have numbers.
    """

    launch: int = 0
    block: tuple[int, int, int] | None = (0, 0, 0)
    more: tuple[int, ...] = ()
    room: int = ROOM
    case: str = ""
    kernel: str = ""
    launches: tuple[int, ...] = ()
    each_kernel: bool = False


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
    operation across a warp; "barrier", of the whole block (warp -1, no lanes); "copy", an asynchronous copy into
    shared memory that is under way from here on, and "landed", which its threads have waited for; "product", of
    matrices on a tensor core, and "matrices", in which lanes exchange pieces of them (ldmatrix, fragments of wmma).
    `offsets` has a number for each lane of `lanes`: for an access the first byte, counted from where `array` begins
    (lanes that touch another array than the first lane count from there, too); for a shuffle the lane whose value is
    taken. For a product it is how many of the machine's it takes, above each other, side by side and along k, the k of
    each, and the elements in a register, or empty for doubles. Else it is empty.
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
        update the same address take turns (docs/counters.md).
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
        """How many wavefronts shared memory takes for it (docs/counters.md, "Wavefronts"); 0 for other memory."""
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


@dataclass(frozen=True)
class Steps:
    """A recording as columns, for what looks at 100,000 steps. All arrays are of 64-bit integers.

    `table` has a row for each step, and COLUMNS; a step's kind is a number of kinds.STEPS, its array one of `arrays`.
    `places` are the offsets of all steps, one after another, of each as many as its "count" says.
    """

    table: np.ndarray
    places: np.ndarray
    arrays: tuple[Array, ...]
    cut: bool

    @cached_property
    def first(self) -> np.ndarray:
        """Where each step's places begin."""
        counts = self.table[:, COUNT]
        starts: np.ndarray = np.cumsum(counts) - counts
        return starts


COLUMNS = ("block", "warp", "pc", "line", "kind", "array", "bytes", "mask", "count")  # as runtime/recorder.cpp has them
PC, LINE, ARRAY, COUNT = map(COLUMNS.index, ("pc", "line", "array", "count"))


def begin_recording(runtime: ctypes.CDLL, to_record: BlockToRecord) -> None:
    """Tells the runtime what to record of the case that comes."""
    more = (ctypes.c_uint64 * len(to_record.more))(*to_record.more)
    block = map(ctypes.c_uint, to_record.block or EVERY_BLOCK)
    launch, room, count = map(ctypes.c_size_t, (to_record.launch, to_record.room, len(more)))
    runtime.ladder_session_record(to_record.kernel.encode(), launch, *block, room, more, count)
    others = (ctypes.c_uint64 * len(to_record.launches))(*to_record.launches)
    runtime.ladder_session_record_launches(others, ctypes.c_size_t(len(others)), int(to_record.each_kernel))


def numbers_of(runtime: ctypes.CDLL, block: int) -> Json:
    """The steps of a recorded block, and their places: copies of what the runtime holds until the next call."""
    found = [(ctypes.POINTER(ctypes.c_int64)(), ctypes.c_size_t()) for _ in range(2)]
    runtime.ladder_session_steps(ctypes.c_size_t(block), *(ctypes.byref(each) for pair in found for each in pair))
    steps, places = (
        as_array(start, (count.value,)).copy() if count.value else np.empty(0, np.int64) for start, count in found
    )
    return {"steps": steps, "places": places}


def add_numbers(facts: Json, numbers: bytes) -> None:
    """Puts the numbers of all recorded blocks, as a program's process writes them, to what its report says of each."""
    left = np.frombuffer(numbers, np.int64).copy()
    for part in facts.get("recording", ()):
        for each in ("steps", "places"):
            part[each], left = left[: part[each]], left[part[each] :]


def describe(facts: Mapping[str, Any], to_record: BlockToRecord, line_of: Callable[[int], int | None]) -> Json:
    """The runtime's recording with lines instead of program counters; `line_of` gives the line of one."""
    launches: list[Json] = facts["launches"]
    parts = []
    for part in facts["recording"]:
        table = part["steps"].reshape(-1, len(COLUMNS))
        for pc in np.unique(table[:, PC]):
            table[(table[:, PC] == pc) & (table[:, LINE] == 0), LINE] = line_of(int(pc)) or 0
        parts.append(part | {"steps": _packed(table), "places": _packed(part["places"])})
    number = facts.get("recorded_launch", to_record.launch)  # that of the kernel, if one is named
    return {"parts": parts, "launches": len(launches), "launch": number, **_shape(launches, number)}


def _shape(launches: Sequence[Json], number: int) -> Json:
    launch = launches[number] if number < len(launches) else {"kernel": "", "grid": [], "block": []}
    return {"kernel": launch["kernel"], "grid": launch["grid"], "threads": launch["block"]}


def one_launch(data: Json, launches: Sequence[Json], number: int) -> Json:
    """Of what `describe` made, this launch alone; `launches` are all of the case (evidence.CaseRun)."""
    parts = [part for part in data["parts"] if part["launch"] == number]
    return data | {"parts": parts, "launch": number, **_shape(launches, number)}


def steps_from_json(data: Json) -> Steps:
    """What `describe` made, block after block. Raises ValueError, TypeError, KeyError or IndexError if it is something
    else.
    """
    arrays: dict[Array, int] = {}
    tables, places = [np.empty((0, len(COLUMNS)), np.int64)], [np.empty(0, np.int64)]
    for part in data["parts"]:
        numbers = [arrays.setdefault(_array(each), len(arrays)) for each in part["arrays"]]
        table = _unpacked(part["steps"]).reshape(-1, len(COLUMNS))
        own = table[:, ARRAY]
        if table.size and (table[:, COUNT].min() < 0 or own.min() < -1):
            raise ValueError("a recording without sense")
        table[:, ARRAY] = np.array([*numbers, -1], np.int64)[own]
        tables.append(table)
        places.append(_unpacked(part["places"]))
    table, of_all = np.concatenate(tables), np.concatenate(places)
    if table[:, COUNT].sum() != of_all.size or (table[:, COUNT] > LANES).any():
        raise ValueError("a recording whose places do not fit its steps")
    order = np.argsort(table[:, 0], kind="stable") if len(data["parts"]) > 1 else np.arange(len(table))
    starts = np.cumsum(table[:, COUNT]) - table[:, COUNT]
    moved = np.repeat(starts[order], table[order, COUNT]) + _within(table[order, COUNT])
    return Steps(table[order], of_all[moved], tuple(arrays), any(bool(part["cut"]) for part in data["parts"]))


def _within(counts: np.ndarray) -> np.ndarray:
    """0, 1, ... counts[0] - 1, 0, 1, ..."""
    within: np.ndarray = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return within


def from_json(data: Json, case: str, to_record: BlockToRecord, source: str) -> Recording:
    """What `describe` made. Raises ValueError, TypeError, KeyError or IndexError if it is something else."""
    steps = steps_from_json(data)
    return Recording(
        kernel=str(data["kernel"]),
        case=case,
        grid=tuple(data["grid"]),
        threads=tuple(data["threads"]),
        block=to_record.block,
        source=source,
        steps=tuple(_steps(steps)),
        cut=steps.cut,
    )


def _steps(steps: Steps) -> Iterator[Step]:
    known_lanes: dict[int, tuple[int, ...]] = {}
    places, at = steps.places.tolist(), 0
    for block, warp, _, line, kind, array, bytes_, mask, count in steps.table.tolist():
        if (lanes := known_lanes.get(mask)) is None:
            lanes = known_lanes[mask] = tuple(lane for lane in range(LANES) if mask >> lane & 1)
        touched = steps.arrays[array] if array >= 0 else None
        yield Step(warp, line, name_of(kind), lanes, touched, bytes_, tuple(places[at : at + count]), block)
        at += count


def name_of(kind: int) -> str:
    """As Step says it. Raises IndexError."""
    return STEPS[kind].replace("_", " ")


def _packed(numbers: np.ndarray) -> str:
    return b64encode(zlib.compress(np.ascontiguousarray(numbers, "<i8").tobytes(), 1)).decode()


def _unpacked(text: str) -> np.ndarray:
    """A copy that may be written to. Raises ValueError for what is no such array, or too long a one."""
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(b64decode(text, validate=True), 8 * MOST_NUMBERS)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not unpacking.eof:
        raise ValueError("a recording that is too long")
    return np.frombuffer(data, "<i8").astype(np.int64)


def _array(data: Json) -> Array:
    space = SPACES[data["space"]]
    return Array(short_name(data["name"], space), space, data["bytes"], data["start"])


def short_name(name: str, space: str) -> str:
    """`void tile<32>(float const*, int)::As` is `As`; dynamic shared memory and a thread's own have no names."""
    return name.rpartition("::")[2] or {"shared": "shared memory", "local": "own variables"}.get(space, "memory")
