"""A warp or a block over time: lanes that part and meet, tiles that walk over a matrix, values that become one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch, Rectangle

from grader.course.catalog import UsageError
from grader.devices.emulator.recording import LANES, Recording, Step
from grader.report.figures.canvas import (
    BLUE,
    CODE,
    IDLE,
    ORANGE,
    RED,
    SKY,
    Picture,
    code_at,
    counted,
    drawn,
    head,
    panel,
    shown_in,
)
from grader.report.plots import GRID, GROUND, INK

MEANING = {IDLE: "switched off", BLUE: "at work, all lanes together", ORANGE: "at work, others wait"}
END = "end"
WIDEST = 7.2  # inches, for the panels of `tiles` together


# ---- divergence ----


@drawn
def divergence(recording: Recording, warp: int = 0, most: int = 40) -> Picture:
    """The lanes of a warp (rows) over time (columns): at work, or switched off while others work.

    A column is a basic block, a piece of code between two jumps; its number is that of the source line at which it
    begins. Where lanes meet again with no line of its own to run, that is the end. The first `most` are shown. Raises
    UsageError if there is no such warp.
    """
    blocks = [step for step in recording.steps if step.kind == "block" and step.warp == warp and step.line]
    if not blocks:
        raise UsageError(f"block {recording.block} of {recording.kernel} has no warp {warp}")
    shown, left_out = blocks[:most], len(blocks) - most
    every_lane = max(len(step.lanes) for step in shown)
    names = _step_names(shown, whole=left_out <= 0)
    lines = list(dict.fromkeys(int(name) for name in names if name != END))[:8]
    figure = Picture(3.9 + 0.19 * len(lines))
    axis = panel(figure)
    image = np.zeros((LANES, len(shown)))
    for column, step in enumerate(shown):
        image[list(step.lanes), column] = 1 if len(step.lanes) == every_lane else 2
    axis.imshow(image, aspect="auto", cmap=ListedColormap([*MEANING]), vmin=0, vmax=2, interpolation="none")
    axis.set_xticks(np.arange(-0.5, len(shown)), minor=True)
    axis.set_yticks(np.arange(-0.5, LANES), minor=True)
    axis.grid(True, which="minor", color=GROUND, linewidth=0.8)
    axis.tick_params(which="both", length=0)
    every = -(-len(shown) // 24)
    axis.set_xticks(range(0, len(shown), every), names[::every])
    axis.set_yticks([0, 8, 16, 24, 31])
    axis.set_ylabel("lane")
    rest = f"; {counted(left_out, 'more step')} to come" if left_out > 0 else ""
    axis.set_xlabel(f"source line at which each step begins, in the order of time{rest}")
    axis.spines[:].set_visible(False)
    _list_code(figure, axis, recording, lines)
    keys = [Patch(facecolor=colour, label=meaning) for colour, meaning in MEANING.items()]
    figure.legend(handles=keys, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    busy = sum(len(step.lanes) for step in shown) / (LANES * len(shown))
    head(figure, shown_in(recording), f"warp {warp}: {busy:.0%} of the lanes are at work, the grey ones wait")
    return figure


def _step_names(steps: Sequence[Step], whole: bool) -> list[str]:
    """The line of each step; END for the last of `whole` runs, if lanes meet there and it has no line of its own."""
    *before, last = steps
    is_end = whole and len(before) > 0 and len(last.lanes) > len(before[-1].lanes)
    is_end = is_end and last.line in [step.line for step in before]
    return [*(f"{step.line}" for step in before), END if is_end else f"{last.line}"]


def _list_code(figure: Picture, axis: Axes, recording: Recording, lines: Sequence[int]) -> None:
    """The source of the lines below the picture."""
    text = "\n".join(code_at(recording, line) for line in sorted(lines))
    axis.annotate(text, (0, 0), xycoords="axes fraction", xytext=(0, -38), textcoords="offset points", va="top",
                  family=CODE, fontsize=9)  # fmt: skip


# ---- tiles ----


@drawn
def tiles(recording: Recording, buffer: str, shape: tuple[int, int], most: int = 4) -> Picture:
    """How a block walks over a matrix: the elements of `buffer`, of `shape` (rows, columns), that it touches.

    A panel shows what is touched between two barriers (or calls of __syncwarp), in a kernel without them what each warp
    touches in one round of a loop; what was touched before stays in a lighter colour. The first `most` such times are
    shown, and of a large matrix the part around them. Raises UsageError if the block does not touch the buffer, or if
    the shape does not fit it.
    """
    times = touched_between_barriers(recording, buffer)
    if not times:
        raise UsageError(f"block {recording.block} of {recording.kernel} does not touch {buffer}")
    rows, cols = shape
    array = times[0][0].touched
    element = array.bytes // (rows * cols)
    if element == 0 or array.bytes % (rows * cols):
        raise UsageError(f"{buffer} has {array.bytes:,} bytes: that is no matrix of {rows} × {cols}")
    images = [_elements(steps, element, shape) for steps in times[:most]]
    (top, bottom), (left, right) = (_around(np.any(images, axis=(0, 2))), _around(np.any(images, axis=(0, 1))))
    tall = WIDEST / len(images) * (bottom - top) / (right - left)
    figure = Picture(1.25 + min(3.2, max(0.9, tall)))
    before = np.zeros(shape, dtype=bool)
    for number, now in enumerate(images, start=1):
        axis = panel(figure, 1, len(images), number)
        _draw_matrix(axis, np.where(now, 2, before))
        axis.set_xlim(left, right)
        axis.set_ylim(bottom, top)
        axis.set_xticks([left, right])
        axis.set_yticks([top, bottom])
        axis.set_title(f"time {number}", fontsize=10)
        before |= now
    each = max(int(image.sum()) for image in images)
    recorded = "in what was recorded" if recording.cut else "in all"
    says = f"{buffer}, {rows} × {cols}: {counted(each, 'element')} at a time, {counted(len(times), 'time')} {recorded}"
    head(figure, shown_in(recording), says)
    return figure


def touched_between_barriers(recording: Recording, buffer: str) -> list[list[Step]]:
    """The block's accesses to a buffer, warp by warp cut at barriers and __syncwarp, else at the rounds of a loop."""
    between: dict[int, dict[int, list[Step]]] = defaultdict(lambda: defaultdict(list))  # by warp and time
    rounds: dict[int, dict[int, list[Step]]] = defaultdict(lambda: defaultdict(list))
    barriers = 0
    times: dict[int, int] = defaultdict(int)
    turns: dict[tuple[int, int], int] = defaultdict(int)
    for step in recording.steps:
        barriers += step.kind == "barrier"
        times[step.warp] += step.kind in ("warp", "product", "matrices")
        if step.array is None or step.array.name != buffer or step.space != "global":
            continue
        between[step.warp][barriers + times[step.warp]].append(step)
        rounds[step.warp][turns[step.warp, step.line]].append(step)
        turns[step.warp, step.line] += 1
    by_warp = between if any(len(each) > 1 for each in between.values()) else rounds
    lists = [list(each.values()) for each in by_warp.values()]
    return [[step for steps in group for step in steps] for group in zip_longest(*lists, fillvalue=[])]


