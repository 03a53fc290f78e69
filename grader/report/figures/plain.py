"""Figures of numbers that a notebook has worked out: curves, bars in pairs, and threads beside their elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.patches import Rectangle

from grader.course.catalog import UsageError
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
    drawn,
    head,
    panel,
    with_grid,
)
from grader.report.plots import INK

COLOURS = (BLUE, RED, GREEN, ORANGE, SKY, PURPLE)
MARKERS = "osD^vP"


@drawn
def curves(
    title: str,
    x: Sequence[float],
    ys: Mapping[str, Sequence[float]],
    across: str,
    up: str,
    *,
    log: bool = False,
    levels: Mapping[str, float] | None = None,
    places: Mapping[str, float] | None = None,
) -> Picture:
    """Each of `ys` over `x`, with its points; `log` for both axes. `levels` are dashed lines across, `places` upright.

    Raises UsageError if a curve has not as many values as x.
    """
    if not ys or any(len(values) != len(x) for values in ys.values()):
        raise UsageError(f"every curve needs a value for each of the {len(x)} places of x")
    figure = Picture(3.9)
    axis = with_grid(panel(figure))
    for (name, values), colour, marker in zip(ys.items(), COLOURS, MARKERS, strict=False):
        axis.plot(x, values, marker=marker, color=colour, linewidth=1.5, markersize=5, label=name)
    for name, level in (levels or {}).items():
        axis.axhline(level, color=INK, linestyle="--", linewidth=1, label=name)
    for number, (name, place) in enumerate((places or {}).items()):
        axis.axvline(place, color=INK, linestyle=":", linewidth=1.2, label=name if number == 0 else f"{name} ")
    if log:
        axis.set_xscale("log")
        axis.set_yscale("log")
    axis.set_xlabel(across)
    axis.set_ylabel(up)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    ends = ", ".join(f"{name} {values[0]:.2g} to {values[-1]:.2g}" for name, values in ys.items())
    head(figure, title, f"{across} {x[0]:g} to {x[-1]:g}")
    figure.says = f"{title}, {across} {x[0]:g} to {x[-1]:g}: {ends}"
    return figure


@drawn
def threads(owners: Sequence[tuple[int, int]], blocks: int, size: int) -> Picture:
    """Which thread of which block has written each element: (block, thread) by element, of `blocks` blocks of `size`.

    Threads beyond the last element are grey. Raises UsageError if there are more elements than threads.
    """
    if len(owners) > blocks * size:
        raise UsageError(f"{blocks} blocks of {size} threads cannot have written {len(owners)} elements")
    figure = Picture(1.9)
    axis = bare(panel(figure))
    for i in range(blocks * size):
        block, thread = owners[i] if i < len(owners) else divmod(i, size)
        colour = (SKY, ORANGE, GREEN)[block % 3] if i < len(owners) else IDLE
        axis.add_patch(Rectangle((i, 0), 0.94, 0.94, color=colour))
        axis.text(i + 0.47, 0.47, f"{thread}", ha="center", va="center", fontsize=9)
        axis.text(i + 0.47, -0.4, f"{i}", ha="center", va="center", fontsize=8, color=INK if i < len(owners) else RED)
    for block in range(blocks):
        axis.text(size * (block + 0.5), 1.25, f"block {block}", ha="center", fontsize=9)
    for text, height in (("thread", 0.47), ("i", -0.4)):
        axis.text(-0.3, height, text, ha="right", va="center", fontsize=9)
    axis.set_xlim(-2.6, blocks * size + 0.2)
    axis.set_ylim(-0.7, 1.7)
    spare = blocks * size - len(owners)
    head(figure, f"{len(owners)} elements, blocks of {size} threads", f"the last {spare} threads have no element")
    return figure


@drawn
def rounds(groups: Mapping[str, np.ndarray]) -> Picture:
    """How long the warps of each group are busy, and a lane on average: `groups[name][warp, lane]` is a lane's rounds.

    64 of the warps are shown.
    """
    figure = Picture(3.7)
    said = []
    for number, (name, each) in enumerate(groups.items(), start=1):
        axis = with_grid(panel(figure, 1, len(groups), number), "y")
        sample = each[:: max(len(each) // 64, 1)][:64]
        axis.bar(range(len(sample)), sample.max(axis=1), width=1, color=ORANGE, label="the warp is busy")
        axis.bar(range(len(sample)), sample.mean(axis=1), width=1, color=BLUE, label="a lane works, on average")
        share = f"{each.mean() / each.max(axis=1).mean():.0%} of the lanes at work"
        axis.set_title(f"{name}\n{share}", fontsize=10)
        axis.set_xlabel("warp")
        said.append(f"{name} {share}")
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    figure.axes[0].set_ylabel("rounds of the loop")
    head(figure, "A warp goes on until its slowest lane is done", "64 of the warps")
    figure.says = f"rounds of the loop: {', '.join(said)}"
    return figure


@drawn
def roofs(
    title: str,
    machines: Mapping[str, tuple[float, float]],
    points: Mapping[str, tuple[float, float]],
    across: str,
    up: str,
) -> Picture:
    """Points (x, y) below the roofs of machines, each (y at x = 1 on the slope, y on the flat roof).

    Raises UsageError if there is no machine or no point.
    """
    if not machines or not points:
        raise UsageError("a roofline needs a machine and a point")
    figure = Picture(4.3)
    axis = with_grid(panel(figure))
    corners = [flat / slope for slope, flat in machines.values()]
    low, high = min(*corners, *(x for x, _ in points.values())) / 2, max(*corners, *(x for x, _ in points.values())) * 2
    for (name, (slope, flat)), dash in zip(machines.items(), ("-", "--", "-."), strict=False):
        axis.plot([low, flat / slope, high], [low * slope, flat, flat], dash, color=INK, linewidth=1.5, label=name)
    for (name, (x, y)), colour, marker in zip(points.items(), COLOURS, MARKERS, strict=False):
        axis.plot([x], [y], marker, color=colour, markersize=9, markeredgecolor=INK, markeredgewidth=0.6, label=name)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel(across)
    axis.set_ylabel(up)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    head(figure, title, "under the slope memory decides, under the flat roof the other unit")
    figure.says = f"{title}: " + ", ".join(f"{name} {x:.2g} {across}" for name, (x, _) in points.items())
    return figure
