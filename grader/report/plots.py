"""Pictures of what `ladder bench` has measured: time, rate and memory over size.

One picture for each task, as PNG and SVG, on a light ground of its own, so that it reads on a dark page, too. Rungs
share one colour scale that also runs from light to dark in grey (viridis); everything else is told apart by line and
marker as well as by colour (Okabe and Ito, "Color Universal Design", 2008).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from grader.report.bench import KERNELS, bytes_text, rate_text, size_text, time_text

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

Json = Mapping[str, Any]

GROUND, INK, GRID = "#fcfcfc", "#222222", "#d8d8d8"
OTHERS = {"baseline": ["#d55e00", "#e69f00"], "rival": ["#cc79a7", "#56b4e9"], "cpu": ["#777777", "#aaaaaa"]}
YOURS = "#000000"
DASHES = {"rung": "-", "yours": "-", "baseline": "--", "rival": "-.", "cpu": ":"}
MARKERS = "osD^vPX*"
PANEL_INCHES = (5.6, 4.4)
MOST_COLUMNS = 2  # of panels: letters can still be read at a notebook's width
DPI = 110
STYLE: dict[RcKeyType, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "kernel-ladder",  # the same numbers make the same file
}


MUCH = 0.1  # memory beside the buffers, as a share of theirs, that is worth a picture


@dataclass(frozen=True)
class Line:
    """How one contender is drawn in every panel."""

    name: str
    colour: Any
    dash: str
    marker: str
    width: float


Panel = Callable[[Axes, Sequence[Json], Sequence[Line]], None]


def layout(figure: Figure) -> ConstrainedLayoutEngine:
    """What places the panels of a figure that was made with layout="constrained"."""
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    return engine


def draw(results: Json, folder: Path) -> list[Path]:
    """Writes NN_name.task.png and .svg for every task that has anything to show; the files."""
    written = []
    with matplotlib.rc_context(STYLE):
        for task in results["tasks"]:
            cases = in_order([case for case in task["cases"] if case["results"]])
            if not cases:
                continue
            figure = _figure(results, task["name"], cases)
            for suffix in ("png", "svg"):
                file = folder / f"{results['lesson']}.{task['name']}.{suffix}"
                metadata = {"Date": None} if suffix == "svg" else {"Software": None}
                figure.savefig(file, dpi=DPI, facecolor=GROUND, metadata=metadata)
                written.append(file)
    return written


def in_order(cases: Sequence[Json]) -> list[Json]:
    """By size, so that a line between two of them means something."""
    return sorted(cases, key=lambda case: (case["flops"] or 0, case["bytes"]))


def _figure(results: Json, task: str, cases: Sequence[Json]) -> Figure:
    """The panels in a row, or in two, and one legend for all of them."""
    panels, lines = _panels(cases), lines_of(cases)
    columns = min(len(panels), MOST_COLUMNS)
    rows = math.ceil(len(panels) / columns)
    labels = math.ceil(len(lines) / (2 * columns))  # lines of the legend
    legend, title = 0.2 + 0.22 * labels, 0.5
    width, height = PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows + legend + title
    figure = Figure(figsize=(width, height), layout="constrained")
    layout(figure).set(rect=(0, legend / height, 1, 1 - (legend + title) / height), wspace=0.06, hspace=0.06)
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    for panel, axis in zip(panels, axes, strict=False):
        axis.set_facecolor(GROUND)
        axis.grid(True, color=GRID, linewidth=0.7)
        axis.set_axisbelow(True)
        panel(axis, cases, lines)
    headline = f"{results['lesson']} · {task} · {results['device']['name']}, {results['date']}"
    figure.text(0.5, 1 - 0.3 / height, headline, ha="center", va="center", fontsize=13)
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncols=math.ceil(len(names) / labels), frameon=False)
    return figure


def _panels(cases: Sequence[Json]) -> list[Panel]:
    """What there is to show: memory only if a contender needs much."""
    needs = any((each["extra_bytes"] or 0) > MUCH * case["bytes"] for case in cases for each in case["results"])
    return [times, _rates, *([memory] if needs else [])]


def lines_of(cases: Sequence[Json]) -> list[Line]:
    """Rungs from light to dark, the rest in colours of their kind."""
    kinds = {each["name"]: each["kind"] for case in cases for each in case["results"] if each["median_us"]}
    rungs = sorted((name for name, kind in kinds.items() if kind == "rung"), key=_number)
    kinds = dict.fromkeys(rungs, "rung") | kinds
    scale = matplotlib.colormaps["viridis_r"]
    drawn = []
    for number, (name, kind) in enumerate(kinds.items()):
        if kind == "rung":
            colour: Any = scale(0.18 + 0.8 * rungs.index(name) / max(len(rungs) - 1, 1))
        elif kind == "yours":
            colour = YOURS
        else:
            same = [other for other, its in kinds.items() if its == kind]
            colour = OTHERS[kind][same.index(name) % len(OTHERS[kind])]
        width = 2.0 if kind in KERNELS else 1.6
        drawn.append(Line(name, colour, DASHES[kind], MARKERS[number % len(MARKERS)], width))
    return drawn


def _number(rung: str) -> int:
    """10 of 10_one_launch: a rung that failed at the first size comes up later."""
    return int(rung.partition("_")[0])


# ---- panels ----


def times(axis: Axes, cases: Sequence[Json], lines: Sequence[Line]) -> None:
    """The time of one run."""
    places = _size_axis(axis, cases)
    for line in lines:
        _plot(axis, line, places, [_us(case, line.name) for case in cases])
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter(FuncFormatter(lambda us, _: short_number(time_text(us))))
    axis.yaxis.set_minor_formatter(NullFormatter())
    axis.set_title("time of one run")


def _rates(axis: Axes, cases: Sequence[Json], lines: Sequence[Line]) -> None:
    """Rates in the unit of the last case's limit, below the ceilings of that unit."""
    limit = cases[-1]["limit"]
    if limit is None:
        axis.set_axis_off()
        return
    work = {"B/s": "bytes", "flop/s": "flops", "op/s": "specials"}[limit["unit"]]
    places = _size_axis(axis, cases)
    for line in lines:
        rates = [1e6 * case[work] / us if (us := _us(case, line.name)) else None for case in cases]
        _plot(axis, line, places, rates)
    for name, each in cases[-1]["ceilings"].items():
        if each["unit"] == limit["unit"] and not (name == "bf16" and limit["name"] == "fp32"):
            _ceiling(axis, each["rate"], f"{name} {rate_text(each['rate'], each['unit'])}", above=name != "read")
    axis.set_yscale("log")
    axis.set_ylim(top=2 * axis.get_ylim()[1])
    axis.yaxis.set_major_formatter(FuncFormatter(lambda rate, _: short_number(rate_text(rate, limit["unit"]))))
    axis.yaxis.set_minor_formatter(NullFormatter())
    axis.set_title(f"rate, counting {_WORK_WORDS[work]}")


