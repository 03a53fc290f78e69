"""Figures of tensor cores' operands: which lane holds which element, and where the pieces of a tile's rows lie."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from grader.course.catalog import UsageError
from grader.devices.emulator.fragments import places
from grader.devices.emulator.recording import BANKS, LANES
from grader.report.figures.canvas import RED, Picture, bare, drawn, head, panel
from grader.report.plots import GROUND, INK

PIECES = 8  # of 16 bytes in a row of 128, and rows of a matrix that ldmatrix reads


@drawn
def fragments(lane: int = 5) -> Picture:
    """Which lane holds which element of mma.m16n8k16's a, b and c, by the emulator's own tables; one lane's are framed.

    Raises UsageError if there is no such lane.
    """
    if not 0 <= lane < LANES:
        raise UsageError(f"there is no lane {lane}: they are 0 to {LANES - 1}")
    figure = Picture(6.6)
    axis = bare(panel(figure))
    corners = {"a": (0, 18), "b": (18, 0), "c": (18, 18)}  # columns to the right, rows down
    for name, (x, y) in corners.items():
        held = places()[name]
        _draw(axis, held, x, y, lane)
        rows, columns = held.shape[:2]
        axis.text(x + columns / 2, y - 0.5, f"{name}, {rows} × {columns}", ha="center", fontsize=10)
    mine = {name: int((table[..., 0] == lane).sum()) for name, table in places().items()}
    axis.text(8, 5, f"framed: what lane {lane} holds\nof a {mine['a']} numbers in 4 registers,\nof b {mine['b']} in 2,"
              f"\nof c {mine['c']} floats in 4", ha="center", va="center", fontsize=10)  # fmt: skip
    axis.set_xlim(-0.2, 26.2)
    axis.set_ylim(34.3, -1.5)
    head(figure, "mma.m16n8k16: who holds what", "the number in each element is its lane, and the colour, too")
    where = {name: _places_of(table, lane) for name, table in places().items()}
    figure.says = f"lane {lane} holds " + "; ".join(f"of {name} {said}" for name, said in where.items())
    return figure


@drawn
def fragments_alike(lane: int = 5) -> Picture:
    """Two fragments of c side by side, and one of a: whether the same lanes hold them, element by element.

    Raises UsageError if there is no such lane.
    """
    if not 0 <= lane < LANES:
        raise UsageError(f"there is no lane {lane}: they are 0 to {LANES - 1}")
    c, a = places()["c"], places()["a"]
    two = np.concatenate([c, c], axis=1)
    figure = Picture(3.9)
    axis = bare(panel(figure))
    for x, name, held in ((0, "two fragments of c: scores with 16 keys", two), (18, "one of a: their weights", a)):
        _draw(axis, held, x, 0, lane)
        axis.text(x + 8, -0.5, name, ha="center", fontsize=10)
    axis.plot([8, 8], [0, 16], color=INK, linewidth=1.5)
    axis.set_xlim(-0.2, 34.2)
    axis.set_ylim(16.3, -1.5)
    same = int((two[..., 0] == a[..., 0]).sum())
    head(figure, "Scores become weights where they are", f"{same} of {a[..., 0].size} elements have the same lane")
    return figure


@drawn
def swizzle() -> Picture:
    """Eight rows of 128 bytes in shared memory, as they are and swizzled: which banks piece p of each row is in.

    Piece p of row r lies at place p ^ r % 8.
    """
    figure = Picture(3.5)
    said = []
    for number, (name, key) in enumerate((("piece p at place p", 0), ("piece p at place p ^ r % 8", 1)), start=1):
        axis = panel(figure, 1, 2, number)
        rows, at = np.mgrid[:PIECES, :PIECES]
        pieces = at ^ (key * rows)
        banks = {4 * int(place) for place in at[pieces == 0]}
        for row, place, piece in zip(rows.flat, at.flat, pieces.flat, strict=True):
            _field(axis, int(place), int(row), int(piece), PIECES, framed=piece == 0)
        axis.set_xlim(-0.1, PIECES + 0.1)
        axis.set_ylim(PIECES + 0.1, -0.1)
        axis.set_xticks(np.arange(PIECES) + 0.5, [f"{4 * place}" for place in range(PIECES)])
        axis.set_yticks(np.arange(PIECES) + 0.5, [str(row) for row in range(PIECES)])
        axis.tick_params(length=0)
        axis.spines[:].set_visible(False)
        axis.set_xlabel(f"first of the four banks, of {BANKS}")
        axis.set_title(f"{name}: {len(banks) * 4} banks", fontsize=10)
        said.append(f"{name}: a matrix is in {len(banks) * 4} banks")
    figure.axes[0].set_ylabel("row r")
    head(figure, "Eight rows of a tile; a number is a piece of 8 elements, 16 bytes",
         "framed is piece 0 of each row: a matrix of 8 × 8 that ldmatrix reads")  # fmt: skip
    figure.says = "; ".join(said)
    return figure


def _draw(axis: Axes, held: np.ndarray, x: int, y: int, lane: int) -> None:
    for (row, column), owner in np.ndenumerate(held[..., 0]):
        _field(axis, x + column, y + row, int(owner), LANES, framed=owner == lane)


def _field(axis: Axes, x: int, y: int, number: int, most: int, *, framed: bool) -> None:
    """A number in a square of its colour, dark for 0 and light for the last."""
    colour = matplotlib.colormaps["viridis"](0.05 + 0.9 * number / (most - 1))
    axis.add_patch(Rectangle((x + 0.04, y + 0.04), 0.92, 0.92, facecolor=colour, edgecolor=RED if framed else "none",
                             linewidth=2))  # fmt: skip
    axis.text(x + 0.5, y + 0.52, str(number), ha="center", va="center", fontsize=7.5,
              color=GROUND if number < 0.55 * most else INK)  # fmt: skip


def _places_of(held: np.ndarray, lane: int) -> str:
    """`(1, 2) (1, 3)`: row and column, in the order of the lane's registers."""
    mine = np.argwhere(held[..., 0] == lane)
    ordered = sorted(mine.tolist(), key=lambda at: int(held[at[0], at[1], 1]))
    return " ".join(f"({row}, {column})" for row, column in ordered)
