"""Figures about a machine: how long its memories take to answer, and how long something takes on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.ticker import FuncFormatter

from grader.report.bench import bytes_text
from grader.report.figures.canvas import BLUE, ORANGE, Picture, drawn, head, panel, with_grid
from grader.report.plots import INK


@drawn
def latency(measured: Mapping[str, Any]) -> Picture:
    """Nanoseconds from a load to its value over the bytes walked through, as devices.cuda.hierarchy measures it."""
    figure = Picture(3.6)
    axis = with_grid(panel(figure))
    sizes = [int(size) for size in measured["global_ns"]]
    axis.plot(sizes, list(measured["global_ns"].values()), "o-", color=BLUE, markersize=5, label="global memory")
    axis.plot([32 << 10], [measured["shared_ns"]], "D", color=ORANGE, markersize=7, label="shared memory")
    axis.axvline(measured["l2_bytes"], color=INK, linestyle="--", linewidth=1)
    axis.annotate("L2 cache", (measured["l2_bytes"], 0), xytext=(-4, 6), textcoords="offset points", ha="right")
    axis.set_xscale("log", base=2)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda size, _: bytes_text(round(size))))
    axis.set_ylim(bottom=0)
    axis.set_xlabel("bytes that the chain of loads walks through")
    axis.set_ylabel("nanoseconds a load")
    axis.legend(frameon=False, loc="upper left")
    near, far = (measured["global_ns"][str(size)] for size in (sizes[0], sizes[-1]))
    says = f"{near:.0f} ns from the nearest cache, {far:.0f} ns from device memory"
    head(figure, f"How long one load takes: {measured['device']}", says)
    return figure


@drawn
def times(title: str, seconds: Mapping[str, float]) -> Picture:
    """A bar for each name. The picture's text form has no times in it: they may be those of this very run."""
    figure = Picture(1.25 + 0.34 * len(seconds))
    axis = with_grid(panel(figure), "x")
    longest = max(seconds.values())
    unit, scale = ("s", 1) if longest >= 1 else ("ms", 1e3) if longest >= 1e-3 else ("µs", 1e6)
    bars = axis.barh(list(seconds), [scale * value for value in seconds.values()], color=BLUE, height=0.66)
    axis.bar_label(bars, [f"{scale * value:.3g} {unit}" for value in seconds.values()], padding=4, fontsize=10)
    axis.invert_yaxis()
    axis.set_xlim(0, 1.15 * scale * longest)
    axis.set_xlabel({"s": "seconds", "ms": "milliseconds", "µs": "microseconds"}[unit])
    head(figure, title, "shorter is better")
    return figure
