"""Of every so many elements, rows or columns the first few are written: loops that go on by another step."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.judge.causes.often import LANES
from grader.judge.causes.written import Index, Written

ROUND = 4  # what threads, and the steps of loops, are multiples of


def every_so_many(case: Written) -> Iterator[Index]:
    """Of every so many along one axis the first few are written, as where a loop goes on by more than its threads."""
    (blocks, *grid), (threads, *block) = case.grid, case.block
    if [*grid, *block] == [1, 1, 1, 1] and blocks > 1 and case.written.numel() > blocks * threads:
        yield Index("from_the_first", _from_the_first, _from_the_first_said)
    for axis in range(case.written.dim()):
        along = case.written.movedim(axis, 0).reshape(case.written.shape[axis], -1).any(1)
        few = int(along.logical_not().int().argmax())  # before the first gap
        behind = along[few:].nonzero()
        if few and len(behind):
            every = Every(axis, few, few + int(behind[0]), few == _all_threads(case))
            yield Index(f"every_{axis}", every.reaches, every.said)


def _from_the_first(case: Written) -> Tensor:
    """What threads reach that go on by all of the grid's, and begin at their numbers in the block."""
    return torch.arange(case.written.numel()) % _all_threads(case) < case.block[0]


def _from_the_first_said(case: Written) -> str:
    return (
        "What is written is just what a loop reaches that goes on by `gridDim.x * blockDim.x` and begins at"
        f" `threadIdx.x`, so that all {case.grid[0]:,} blocks do the same: let it begin at"
        " `blockIdx.x * blockDim.x + threadIdx.x`."
    )


def _all_threads(case: Written) -> int:
    return math.prod(case.grid) * math.prod(case.block)


@dataclass(frozen=True)
class Every:
    """The first `few` of `every` so many along an axis; `of_grid`: `few` is what the launch has threads."""

    axis: int
    few: int
    every: int
    of_grid: bool

    def _sizes(self, case: Written) -> tuple[int, int]:
        """How many of how many, of another launch."""
        if not self.of_grid:
            return self.few, self.every
        return _all_threads(case), self.every * _all_threads(case) // self.few

    def reaches(self, case: Written) -> Tensor | None:
        if self.axis >= case.written.dim():
            return None
        few, every = self._sizes(case)
        shape = [-1 if each == self.axis else 1 for each in range(case.written.dim())]
        along = torch.arange(case.written.shape[self.axis]) % every < few
        return along.reshape(shape).expand_as(case.written)

    def _of_warps(self, case: Written) -> str:
        """Of a block whose warps have as many each, and begin too near to each other; "" of others."""
        few, every = self._sizes(case)
        warps = math.prod(case.block) // LANES
        if warps < 2 or every % warps or (few - every // warps) % (warps - 1):
            return ""
        each, apart = every // warps, (few - every // warps) // (warps - 1)
        if not 0 < apart < each:
            return ""
        return (
            f"a block's {warps} warps have {each:,} of them each and begin {apart:,} apart, so that they overlap: is a"
            f" warp's number, `threadIdx.x / 32`, multiplied with {apart:,} where {each:,} belongs?"
        )

    def said(self, case: Written) -> str:
        few, every = self._sizes(case)
        noun = {1: ("elements",), 2: ("rows", "columns")}.get(case.written.dim(), ("matrices", "rows", "columns"))[
            self.axis
        ]
        axes = [f"blockDim.{axis}" for axis, size in zip("xyz", case.block, strict=True) if size == few > 1]
        right = "gridDim.x * blockDim.x" if self.of_grid else (axes or [""])[0]
        if few == 1 and not self.of_grid:
            return (
                f"Of every {every:,} {noun} only the first is written: is the number of a loop missing from the index,"
                f" or does one go on by {every:,} where 1 belongs?"
            )
        told = f"Of every {every:,} {noun} only the first {few:,} are written"
        if not right and few % ROUND:
            return f"{told}: does a loop end too early, or do threads that write several begin too close to each other?"
        others = [f"blockDim.{axis}" for axis, size in zip("xyz", case.block, strict=True) if size == every]
        if axes and others and math.prod(case.grid) > 1:
            return (
                f"{told}: is a block's number multiplied with {others[0]}, which is {every:,} here, where {axes[0]}"
                " belongs, or does a loop go on by it?"
            )
        if warps := self._of_warps(case):
            return f"{told}: {warps}"
        ends = "" if right else "end too early, or "
        return f"{told}: does a loop {ends}go on by {every:,} where {f'`+= {right}`' if right else f'{few:,}'} belongs?"
