"""One access of one warp: its lanes and their addresses, in sectors of global memory or banks of shared memory."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.patches import Rectangle

from grader.devices.emulator.recording import BANKS, LANES, SECTOR, WORD, Recording, Step
from grader.report.figures.canvas import (
    BLUE,
    IDLE,
    RED,
    SKY,
    Picture,
    access_at,
    bare,
    counted,
    drawn,
    head_of_line,
    panel,
)
from grader.report.plots import GRID, INK

WORDS = SECTOR // WORD  # of a sector
GAP = 1.5  # words of room between sectors that are no neighbours


@drawn
def lanes(recording: Recording, line: int | str, warp: int = 0, nth: int = 0, buffer: str | None = None) -> Picture:
    """Which address each lane of a warp touches at a source line, and the 32-byte sectors that this takes.

    `line` is a number, or text that the line holds; `nth` chooses among the warp's accesses there, to `buffer` if that
    is named, in the order in which they ran. The head says how many sectors move, and how many of their bytes are asked
    for. Raises UsageError if the warp touches no memory there.
    """
    step = access_at(recording, line, warp, nth, buffer)
    figure = Picture(3.0)
    axis = bare(panel(figure))
    places = _sector_places(step.sectors)
    _draw_sectors(axis, step, places)
    _draw_lanes(axis, step, places)
    asked = len({byte for first in step.addresses for byte in range(first, first + step.bytes)})
    moved = SECTOR * len(step.sectors)
    what = "updates" if step.kind == "atomic" else f"{step.kind}s"
    says = (
        f"warp {warp} {what} {step.touched.name}: {counted(len(step.lanes), 'lane')}, "
        f"{counted(len(step.sectors), 'sector')}; {asked} of {moved} bytes are asked for"
    )
    head_of_line(figure, recording, step.line, says)
    return figure


def _sector_places(sectors: Sequence[int]) -> dict[int, float]:
    """Where each sector begins on the x axis, in words; a gap where addresses are left out."""
    places, x, before = {}, 0.0, None
    for sector in sectors:
        x += 0 if before is None else WORDS + (0.0 if sector == before + 1 else GAP)
        places[sector], before = x, sector
    return places


def _colour(lane: int) -> tuple[float, ...]:
    """From dark to light over the warp, so that neighbours look alike."""
    return matplotlib.colormaps["viridis"](0.05 + 0.8 * lane / (LANES - 1))


def _draw_sectors(axis: Axes, step: Step, places: dict[int, float]) -> None:
    for x in places.values():
        axis.add_patch(Rectangle((x, 0), WORDS, 1, facecolor=IDLE, edgecolor="none"))
    for lane, first in zip(step.lanes, step.addresses, strict=True):
        for byte in range(first, first + step.bytes, min(WORD, step.bytes)):
            x = places[byte // SECTOR] + byte % SECTOR / WORD
            axis.add_patch(Rectangle((x, 0), min(1, step.bytes / WORD), 1, facecolor=_colour(lane), edgecolor="none"))
    for x in places.values():
        axis.add_patch(Rectangle((x, 0), WORDS, 1, facecolor="none", edgecolor=INK, linewidth=0.9))
    _label_sectors(axis, step, places)
    axis.set_xlim(-1, max(places.values()) + WORDS + 1)
    axis.set_ylim(-0.9, 4.3)


def _label_sectors(axis: Axes, step: Step, places: dict[int, float]) -> None:
    """The array's byte at which a sector begins, below as many sectors as have room for it."""
    every = max(1, -(-len(places) // 8))
    for number, (sector, x) in enumerate(places.items()):
        if number % every == 0:
            byte = sector * SECTOR - step.touched.start
            axis.text(x, -0.12, f"byte {byte:,}" if number == 0 else f"{byte:,}", fontsize=9, va="top")


def _draw_lanes(axis: Axes, step: Step, places: dict[int, float]) -> None:
    """Lanes in a row above, a line from each to the middle of what it touches."""
    width = max(places.values()) + WORDS
    at = {lane: (lane + 0.5) * width / LANES for lane in range(LANES)}
    size = 0.75 * width / LANES
    for lane, x in at.items():
        active = lane in step.lanes
        axis.add_patch(Rectangle((x - size / 2, 3.1), size, 0.55, facecolor=_colour(lane) if active else "none",
                                 edgecolor=INK, linewidth=0.6))  # fmt: skip
        if lane % 4 == 0 or lane == LANES - 1:
            axis.text(x, 3.75, f"lane {lane}" if lane == 0 else str(lane), ha="center", va="bottom", fontsize=9)
    middles = [places[a // SECTOR] + a % SECTOR / WORD + step.bytes / WORD / 2 for a in step.addresses]
    ends = [[(at[lane], 3.1), (x, 1.0)] for lane, x in zip(step.lanes, middles, strict=True)]
    axis.add_collection(LineCollection(ends, colors=[_colour(lane) for lane in step.lanes], linewidths=0.8))


# ---- shared memory ----


@drawn
def banks(recording: Recording, line: int | str, warp: int = 0, nth: int = 0, buffer: str | None = None) -> Picture:
    """Which of the 32 banks of shared memory each lane asks at a source line; what has to wait is marked.

    A row is a wavefront, in which each bank gives or takes one word of 4 bytes, and the number in a field is the lane
    that it is for. As `lanes` otherwise; raises UsageError if the warp touches no shared memory there.
    """
    step = access_at(recording, line, warp, nth, buffer, "shared")
    rows = [(row, waits) for phase in step.rounds for row, waits in _rows(step, phase)]
    if step.kind == "atomic":
        rows = [(row, number > 0) for number, (row, _) in enumerate(rows)]
    per_row = 0.24 if len(rows) <= 8 else 0.14
    figure = Picture(1.45 + per_row * len(rows))
    axis = panel(figure)
    fields = [_field(bank, y, row.get(bank), waits) for y, (row, waits) in enumerate(rows) for bank in range(BANKS)]
    axis.add_collection(PatchCollection(fields, match_original=True))
    for y, (row, waits) in enumerate(rows):
        for bank in row:
            axis.text(bank, y, _who(row[bank]), ha="center", va="center", fontsize=7 if len(rows) <= 8 else 6,
                          color="white" if not waits else INK)  # fmt: skip
    _bank_axes(axis, len(rows))
    ideal = 1 if step.kind == "atomic" else len(step.rounds)
    what = {"load": "loads from", "store": "stores to", "atomic": "updates"}[step.kind]
    taken, best = counted(len(rows), "wavefront"), counted(ideal, "wavefront")
    says = f"warp {warp} {what} {step.touched.name}: {taken}, {best} at best"
    head_of_line(figure, recording, step.line, says)
    return figure


def _rows(step: Step, phase: Sequence[int]) -> list[tuple[dict[int, list[int]], bool]]:
    """The wavefronts of one phase: lanes by bank, and whether it is beyond the first, which is a conflict."""
    words = step.words_by_bank(phase)
    at = dict(zip(step.lanes, step.addresses, strict=True))

    def lanes_of(word: int) -> list[int]:
        return [lane for lane in phase if at[lane] // WORD <= word <= (at[lane] + step.bytes - 1) // WORD]

    wavefronts = max(map(len, words.values()))
    return [
        ({bank: lanes_of(asked[n]) for bank, asked in words.items() if n < len(asked)}, n > 0)
        for n in range(wavefronts)
    ]


def _field(bank: int, y: int, lanes_there: list[int] | None, waits: bool) -> Rectangle:
    colour = GRID if lanes_there is None else RED if waits else BLUE if len(lanes_there) == 1 else SKY
    filled = "none" if lanes_there is None else colour
    return Rectangle((bank - 0.46, y - 0.42), 0.92, 0.84, facecolor=filled, edgecolor=colour, linewidth=0.6)


def _who(lanes_there: list[int]) -> str:
    return str(lanes_there[0]) if len(lanes_there) == 1 else f"×{len(lanes_there)}"


def _bank_axes(axis: Axes, rows: int) -> None:
    axis.set_xlim(-0.6, BANKS - 0.4)
    axis.set_ylim(rows - 0.4, -0.6)
    axis.set_xticks(range(0, BANKS, 1), [str(bank) if bank % 4 == 0 or bank == 31 else "" for bank in range(BANKS)])
    axis.set_yticks(range(rows), [str(row + 1) if rows <= 8 or row % 4 == 3 or row == 0 else "" for row in range(rows)])
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    axis.set_xlabel("bank")
    axis.set_ylabel("wavefront")
