"""Figures of attention: the weights of each query, and the walk of a block along its row of tiles."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from grader.course.catalog import UsageError
from grader.report.figures.canvas import BLUE, IDLE, RED, SKY, Picture, bare, drawn, head, panel
from grader.report.plots import INK


@drawn
def weights(matrices: Mapping[str, np.ndarray]) -> Picture:
    """The weights of attention, a panel for each matrix (queries, keys), by its name; one scale for all of them.

    Raises UsageError if there is none.
    """
    if not matrices:
        raise UsageError("there are no weights to draw")
    figure = Picture(4.0)
    most = float(np.quantile(np.concatenate([matrix.ravel() for matrix in matrices.values()]), 0.99))
    axes = []
    for number, (name, matrix) in enumerate(matrices.items(), start=1):
        axis = panel(figure, 1, len(matrices), number)
        image = axis.imshow(matrix, cmap="cividis", vmin=0, vmax=most, interpolation="none")
        axis.set_title(name, fontsize=10)
        axis.set_xlabel("key j")
        axes.append(axis)
    axes[0].set_ylabel("query i")
    figure.colorbar(image, ax=axes, label="weight", shrink=0.85, extend="max")
    queries, keys = next(iter(matrices.values())).shape
    largest = ", ".join(f"{name} {matrix.max():.2f}" for name, matrix in matrices.items())
    head(figure, f"The weights of {queries} queries for {keys} keys", f"the largest: {largest}")
    return figure


@drawn
def walk(scores: np.ndarray, rows: int, cols: int, query: int, *, causal: bool = False) -> Picture:
    """Scores (queries, keys) in tiles of rows × cols: which the block of `query` visits, what it keeps after each.

    That is the maximum m of its scores so far, and the sum l of exp(score - m).

    Raises UsageError if there is no such query.
    """
    queries, keys = scores.shape
    if not 0 <= query < queries:
        raise UsageError(f"there is no query {query}: they are 0 to {queries - 1}")
    first = query // rows * rows
    last = min(first + rows, keys) if causal else keys  # keys behind it count for no query of the block
    visible = np.tri(queries, keys, dtype=bool) if causal else np.ones_like(scores, dtype=bool)
    kept = _kept(np.where(visible, scores, -np.inf)[query], cols, last)
    figure = Picture(5.9)
    axis, below = panel(figure, 4, 1, (1, 3)), bare(panel(figure, 4, 1, 4))
    _draw_scores(axis, np.where(visible, scores, np.nan), rows, cols)
    axis.add_patch(Rectangle((0, first), last, min(rows, queries - first), fill=False, edgecolor=RED, linewidth=2.5))
    axis.annotate("", (last, query + 0.5), (0, query + 0.5), arrowprops={"arrowstyle": "->", "color": RED, "lw": 1.8})
    for number, (most, total) in enumerate(kept):
        below.add_patch(Rectangle((number * cols + 0.4, 0.1), cols - 0.8, 0.8, facecolor=SKY, edgecolor=INK, alpha=0.5))
        text = f"m {most:.2f}\nl {total:.2f}"
        below.text((number + 0.5) * cols, 0.5, text, ha="center", va="center", fontsize=9)
    below.text(-0.5, 0.5, f"query {query}\nkeeps", ha="right", va="center", fontsize=9)
    for each in (axis, below):
        each.set_xlim(-0.13 * keys, keys)
    below.set_ylim(0, 1)
    tiles = -(-keys // cols)
    head(figure, f"{queries} queries × {keys} keys, in tiles of {rows} × {cols}",
         f"a block walks along its {rows} queries (red) and visits {len(kept)} of {tiles} tiles")  # fmt: skip
    ways = ", ".join(f"({most:.2f}, {total:.2f})" for most, total in kept)
    figure.says = f"{len(kept)} of {tiles} tiles of {rows} × {cols}; query {query} keeps (m, l) = {ways}"
    return figure


def _kept(row: np.ndarray, cols: int, last: int) -> list[tuple[float, float]]:
    """(m, l) of a query after each tile of keys."""
    found, most, total = [], -np.inf, 0.0
    for begin in range(0, last, cols):
        tile = row[begin : min(begin + cols, last)]
        higher = max(most, float(tile.max()))
        total = total * float(np.exp(most - higher)) + float(np.exp(tile - higher).sum())
        most = higher
        found.append((most, total))
    return found


def _draw_scores(axis: Axes, scores: np.ndarray, rows: int, cols: int) -> None:
    queries, keys = scores.shape
    axis.add_patch(Rectangle((0, 0), keys, queries, facecolor=IDLE, zorder=-1))
    axis.imshow(scores, cmap="Blues", extent=(0, keys, queries, 0), aspect="auto", interpolation="none")
    for key in range(0, keys + 1, cols):
        axis.plot([key, key], [0, queries], color=BLUE, linewidth=0.8)
    for row in range(0, queries + 1, rows):
        axis.plot([0, keys], [row, row], color=BLUE, linewidth=0.8)
    axis.set_xticks(range(0, keys + 1, cols))
    axis.set_yticks(range(0, queries + 1, rows))
    axis.set_ylim(queries, 0)
    axis.set_xlabel("key j")
    axis.set_ylabel("query i")
    axis.spines[:].set_visible(False)
