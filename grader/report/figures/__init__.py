"""Figures for the notebooks, each on a light ground of its own. Those about a kernel are drawn from what the emulator
recorded of it (`grader.faces.record.record`); those about speed from the committed measurements; others from numbers.

Each function returns a matplotlib Figure, 7.5 inches wide, that a notebook shows by itself; its text form is the
picture in one sentence.
"""

from grader.report.figures.access import banks, lanes
from grader.report.figures.blocks import divergence, tiles, tree
from grader.report.figures.hardware import latency, times
from grader.report.figures.ideas import amdahl, merge, quantisation
from grader.report.figures.measured import TRAFFIC, counters, memory, roofline, study
from grader.report.figures.plain import curves, roofs, rounds, threads

__all__ = [
    "TRAFFIC",
    "amdahl",
    "banks",
    "counters",
    "curves",
    "divergence",
    "lanes",
    "latency",
    "memory",
    "merge",
    "quantisation",
    "roofline",
    "roofs",
    "rounds",
    "study",
    "threads",
    "tiles",
    "times",
    "tree",
]
