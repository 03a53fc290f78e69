"""A block's tile of a matrix, whose two numbers stand in each other's place: what is reached then, of every tile size.

`top = blockIdx.x / across * H`, `left = blockIdx.x % across * W` belong together, or `blockIdx.y * H` and
`blockIdx.x * W`. Where the two are swapped, tiles are reached as far as there are some of the other way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor

from grader.judge.causes.written import Index, Written

SIDES = (8, 16, 32, 64, 128, 256)


def of_swapped_tiles(lacking: Sequence[Written]) -> Iterator[Index]:
    """Grids that are just large enough for tiles of some size, and reach others than there are, both ways in all cases
    that lack some: one way, with one tile across, much else does the same.
    """
    lacking = [case for case in lacking if case.written.dim() > 1]
    for high, wide in product(SIDES if lacking else (), SIDES):
        tiles = Swapped(high, wide)
        counts = [tiles.counts(case) for case in lacking]
        if not any(down < across for down, across in counts) or not any(down > across for down, across in counts):
            continue
        yield Index(f"tiles_{high}_{wide}", tiles, tiles.said)


@dataclass(frozen=True)
class Swapped:
    """Tiles of `high` rows and `wide` columns, one for each block, whose row is taken for its column."""

    high: int
    wide: int

    def __call__(self, case: Written) -> Tensor | None:
        if case.written.dim() < 2 or not self._is_launched(case):
            return None
        rows, cols = case.written.shape[-2:]
        down, across = self.counts(case)
        row, col = torch.arange(rows)[:, None], torch.arange(cols)[None, :]
        return ((row < across * self.high) & (col < down * self.wide)).expand_as(case.written)

    def counts(self, case: Written) -> tuple[int, int]:
        """How many tiles the matrix has down and across."""
        rows, cols = case.written.shape[-2:]
        return -(-rows // self.high), -(-cols // self.wide)

    def _is_launched(self, case: Written) -> bool:
        """Whether the launch has just as many blocks, along x and y or all along x."""
        down, across = self.counts(case)
        matrices = math.prod(case.written.shape[:-2])
        flat = (down * across * matrices, 1, 1)
        return tuple(case.grid) in (flat, (across, down, matrices), (across, down * matrices, 1))

    def said(self, case: Written) -> str:
        """Which of the two goes where. What is divided by the tiles of a column reaches the same."""
        down, across = self.counts(case)
        return (
            f"The output has {down} x {across} tiles of {self.high} x {self.wide} here, and what is written are"
            f" {across} x {down}: a block's row and column are swapped. Its row is `blockIdx.y` and its column"
            " `blockIdx.x`; in a grid of one dimension `blockIdx.x / across` and `blockIdx.x % across`, with"
            f" `across = ({case.names[-1]} - 1) / {self.wide} + 1` tiles in a row."
        )
