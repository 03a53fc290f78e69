"""Figures of counts and times: the rungs' counters, the roofline, and the committed measurements over size."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

from grader.course import catalog
from grader.course.catalog import Entry, UsageError
from grader.course.lesson import Task
from grader.course.prototype import evaluate_shape
from grader.devices.emulator.recording import SECTOR
from grader.judge.targets import METRICS
from grader.report import plots
from grader.report.bench import CARD, deciding_case, rate_text
from grader.report.figures.canvas import BLUE, Picture, drawn, head, panel, with_grid
from grader.report.plots import GROUND, INK

Table = Mapping[str, Mapping[str, float | None]]  # by rung, then by metric: what grader.faces.notebook.rungs gives
TRAFFIC = ("global_load_sectors", "global_store_sectors")


@drawn
def counters(table: Table, metric: str) -> Picture:
    """A bar for each rung, of one metric of a table as `grader.faces.notebook.rungs` gives it."""
    known = METRICS.get(metric)
    scale, unit = (100, " %") if known and known.unit == "%" else (1, "×" if known and known.unit == "x" else "")
    names = list(table)
    values = [table[name][metric] for name in names]
    figure = Picture(1.15 + 0.34 * len(names))
    axis = with_grid(panel(figure), "x")
    bars = axis.barh(range(len(names)), [scale * (value or 0) for value in values], color=BLUE, height=0.66)
    labels = ["–" if value is None else number_text(scale * value) + unit for value in values]
    axis.bar_label(bars, labels, padding=4, fontsize=10)
    axis.set_yticks(range(len(names)), names)
    axis.invert_yaxis()
    axis.margins(x=0.16)
    axis.set_xlim(left=0)
    axis.tick_params(axis="y", length=0)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number_text(value) + unit))
    title = known.title if known else metric.replace("_", " ")
    head(figure, title, known.meaning if known else "counted by the emulator")
    figure.says = f"{title}: " + ", ".join(f"{name} {label}" for name, label in zip(names, labels, strict=True))
    return figure


def number_text(value: float) -> str:
    """`1,048,576`, `31.5`, `0.25`."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


@drawn
def roofline(lesson: str | Entry, counted: Table, task: str | None = None) -> Picture:
    """The rungs on the roofline: operations a byte as counted on the emulator, rate as measured on the H200.

    `counted` is `grader.faces.notebook.rungs(lesson, figures.TRAFFIC)`: the sectors that loads and stores move between
    the multiprocessors and their caches. What the caches catch never reaches memory, so a rung may lie above the slope.
    The dashed line is where each byte moves once. A task that counts no arithmetic shows its special functions (exp,
    sin and their kin). Raises UsageError for a task that counts neither.
    """
    entry, asked = _task(lesson, task)
    work, ceiling = ("flops", "fp32") if asked.flops else ("specials", "special")
    if not getattr(asked, work):
        raise UsageError(f"task {asked.name} counts no operations: it has no place on a roofline")
    _, case = _committed(entry, asked)
    (emulated,) = evaluate_shape(getattr(asked, work), asked.judged_cases[-1].sizes)
    points = {
        result["name"]: (emulated / _bytes(counted[result["name"]]), 1e6 * case[work] / result["median_us"])
        for result in case["results"]
        if result["kind"] == "rung" and result["median_us"] and result["name"] in counted
    }
    once = case[work] / case["bytes"]
    figure = Picture(4.6)
    axis = with_grid(panel(figure))
    _roof(axis, case["ceilings"], ceiling, [once, *(x for x, _ in points.values())], [y for _, y in points.values()])
    axis.axvline(once, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    below = max(y for _, y in points.values()) < case["ceilings"][ceiling]["rate"] / 10  # the free room is above
    axis.annotate("each byte once", (once, 0.97 if below else 0.02), xycoords=("data", "axes fraction"),
                  xytext=(-4, 0), textcoords="offset points", rotation=90, ha="right", va="top" if below else "bottom",
                  fontsize=9)  # fmt: skip
    colours = matplotlib.colormaps["viridis_r"]
    for number, (name, (x, y)) in enumerate(points.items()):
        colour = colours(0.18 + 0.8 * number / max(len(points) - 1, 1))
        axis.plot([x], [y], plots.MARKERS[number % len(plots.MARKERS)], color=colour, markersize=9,
                  markeredgecolor=INK, markeredgewidth=0.6, label=name)  # fmt: skip
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    what = "operations" if work == "flops" else "special functions"
    axis.set_xlabel(f"{what} for each byte that loads and stores move")
    title = f"{entry.name}: {asked.name}"
    says = f"counted on the emulator at {asked.judged_cases[-1].name}, timed on an H200 at {case['name']}"
    head(figure, title, says)
    figure.says = f"roofline of {asked.name}, {what} a byte: " + ", ".join(
        f"{name} {x:.3g}" for name, (x, _) in points.items()
    )
    return figure


def _roof(axis: Axes, ceilings: Mapping[str, Any], flat_name: str, xs: Sequence[float], ys: Sequence[float]) -> None:
    """The slope of the memory's rate and the flat part of the arithmetic's, around these points."""
    copy, flat, unit = ceilings["copy"]["rate"], ceilings[flat_name]["rate"], ceilings[flat_name]["unit"]
    ridge = flat / copy
    low, high = min(*xs, ridge) / 4, max(*xs, ridge) * 4
    axis.plot([low, ridge, high], [low * copy, flat, flat], color=INK, linewidth=1.6)
    axis.annotate(f"{flat_name} {rate_text(flat, unit)}", (high, flat), xytext=(0, 4), textcoords="offset points",
                  ha="right", fontsize=9, bbox={"facecolor": GROUND, "edgecolor": "none", "pad": 1})  # fmt: skip
    axis.annotate(f"memory {rate_text(copy, 'B/s')}", (ridge, flat), xytext=(-10, 4), textcoords="offset points",
                  ha="right", fontsize=9)  # fmt: skip
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlim(low, high)
    axis.set_ylim(min(*ys, low * copy) / 1.5, 2.5 * flat)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda rate, _: plots.short_number(rate_text(rate, unit))))
    axis.yaxis.set_minor_formatter(NullFormatter())


