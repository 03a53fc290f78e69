"""Who touches what: for each element of each array the threads that read and write it, as a few lines of text.

    element         0   1   2   3   4   5   6   7
    x read by       0   1   2   3   4   5 │ 6✗  7✗
    z written by    0   1   2   3   4   5 │

It is made from what the emulator has recorded of all blocks of a launch (emulator/recording.py), right or wrong.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from rich.text import Text

from grader.course.call import Call
from grader.devices.emulator.recording import LANES, Array, Recording
from grader.report.terminal import BAD, DIM, HEAD

MOST_COLUMNS, WIDTH = 16, 78
WIDEST_CELL = 7
BEYOND = 3  # elements before an array and behind it that are shown, if a thread asks for them
READS, WRITES = ("load", "bad load"), ("store", "atomic", "bad store")
NONE, REFUSED, END = "–", "✗", "│"

Thread = tuple[int, int, int, int]  # the block's number, then threadIdx.z, .y, .x
Users = dict[int, set[Thread]]  # by element


@dataclass
class Use:
    """Of one array: who reads and writes which element, and which elements are asked for in vain."""

    name: str
    shape: tuple[int, ...]
    read: Users = field(default_factory=lambda: defaultdict(set))
    written: Users = field(default_factory=lambda: defaultdict(set))
    refused: set[int] = field(default_factory=set)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def reach(self) -> int:
        """Elements that are drawn, but for those beyond: all of a buffer, else up to the last that is used."""
        return max((element for element in (*self.read, *self.written) if element < self.size), default=-1) + 1

    @property
    def rows(self) -> Iterator[tuple[str, Users]]:
        if self.written:
            yield f"{self.name} written by", self.written
        if self.read:
            yield f"{self.name} read by", self.read


def touches(recording: Recording, call: Call) -> list[Text]:
    """The picture of a recording of all blocks of `call`, in lines of at most 78 columns."""
    uses = _uses(recording, call)
    flat = [use for use in uses if len(use.shape) < 2]
    lines = [_head(recording, call)]
    if flat:
        lines += _table(recording, flat)
    for use in uses:
        if len(use.shape) > 1:
            lines += _matrix(recording, use)
    lines += [f"  {said}" for said in _remarks(recording, uses)]
    return [_coloured(line) for line in lines]


def _coloured(line: str) -> Text:
    text = Text(line, no_wrap=True)
    text.highlight_regex(r"\S*✗", BAD)
    text.highlight_regex(rf"(?<= ){NONE}(?= |$)", DIM)
    text.highlight_regex(r"^Who touches what", HEAD)
    return text


# ---- who touches what ----


def _uses(recording: Recording, call: Call) -> list[Use]:
    """Inputs, shared arrays, outputs: as data flows."""
    buffers = {b.name: Use(b.name, call.shapes[b.name]) for b in call.signature.buffers}
    bytes_ = {b.name: b.type.bytes for b in call.signature.buffers}
    for output in call.signature.outputs:
        buffers[output.name].written.update({i: set() for i in range(buffers[output.name].size)})
    for parameter in call.signature.inputs:
        buffers[parameter.name].read.update({i: set() for i in range(buffers[parameter.name].size)})
    shared: dict[str, Use] = {}
    for array in _others(recording, buffers):
        bytes_[array.name] = min(step.bytes for step in recording.steps if step.array == array)
        shared[array.name] = Use(array.name, (array.bytes // bytes_[array.name],))
    all_uses = buffers | shared
    for step in recording.steps:
        if step.kind not in READS + WRITES or step.space == "local":
            continue
        use, size = all_uses[step.touched.name], bytes_[step.touched.name]
        users = use.read if step.kind in READS else use.written
        for lane, first in zip(step.lanes, step.offsets, strict=True):
            thread = _thread(recording, step.block, LANES * step.warp + lane)
            for element in range(first // size, (first + step.bytes - 1) // size + 1):
                users[element].add(thread)
                if step.kind.startswith("bad"):
                    use.refused.add(element)
    inputs, outputs = ([buffers[b.name] for b in each] for each in (call.signature.inputs, call.signature.outputs))
    return [*inputs, *shared.values(), *outputs]


def _others(recording: Recording, buffers: dict[str, Use]) -> list[Array]:
    """Arrays that are no buffers of the task's, in the order in which they are touched."""
    arrays = (step.array for step in recording.steps if step.array and step.space != "local")
    return list(dict.fromkeys(array for array in arrays if array.name not in buffers))


def _thread(recording: Recording, block: int, number: int) -> Thread:
    x, y, _ = recording.threads
    return block, number // (x * y), number // x % y, number % x


# ---- how it is written ----


def _head(recording: Recording, call: Call) -> str:
    blocks, threads = math.prod(recording.grid), _times(recording.threads)
    if blocks > 1:
        form = "1:3 is block 1, thread 3"
    else:
        form = "3,1: x is 3, y is 1" if recording.threads[1] > 1 else "a number is a thread"
    many = f"{blocks} blocks" if blocks > 1 else "1 block"
    s = "" if math.prod(recording.threads) == 1 else "s"
    return f"Who touches what: {call.name}, {many} of {threads} thread{s}; {form}"


