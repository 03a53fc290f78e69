"""Where the elements of an output stand, if tiles are turned or dealt out otherwise on their way there."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

Moved = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]  # of rows and columns, and a tile's size


def _turned(rows: Tensor, cols: Tensor, tile: int) -> tuple[Tensor, Tensor]:
    return rows // tile * tile + cols % tile, cols // tile * tile + rows % tile


def _column_by_row(rows: Tensor, cols: Tensor, tile: int) -> tuple[Tensor, Tensor]:
    return rows, cols // tile * tile + rows % tile


def _row_by_column(rows: Tensor, cols: Tensor, tile: int) -> tuple[Tensor, Tensor]:
    return rows // tile * tile + cols % tile, cols


def _turned_whole(rows: Tensor, cols: Tensor, tile: int) -> tuple[Tensor, Tensor]:
    """Of tiles that hang over no edge alone: the others are stored by other lines."""
    turned = _turned(rows, cols, tile)
    ends = [(int(each.max()) + 1) // tile * tile for each in (rows, cols)]
    whole = (rows < ends[0]) & (cols < ends[1])
    return torch.where(whole, turned[0], rows), torch.where(whole, turned[1], cols)


def _by_offsets(rows: Tensor, cols: Tensor, tile: int) -> tuple[Tensor, Tensor]:
    """Of each four tiles, two and two, the second and the third are in each other's place."""
    pair = 2 * tile
    return (
        rows // pair * pair + cols % pair // tile * tile + rows % tile,
        cols // pair * pair + rows % pair // tile * tile + cols % tile,
    )


def _dealt(size: Tensor, tile: int) -> Tensor:
    """Where place t + tile * i of two tiles holds what belongs in place 2 * t + i."""
    pair = 2 * tile
    return size // pair * pair + size % tile * 2 + size % pair // tile


def _rows_dealt(rows: Tensor, cols: Tensor, tile: int) -> tuple[Tensor, Tensor]:
    return _dealt(rows, tile), cols


def _columns_dealt(rows: Tensor, cols: Tensor, tile: int) -> tuple[Tensor, Tensor]:
    return rows, _dealt(cols, tile)


def _columns_by_rows(rows: Tensor, cols: Tensor, tile: int) -> tuple[Tensor, Tensor]:
    """Of each four tiles, the two of a row are both the one whose column has the row's number."""
    pair = 2 * tile
    return rows, cols // pair * pair + rows % pair // tile * tile + cols % tile


def _rows_by_columns(rows: Tensor, cols: Tensor, tile: int) -> tuple[Tensor, Tensor]:
    pair = 2 * tile
    return rows // pair * pair + cols % pair // tile * tile + rows % tile, cols


# Of tiles of two a thread has all four, as in a float4.
OF_FOUR = {
    f"{name}_dealt": f"Of each four {name} of {{buffer}} the second and the third are in each other's place: are two of"
    " the four that a thread has, as .y and .z of a float4, swapped where they are loaded, used or stored?"
    for name in ("rows", "columns")
}
MOVES: tuple[tuple[str, Moved, str], ...] = (
    (
        "turned",
        _turned,
        "Each {tile} x {tile} tile of {buffer} is turned round, (col, row) holds what belongs in (row, col): are the"
        " two indices swapped where it is stored, or is a fragment stored by columns?",
    ),
    (
        "turned_whole",
        _turned_whole,
        "Each whole {tile} x {tile} tile of {buffer} is turned round, (col, row) holds what belongs in (row, col), and"
        " those at an edge are right: is a fragment stored by columns, mem_col_major for mem_row_major?",
    ),
    (
        "by_offsets",
        _by_offsets,
        "Of each 2 x 2 tiles of {tile} x {tile} {buffer} has that of row i and column j where the one of row j and"
        " column i belongs: are the two indices swapped, in what is multiplied, added up or stored?",
    ),
    *(
        (
            name,
            moved,
            f"The {noun} that a thread has of {{buffer}} lie side by side where it computes, 2 * t and 2 * t + 1, and"
            f" {{tile}} apart where it stores: use one index for both, `2 * t + i` or `t + {{tile}} * i`.",
        )
        for name, moved, noun in (("rows_dealt", _rows_dealt, "rows"), ("columns_dealt", _columns_dealt, "columns"))
    ),
    *(
        (
            name,
            moved,
            "Of each 2 x 2 tiles of {tile} x {tile} {buffer} has in row i and column j that of row "
            f"{at}: is the number of a warp's, or a thread's, row in an index where that of its column belongs, or the"
            " other way round?",
        )
        for name, moved, at in (
            ("columns_by_rows", _columns_by_rows, "i and column i"),
            ("rows_by_columns", _rows_by_columns, "j and column j"),
        )
    ),
    (
        "column_by_row",
        _column_by_row,
        "In each tile of {tile}, all columns of a row of {buffer} hold what belongs in one of them, the one with the"
        " row's number: is threadIdx.y, or the row, in an index where threadIdx.x, or the column, belongs?",
    ),
    (
        "row_by_column",
        _row_by_column,
        "In each tile of {tile}, all rows of a column of {buffer} hold what belongs in one of them, the one with the"
        " column's number: is threadIdx.x, or the column, in an index where threadIdx.y, or the row, belongs?",
    ),
)
