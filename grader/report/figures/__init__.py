"""Figures for the notebooks, each on a light ground of its own. Those about a kernel are drawn from what the emulator
recorded of it (`grader.faces.record.record`); those about speed from the committed measurements; others from numbers.

Each function returns a matplotlib Figure, 7.5 inches wide, that a notebook shows by itself; its text form is the
picture in one sentence.
"""

from grader.report.figures.access import banks, lanes
from grader.report.figures.attention import walk, weights
from grader.report.figures.blocks import divergence, tiles, timeline, tree
from grader.report.figures.fragments import fragments, fragments_alike, swizzle
from grader.report.figures.hardware import chip, hiding, latency, times
from grader.report.figures.ideas import amdahl, chain_and_tree, merge, quantisation
from grader.report.figures.logs import bits, states, streams
from grader.report.figures.matrices import elements, lane_tiles, outer_product, strips, tile_walk, turning
from grader.report.figures.measured import TRAFFIC, counters, memory, roofline
from grader.report.figures.merging import butterfly, errors, pairs
from grader.report.figures.plain import curves, roofs, rounds, threads

__all__ = [
    "TRAFFIC",
    "amdahl",
    "banks",
    "bits",
    "butterfly",
    "chain_and_tree",
    "chip",
    "counters",
    "curves",
    "divergence",
    "elements",
    "errors",
    "fragments",
    "fragments_alike",
    "hiding",
    "lane_tiles",
    "lanes",
    "latency",
    "memory",
    "merge",
    "outer_product",
    "pairs",
    "quantisation",
    "roofline",
    "roofs",
    "rounds",
    "states",
    "streams",
    "strips",
    "swizzle",
    "threads",
    "tile_walk",
    "tiles",
    "timeline",
    "times",
    "tree",
    "turning",
    "walk",
    "weights",
]
