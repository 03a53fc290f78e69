"""Fragments of tensor cores whose registers have other elements: of an input, of all of them, or of the output.

A fragment has 16 x 16 elements; a register of each lane has two of one 8 x 8 quarter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause, Variation

Moved = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]  # of rows and columns, and a tile's size

HALF, TILE = 8, 16
WHOLE = 64  # columns that a tile has, or a part of it

_PAIRS = "columns i and i + 1 where 2 * i and 2 * i + 1 are the pair of lane i of 4: its first one is `lane % 4 * 2`"
_QUARTERS: tuple[tuple[str, Moved, str], ...] = (
    (
        "columns",
        lambda rows, cols, half: (rows, cols ^ half),
        "columns 0 to 7 and 8 to 15 of each 16 swapped: are registers of its fragment, or of the other factor's, in the"
        " wrong order? The first are of the lower columns",
    ),
    (
        "pairs",
        lambda rows, cols, half: (rows, _halved(cols, half)),
        _PAIRS,
    ),
    (
        "lower_pairs",
        lambda rows, cols, half: (rows, torch.where(cols & half > 0, cols, _halved(cols, half))),
        _PAIRS,
    ),
    (
        "packed",
        lambda rows, cols, half: (rows, cols ^ 1),
        "the two of each pair of columns swapped: the first of them belongs in the lower half of a register, in its"
        " fragment and in the other factor's",
    ),
    (
        "packed_rows",
        lambda rows, cols, half: (rows ^ 1, cols),
        "the two of each pair of rows swapped: the first of two that are packed into a register belongs in its lower"
        " half",
    ),
    (
        "rows",
        lambda rows, cols, half: (rows ^ half, cols),
        "rows 0 to 7 and 8 to 15 of each 16 swapped: are registers of its fragment in the wrong order? The first are"
        " of the upper rows",
    ),
    (
        "quarters",
        lambda rows, cols, half: (rows & ~half | cols & half, cols & ~half | rows & half),
        "two 8 x 8 quarters of each 16 x 16 tile swapped: are registers of its fragment in the wrong order? They are of"
        " (row, col), (row + 8, col), (row, col + 8) and (row + 8, col + 8)",
    ),
)


def _halved(cols: Tensor, half: int) -> Tensor:
    return cols // half * half + cols % half // 2 + cols % 2


def fragments(name: str) -> Iterator[Variation]:
    """One input with its elements elsewhere in each tile."""
    for key, moved, said in _QUARTERS:
        yield Variation(f"fragment_{key}", name, partial(_as_moved, name, moved), partial(_of_fragment, name, said))


def _as_moved(name: str, moved: Moved, case: Case) -> Tensor:
    """An input whose elements are taken from elsewhere in a tile; zeros where there is nothing."""
    return _moved(case.inputs[name], moved)


def _moved(values: Tensor, moved: Moved) -> Tensor:
    count, width = values.shape[-2:]
    down, across = torch.meshgrid(torch.arange(count), torch.arange(width), indexing="ij")
    rows, cols = moved(down, across, HALF)
    known = (rows < count) & (cols < width)
    return values[..., rows.clamp(max=count - 1), cols.clamp(max=width - 1)].masked_fill(~known, 0.0)


def _of_fragment(name: str, said: str, case: Case) -> str:
    return f"What {case.buffer} holds is right for {name} with {said}."


# ---- the lane's number taken apart otherwise: row lane / 4 and pair lane % 4 of each 8 x 8 ----


def _by_eights(rows: Tensor, cols: Tensor, half: int) -> tuple[Tensor, Tensor]:
    """What a lane has that takes row lane % 8 and pair lane / 8, where row lane / 4 and pair lane % 4 are asked for."""
    lane = rows % HALF * 4 + cols % HALF // 2
    return rows // HALF * HALF + lane % 8, cols // HALF * HALF + lane // 8 * 2 + cols % 2


def _stored_by_eights(rows: Tensor, cols: Tensor, half: int) -> tuple[Tensor, Tensor]:
    """What is stored there by a lane that has row lane / 4 and pair lane % 4."""
    lane = rows % HALF + cols % HALF // 2 * 8
    return rows // HALF * HALF + lane // 4, cols // HALF * HALF + lane % 4 * 2 + cols % 2


def _registers(rows: Tensor, cols: Tensor, half: int) -> tuple[Tensor, Tensor]:
    """Where the second and the third of a lane's four sums are stored in each other's place."""
    third = (rows % TILE < HALF) & (cols % 2 == 1)  # what is stored there
    second = (rows % TILE >= HALF) & (cols % 2 == 0)
    by = third.long() - second.long()
    return rows + HALF * by, cols - by


def _swizzled(by: int, pieces: int, rows: Tensor, cols: Tensor, half: int) -> tuple[Tensor, Tensor]:
    """Pieces of 8 columns in the order `piece ^ row / by % pieces`."""
    piece = cols // HALF
    return rows, (piece // pieces * pieces + (piece % pieces ^ rows // by % pieces)) * HALF + cols % HALF


_LANES = "with row lane % 8 and pair lane / 8 in the place of row lane / 4 and pair lane % 4 of each 8 x 8"
LANE_MOVES: tuple[tuple[str, Moved, str], ...] = (
    (
        "registers",
        _registers,
        "The second and the third number that a lane has of {buffer} are stored in each other's place: the four belong"
        " to (row, col), (row, col + 1), (row + 8, col) and (row + 8, col + 1).",
    ),
    (
        "by_eights",
        _stored_by_eights,
        f"What a lane has of {{buffer}} is stored {_LANES}: four neighbouring lanes have a row.",
    ),
)


def _within(lead: int, rows: Tensor, cols: Tensor, half: int) -> tuple[Tensor, Tensor]:
    """Of whole tiles, rows that follow one another after `lead` elements of the matrix, and not after its width."""
    height, width = (int(each.max()) + 1 for each in (rows, cols))
    down, across = (each // TILE * TILE for each in (rows, cols))
    whole = (down + TILE <= height) & (across + TILE <= width)
    place = down * width + across + rows % TILE * lead + cols % TILE
    return torch.where(whole, place // width, rows), torch.where(whole, place % width, cols)


def _swapped_roles(rows: Tensor, cols: Tensor, half: int) -> tuple[Tensor, Tensor]:
    """What a lane has that takes row lane % 4 and pair lane / 4; the pairs reach beyond the 8 columns."""
    return rows // HALF * HALF + cols % HALF // 2, cols // HALF * HALF + rows % HALF * 2 + cols % 2


def _in_tile(lead: int, rows: Tensor, cols: Tensor) -> tuple[Tensor, Tensor]:
    """Of a tile of its own, in which rows follow one another after `lead` elements."""
    place = rows % TILE * lead + cols % TILE
    return rows // TILE * TILE + place // TILE, cols // TILE * TILE + place % TILE


_OF_ALL: tuple[tuple[str, Moved, bool, str], ...] = (
    (
        "by_eights",
        _by_eights,
        True,
        f"What {{buffer}} holds is right for {{names}} {_LANES}: four neighbouring lanes have a row.",
    ),
    (
        "roles",
        _swapped_roles,
        True,
        "What {buffer} holds is right for {names} with row lane % 4 and pair lane / 4 in the place of row lane / 4 and"
        " pair lane % 4 of each 8 x 8: are the two swapped?",
    ),
    (
        "leading_of_tile",
        lambda rows, cols, half: _in_tile(HALF, rows, cols),
        True,
        "What {buffer} holds is right where each row of a 16 x 16 tile of {names} begins 8 elements behind the last:"
        " the leading dimension of load_matrix_sync is how many elements a row of the array has.",
    ),
    (
        "leading",
        partial(_within, TILE),
        False,
        "What {buffer} holds is right where the rows of each 16 x 16 tile of {names} follow one another after 16"
        " elements: the leading dimension of load_matrix_sync is how many elements a row of the whole matrix has.",
    ),
)


_SWIZZLE = (
    "What {buffer} holds is right for {names} with the pieces of 8 columns of each row in the order `piece ^ <by> %"
    " <pieces>`: it is asked for where a tile is stored and not where it is read, or the other way round."
)


_QUARTER = (
    "What {buffer} holds is right where the 8 x 8 quarter in row i and column j of each 16 x 16 of {names} is that of"
    " row <row> and column <col>: which row and column does each lane name, as `lane % 16` and `lane / 16 * 8` of"
    " ldmatrix.x4?"
)


def _quarter(row: str, col: str, rows: Tensor, cols: Tensor, half: int) -> tuple[Tensor, Tensor]:
    at = {"0": 0 * rows, "i": rows % TILE // HALF, "j": cols % TILE // HALF}
    return rows // TILE * TILE + at[row] * HALF + rows % HALF, cols // TILE * TILE + at[col] * HALF + cols % HALF


def _quarter_for(
    at: tuple[int, int], by: tuple[int, int], rows: Tensor, cols: Tensor, half: int
) -> tuple[Tensor, Tensor]:
    """One quarter of each tile is another one's."""
    is_it = (rows % TILE // HALF == at[0]) & (cols % TILE // HALF == at[1])
    return rows + HALF * is_it * (by[0] - at[0]), cols + HALF * is_it * (by[1] - at[1])


def _single_quarters() -> Iterator[tuple[str, Moved, bool, str]]:
    places = [(0, 0), (1, 0), (0, 1), (1, 1)]
    for at in places:
        for by in places:
            if at != by:
                one, other = (f"(row{' + 8' * row}, col{' + 8' * col})" for row, col in (at, by))
                said = (
                    f"What {{buffer}} holds is right for {{names}} where the register of {one} in each 16 x 16 holds"
                    f" that of {other} as well: is a `+ 8` missing, or too much?"
                )
                yield f"quarter_{at}_{by}", partial(_quarter_for, at, by), True, said


def _roles_in(at: tuple[int | None, int], rows: Tensor, cols: Tensor, half: int) -> tuple[Tensor, Tensor]:
    """Row and pair of the lane in each other's place in one quarter, or in those side by side of all rows."""
    is_it = (cols % TILE // HALF == at[1]) & ((rows % TILE // HALF == at[0]) if at[0] is not None else rows >= 0)
    row, col = _swapped_roles(rows, cols, half)
    return torch.where(is_it, row, rows), torch.where(is_it, col, cols)


def _packed_in(at: tuple[int | None, int], rows: Tensor, cols: Tensor, half: int) -> tuple[Tensor, Tensor]:
    """The two of each pair in each other's place, there alone."""
    is_it = (cols % TILE // HALF == at[1]) & ((rows % TILE // HALF == at[0]) if at[0] is not None else rows >= 0)
    return rows, torch.where(is_it, cols ^ 1, cols)


def _single_roles() -> Iterator[tuple[str, Moved, bool, str]]:
    for at in ((None, 0), (None, 1), (0, 0), (1, 0), (0, 1), (1, 1)):
        register = f"the register of (row{' + 8' * (at[0] or 0)}, col{' + 8' * at[1]}) alone"
        said = (
            f"What {{buffer}} holds is right for {{names}} where {register} has row lane % 4 and pair lane / 4, and the"
            " others row lane / 4 and pair lane % 4: are the two swapped there?"
        )
        yield f"roles_{at}", partial(_roles_in, at), True, said
        said = (
            f"What {{buffer}} holds is right for {{names}} where {register} has the two of its pair in each other's"
            " half: the one of the lower column belongs in the lower half."
        )
        yield f"packed_{at}", partial(_packed_in, at), True, said


def _quarters() -> Iterator[tuple[str, Moved, bool, str]]:
    for row, col in (("i", "i"), ("j", "j"), ("i", "0"), ("0", "j"), ("j", "0"), ("0", "i"), ("0", "0")):
        said = _QUARTER.replace("<row>", row).replace("<col>", col)
        yield f"quarter_{row}_{col}", partial(_quarter, row, col), True, said


def _swizzles() -> Iterator[tuple[str, Moved, bool, str]]:
    for pieces in (8, 4, 2):
        for by in (1, 2, 4):
            said = _SWIZZLE.replace("<by>", "row" if by == 1 else f"row / {by}").replace("<pieces>", str(pieces))
            yield f"swizzled_{by}_{pieces}", partial(_swizzled, by, pieces), True, said


def causes_of_fragments(case: Case) -> Iterator[Cause]:
    """One of these inputs, or all of them, with what another lane, or another row's length, would have."""
    names = [name for name, values in case.inputs.items() if values.dim() > 1 and case.is_of_16_bits(name)]
    for key, moved, whole, said in (*_OF_ALL, *_quarters(), *_single_quarters(), *_single_roles(), *_swizzles()):
        for chosen in ([*names], *([name] for name in names)):
            told, explains = said.replace("{names}", " and ".join(chosen)), partial(_are_moved, chosen, moved, whole)
            yield Cause(f"fragments_{key}_{'_'.join(chosen)}", explains, partial(_of, told))


def _are_moved(names: list[str], moved: Moved, whole: bool, case: Case) -> bool:
    """Whether these inputs have their elements elsewhere, in `whole` tiles or as far as they reach."""
    padded = {name: values for name, values in case.inputs.items() if values.dim() > 1 and case.is_of_16_bits(name)}
    for name, values in padded.items() if whole else ():  # what a tile has behind the last column comes to others
        padded[name] = torch.nn.functional.pad(values, (0, -values.shape[-1] % WHOLE))
    changed = padded | {name: _moved(padded[name], moved) for name in names}
    if all(torch.equal(values, padded[name]) for name, values in changed.items()):
        return False
    return case.is_right_for(case.reference({**case.inputs, **changed})[case.buffer].double())


def _of(words: str, case: Case) -> str:
    return words.format(buffer=case.buffer)
