"""Pictures of what `ladder bench` has measured: time, rate and memory over size.

One picture for each task, as PNG and SVG, on a light ground of its own, so that it reads on a dark page, too. Rungs
share one colour scale that also runs from light to dark in grey (viridis); everything else is told apart by line and
marker as well as by colour (Okabe and Ito, "Color Universal Design", 2008).
"""

from __future__ import annotations

import io
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
PANEL_INCHES = (7.5, 3.1)  # one below the other: letters are as large as a notebook's text
LEGEND_COLUMNS = 3
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
                _save(figure, file)
                written.append(file)
    return written


def _save(figure: Figure, file: Path) -> None:
    metadata = {"Date": None} if file.suffix == ".svg" else {"Software": None}
    figure.savefig(file, dpi=DPI, facecolor=GROUND, metadata=metadata)
    if file.suffix == ".png":
        file.write_bytes(in_palette(file.read_bytes()))


def in_palette(png: bytes) -> bytes:
    """The same picture with 256 colours: a third of the bytes, and no difference to see where areas are flat."""
    from PIL import Image

    file = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(256, kmeans=2).save(file, "png", optimize=True)
    return file.getvalue()


def in_words(cases: Sequence[Json]) -> str:
    """Who is right and fastest at each size, and who needs how much memory at the largest: what the panels show, for
    those who cannot see them and for tests.
    """
    fastest = []
    for name, case in zip(_short(cases), cases, strict=True):
        right = [each for each in case["results"] if each["status"] == "passed" and each["median_us"]]
        if right:
            first = min(right, key=lambda each: float(each["median_us"]))
            fastest.append(f"{name} {first['name']} {time_text(first['median_us'])}")
    known = [each for each in cases[-1]["results"] if each["extra_bytes"] is not None]
    ends = [pick(known, key=lambda each: int(each["extra_bytes"])) for pick in (min, max)] if known else []
    memory = [f"{bytes_text(cases[-1]['bytes'] + each['extra_bytes'])} ({each['name']})" for each in ends]
    said = [f"right and fastest at {' × '.join(_varying(cases))}: {', '.join(fastest)}"]
    return "; ".join([*said, *([f"memory at the last: {' to '.join(memory)}"] if memory else [])])


def in_order(cases: Sequence[Json]) -> list[Json]:
    """By size, so that a line between two of them means something."""
    return sorted(cases, key=lambda case: (case["flops"] or 0, case["bytes"]))


def _figure(results: Json, task: str, cases: Sequence[Json]) -> Figure:
    """The panels one below the other, and one legend for all of them."""
    panels, lines = _panels(cases), lines_of(cases)
    legend, title = 1.0 + 0.22 * math.ceil(len(lines) / LEGEND_COLUMNS), 0.5  # and the names of the sizes
    width, height = PANEL_INCHES[0], PANEL_INCHES[1] * len(panels) + legend + title
    figure = Figure(figsize=(width, height), layout="constrained")
    layout(figure).set(rect=(0, (legend - 0.8) / height, 1, 1 - (legend - 0.8 + title) / height), hspace=0.06)
    for panel, axis in zip(panels, figure.subplots(len(panels), squeeze=False).flat, strict=True):
        axis.set_facecolor(GROUND)
        axis.grid(True, color=GRID, linewidth=0.7)
        axis.set_axisbelow(True)
        panel(axis, cases, lines)
        axis.label_outer()  # all count the same to the right: the last one says what
    headline = f"{results['lesson']} · {task} · {results['device']['name']}, {results['date']}"
    figure.text(0.5, 1 - 0.3 / height, headline, ha="center", va="center", fontsize=13)
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncols=LEGEND_COLUMNS, frameon=False)
    return figure


def _panels(cases: Sequence[Json]) -> list[Panel]:
    """What there is to show: rates of what has a limit, memory if a contender needs much."""
    needs = any((each["extra_bytes"] or 0) > MUCH * case["bytes"] for case in cases for each in case["results"])
    return [times, *([_rates] if cases[-1]["limit"] else []), *([memory] if needs else [])]


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
    work = {"B/s": "bytes", "flop/s": "flops", "op/s": "specials"}[limit["unit"]]
    places = _size_axis(axis, cases)
    for line in lines:
        rates = [1e6 * case[work] / us if (us := _us(case, line.name)) else None for case in cases]
        _plot(axis, line, places, rates)
    ceilings = [(each["rate"], name) for name, each in cases[-1]["ceilings"].items() if each["unit"] == limit["unit"]
                and not (name == "bf16" and limit["name"] == "fp32")]  # fmt: skip
    for number, (rate, name) in enumerate(sorted(ceilings)):
        _ceiling(axis, rate, f"{name} {rate_text(rate, limit['unit'])}", number, len(ceilings))
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


def _ceiling(axis: Axes, rate: float, text: str, number: int, of: int) -> None:
    """A line with its name: that of the lowest of several below it, the others above, from left to right."""
    axis.axhline(rate, color=INK, linewidth=1.1, linestyle=(0, (6, 3)))
    place, is_below = number / max(of - 1, 1), of > 1 and number == 0
    axis.annotate(text, (0.01 + 0.98 * place, rate), xycoords=("axes fraction", "data"), textcoords="offset points",
                  xytext=(0, -4 if is_below else 3), va="top" if is_below else "bottom",
                  ha=("left", "center", "right")[round(2 * place)], fontsize=9,
                  bbox={"facecolor": GROUND, "edgecolor": "none", "pad": 0.5, "alpha": 0.8})  # fmt: skip


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
