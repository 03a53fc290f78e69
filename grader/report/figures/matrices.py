"""Who reads, writes or computes which element of a matrix: strips of memory, turned corners, products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle

from grader.course.catalog import UsageError
from grader.devices.emulator.recording import LANES, WORD, Recording, Step
from grader.report.figures.blocks import touched_between_barriers
from grader.report.figures.canvas import (
    BLUE,
    GREEN,
    IDLE,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    Picture,
    bare,
    counted,
    drawn,
    head,
    panel,
    shown_in,
)
from grader.report.plots import GRID, GROUND, INK

COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY)
MIXED = "#999999"  # what several of those shown touch
LANE_COLOURS = ListedColormap([GROUND, *matplotlib.colormaps["viridis"](np.linspace(0.05, 0.85, LANES))])


# ---- memory as a strip ----


@drawn
def strips(title: str, says: str, rows: Mapping[str, Sequence[int | None]], labels: Sequence[object]) -> Picture:
    """Memory as a strip of elements, once for each of `rows`: whose each element is, as a number and its colour.

    `labels` stand in the elements; one that no thread has (None) is grey. Raises UsageError if a row has not as many
    elements as there are labels.
    """
    if not rows or any(len(row) != len(labels) for row in rows.values()):
        raise UsageError(f"every strip needs {len(labels)} elements")
    figure = Picture(0.95 + 0.42 * len(rows))
    axis = bare(panel(figure))
    for line, (name, row) in enumerate(rows.items()):
        for place, (owner, label) in enumerate(zip(row, labels, strict=True)):
            colour = IDLE if owner is None else COLOURS[owner % len(COLOURS)]
            axis.add_patch(Rectangle((place, -line), 0.94, 0.7, color=colour))
            axis.text(place + 0.47, 0.35 - line, str(owner if label is None else label), ha="center", va="center",
                      fontsize=9, color=INK if colour in (IDLE, SKY, ORANGE) else GROUND)  # fmt: skip
        axis.text(-0.02 * len(labels), 0.35 - line, name, ha="right", va="center", fontsize=9)
    axis.set_xlim(-0.3 * len(labels), len(labels))
    axis.set_ylim(-len(rows) + 0.8, 0.9)
    head(figure, title, says)
    return figure


# ---- a corner that is turned ----


@drawn
def turning(recording: Recording, rows: int, pitch: int, warp: int | None = None) -> Picture:
    """A tile of shared memory of `rows` rows of `pitch` words: which lane writes each word, and which lane reads it.

    One store and one load are framed. Of one warp, if that is named, else of all that share the tile. Raises UsageError
    if the tile is not both written and read.
    """
    kinds = {"store": "written", "load": "read"}
    steps = {
        kind: [step for step in recording.accesses(warp=warp, space="shared") if step.kind == kind] for kind in kinds
    }
    if not all(steps.values()):
        raise UsageError(f"block {recording.block} of {recording.kernel} does not write a tile and read it")
    figure = Picture(4.2)
    for number, (kind, name) in enumerate(kinds.items(), start=1):
        image = np.full(rows * pitch, -1)
        first = None
        for step in steps[kind]:
            for lane, offset in zip(step.lanes, step.offsets, strict=True):
                word = offset // WORD
                if word < rows * pitch and image[word] < 0:
                    image[word] = lane
                    first = first or step
        axis = panel(figure, 1, 2, number)
        shown = image.reshape(rows, pitch)
        axis.imshow(shown, cmap=LANE_COLOURS, vmin=-1, vmax=LANES - 1, aspect="auto", interpolation="none")
        _frame(axis, first, pitch)
        axis.set_title(f"which lane has {name} each word", fontsize=10)
        axis.set_xlabel("column of the tile")
        axis.set_xticks([0, 8, 16, 24, 31])
        axis.set_yticks([0, 8, 16, 24, 31])
        axis.tick_params(labelsize=9, length=2)
        axis.spines[:].set_visible(False)
    figure.axes[0].set_ylabel("row of the tile")
    says = "dark is lane 0, light lane 31; framed is what one instruction of a warp touches"
    head(figure, "The corner is turned: write along the rows, read down the columns", says)
    wide, tall = (_extent(steps[kind][0], pitch) for kind in kinds)
    figure.says = f"{recording.kernel}: a store of a warp fills {_sides(wide)} of the tile, a load reads {_sides(tall)}"
    return figure


def _extent(step: Step, pitch: int) -> tuple[int, int, int, int]:
    """Row, column, rows and columns of the words that a step touches."""
    words = [offset // WORD for offset in step.offsets]
    ys, xs = [word // pitch for word in words], [word % pitch for word in words]
    return min(ys), min(xs), max(ys) - min(ys) + 1, max(xs) - min(xs) + 1


def _frame(axis: Axes, step: Step | None, pitch: int) -> None:
    assert step is not None
    y, x, height, width = _extent(step, pitch)
    axis.add_patch(Rectangle((x - 0.5, y - 0.5), width, height, fill=False, edgecolor=RED, linewidth=2.2))


def _sides(extent: tuple[int, int, int, int]) -> str:
    return f"{extent[2]} × {extent[3]} words"


# ---- a product: a is m × k, b is k × n, c is m × n ----


@drawn
def elements(recording: Recording, sizes: tuple[int, int, int], lanes: Sequence[int] = (0, 1)) -> Picture:
    """What some lanes of warp 0 load of a and of b, and what they store of c, where a is m × k and b is k × n.

    Each lane has a colour; grey is what several of them touch. Raises UsageError if they store nothing.
    """
    shapes = _shapes(sizes)
    images = {name: np.zeros(shape, dtype=int) for name, shape in shapes.items()}
    stored = 0
    for step in recording.accesses(warp=0, space="global"):
        name = step.touched.name
        for lane, offset in zip(step.lanes, step.offsets, strict=True):
            if lane in lanes and name in images:
                ours, flat = 1 + list(lanes).index(lane), images[name].reshape(-1)
                for word in range(offset // WORD, (offset + step.bytes) // WORD):
                    flat[word] = ours if flat[word] in (0, ours) else len(lanes) + 1
                stored += name == "c"
    if not stored:
        raise UsageError(f"these lanes of block {recording.block} of {recording.kernel} store nothing in c")
    cmap = ListedColormap([GROUND, *COLOURS[: len(lanes)], MIXED])
    figure = Picture(4.4)
    for name, axis in _product_panels(figure, shapes).items():
        axis.imshow(images[name], cmap=cmap, vmin=0, vmax=len(lanes) + 1, aspect="auto", interpolation="none")
    loads = [int((images[name] > 0).sum()) for name in ("a", "b")]
    who = ", ".join(f"lane {lane} {_colour_name(place)}" for place, lane in enumerate(lanes))
    head(figure, shown_in(recording), f"{who}; grey is what they share")
    each = counted(int((images["c"] > 0).sum()), "element")
    figure.says = (
        f"{recording.kernel}: {counted(len(lanes), 'lane')} store {each} of c, load {loads[0]} of a, {loads[1]} of b"
    )
    return figure


def _colour_name(place: int) -> str:
    return ("blue", "orange", "green", "red", "purple", "light blue")[place]


@drawn
def tile_walk(recording: Recording, sizes: tuple[int, int, int]) -> Picture:
    """The walk of a block along k, where a is m × k and b is k × n: its tile of c, and which tiles of a and of b it
    loads in each step, numbered. The same number in both means the same step: these are multiplied.

    Raises UsageError if the block does not load both.
    """
    shapes = _shapes(sizes)
    images = {name: np.zeros(shape, dtype=int) for name, shape in shapes.items()}
    for name in ("a", "b"):
        times = touched_between_barriers(recording, name)
        if not times:
            raise UsageError(f"block {recording.block} of {recording.kernel} does not touch {name}")
        for number, steps in enumerate(times, start=1):
            _mark(images[name], steps, number)
    _mark(images["c"], [s for s in recording.accesses(space="global") if s.touched.name == "c"], 1)
    steps_in_all = int(images["a"].max())
    shades = matplotlib.colormaps["viridis_r"](np.linspace(0.15, 0.9, steps_in_all))
    figure = Picture(4.6)
    for name, axis in _product_panels(figure, shapes).items():
        cmap = ListedColormap([GROUND, ORANGE] if name == "c" else [GROUND, *shades])
        axis.imshow(images[name], cmap=cmap, vmin=0, vmax=1 if name == "c" else steps_in_all, aspect="auto",
                    interpolation="none")  # fmt: skip
        for number in range(1, int(images[name].max()) + 1) if name != "c" else ():
            ys, xs = np.nonzero(images[name] == number)
            axis.text(xs.mean(), ys.mean(), str(number), ha="center", va="center", fontsize=9,
                      color=INK if number <= steps_in_all / 2 else GROUND)  # fmt: skip
    says = "orange: its tile of c; numbered: the tiles of a and of b that meet in each step"
    head(figure, shown_in(recording), says)
    rows, cols = (int(images["c"].any(axis=side).sum()) for side in (1, 0))
    figure.says = f"{recording.kernel}: {counted(steps_in_all, 'step')} along k for {rows} × {cols} elements of c"
    return figure


def _mark(image: np.ndarray, steps: Sequence[Step], number: int) -> None:
    flat = image.reshape(-1)
    for step in steps:
        for offset in step.offsets:
            flat[offset // WORD : (offset + step.bytes) // WORD] = number


def _shapes(sizes: tuple[int, int, int]) -> dict[str, tuple[int, int]]:
    m, n, k = sizes
    return {"a": (m, k), "b": (k, n), "c": (m, n)}


def _product_panels(figure: Picture, shapes: Mapping[str, tuple[int, int]]) -> dict[str, Axes]:
    """b above c, a to its left: a row of a and a column of b meet in their element of c."""
    (m, k), (_, n) = shapes["a"], shapes["b"]
    least = 0.35  # of the larger one, so that a thin matrix can be seen
    grid = figure.add_gridspec(
        2, 2, width_ratios=(max(k, least * n), max(n, least * k)), height_ratios=(max(k, least * m), max(m, least * k))
    )
    places = {"b": grid[0, 1], "a": grid[1, 0], "c": grid[1, 1]}
    axes = {}
    for name, place in places.items():
        axis = axes[name] = figure.add_subplot(place, facecolor=GROUND)
        rows, cols = shapes[name]
        axis.set_title(f"{name}: {rows} × {cols}", fontsize=10)
        axis.set_xticks([0, cols - 1])
        axis.set_yticks([0, rows - 1])
        axis.tick_params(labelsize=8, length=2)
        axis.spines[:].set(visible=True, color=GRID)
    return axes


@drawn
def lane_tiles(recordings: Mapping[str, Recording], shape: tuple[int, int], rows: int = 80) -> Picture:
    """Which elements of c the first warp of each recording's block stores, of `shape`: lane 0's red, the others' from
    light to dark. The first `rows` rows are shown, and said is what of a and of b these elements need.
    """
    cmap = ListedColormap([GROUND, RED, *matplotlib.colormaps["Blues"](np.linspace(0.25, 0.9, LANES - 1))])
    across = 2
    figure = Picture(0.9 + 2.0 * -(-len(recordings) // across))
    said = []
    for number, (name, recording) in enumerate(recordings.items(), start=1):
        image = np.full(shape, -1)
        for step in recording.accesses(warp=0, space="global"):
            if step.kind == "store" and step.touched.name == "c":
                for lane, offset in zip(step.lanes, step.offsets, strict=True):
                    image.reshape(-1)[offset // WORD : (offset + step.bytes) // WORD] = lane
        ours = image >= 0
        needs = f"{int(ours.any(axis=1).sum())} rows of a, {int(ours.any(axis=0).sum())} columns of b"
        axis = panel(figure, -(-len(recordings) // across), across, number)
        axis.imshow(image[:rows], cmap=cmap, vmin=-1, vmax=LANES - 1, interpolation="none")
        axis.set_title(f"{name}: {needs}", fontsize=9)
        axis.tick_params(labelsize=8, length=2)
        said.append(f"{name} {int(ours.sum())} elements, {needs}")
    head(figure, "What the lanes of one warp store of c", "red is lane 0, darker blue a higher lane")
    figure.says = "one warp stores of c: " + "; ".join(said)
    return figure


@drawn
def outer_product(rows: int = 8, cols: int = 8) -> Picture:
    """A thread's registers in one step of a product: a column of a, a row of b, and the sums that they meet in."""
    figure = Picture(3.4)
    axis = bare(panel(figure))
    one = (rows // 2 - 1, cols // 2 + 1)
    for y in range(rows):
        axis.add_patch(Rectangle((-1.7, y), 0.9, 0.9, facecolor=BLUE))
        axis.text(-1.25, y + 0.45, f"a{y}", ha="center", va="center", fontsize=8, color=GROUND)
        for x in range(cols):
            axis.add_patch(Rectangle((x, y), 0.9, 0.9, facecolor=ORANGE if (y, x) == one else IDLE))
    for x in range(cols):
        axis.add_patch(Rectangle((x, -1.7), 0.9, 0.9, facecolor=GREEN))
        axis.text(x + 0.45, -1.25, f"b{x}", ha="center", va="center", fontsize=8, color=GROUND)
    y, x = one
    says_one = f"sum[{y}][{x}] += a{y} · b{x}"
    axis.annotate(says_one, (x + 0.9, y + 0.45), (cols + 0.8, y + 0.45), va="center", fontsize=10,
                  arrowprops={"arrowstyle": "->", "color": INK})  # fmt: skip
    axis.set_xlim(-2.2 - 0.6 * cols, 1.6 * cols + 0.6)
    axis.set_ylim(rows + 0.2, -2.0)
    axis.set_aspect("equal")
    says = f"{rows} + {cols} = {rows + cols} floats are loaded, and meet in {rows * cols} multiplications"
    head(figure, "One step along k, in the registers of one thread", says)
    return figure