def _elements(steps: Sequence[Step], element: int, shape: tuple[int, int]) -> np.ndarray:
    touched = np.zeros(shape[0] * shape[1], dtype=bool)
    for step in steps:
        for first in step.offsets:
            touched[first // element : -(-(first + step.bytes) // element)] = True
    return touched.reshape(shape)


def _around(touched: np.ndarray) -> tuple[int, int]:
    """From where to where to show an axis: all of it, or if little is touched, that and half as much on both sides."""
    first, last = int(touched.argmax()), len(touched) - int(touched[::-1].argmax())
    margin = (last - first) // 2
    if last - first > 0.3 * len(touched):
        return 0, len(touched)
    return max(0, first - margin), min(len(touched), last + margin)


def _draw_matrix(axis: Axes, image: np.ndarray) -> None:
    """0: not touched yet, 1: before, 2: now."""
    rows, cols = image.shape
    axis.imshow(image, cmap=ListedColormap([GROUND, SKY, BLUE]), vmin=0, vmax=2, aspect="auto", interpolation="none",
                extent=(0, cols, rows, 0))  # fmt: skip
    axis.add_patch(Rectangle((0, 0), cols, rows, fill=False, edgecolor=INK, linewidth=1.6))
    axis.tick_params(labelsize=9, length=2)
    axis.spines[:].set(visible=True, color=GRID)


# ---- memory instructions over time ----

ROWS = {("load", "global"): RED, ("store", "shared"): ORANGE, ("load", "shared"): BLUE, ("barrier", ""): INK}


@drawn
def timeline(recordings: Mapping[str, Recording], most: int = 150) -> Picture:
    """The memory instructions of warp 0 and its block's barriers, a mark for each, in the order in which they ran.

    The first `most` are shown; said is how many of them lie at most between a load and the next store.
    """
    figure = Picture(0.9 + 1.5 * len(recordings))
    said = []
    for number, (name, recording) in enumerate(recordings.items(), start=1):
        steps = [(step.kind, step.space) for step in recording.steps if step.warp in (0, -1)]
        order = [kind for kind in steps if kind in ROWS][:most]
        axis = panel(figure, len(recordings), 1, number)
        places = [list(ROWS).index(kind) for kind in order]
        axis.scatter(range(len(order)), places, marker="|", s=90, c=[ROWS[kind] for kind in order])
        axis.set_yticks(range(len(ROWS)), [" ".join(kind) for kind in ROWS])
        axis.set_ylim(3.6, -0.6)
        axis.set_xlim(-2, most + 2)
        axis.set_title(name, fontsize=10)
        axis.tick_params(labelsize=9, length=2)
        said.append(f"{name} {_longest_wait(order)}")
    axis.set_xlabel("memory instructions of one warp, in the order of time")
    head(figure, "From a load of global memory to the store that needs it", "each mark is one instruction")
    figure.says = "most instructions between a load of global memory and the next store: " + ", ".join(said)
    return figure


def _longest_wait(order: Sequence[tuple[str, str]]) -> int:
    """Of all loads from global memory that a store to shared memory follows, how many instructions lie between."""
    most, since = 0, None
    for place, kind in enumerate(order):
        if kind == ("load", "global"):
            since = place
        elif kind == ("store", "shared") and since is not None:
            most, since = max(most, place - since - 1), None
    return most


# ---- tree ----


@dataclass
class Value:
    """A value that a thread holds, and those that it was made of. `level` counts the steps to it."""

    thread: int
    parents: tuple[Value, ...] = ()
    level: int = 0
    leaves: int = 0  # a bit for each thread whose own value is in it

    @staticmethod
    def of(thread: int, parents: Sequence[Value]) -> Value:
        leaves = 0
        for parent in parents:
            leaves |= parent.leaves
        return Value(thread, tuple(parents), 1 + max(parent.level for parent in parents), leaves)


@drawn
def tree(recording: Recording) -> Picture:
    """A reduction as the block's shared accesses and shuffles show it: whose value goes into whose, level by level.

    A thread's value is its own until it loads what another thread has stored, or gets another lane's by a shuffle.
    What no later step uses is left out. Raises UsageError if no value has gone from one thread to another.
    """
    root = _root(recording)
    if root is None:
        raise UsageError(f"in block {recording.block} of {recording.kernel} no value goes from one thread to another")
    values, edges = _needed(root)
    figure = Picture(1.3 + min(3.6, 0.42 * (root.level + 1)))
    axis = panel(figure)
    down = [edge for edge in edges if edge[0].thread == edge[1].thread]
    across = [edge for edge in edges if edge[0].thread != edge[1].thread]
    thin = 0.5 if len(values) > 256 else 0.9
    for some, colour in ((down, GRID), (across, BLUE)):
        ends = [[(a.thread, a.level), (b.thread, b.level)] for a, b in some]
        axis.add_collection(LineCollection(ends, colors=colour, linewidths=thin, zorder=1))
    size = 4 if len(values) > 256 else 14
    axis.scatter([v.thread for v in values], [v.level for v in values], s=size, color=INK, linewidths=0, zorder=2)
    threads = recording.threads[0] * recording.threads[1] * recording.threads[2]
    axis.set_xlim(-0.02 * threads, 1.02 * threads)
    axis.set_ylim(root.level + 0.3, -0.3)
    axis.set_yticks(range(root.level + 1))
    axis.set_xlabel("thread of the block")
    axis.set_ylabel("step")
    own = bin(root.leaves).count("1")
    head(figure, shown_in(recording), f"{own} values become one in {counted(root.level, 'step')}")
    return figure


def _needed(root: Value) -> tuple[list[Value], list[tuple[Value, Value]]]:
    """The values that the root needs, and which goes into which. A parent is needed for what those before it lack: a
    lane that shuffles along with an old value of its own gives nothing new.
    """
    wanted, by_level, edges = {id(root): root.leaves}, defaultdict(list, {root.level: [root]}), []
    for level in range(root.level, -1, -1):
        for value in by_level[level]:
            missing = wanted[id(value)]
            for parent in value.parents:
                if not missing & parent.leaves:
                    continue
                edges.append((parent, value))
                if id(parent) not in wanted:
                    by_level[parent.level].append(parent)
                wanted[id(parent)] = wanted.get(id(parent), 0) | missing & parent.leaves
                missing &= ~parent.leaves
    return [value for values in by_level.values() for value in values], edges


def _root(recording: Recording) -> Value | None:
    """The first value that holds as many threads' values as any does."""
    held: dict[tuple[str, int], Value] = {}  # by shared array and byte
    mine: dict[int, Value] = {}  # by thread
    loaded: dict[int, list[Value]] = defaultdict(list)  # since the thread's last value was made
    made: list[Value] = []

    def value_of(thread: int) -> Value:
        if parts := loaded.pop(thread, None):
            mine[thread] = Value.of(thread, parts) if len(parts) > 1 or parts[0].thread != thread else parts[0]
            made.append(mine[thread])
        return mine.setdefault(thread, Value(thread, leaves=1 << thread))

    for step in recording.steps:
        threads = [LANES * step.warp + lane for lane in step.lanes]
        if step.kind == "shuffle":
            now = {thread: value_of(thread) for thread in threads}
            for thread, lane in zip(threads, step.offsets, strict=True):
                other = now.get(LANES * step.warp + lane)
                if other is not None and other is not now[thread]:
                    mine[thread] = Value.of(thread, [now[thread], other])
                    made.append(mine[thread])
        elif step.space == "shared" and step.kind in ("load", "store"):
            for thread, first in zip(threads, step.offsets, strict=True):
                place = (step.touched.name, first)
                if step.kind == "store":
                    held[place] = value_of(thread)
                elif place in held and held[place] not in loaded[thread]:
                    loaded[thread].append(held[place])
    most = max((bin(value.leaves).count("1") for value in made), default=1)
    return next((value for value in made if most > 1 and bin(value.leaves).count("1") == most), None)