def _bytes(row: Mapping[str, float | None]) -> float:
    return SECTOR * sum(row[name] or 0 for name in TRAFFIC)


# ---- over size ----


@drawn
def memory(lesson: str | Entry = "08", task: str | None = None) -> Picture:
    """The memory that each contender needs, buffers included, over the problem's size, as committed for the H200."""
    entry, asked = _task(lesson, task)
    found, _ = _committed(entry, asked)
    cases = plots.in_order(_sweep(found))
    lines = plots.lines_of(cases)
    figure = Picture(4.4)
    axis = with_grid(panel(figure))
    plots.memory(axis, cases, lines)
    handles, names = axis.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    head(figure, f"{entry.name}: {asked.name}", "measured on an H200; committed, not measured here")
    figure.says = f"{asked.name} on an H200, {plots.in_words(cases)}"
    return figure


@dataclass(frozen=True)
class Committed:
    """A picture that was drawn when it was measured, and what is in it."""

    file: Path
    says: str

    def __repr__(self) -> str:
        return self.says

    def _repr_png_(self) -> bytes:
        return self.file.read_bytes()


def committed(lesson: str | Entry, task: str | None = None) -> Committed:
    """The committed picture of the H200's measurements of a task, over all sizes."""
    entry, asked = _task(lesson, task)
    found, _ = _committed(entry, asked)
    cases = plots.in_order([case for case in found["cases"] if case["results"]])
    file = entry.root / "benchmarks" / "results" / CARD / f"{entry.name}.{asked.name}.png"
    return Committed(file, f"{asked.name} on an H200, {plots.in_words(cases)}")


def _sweep(task: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Of the measured cases, the most that differ in n alone; all of them where no two do."""
    cases = [case for case in task["cases"] if case["results"]]
    families = defaultdict(list)
    for case in cases:
        families[tuple((name, size) for name, size in case["sizes"].items() if name != "n")].append(case)
    largest = max(families.values(), key=len)
    return largest if len(largest) > 1 else cases


def _task(lesson: str | Entry, task: str | None) -> tuple[Entry, Task]:
    entry = lesson if isinstance(lesson, Entry) else catalog.find(lesson)
    return entry, entry.lesson.task(task) if task else entry.lesson.tasks[0]


def _committed(entry: Entry, task: Task) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """What was measured for a task, and its deciding case. Raises UsageError if nothing was."""
    file = Path(entry.root) / "benchmarks" / "results" / CARD / f"{entry.name}.json"
    tasks = json.loads(file.read_text())["tasks"] if file.exists() else []
    found = next((each for each in tasks if each["name"] == task.name), None)
    case = deciding_case(found) if found else None
    if found is None or case is None:
        raise UsageError(f"nothing is measured of {task.name} in {file.name}: type `ladder bench {entry.number:02d}`")
    return found, case