def _times(sizes: Sequence[int]) -> str:
    return " x ".join(str(size) for size in sizes if size > 1) or "1"


def _name(recording: Recording, threads: set[Thread]) -> str:
    """`3`, `0-7`, `1:3`, `0-3,1` for threads that are a range along each axis; else two names, or how many: `x9`."""
    if not threads:
        return NONE
    axes = [sorted(set(axis)) for axis in zip(*threads, strict=True)]
    is_box = math.prod(len(axis) for axis in axes) == len(threads)
    if is_box and all(axis[-1] - axis[0] + 1 == len(axis) for axis in axes):
        block, z, y, x = (str(axis[0]) if len(axis) == 1 else f"{axis[0]}-{axis[-1]}" for axis in axes)
        _, tall, deep = recording.threads
        name = ",".join([x, *([y] if tall > 1 else []), *([z] if deep > 1 else [])])
        return f"{block}:{name}" if math.prod(recording.grid) > 1 else name
    names = " ".join(_name(recording, {thread}) for thread in sorted(threads))
    return names if len(names) <= WIDEST_CELL else f"x{len(threads)}"


def _cell(recording: Recording, use: Use, users: Users, element: int) -> str:
    if element not in users:
        return NONE if 0 <= element < use.reach else ""
    return _name(recording, users[element]) + REFUSED * (element in use.refused)


def _table(recording: Recording, uses: Sequence[Use]) -> list[str]:
    """A row for each way in which an array of one dimension is used."""
    rows = [(use, title, users) for use in uses for title, users in use.rows]
    columns = _columns(uses)
    cells = [[_cell(recording, use, users, element) for element in columns] for use, _, users in rows]
    width = max(len(cell) for row in [*cells, [str(element) for element in columns]] for cell in row) + 2
    title_width = max(len(title) for _, title, _ in rows) + 2
    if width * len(columns) + title_width + 2 > WIDTH:
        width -= 1
    columns = columns[: (WIDTH - 2 - title_width) // width]
    lines = [f"  {'element':<{title_width}}" + "".join(f" {element:<{width - 1}}" for element in columns).rstrip()]
    for (use, title, _), row in zip(rows, cells, strict=True):
        ends = (END if element == use.size else " " for element in columns)
        line = "".join(f"{end}{cell:<{width - 1}}" for end, cell in zip(ends, row, strict=False))
        lines.append(f"  {title:<{title_width}}{line}".rstrip())
    return lines


def _columns(uses: Iterable[Use]) -> list[int]:
    """The elements that are shown: those of the buffers, those that are used of other arrays, and a few beyond."""
    shown: set[int] = set()
    for use in uses:
        shown.update(range(use.reach))
        shown.update(element for element in (*use.read, *use.written) if -BEYOND <= element < use.size + BEYOND)
    first = min(shown, default=0)
    return list(range(first, min(max(shown, default=0) + 1, first + MOST_COLUMNS)))


def _matrix(recording: Recording, use: Use) -> list[str]:
    """A table of rows and columns for each way in which a matrix is used."""
    lines = []
    rows, cols = min(math.prod(use.shape[:-1]), MOST_COLUMNS // 2), use.shape[-1]
    for title, users in use.rows:
        cells = [[_cell(recording, use, users, row * cols + col) for col in range(cols)] for row in range(rows)]
        width = max(max(len(cell) for row in cells for cell in row), 5) + 2
        cols = min(cols, (WIDTH - 10) // width)
        lines.append(
            f"  {title:<{max(len(title), 8)}}" + "".join(f"  col {col:<{width - 6}}" for col in range(cols)).rstrip()
        )
        for number, row in enumerate(cells):
            start = f"    row {number}"
            lines.append(
                (
                    f"{start:<{max(len(title), 8) + 2}}" + "".join(f"  {cell:<{width - 2}}" for cell in row[:cols])
                ).rstrip()
            )
    return lines


# ---- what it shows besides ----


def _remarks(recording: Recording, uses: Sequence[Use]) -> Iterator[str]:
    for use in uses:
        outside = sorted(element for element in use.refused if not 0 <= element < use.size)
        if outside:
            has = f"{use.name} has {use.size} element{'' if use.size == 1 else 's'}"
            yield f"{REFUSED} outside: {has}, {use.name}[{outside[0]}] is not one of them"
        elif use.refused:
            yield f"{REFUSED} refused: {use.name}[{min(use.refused)}]"
    busy = {thread for use in uses for users in (use.read, use.written) for who in users.values() for thread in who}
    everyone = {
        _thread(recording, block, number)
        for block in range(math.prod(recording.grid))
        for number in range(math.prod(recording.threads))
    }
    if idle := everyone - busy:
        name = _name(recording, idle)
        many = f"{len(idle)} threads" if name.startswith("x") else f"threads {name}"
        yield f"{many} touch nothing" if len(idle) > 1 else f"thread {name} touches nothing"
    if recording.cut:
        yield "this is the beginning: there was more than can be drawn"
