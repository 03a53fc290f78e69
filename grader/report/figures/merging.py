"""Figures of values that are merged: a butterfly of shuffles, the pairs of many blocks, the error of each element."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.course.catalog import UsageError
from grader.report.figures.canvas import BLUE, ORANGE, RED, SKY, Picture, bare, drawn, head, panel, with_grid
from grader.report.plots import GROUND, INK


@drawn
def butterfly(values: Sequence[int]) -> Picture:
    """A maximum by shuffles: what each lane holds after every step, its own value and that of lane ^ d made one.

    Raises UsageError if the number of lanes is no power of two.
    """
    lanes = len(values)
    if lanes < 2 or lanes & (lanes - 1):
        raise UsageError(f"{lanes} lanes: a butterfly needs a power of two, at least 2")
    rows = [list(values)]
    while (d := lanes >> len(rows)) > 0:
        rows.append([max(rows[-1][lane], rows[-1][lane ^ d]) for lane in range(lanes)])
    figure = Picture(0.9 + 0.8 * len(rows))
    axis = bare(panel(figure))
    for level, held in enumerate(rows):
        d = lanes >> level
        for lane, value in enumerate(held):
            if level:
                for source, colour in ((lane, BLUE), (lane ^ d, RED)):
                    axis.plot([source, lane], [0.8 - level, 0.2 - level], color=colour, linewidth=1)
            done = value == max(values)
            frame = {"boxstyle": "round", "facecolor": "#ffe3cc" if done else "#eaf3fa", "edgecolor": INK}
            axis.text(lane, -level, str(value), ha="center", va="center", bbox=frame)
        axis.text(-0.7, -level, f"d = {d}" if level else "its own", ha="right", va="center", fontsize=9)
    for lane in range(lanes):
        axis.text(lane, 0.45, f"lane {lane}", ha="center", fontsize=9)
    axis.set_xlim(-1.8, lanes - 0.4)
    axis.set_ylim(0.4 - len(rows), 0.7)
    says = f"after {len(rows) - 1} steps all {lanes} lanes hold {max(values)}"
    head(figure, "Its own value (blue), and that of lane ^ d (red)", says)
    figure.says = f"a maximum by shuffles: {says}"
    return figure


@drawn
def pairs(maxima: Sequence[float], sums: Sequence[float]) -> Picture:
    """The (maximum, sum) pairs of the parts of a row, and what each sum adds to that of the row: s · exp(m - M).

    Raises UsageError if there are not as many maxima as sums.
    """
    if not maxima or len(maxima) != len(sums):
        raise UsageError(f"{len(maxima)} maxima and {len(sums)} sums are no pairs")
    parts, adds = range(len(maxima)), np.asarray(sums) * np.exp(np.asarray(maxima) - max(maxima))
    figure = Picture(4.8)
    above, below = (with_grid(panel(figure, 2, 1, number), "y") for number in (1, 2))
    above.bar(parts, sums, color=SKY, label="its sum, beside its own maximum")
    above.set_ylabel("sum")
    above.set_ylim(0, 1.15 * max(sums))
    other = above.twinx()
    other.plot(parts, maxima, "o-", color=RED, markersize=4, label="its maximum (right)")
    other.set_ylabel("maximum")
    other.set_ylim(0, 1.3 * max(maxima))
    handles = [handle for axis in (above, other) for handle in axis.get_legend_handles_labels()[0]]
    names = [name for axis in (above, other) for name in axis.get_legend_handles_labels()[1]]
    figure.legend(handles, names, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    below.bar(parts, adds, color=BLUE)
    below.set_ylabel("s · exp(m - M)")
    below.set_xlabel("part of the row: above its pair, below what it adds to the row's sum")
    most = int(np.argmax(adds))
    largest = int(np.argmax(sums))
    says = (
        f"the largest sum is that of part {largest}, and it adds {adds[largest] / adds.sum():.0%}; "
        f"part {most} adds {adds[most] / adds.sum():.0%}"
    )
    head(figure, f"The pairs of {len(maxima)} parts of a row", says)
    return figure


@drawn
def errors(distances: Sequence[float], found: Sequence[float], allowed: Sequence[float]) -> Picture:
    """The relative error of each share over its distance from the row's maximum, in units of 2^-24, and what it may be.

    Raises UsageError if these are not equally many.
    """
    if not len(distances) == len(found) == len(allowed) > 0:
        raise UsageError(f"{len(distances)} distances need as many errors and bounds")
    order = np.argsort(distances)
    figure = Picture(3.9)
    axis = with_grid(panel(figure))
    axis.plot(distances, found, ".", color=BLUE, markersize=3, label="error of each share")
    axis.plot(np.asarray(distances)[order], np.asarray(allowed)[order], color=RED, linewidth=1.5, label="1 + |x - m|")
    for power in range(3, 7):
        axis.axvline(2**power, color=ORANGE, linestyle=":", linewidth=1.2)
        axis.annotate(f"{2**power}", (2**power, 1), xycoords=("data", "axes fraction"), xytext=(3, -10),
                      textcoords="offset points", fontsize=9, backgroundcolor=GROUND)  # fmt: skip
    axis.set_xlabel("distance from the row's maximum, m - x")
    axis.set_ylabel("relative error, units of 2⁻²⁴")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    share = float(np.mean(np.asarray(found) <= np.asarray(allowed)))
    head(figure, "A smaller share is less exact", f"{share:.0%} of the errors are within 1 + |x - m|")
    return figure
