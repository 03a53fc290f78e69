"""Figures of numbers that a float cannot hold, and of the sequences that they belong to: bits, hidden states."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np
from matplotlib.patches import Rectangle

from grader.course.catalog import UsageError
from grader.report.figures.canvas import BLUE, GREEN, ORANGE, RED, Picture, bare, drawn, head, panel
from grader.report.plots import INK

FORMATS = {
    "float": ("f", "I", 8, 23),
    "double": ("d", "Q", 11, 52),
}  # packed as, read as, bits of exponent, of fraction


@drawn
def bits(numbers: Mapping[str, float], kind: str = "float") -> Picture:
    """The bits of each number, by its name, as a "float" or a "double": sign, exponent, fraction (IEEE 754).

    A number that is too large is shown as infinity. Raises UsageError for another kind.
    """
    if kind not in FORMATS:
        raise UsageError(f'there is no kind `{kind}`: type "float" or "double"')
    packed, read, exponent, fraction = FORMATS[kind]
    parts = {"sign": (1, RED), "exponent": (exponent, ORANGE), "fraction": (fraction, BLUE)}
    total = 1 + exponent + fraction
    figure = Picture(0.95 + 0.36 * len(numbers))
    axis = bare(panel(figure))
    said = []
    for row, (name, number) in enumerate(numbers.items()):
        (pattern,) = struct.unpack(read, struct.pack(packed, _held(number, packed)))
        text = f"{pattern:0{total}b}"
        said.append(f"{name} {text[0]} {text[1 : 1 + exponent]} {text[1 + exponent :].rstrip('0') or '0'}")
        colours = [colour for size, colour in parts.values() for _ in range(size)]
        for place, (bit, colour) in enumerate(zip(text, colours, strict=True)):
            filled = colour if bit == "1" else "none"
            axis.add_patch(Rectangle((place, -row), 0.84, 0.7, facecolor=filled, edgecolor=colour, linewidth=1))
        axis.text(-0.6, 0.35 - row, name, ha="right", va="center", fontsize=10)
    first = 0
    for (name, (size, colour)), end in zip(parts.items(), accumulate(size for size, _ in parts.values()), strict=True):
        axis.text(
            (first + end) / 2, 1.05, f"{name} {size}" if size > 1 else name, ha="center", fontsize=9, color=colour
        )
        first = end
    axis.set_xlim(-0.16 * total, total)
    axis.set_ylim(-len(numbers) + 0.7, 1.7)
    head(figure, f"The {total} bits of a {kind}", "a filled field is a 1")
    figure.says = f"the {total} bits of a {kind}: " + "; ".join(said)
    return figure


def _held(number: float, packed: str) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(number)) if packed == "f" else float(number)


@drawn
def states(likely: np.ndarray, best: Sequence[int]) -> Picture:
    """How likely each hidden state is at each time, (states, times), and the best path through them.

    Raises UsageError if the path is not as long as the times.
    """
    rows = np.asarray(likely)
    if rows.ndim != 2 or rows.shape[1] != len(best):
        raise UsageError(f"a path of {len(best)} states does not fit probabilities of shape {rows.shape}")
    figure = Picture(3.1)
    axis = panel(figure)
    image = axis.imshow(rows, cmap="Blues", vmin=0, vmax=1, aspect="auto", interpolation="none")
    axis.plot(best, ".", color=RED, markersize=6, label="best path (max-plus)")
    axis.set_xlabel("time")
    axis.set_ylabel("hidden state")
    axis.set_yticks(range(len(rows)))
    figure.colorbar(image, label="probability (logs)")
    figure.legend(loc="outside lower center", frameon=False, fontsize=9)
    same = float(np.mean(rows.argmax(0) == np.asarray(best)))
    head(
        figure,
        "What the machine did, as its symbols tell",
        f"path and likeliest state agree at {same:.0%} of the times",
    )
    return figure


@drawn
def streams(measured: Sequence[Mapping[str, float]]) -> Picture:
    """Two kernels, a and b, on one stream and on two, a panel for each n: rows with n and the times in microseconds of
    one_stream, two_streams, a_alone and b_alone.

    Raises UsageError if there is nothing to draw.
    """
    if not measured:
        raise UsageError("two streams need at least one size that was measured")
    figure = Picture(1.0 + 1.15 * len(measured))
    said = []
    for number, row in enumerate(measured, start=1):
        axis = panel(figure, len(measured), 1, number)
        one, two = row["one_stream"], row["two_streams"]
        first = min(row["a_alone"], one)
        bars = {3: (0, first, GREEN, "a"), 3.001: (first, one - first, ORANGE, "b"),
                1: (0, two, GREEN, "a"), 0: (0, two, ORANGE, "b")}  # fmt: skip
        for place, (begin, length, colour, name) in bars.items():
            axis.barh(place, length, left=begin, height=0.8, color=colour, edgecolor=INK, linewidth=0.6)
            axis.text(begin + length / 2, place, name, ha="center", va="center", fontsize=9)
        axis.set_yticks([3, 0.5], ["one stream", "two streams"])
        axis.tick_params(axis="y", length=0)
        axis.set_title(f"n = {row['n']:g}", fontsize=10, loc="left")
        said.append(f"n = {row['n']:g}: {one:g} µs on one, {two:g} µs on two")
    figure.axes[-1].set_xlabel("µs, as measured; within two streams both run at the same time")
    head(figure, "The kernels of two gradients", "; ".join(said))
    return figure
