"""How often a launch does what is to be done once: as often as it has lanes, warps, threads or blocks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

Launches = Sequence[Mapping[str, Any]]  # CaseRun.launches
LANES = 32  # of a warp
TILES = (8, 16, 32, 64, 128)  # sides of a square


def who_does(launches: Launches, times: int) -> str:
    """Which threads, warps, blocks or launches are `times` many, as a question to the learner; "" if none are."""
    if times > 1 and len(launches) == times and len({launch["kernel"] for launch in launches}) == 1:
        return f"is {launches[0]['kernel']} launched {times} times, and does each launch add all"
    for launch in launches:
        grid, block = launch["grid"], launch["block"]
        if times > 1 and times in block[1:]:
            axis = "yz"[block[1:].index(times)]
            return (
                f"a block of {' x '.join(map(str, block))} threads has as many threadIdx.{axis}: is that missing from"
                " an index, or is the block meant to have one dimension"
            )
        blocks, threads = math.prod(grid), math.prod(block)
        named = {LANES: "every lane of the warp", threads // LANES: "every warp of the block"}
        named |= {blocks * threads: "every thread", blocks: "every block", threads: "every thread of the block"}
        if who := named.get(times):
            return f"does {who} add what should be added once"
    return ""


def factor_words(factor: float) -> str:
    """`2 times`, `1/3 of`, `0.7071 times`."""
    if abs(factor) < 1 and abs(round(1 / factor)) > 1 and abs(round(1 / factor) * factor - 1) < 1e-5:
        return f"{'-' if factor < 0 else ''}1/{abs(round(1 / factor))} of"
    return f"{factor:.4g} times"


def too_few_threads(blocks: int, threads: int, count: int, verb: str) -> str:
    """Of a launch whose threads are fewer than elements, where just as many are right; the rest is `verb`."""
    if threads == 1:
        return (
            f"The launch has {blocks:,} block{'' if blocks == 1 else 's'} of 1 thread for {count} elements: give a"
            " block many threads, the second number of `<<<blocks, threads>>>`."
        )
    has = f"The launch has {blocks} x {threads} = {blocks * threads} threads"
    few = f"{has} for {count} elements, and the rest is {verb}."
    if count - blocks * threads < threads:
        return f"{few} Round the number of blocks up: (n + {threads - 1}) / {threads}."
    return (
        f"{few} Launch (n + {threads - 1}) / {threads} blocks, or let each thread go on in a loop, `i += gridDim.x *"
        " blockDim.x`."
    )


def too_few(launches: Launches, start: int, count: int, verb: str) -> str:
    """The same of the only launch, of blocks or a grid of two dimensions, in a row; "" if it has more threads."""
    if len(launches) != 1 or math.prod([*launches[0]["grid"], *launches[0]["block"]]) != start:
        return ""
    axes = [axis for axis in range(3) if launches[0]["grid"][axis] > 1 or launches[0]["block"][axis] > 1]
    grid, block = (" x ".join(str(launches[0][what][axis]) for axis in axes) for what in ("grid", "block"))
    return (
        f"The launch has {grid} blocks of {block} threads, {start:,} in all, for {count:,} elements, and the rest is"
        f" {verb}: round up wherever a number of blocks, or of rows, is divided out, `(n - 1) / size + 1`."
    )


def swapped_grid(launches: Launches, bad: Tensor) -> str:
    """A sentence if what a grid of two dimensions leaves out of a matrix is there for the other one; else ""."""
    rows, cols = bad.shape[-2:]
    row, col = torch.arange(rows)[:, None], torch.arange(cols)[None, :]
    for launch in launches:
        (grid_x, grid_y, _), (block_x, block_y, _) = launch["grid"], launch["block"]
        # A tile may be square where its block is not: threads that are fewer go on to its other rows.
        sides = TILES if block_y == 1 else (block_x, block_y)
        tiles = dict.fromkeys([(block_x, block_y), *((side, side) for side in sides)])
        ways = [(*tile, *way) for tile in tiles for way in ((col, row, cols, rows), (row, col, rows, cols))]
        for tile_x, tile_y, along_x, along_y, size_x, size_y in ways:
            wide, high = grid_x * tile_x, grid_y * tile_y
            left = ((along_x >= wide) | (along_y >= high)).expand_as(bad)
            own = (tile_x, tile_y) == (block_x, block_y)
            # Of other tiles than the block's own just as many are launched as the swapped sizes need.
            if not own and (grid_x, grid_y) != (-(-size_y // tile_x), -(-size_x // tile_y)):
                continue
            if grid_x != grid_y and wide >= size_y and high >= size_x and torch.equal(bad, left):
                has, tile = ("has", " threads") if own else ("reaches", "")
                within = "" if tile else f" in tiles of {tile_x} x {tile_y}"
                return (
                    f"The grid {has} {wide}{tile} in x and {high} in y{within}, and here {size_x} and {size_y} are"
                    " needed: swap the two in `dim3 blocks(...)`, or x and y in the kernel."
                )
    return ""