_WORK_WORDS = {
    "bytes": "each buffer's bytes once",
    "flops": "the task's operations",
    "specials": "exp, sin and their kin",
}


def memory(axis: Axes, cases: Sequence[Json], lines: Sequence[Line]) -> None:
    """The buffers together with what each contender needs beside them."""
    places = _size_axis(axis, cases)
    for line in lines:
        beside = [_of(case, line.name, "extra_bytes") for case in cases]
        _plot(
            axis,
            line,
            places,
            [None if b is None else case["bytes"] + b for case, b in zip(cases, beside, strict=True)],
        )
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter(FuncFormatter(lambda size, _: short_number(bytes_text(size))))
    axis.yaxis.set_minor_formatter(NullFormatter())
    axis.set_title("GPU memory, buffers included")


# ---- pieces ----


def _plot(axis: Axes, line: Line, places: Sequence[float], values: Sequence[float | None]) -> None:
    """Points, and lines between them where sizes follow one another: between shapes a line would mean nothing."""
    dash = "" if isinstance(places, range) else line.dash
    shown = [(place, value) for place, value in zip(places, values, strict=True) if value]
    if shown:
        axis.plot(*zip(*shown, strict=True), linestyle=dash, color=line.colour, marker=line.marker, markersize=6,
                  linewidth=line.width, label=line.name)  # fmt: skip


