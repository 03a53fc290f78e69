"""How often a sum has each of its terms where each block has a share of its own, and what is over is lost or all's."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.judge.causes.often import Launches

VECTORS = (2, 4, 8, 16)  # elements that a thread takes at once

Weights = tuple[str, Callable[[Tensor, Launches], Tensor], Callable[[Launches], str]]


@dataclass(frozen=True)
class Blocks:
    """Those of a launch, or of an axis of its grid: 0 to 2 for x to z, None for all."""

    noun: str
    launch: int
    axis: int | None

    def count(self, launches: Launches) -> int:
        if self.launch >= len(launches):
            return 1
        grid = launches[self.launch]["grid"]
        return int(math.prod(grid) if self.axis is None else grid[self.axis])

    def without_rest(self, places: Tensor, launches: Launches) -> Tensor:
        """Where a share is n / blocks, rounded down."""
        count = self.count(launches)
        return (places < len(places) // count * count).double()

    def said_of_rest(self, launches: Launches) -> str:
        count = self.count(launches)
        return (
            f"{{buffer}} lacks the last {self.noun}s of {{x}}, as many as are over where {count:,} blocks share them"
            f" out: round the share up, `(n + blocks - 1) / blocks`, and let the last block end at n."
        )


@dataclass(frozen=True)
class Tail:
    """What is left behind whole vectors, of which each block takes all."""

    blocks: Blocks
    vector: int

    def times(self, places: Tensor, launches: Launches) -> Tensor:
        whole = len(places) // self.vector * self.vector
        return torch.where(places < whole, 1, self.blocks.count(launches)).double()

    def said(self, launches: Launches) -> str:
        count = self.blocks.count(launches)
        return (
            f"{{buffer}} has what is left of {{x}} behind whole groups of {self.vector} {count:,} times, once for each"
            " block: let one block alone add it, `if (blockIdx.x == 0)`."
        )


def weights_of_blocks(noun: str, launches: Launches) -> Iterator[Weights]:
    for at, launch in enumerate(launches):
        for axis in (None, 0, 1, 2):
            blocks = Blocks(noun, at, axis)
            others = [int(size) for size in launch["grid"]]
            if blocks.count(launches) > 1 and (axis is None or blocks.count(launches) < math.prod(others)):
                yield f"rest_of_blocks_{at}_{axis}", blocks.without_rest, blocks.said_of_rest
        blocks = Blocks(noun, at, None)
        for vector in VECTORS if blocks.count(launches) > 1 else ():
            tail = Tail(blocks, vector)
            yield f"tail_of_all_{at}_{vector}", tail.times, tail.said
