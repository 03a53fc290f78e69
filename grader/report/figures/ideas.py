"""Figures of arithmetic rather than of a kernel: the merge of (maximum, sum) pairs, quantisation, Amdahl's law."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from grader.course.catalog import UsageError
from grader.report.figures.canvas import BLUE, ORANGE, RED, Picture, bare, drawn, head, panel, with_grid
from grader.report.plots import GRID, INK


@drawn
def merge(a: Sequence[float], b: Sequence[float]) -> Picture:
    """Two pieces of a row, given as numbers: their (maximum, sum) pairs, and the pair of the whole row made from them.

    A bar is exp(x - maximum). Where the pieces meet, the one with the smaller maximum is scaled by the exponential of
    the difference, which may look like nothing and is not. Raises UsageError if a piece has no finite number.
    """
    if not all(np.isfinite(max(piece, default=math.nan)) for piece in (a, b)):
        raise UsageError("each piece needs at least one finite number")
    top = max(*a, *b)
    sums = [float(np.sum(np.exp(np.subtract(piece, max(piece))))) for piece in (a, b)]
    scales = [math.exp(max(piece) - top) for piece in (a, b)]
    total = sums[0] * scales[0] + sums[1] * scales[1]
    figure = Picture(3.7)
    left, right, whole = (panel(figure, 1, 4, place) for place in (1, 2, (3, 4)))
    for axis, piece, colour, name, its in ((left, a, BLUE, "a", sums[0]), (right, b, ORANGE, "b", sums[1])):
        _bars(axis, piece, max(piece), colour)
        axis.set_title(f"piece {name}\nmax {max(piece):.3g}, sum {its:.3g}", fontsize=10)
    _bars(whole, a, top, BLUE)
    _bars(whole, b, top, ORANGE, after=len(a))
    whole.set_title(f"together\nmax {top:.3g}, sum {total:.3g}", fontsize=10)
    left.set_ylabel("exp(x - max)")
    for axis in (right, whole):
        axis.set_yticklabels([])
    says = f"{total:.3g} = {sums[0]:.3g} · {scales[0]:.3g} + {sums[1]:.3g} · {scales[1]:.3g}"
    head(figure, "Two (max, sum) pairs become one", f"each sum is scaled by exp(its max - new max): {says}")
    return figure


def _bars(axis: Axes, piece: Sequence[float], top: float, colour: str, after: int = 0) -> None:
    places = np.arange(after, after + len(piece))
    bars = axis.bar(places, np.exp(np.subtract(piece, top)), color=colour, width=0.8)
    if len(piece) <= 8:
        axis.bar_label(bars, [f"{x:.3g}" for x in piece], fontsize=8, padding=2)
    with_grid(axis, "y").set_ylim(0, 1.15)
    axis.set_xticks([])


@drawn
def quantisation(tile: int = 128, sms: int = 132, longest: int | None = None) -> Picture:
    """Tile and wave quantisation of an n × n output: the share of the work that is wanted, over n.

    Above: tiles of `tile` × `tile` at the edge are worked on in whole, n² / (tile · ceil(n / tile))². Below: a GPU of
    `sms` multiprocessors takes a tile on each at a time, a wave; the last one leaves some idle, tiles / (sms · waves).
    n runs up to `longest`, by default where about six waves are reached.
    """
    last = longest or math.ceil(tile * math.sqrt(6 * sms) / tile) * tile
    n = np.arange(1, last + 1)
    across = -(-n // tile)
    waves = -(-(across**2) // sms)
    figure = Picture(4.8)
    above, below = panel(figure, 2, 1, 1), panel(figure, 2, 1, 2)
    for axis, share, colour, title in (
        (above, (n / (across * tile)) ** 2, BLUE, f"tile quantisation: wanted share of the {tile} × {tile} tiles"),
        (below, across**2 / (waves * sms), RED, f"wave quantisation: busy share of {sms} multiprocessors"),
    ):
        with_grid(axis).plot(n, share, color=colour, linewidth=1.4)
        axis.set_ylim(0, 1.05)
        axis.set_xlim(0, last)
        axis.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.0%}"))
        axis.set_title(title, fontsize=10)
    below.set_xlabel("n, of an n × n output")
    second = int(n[np.argmax(waves > 1)])  # the first n that needs a second wave, if there is one
    if waves[second - 1] == 2:
        says = (
            f"n = {second:,}, one more than {second - 1:,}, needs {across[second - 1] ** 2} tiles: "
            f"a second wave, {across[second - 1] ** 2 / (2 * sms):.0%} of two are at work"
        )
    else:
        says = f"up to n = {last:,} one wave is enough"
    head(figure, "How much of the work is wanted", says)
    return figure


@drawn
def amdahl(p: float, s: float) -> Picture:
    """Amdahl's law: the speed-up of a whole, a share `p` (0 to 1) of which becomes `s` times as fast.

    It is 1 / (1 - p + p / s), and never reaches 1 / (1 - p): Amdahl, "Validity of the single processor approach to
    achieving large scale computing capabilities", AFIPS 1967. Raises UsageError if p or s make no sense.
    """
    if not 0 <= p <= 1 or s <= 0:
        raise UsageError("p is a share from 0 to 1, and s is above 0")
    figure = Picture(3.5)
    axis = with_grid(panel(figure))
    speeds = np.logspace(0, 3, 200)
    shares = [0.5, 0.75, 0.9, 0.99]
    for share, dash in zip(shares, ("-", "--", "-.", ":"), strict=True):
        axis.plot(speeds, 1 / (1 - share + share / speeds), dash, color=INK, linewidth=1.1)
        axis.annotate(f"p = {share:g}", (speeds[-1], 1 / (1 - share + share / speeds[-1])), xytext=(4, 0),
                      textcoords="offset points", va="center", fontsize=9)  # fmt: skip
    whole = 1 / (1 - p + p / s)
    axis.plot(speeds, 1 / (1 - p + p / speeds), color=BLUE, linewidth=1.8)
    axis.plot([s], [whole], "o", color=BLUE, markersize=8, markeredgecolor=INK)
    axis.annotate(f"p = {p:g}, {s:g}×: {whole:.3g}×", (s, whole), xytext=(0, -9), textcoords="offset points",
                  va="top", fontsize=9, color=BLUE)  # fmt: skip
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_ylim(bottom=0.7)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}×"))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}×"))
    axis.set_xlabel("how many times as fast the part becomes")
    axis.set_ylabel("the whole")
    most = f"; however fast the part, at most {1 / (1 - p):.3g} times" if p < 1 else ""
    says = f"the whole becomes 1 / (1 - {p:g} + {p:g} / {s:g}) = {whole:.3g} times as fast{most}"
    head(figure, f"Amdahl's law: a share of {p:g} becomes {s:g} times as fast", says)
    return figure


@drawn
def chain_and_tree(n: int = 8) -> Picture:
    """The same n - 1 additions of n numbers one after the other, and in pairs of neighbours. n is a power of two.

    Raises UsageError for another n.
    """
    if n < 2 or n & (n - 1):
        raise UsageError(f"a tree of pairs needs a power of two, not {n}")
    figure = Picture(4.0)
    levels = int(math.log2(n))
    tree = [
        ((at, level), (at + 2**level, level), (at, level + 1))
        for level in range(levels)
        for at in range(0, n, 2 ** (level + 1))
    ]
    for number, (name, depth) in enumerate((("a chain", n - 1), ("a tree", levels)), start=1):
        axis = bare(panel(figure, 1, 2, number))
        for place in range(n):
            axis.plot([place], [0], "s", color=BLUE, markersize=7)
        if name == "a chain":
            for i in range(1, n):
                axis.plot([i, i], [0, i], color=GRID, linewidth=1.2, zorder=0)
                axis.plot([i - 1, i], [i - 1, i], color=RED, linewidth=1.4, zorder=0)
                axis.plot([i], [i], "o", color=RED, markersize=8)
        else:
            for left, right, to in tree:
                for start in (left, right):
                    axis.plot([start[0], to[0]], [start[1], to[1]], color=RED, linewidth=1.4, zorder=0)
                axis.plot([to[0]], [to[1]], "o", color=RED, markersize=8)
        axis.set_ylim(n - 0.4, -0.6)
        axis.set_yticks(range(depth + 1), [str(step) for step in range(depth + 1)], fontsize=9)
        axis.set_title(f"{name}: {n - 1} additions, {depth} steps", fontsize=10)
    figure.axes[0].set_ylabel("step")
    head(figure, f"{n} numbers become one", "squares are numbers, circles additions; time goes down")
    figure.says = f"{n} numbers become one by {n - 1} additions: a chain takes {n - 1} steps, a tree {levels}"
    return figure
