"""Which row and which column stand in the place of the right ones, or what a grid of two dimensions does not reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor

from grader.judge.causes.written import MOST_REACHED, SIZES, Index, Written

WAYS = (("y", "x"), ("x", "y"))  # the axes that rows and columns lie along


def of_two_dimensions() -> Iterator[Index]:
    """A grid that is too small, or rows and columns of which one has a wrong index."""
    for rows_by, cols_by in WAYS:
        short = Short(rows_by, cols_by)
        yield Index(f"grid_short_{rows_by}", Both(Line(rows_by), Line(cols_by)), short.said)
    for rows_by, cols_by in WAYS:
        right = {axis: Line(axis) for axis in "xy"}
        for wrong in (*_lines(rows_by), *_lines(cols_by)):
            is_row = wrong.axis == rows_by
            rows, cols = (wrong, right[cols_by]) if is_row else (right[rows_by], wrong)
            yield Index(f"line_{wrong.axis}_{wrong.by}_{is_row}", Both(rows, cols), wrong.said)
    yield from _twice_by_one_axis()


@dataclass(frozen=True)
class Short:
    """The index is right, and the grid has too few blocks for it."""

    rows_by: str
    cols_by: str

    def said(self, case: Written) -> str:
        counts = dict(zip((self.rows_by, self.cols_by), case.written.shape[-2:], strict=True))
        names = dict(zip((self.rows_by, self.cols_by), case.names[-2:], strict=True))
        nouns = {self.rows_by: "rows", self.cols_by: "columns"}
        few = []
        for at, axis in enumerate("xy"):
            blocks, threads = case.grid[at], case.block[at]
            if blocks * threads < counts[axis]:
                of = f"{blocks:,} block{'' if blocks == 1 else 's'} of {threads:,} thread{'' if threads == 1 else 's'}"
                few.append(f"{of} in {axis} for {counts[axis]:,} {nouns[axis]}")
        needed = ", ".join(f"({names[axis]} - 1) / {case.block[at]} + 1" for at, axis in enumerate("xy"))
        third = f", {case.names[0]}" if case.written.dim() > 2 else ""
        return f"The grid has {' and '.join(few)}: it takes `dim3 blocks({needed}{third})`."


@dataclass(frozen=True)
class Line:
    """`blockIdx.y * by + threadIdx.y`, of one axis; `by` is a number, or a size; "0": there is no blockIdx in it."""

    axis: str
    by: str = ""

    def step(self, case: Written) -> int:
        at = "xyz".index(self.axis)
        sizes = {"": case.block[at], "blockDim.x": case.block[0], "blockDim.y": case.block[1]}
        sizes |= {"gridDim.x": case.grid[0], "gridDim.y": case.grid[1]}
        return sizes[self.by] if self.by in sizes else int(self.by)

    def reaches(self, case: Written, count: int) -> Tensor:
        at = "xyz".index(self.axis)
        places = torch.arange(case.grid[at])[:, None] * self.step(case) + torch.arange(case.block[at])
        reached = torch.zeros(count, dtype=torch.bool)
        reached[places[places < count]] = True
        return reached

    def said(self, case: Written) -> str:
        axis, threads = self.axis, case.block["xyz".index(self.axis)]
        if self.by == "0":
            return (
                f"What is written is just what `threadIdx.{axis}` reaches, without the block: write"
                f" `blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis}`."
            )
        step = self.step(case)
        called = self.by if self.by.isdigit() else f"{self.by}, {step}"
        loop = (
            f", or, with tiles of {step}, let each thread go on in a loop, `+= blockDim.{axis}`"
            if step > threads
            else ""
        )
        return (
            f"What is written is just what `blockIdx.{axis} * {self.by} + threadIdx.{axis}` reaches, which steps by"
            f" {called}, and a block has {threads} threads in {axis}: write `blockIdx.{axis} * blockDim.{axis} +"
            f" threadIdx.{axis}`{loop}."
        )


def _lines(axis: str) -> Iterator[Line]:
    for by in ("0", f"blockDim.{'x' if axis == 'y' else 'y'}", f"gridDim.{axis}", *map(str, SIZES)):
        yield Line(axis, by)


def _covers_matrices(case: Written) -> bool:
    """Whether z has one place, as where each thread goes through all matrices, or one for each of them."""
    depth = int(case.grid[2]) * int(case.block[2])
    return depth == 1 or (case.written.dim() == 3 and depth >= case.written.shape[0])


@dataclass(frozen=True)
class Both:
    """Rows of one index and columns of another."""

    rows: Line
    cols: Line

    def __call__(self, case: Written) -> Tensor | None:
        if case.written.dim() < 2 or not _covers_matrices(case) or case.block[1] == case.grid[1] == 1:
            return None
        rows, cols = case.written.shape[-2:]
        reached = self.rows.reaches(case, rows)[:, None] & self.cols.reaches(case, cols)[None, :]
        return reached.expand(case.written.shape)


# ---- one axis of the grid, or of the block, for both ----

_OTHER = {"x": "y", "y": "x"}


@dataclass(frozen=True)
class Place:
    """`blockIdx.x * blockDim.y + threadIdx.y`, where the three may be of different axes."""

    block: str
    by: str
    thread: str

    def __str__(self) -> str:
        return f"blockIdx.{self.block} * blockDim.{self.by} + threadIdx.{self.thread}"

    def of(self, case: Written) -> Tensor:
        """The index of each thread, blocks in y and x by threads in y and x."""
        at = {axis: "xy".index(axis) for axis in "xy"}
        numbers = {axis: torch.arange(case.grid[at[axis]]) for axis in "xy"}
        lanes = {axis: torch.arange(case.block[at[axis]]) for axis in "xy"}
        block = numbers[self.block].reshape([-1 if axis == self.block else 1 for axis in "yx"] + [1, 1])
        thread = lanes[self.thread].reshape([1, 1] + [-1 if axis == self.thread else 1 for axis in "yx"])
        return block * case.block[at[self.by]] + thread


@dataclass(frozen=True)
class Cell:
    """The row and the column of each thread, which leave an axis of the grid, or of the block, out."""

    row: Place
    col: Place

    def __call__(self, case: Written) -> Tensor | None:
        (gx, gy, _), (bx, by, _) = case.grid, case.block
        is_plane = case.written.dim() > 1 and _covers_matrices(case) and not by == gy == 1
        if not is_plane or gx * gy * bx * by > MOST_REACHED:
            return None
        rows, cols = case.written.shape[-2:]
        row, col = torch.broadcast_tensors(self.row.of(case), self.col.of(case))
        inside = (row < rows) & (col < cols)
        reached = torch.zeros(rows * cols, dtype=torch.bool)
        reached[(row * cols + col)[inside]] = True
        return reached.reshape(rows, cols).expand(case.written.shape)

    def said(self, case: Written) -> str:
        block = self.row.block if self.row.block == self.col.block else ""
        what, axis = ("blockIdx", block) if block else ("threadIdx", self.row.thread)
        other = _OTHER[axis]
        right = f"blockIdx.{other} * blockDim.{other} + threadIdx.{other}"
        return (
            f"What is written is just what is reached where {what}.{axis} makes the row and the column, and"
            f" {what}.{other} neither: let one of them be `{right}`."
        )


def _twice_by_one_axis() -> Iterator[Index]:
    places = [Place(*axes) for axes in product("xy", repeat=3)]
    for row, col in product(places, places):
        if row.block == col.block or row.thread == col.thread:
            cell = Cell(row, col)
            yield Index(f"cell_{row}_{col}", cell, cell.said)