def _us(case: Json, name: str) -> float | None:
    return _of(case, name, "median_us")


def _of(case: Json, name: str, what: str) -> float | None:
    """None, too, for a kernel that is wrong at this case; others may be a yardstick that computes something else."""
    found = next((each for each in case["results"] if each["name"] == name), None)
    is_wrong = found and found["kind"] in KERNELS and found["status"] != "passed"
    return None if found is None or is_wrong else found[what]


def _ceiling(axis: Axes, rate: float, text: str, *, above: bool) -> None:
    axis.axhline(rate, color=INK, linewidth=1.1, linestyle=(0, (6, 3)))
    axis.annotate(text, (0.01, rate), xycoords=("axes fraction", "data"), xytext=(0, 3 if above else -4),
                  textcoords="offset points", va="bottom" if above else "top", fontsize=9)  # fmt: skip


def _size_axis(axis: Axes, cases: Sequence[Json]) -> Sequence[float]:
    """Where each case stands on the x axis: on a scale of its only size, else one after the other, by name."""
    size = _only_size(cases)
    if size is None:
        places = range(len(cases))
        axis.set_xticks(places, _short(cases), rotation=35, ha="right")
        axis.set_xlabel(" × ".join(_varying(cases)))
        return places
    name, values = size
    axis.set_xscale("log", base=2)
    axis.xaxis.set_major_locator(FixedLocator(_spread(values)))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: size_text(round(value))))
    axis.set_xlabel(name)
    return values


def _only_size(cases: Sequence[Json]) -> tuple[str, list[int]] | None:
    """("n", its values) if that alone differs; ("m = n = k", ...) if those are equal everywhere."""
    names = dict.fromkeys(name for case in cases for name in case["sizes"])
    varying = [name for name in names if len({case["sizes"].get(name) for case in cases}) > 1]
    rows = [[case["sizes"].get(name) for name in varying] for case in cases]
    if not varying or any(len(set(row)) > 1 or not isinstance(row[0], int) or row[0] < 1 for row in rows):
        return None
    values = [row[0] for row in rows]
    return (" = ".join(varying), values) if len(set(values)) == len(values) else None


def _spread(values: Sequence[int]) -> list[int]:
    """The values whose labels fit beside each other, the largest always."""
    kept: list[int] = []
    gap = math.log2(max(values) / min(values)) / 9
    for value in sorted(values, reverse=True):
        if not kept or math.log2(kept[-1] / value) >= gap:
            kept.append(value)
    return kept


def _varying(cases: Sequence[Json]) -> list[str]:
    """The sizes that differ between cases; all of them where none does."""
    names = dict.fromkeys(name for case in cases for name in case["sizes"] if name != "variant")
    return [name for name in names if len({case["sizes"].get(name) for case in cases}) > 1] or [*names]


def _short(cases: Sequence[Json]) -> list[str]:
    """`262144×256` for each case, of the sizes that differ, with the variant behind it; `2²⁸` for a long number."""
    varying = _varying(cases)
    said = []
    for case in cases:
        values = [case["sizes"][name] for name in varying if name in case["sizes"]]
        numbers = "×".join(
            size_text(value) if isinstance(value, int) and value >= 1e7 else str(value) for value in values
        )
        said.append(f"{numbers} {case['sizes'].get('variant', '')}".strip())
    return said


def short_number(text: str) -> str:
    """`10 GB` for `10.0 GB`."""
    return re.sub(r"\.0+(?= )", "", text)
