"""Figures about a machine: its parts, how long its memories take to answer, and how long something takes on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter

from grader.course.catalog import UsageError
from grader.report.bench import bytes_text
from grader.report.figures.canvas import BLUE, IDLE, ORANGE, SKY, Picture, bare, counted, drawn, head, panel, with_grid
from grader.report.plots import INK


@drawn
def chip(measured: Mapping[str, Any]) -> Picture:
    """A GPU and what is in it, each memory with its size and the nanoseconds of a load that it answers.

    `measured` is what devices.cuda.hierarchy measures; the L2 cache's time is that of a chain of half its size at most.
    """
    l2 = max(time for size, time in measured["global_ns"].items() if int(size) <= measured["l2_bytes"] // 2)
    near, far = measured["shared_ns"], list(measured["global_ns"].values())[-1]
    count, size = measured["multiprocessors"], {key: bytes_text(measured[f"{key}_bytes"]) for key in
                                                ("registers", "shared", "l2", "memory")}  # fmt: skip
    figure = Picture(4.3)
    axis = bare(panel(figure))
    for left in (0.2, 4.9):
        _box(axis, left, 4.0, 4.5, 3.9, "multiprocessor", IDLE)
        _box(axis, left + 0.2, 6.1, 4.1, 0.8, "4 schedulers, each for its own warps", "white")
        _box(axis, left + 0.2, 5.15, 4.1, 0.8, f"registers: {size['registers']}, at once", "white")
        _box(axis, left + 0.2, 4.2, 4.1, 0.8, f"shared memory, L1: {size['shared']}, {near:.0f} ns", SKY)
    axis.text(9.75, 6.0, f"…\n{count}\nin all", ha="center", va="center", fontsize=10)
    _box(axis, 0.2, 2.75, 10.0, 0.85, f"L2 cache, for all of them: {size['l2']}, {l2:.0f} ns", SKY)
    _box(axis, 0.2, 1.4, 10.0, 0.95, f"device memory: {size['memory']}, {far:.0f} ns", ORANGE)
    _box(axis, 0.2, 0.1, 10.0, 0.85, "host: the CPU and its memory, at the other end of a cable", "white")
    axis.set_xlim(0, 10.4)
    axis.set_ylim(0, 8)
    says = f"{count} multiprocessors; a load takes {near:.0f} ns from shared memory, {l2:.0f} ns from L2, "
    head(figure, f"The parts of a GPU: {measured['device']}", f"{says}{far:.0f} ns from device memory")
    return figure


def _box(axis: Axes, left: float, bottom: float, width: float, height: float, text: str, colour: str) -> None:
    axis.add_patch(Rectangle((left, bottom), width, height, facecolor=colour, edgecolor=INK, linewidth=0.8))
    middle = bottom + (height / 2 if height < 1 else height - 0.42)
    axis.text(left + width / 2, middle, text, ha="center", va="center", fontsize=9)


@drawn
def hiding(warps: Sequence[int], wait: int = 7, cycles: int = 32) -> Picture:
    """One scheduler with so many warps, a panel for each number: a warp issues for one cycle, then waits for `wait`.

    Raises UsageError without a warp or a cycle.
    """
    if not warps or min(*warps, wait, cycles) < 1:
        raise UsageError("hiding needs warps, a wait and cycles, each at least 1")
    figure = Picture(0.9 + 0.42 * len(warps) + 0.17 * sum(warps))
    said = []
    grid = figure.add_gridspec(len(warps), 1, height_ratios=[each + 1 for each in warps])
    for row, count in enumerate(warps):
        axis = bare(figure.add_subplot(grid[row]))
        issued = _issued(count, wait, cycles)
        for cycle, warp in issued.items():
            axis.add_patch(Rectangle((cycle, warp), 1, 0.84, facecolor=BLUE))
            axis.add_patch(Rectangle((cycle + 1, warp + 0.34), min(wait, cycles - cycle - 1), 0.16, facecolor=IDLE))
        axis.set_xlim(0, cycles)
        axis.set_ylim(count, 0)
        axis.set_ylabel(counted(count, "warp"), rotation=0, ha="right", va="center", fontsize=9)
        said.append(f"{counted(count, 'warp')}: {len(issued)} of {cycles} cycles")
    axis.set_xlabel("time: each blue cell is a cycle in which a warp issues, a grey line its wait for memory")
    head(figure, f"A load takes {wait} cycles: how often does a scheduler issue?", "; ".join(said))
    return figure


def _issued(warps: int, wait: int, cycles: int) -> dict[int, int]:
    """By cycle, the warp that issues; the one that has waited longest comes first."""
    ready = [0] * warps
    found = {}
    for cycle in range(cycles):
        warp = min(range(warps), key=ready.__getitem__)
        if ready[warp] <= cycle:
            found[cycle] = warp
            ready[warp] = cycle + 1 + wait
    return found


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
def times(title: str, seconds: Mapping[str, float], *, just_taken: bool = False) -> Picture:
    """A bar for each name. The text form of times that were just taken has none in it: they differ from run to run."""
    figure = Picture(1.25 + 0.34 * len(seconds))
    axis = with_grid(panel(figure), "x")
    longest = max(seconds.values())
    unit, scale = ("s", 1) if longest >= 1 else ("ms", 1e3) if longest >= 1e-3 else ("µs", 1e6)
    bars = axis.barh(list(seconds), [scale * value for value in seconds.values()], color=BLUE, height=0.66)
    labels = [f"{scale * value:.3g} {unit}" for value in seconds.values()]
    axis.bar_label(bars, labels, padding=4, fontsize=10)
    axis.invert_yaxis()
    axis.set_xlim(0, 1.15 * scale * longest)
    axis.set_xlabel({"s": "seconds", "ms": "milliseconds", "µs": "microseconds"}[unit])
    head(figure, title, "shorter is better")
    if not just_taken:
        figure.says = f"{title}: " + ", ".join(f"{name} {label}" for name, label in zip(seconds, labels, strict=True))
    return figure
