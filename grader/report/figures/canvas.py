"""What the figures share: a Figure that a notebook shows by itself, colours, and the head above it."""

from __future__ import annotations

import functools
import io
import textwrap
from collections.abc import Callable
from typing import Literal, ParamSpec

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grader.course.catalog import UsageError
from grader.devices.emulator.recording import Recording, Step
from grader.report.plots import DPI, GRID, GROUND, STYLE, in_palette, layout

# Okabe and Ito, "Color Universal Design" (2008): told apart by everybody, and of different lightness.
BLUE, ORANGE, GREEN, RED, SKY, PURPLE = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7"
IDLE = "#e6e6e6"
WIDTH = 7.5  # inches: a notebook's column
CODE = "DejaVu Sans Mono"

P = ParamSpec("P")


class Picture(Figure):
    """A Figure that a notebook shows without pyplot. `says` is the picture in one sentence: its text form, for those
    who cannot see it and for tests.
    """

    def __init__(self, height: float):
        """`height` in inches."""
        super().__init__(figsize=(WIDTH, height), dpi=DPI, facecolor=GROUND, layout="constrained")
        self.says = ""

    def __repr__(self) -> str:
        return self.says

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        with matplotlib.rc_context(STYLE):
            self.savefig(file, dpi=DPI, facecolor=GROUND, metadata={"Software": None})
        return in_palette(file.getvalue())


def drawn(draw: Callable[P, Picture]) -> Callable[P, Picture]:
    """Runs a drawing function in the style of all figures, whatever the notebook has set."""

    @functools.wraps(draw)
    def in_style(*args: P.args, **kwargs: P.kwargs) -> Picture:
        with matplotlib.rc_context({**matplotlib.rcParamsDefault, **STYLE}):
            return draw(*args, **kwargs)

    return in_style


def panel(figure: Figure, rows: int = 1, cols: int = 1, number: int | tuple[int, int] = 1) -> Axes:
    """An empty panel on the figures' ground: the place of this number in a grid, or from the first to the second."""
    axis = figure.add_subplot(rows, cols, number, facecolor=GROUND)
    axis.set_axisbelow(True)
    return axis


def with_grid(axis: Axes, which: Literal["both", "x", "y"] = "both") -> Axes:
    """The same axes with lines at the ticks of "x", "y" or "both"."""
    axis.grid(True, axis=which, color=GRID, linewidth=0.7)
    return axis


def bare(axis: Axes) -> Axes:
    """Neither spines nor ticks: for pictures whose place means nothing in itself."""
    axis.set_xticks([])
    axis.set_yticks([])
    axis.spines[:].set_visible(False)
    return axis


# ---- what a recording has at a line ----


def access_at(
    recording: Recording, line: int | str, warp: int, nth: int, buffer: str | None, space: str | None = None
) -> Step:
    """The nth access of a warp at a line, given by number or by text that it holds, of one array if it is named.

    Raises UsageError if there is none.
    """
    number = recording.line_with(line) if isinstance(line, str) else line
    found = [step for step in recording.accesses(number, warp, space) if buffer in (None, step.touched.name)]
    if nth >= len(found):
        what = buffer or (f"{space} memory" if space else "memory")
        times = f"{len(found)} times" if found else "never"
        cut = ", as far as it was recorded" if recording.cut else ""
        raise UsageError(f"warp {warp} of block {recording.block} touches {what} {times} in line {number}{cut}")
    return found[nth]


def code_at(recording: Recording, line: int, most: int = 78) -> str:
    """`15: z[i] = x[i] + y[i];`, cut short if it is long."""
    text = recording.source.split("\n")[line - 1].partition("//")[0].strip() if line else "(not in this file)"
    return textwrap.shorten(f"{line}: {text}", most, placeholder=" …")


def head(figure: Picture, title: str, says: str, *, code: bool = False) -> None:
    """Two lines above the picture, which is said in words by the second; `code` sets the first one as a program."""
    figure.says = f"{title}: {says}"
    height = figure.get_figheight()
    family, size = (CODE, 10) if code else (None, 12)
    above = figure.text(0.5, 1 - 0.2 / height, title, ha="center", va="center", family=family, fontsize=size)
    below = figure.text(0.5, 1 - 0.43 / height, says, ha="center", va="center", fontsize=10)
    for line in (above, below):  # as large as there is room for
        while line.get_window_extent().width > 0.98 * figure.bbox.width:
            line.set_fontsize(float(line.get_fontsize()) - 0.25)
    layout(figure).set(rect=(0.005, 0.01, 0.99, 1 - 0.6 / height - 0.01))


def head_of_line(figure: Picture, recording: Recording, line: int, says: str) -> None:
    """The code of a line, and what it does there."""
    head(figure, code_at(recording, line), says, code=True)
    figure.says = f"{recording.kernel}, line {line}: {says}"


def shown_in(recording: Recording) -> str:
    """`add, block (0, 0, 0) of 391 × 1 × 1`."""
    grid = " × ".join(str(size) for size in recording.grid if size > 1) or "1"
    return f"{recording.kernel}, block {recording.block} of {grid}"


def counted(number: int, noun: str) -> str:
    """`1 sector`, `4 sectors`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
