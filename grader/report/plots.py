"""Pictures of what `ladder bench` has measured: time, rate and memory over size, and the roofline.

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

from grader.report.bench import KERNELS, bytes_text, case_text, rate_text, size_text, time_text

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

Json = Mapping[str, Any]

GROUND, INK, GRID = "#fcfcfc", "#222222", "#d8d8d8"
OTHERS = {"baseline": ["#d55e00", "#e69f00"], "rival": ["#cc79a7", "#56b4e9"], "cpu": ["#777777", "#aaaaaa"]}
YOURS = "#000000"
DASHES = {"rung": "-", "yours": "-", "baseline": "--", "rival": "-.", "cpu": ":"}
MARKERS = "osD^vPX*"
PANEL_INCHES = (5.6, 4.4)
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
    columns = 2 if len(panels) == 4 else len(panels)
    rows = len(panels) // columns
    labels = math.ceil(len(lines) / (2 * columns))  # lines of the legend
    legend, title = 0.2 + 0.22 * labels, 0.5
    width, height = PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows + legend + title
    figure = Figure(figsize=(width, height), layout="constrained")
    layout(figure).set(rect=(0, legend / height, 1, 1 - (legend + title) / height), wspace=0.06, hspace=0.06)
    axes = figure.subplots(rows, columns, squeeze=False).flat
    for panel, axis in zip(panels, axes, strict=True):
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
    """What there is to show: memory only if a contender needs much, a roofline only if operations are counted."""
    needs = any((each["extra_bytes"] or 0) > MUCH * case["bytes"] for case in cases for each in case["results"])
    return [times, _rates, *([memory] if needs else []), *([_roofline] if any(c["flops"] for c in cases) else [])]


def lines_of(cases: Sequence[Json]) -> list[Line]:
    """Rungs from light to dark, the rest in colours of their kind."""
    kinds = {each["name"]: each["kind"] for case in cases for each in case["results"] if each["median_us"]}
    rungs = [name for name, kind in kinds.items() if kind == "rung"]
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
    axis.set_ylim(bottom=0)
    axis.set_ylim(top=1.08 * axis.get_ylim()[1])
    axis.yaxis.set_major_formatter(
        FuncFormatter(lambda rate, _: short_number(rate_text(rate, limit["unit"])) if rate else "0")
    )
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


def _roofline(axis: Axes, cases: Sequence[Json], lines: Sequence[Line]) -> None:
    """Everybody on the GPU at the case that decides: operations a second over operations a byte that must be moved."""
    counted = [case for case in cases if case["flops"]]
    case = next((case for case in counted if case["is_timed_case"]), counted[-1])
    intensity = case["flops"] / case["bytes"]
    copy, arithmetic = case["ceilings"]["copy"]["rate"], _arithmetic(case)
    ridge = arithmetic["rate"] / copy
    low, high = min(intensity, ridge) / 12, max(intensity, ridge) * 12
    axis.plot([low, ridge, high], [low * copy, arithmetic["rate"], arithmetic["rate"]], color=INK, linewidth=1.4)
    _note(axis, (low, low * copy), f"copy {rate_text(copy, 'B/s')}", offset=(14, 0))
    flat = f"{arithmetic['name']} {rate_text(arithmetic['rate'], 'flop/s')}"
    _note(axis, (high, arithmetic["rate"]), flat, offset=(0, 5), ha="right")
    for line in lines:
        if (us := _us(case, line.name)) and line.dash != DASHES["cpu"]:
            axis.plot([intensity], [1e6 * case["flops"] / us], line.marker, color=line.colour, markersize=8,
                      markeredgecolor=INK, markeredgewidth=0.5)  # fmt: skip
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_ylim(top=2 * arithmetic["rate"])
    axis.set_xlabel("flop for each byte that must be moved")
    axis.yaxis.set_major_formatter(FuncFormatter(lambda rate, _: short_number(rate_text(rate, "flop/s"))))
    axis.yaxis.set_minor_formatter(NullFormatter())
    axis.set_title(f"roofline at {case_text(case)}")


def _arithmetic(case: Json) -> dict[str, Any]:
    """The flat part of the roof: bf16 for tasks that it limits, else fp32."""
    name = "bf16" if case["limit"] and case["limit"]["name"] == "bf16" else "fp32"
    return {"name": name, **case["ceilings"][name]}


# ---- pieces ----


def _plot(axis: Axes, line: Line, places: Sequence[float], values: Sequence[float | None]) -> None:
    shown = [(place, value) for place, value in zip(places, values, strict=True) if value]
    if shown:
        axis.plot(*zip(*shown, strict=True), line.dash, color=line.colour, marker=line.marker, markersize=6,
                  linewidth=line.width, label=line.name)  # fmt: skip


def _us(case: Json, name: str) -> float | None:
    return _of(case, name, "median_us")


def _of(case: Json, name: str, what: str) -> float | None:
    return next((each[what] for each in case["results"] if each["name"] == name), None)


def _ceiling(axis: Axes, rate: float, text: str, *, above: bool) -> None:
    axis.axhline(rate, color=INK, linewidth=1.1, linestyle=(0, (6, 3)))
    axis.annotate(text, (0.01, rate), xycoords=("axes fraction", "data"), xytext=(0, 3 if above else -4),
                  textcoords="offset points", va="bottom" if above else "top", fontsize=9)  # fmt: skip


def _note(axis: Axes, place: tuple[float, float], text: str, offset: tuple[int, int], ha: str = "left") -> None:
    axis.annotate(text, place, xytext=offset, textcoords="offset points", ha=ha, va="bottom", fontsize=9)


def _size_axis(axis: Axes, cases: Sequence[Json]) -> Sequence[float]:
    """Where each case stands on the x axis: on a scale of its only size, else one after the other, by name."""
    size = _only_size(cases)
    if size is None:
        places = range(len(cases))
        axis.set_xticks(places, [_short(case) for case in cases], rotation=35, ha="right")
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


def _short(case: Json) -> str:
    """`262144×256`, with the variant behind it; `2²⁸` where the number is long."""
    values = [value for name, value in case["sizes"].items() if name != "variant"]
    numbers = "×".join(size_text(value) if isinstance(value, int) and value >= 1e7 else str(value) for value in values)
    return f"{numbers} {case['sizes'].get('variant', '')}".strip()


def short_number(text: str) -> str:
    """`10 GB` for `10.0 GB`."""
    return re.sub(r"\.0+(?= )", "", text)
