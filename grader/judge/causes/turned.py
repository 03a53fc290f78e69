"""Inputs that are read with rows and columns swapped: the whole matrix, or each tile of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Variation
from grader.judge.causes.left_out import FACTORS


def turned(case: Case, name: str) -> Iterator[Variation]:
    """The matrix, or each tile of it, is read with rows and columns swapped."""
    values = case.inputs[name]

    def as_columns(case: Case) -> Tensor | None:
        values = case.inputs[name]
        return values.reshape(*values.shape[:-2], values.shape[-1], values.shape[-2]).transpose(-1, -2)

    def message(case: Case) -> str:
        rows, cols = case.inputs[name].shape[-2:]
        return (
            f"What {case.buffer} holds is right for {name} read down its columns, at col * {rows} + row: element (row,"
            f" col) of {rows} x {cols} lies at row * {cols} + col."
        )

    yield Variation("columns", name, as_columns, message)
    if values.dim() == 3 and "batch" in case.call.scalars and values.shape[0] == case.call.scalars["batch"]:
        yield from _of_matrices(name)
    for size in FACTORS[1:4]:
        said = partial(_turned_tiles, name, size)
        # What stands where a tile hangs over the edge: what adds nothing, 0, or of what is subtracted in exp nothing.
        for key, outside in (("", None), ("_of_zeros", 0.0), ("_of_nothing", -torch.inf)):
            yield Variation(f"tile_{size}{key}", name, partial(_tiles, name, size, outside, _turned), said)
            offsets = partial(_tiles, name, size, outside, _by_offsets)
            yield Variation(f"offsets_{size}{key}", name, offsets, partial(_swapped_offsets, name, size))
        if values.dim() == 2 and case.sums_along(name, values.dim() - 1):
            yield Variation(f"tile_{size}_folded", name, partial(_folded, name, size), said)


def _of_matrices(name: str) -> Iterator[Variation]:
    """The rows of several matrices are taken for one another's, or shared out among them."""

    def in_turn(case: Case) -> Tensor:
        values = case.inputs[name]
        batch, rows, cols = values.shape
        return values.reshape(rows, batch, cols).transpose(0, 1)

    def kept(own: Callable[[Tensor, Tensor, int, int], Tensor], case: Case) -> Tensor | None:
        values = case.inputs[name]
        batch, rows, _ = values.shape
        is_own = own(torch.arange(batch)[:, None], torch.arange(rows)[None, :], batch, rows)
        return values.masked_fill(~is_own[..., None], 0.0) if case.counts_in(name) is False else None

    def said(words: str, case: Case) -> str:
        return f"What {case.buffer} holds is right {words}".replace("{x}", name)

    yield Variation("rows_in_turn", name, in_turn, partial(said, _IN_TURN))
    strided = partial(kept, lambda b, r, batch, rows: r % batch == b)
    yield Variation("rows_shared_in_turn", name, strided, partial(said, _SHARED.format("row % batch is b")))
    parts = partial(kept, lambda b, r, batch, rows: r // -(-rows // batch) == b)
    yield Variation("rows_shared", name, parts, partial(said, _SHARED.format("row / ((rows - 1) / batch + 1) is b")))


_IN_TURN = (
    "where the matrices of {x} take turns row by row, as `(row * batch + b) * cols + col` reads them: each lies behind"
    " the one before, so write `(b * rows + row) * cols + col`."
)
_SHARED = (
    "where matrix b of {{x}} has its rows with {} alone: they are shared out among the matrices, and each needs all of"
    " its own, so let the loop go over all rows."
)

Places = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]  # from rows, columns and a tile's size


def _turned(r: Tensor, c: Tensor, size: int) -> tuple[Tensor, Tensor]:
    return r // size * size + c % size, c // size * size + r % size


def _by_offsets(r: Tensor, c: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Where the tile in row I and column J is the one in row J and column I."""
    return c // size * size + r % size, r // size * size + c % size


def _tiles(name: str, size: int, outside: float | None, places: Places, case: Case) -> Tensor | None:
    values = case.inputs[name]
    rows, cols = values.shape[-2:]
    r, c = torch.arange(rows)[:, None], torch.arange(cols)[None, :]
    row, col = places(r, c, size)
    inside = (row < rows) & (col < cols)
    if outside is None:
        outside = -torch.inf if case.counts_in(name) else 0.0
    elif not case.counts_in(name) if outside == 0.0 else case.counts_in(name) is not None:
        return None
    return values[..., row.clamp(max=rows - 1), col.clamp(max=cols - 1)].masked_fill(~inside, outside)


def _folded(name: str, size: int, case: Case) -> Tensor | None:
    """The same where a row is added up: what lies behind the last column, in the last tile, is in the sum as well."""
    values = case.inputs[name]
    rows, cols = values.shape
    if case.counts_in(name) is not False:
        return None
    down, across = (-(-count // size) * size for count in (rows, cols))
    whole = values.new_zeros(down, across)
    whole[:rows, :cols] = values
    r, c = torch.arange(rows)[:, None], torch.arange(across)[None, :]
    moved = whole[r // size * size + c % size, c // size * size + r % size]
    moved[:, cols - 1] += moved[:, cols:].sum(1)
    return moved[:, :cols]


def _swapped_offsets(name: str, size: int, case: Case) -> str:
    return (
        f"What {case.buffer} holds is right for {name} with its {size} x {size} tiles in each other's place, the one in"
        " row j and column i for that in row i and column j: are a tile's first row and column swapped where it is"
        " loaded?"
    )


def _turned_tiles(name: str, size: int, case: Case) -> str:
    of_fragments = {8: ", or ldmatrix called with .trans or without", 16: ", or a fragment row_major for col_major"}
    fragment = of_fragments.get(size, "") if case.is_of_16_bits(name) else ""
    return (
        f"What {case.buffer} holds is right for {name} with each {size} x {size} tile turned round: are the two indices"
        f" of its shared array swapped where it is read, or written{fragment}?"
    )
