"""Means whose weights go from the registers of one product into those of the next, and not each where it belongs.

A lane has four registers of a 16 x 16 fragment of weights, each with two neighbours: of (row, key), (row + 8, key),
(row, key + 8) and (row + 8, key + 8). What is packed into the wrong one counts for another row, or another key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause
from grader.judge.causes.means import Means, means_of

HALF, WHOLE = 8, 16  # rows, or keys, of a register and of a fragment
TILES = (16, 32, 64, 128)  # keys between two looks at the maximum
MOST_WEIGHTS = 1 << 17
Places = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]  # of rows and keys: whose weight is there

_OWN = (0, 1, 2, 3)
_ORDER = "they belong to (row, key), (row + 8, key), (row, key + 8) and (row + 8, key + 8)"
_PACKED = (
    "What {buffer} holds is right where the two weights of a register are in each other's place: the one of the lower"
    " key belongs in its lower half."
)


_ROWS: tuple[tuple[str, Callable[[Tensor], Tensor], str, str], ...] = (
    ("first", lambda rows: rows & ~HALF, "row + 8", "of row"),
    ("last", lambda rows: rows | HALF, "row", "of row + 8"),
    ("other", lambda rows: rows ^ HALF, "row, and of row + 8,", "of the other one"),
)
_RESCALED = (
    "What {buffer} holds is right where what a lane has of <wrong> is multiplied with the factor <right> when the"
    " maximum grows: of a fragment's four numbers the first two are of row, the others of row + 8."
)


def causes_of_registers(case: Case) -> Iterator[Cause]:
    """Of means whose factors are of 16 bits, as tensor cores take them."""
    if not any(map(case.is_of_16_bits, case.inputs)) or means_of(case) is None:
        return
    moves: list[tuple[str, Places, str]] = [
        ("packed", lambda rows, keys: (rows, keys ^ 1), _PACKED),
        ("packed_first", lambda rows, keys: (rows, torch.where(keys % WHOLE < HALF, keys ^ 1, keys)), _PACKED),
        ("packed_last", lambda rows, keys: (rows, torch.where(keys % WHOLE < HALF, keys, keys ^ 1)), _PACKED),
    ]
    moves += [(f"{held}", partial(_of_registers, held), _said_of(held)) for held in _wrong_orders()]
    for tile in TILES:
        for name, places, said in moves:
            yield Cause(f"weights_{name}_{tile}", partial(_is_so, places, tile), partial(_said, said))
        for name, rows_of, wrong, right in _ROWS:
            said = _RESCALED.replace("<wrong>", wrong).replace("<right>", right)
            yield Cause(f"weights_rescaled_{name}_{tile}", partial(_by_rows, rows_of, tile), partial(_said, said))


def _by_rows(rows_of: Callable[[Tensor], Tensor], tile: int, case: Case) -> bool:
    """Whether what a row has so far is rescaled by the factors of another one."""
    found = means_of(case)
    if found is None or found.means != case.buffer or found.weights.numel() > MOST_WEIGHTS:
        return False
    *_, rows, keys = found.weights.shape
    logs, ends = _padded(found.weights, tile)
    so_far, largest = logs.cummax(-1).values[..., ends], logs.amax(-1, keepdim=True)
    of = rows_of(torch.arange(logs.shape[-2]))
    weights = torch.exp(logs - so_far + (so_far - largest)[..., of, :] + largest).nan_to_num(0.0)
    return case.is_right_for(weights[..., :rows, :keys] @ case.inputs[found.values].double())


def _wrong_orders() -> list[tuple[int, ...]]:
    """Those in which the fewest registers are wrong come first."""
    orders = [held for held in product(_OWN, repeat=4) if held != _OWN]
    return sorted(orders, key=lambda held: sum(one != own for one, own in zip(held, _OWN, strict=True)))


def _said_of(held: tuple[int, ...]) -> str:
    wrong = [f"{own} what belongs in {one}" for own, one in enumerate(held) if own != one]
    told = f"register {', and register '.join(wrong)}"
    where = f"a lane's fragment of the weights has in {told}, counted from 0"
    return f"What {{buffer}} holds is right where {where}: {_ORDER}."


def _said(words: str, case: Case) -> str:
    return words.format(buffer=case.buffer)


def _of_registers(held: tuple[int, ...], rows: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
    register = torch.tensor(held)[rows % WHOLE // HALF + keys % WHOLE // HALF * 2]
    return (
        rows // WHOLE * WHOLE + rows % HALF + register % 2 * HALF,
        keys // WHOLE * WHOLE + keys % HALF + register // 2 * HALF,
    )


def _is_so(places: Places, tile: int, case: Case) -> bool:
    found = means_of(case)
    if found is None or found.means != case.buffer or found.weights.numel() > MOST_WEIGHTS:
        return False
    values = case.inputs[found.values].double()
    return case.is_right_for(_moved(found, places, tile) @ values)


def _moved(found: Means, places: Places, tile: int) -> Tensor:
    """The weights as they count: each is beside its own row's maximum so far, and is rescaled as the other's are.

    Rows behind the last have scores of 0, as of queries that are 0, and keys behind the last count for nothing.
    """
    *_, rows, keys = found.weights.shape
    logs, ends = _padded(found.weights, tile)
    so_far = logs.cummax(-1).values[..., ends]
    at = places(torch.arange(logs.shape[-2])[:, None], torch.arange(logs.shape[-1]))
    moved = torch.exp((logs - so_far)[..., at[0], at[1]] + so_far).nan_to_num(0.0)
    return moved[..., :rows, :keys]


def _padded(weights: Tensor, tile: int) -> tuple[Tensor, Tensor]:
    """Logarithms of the weights, of whole fragments and tiles, and the last key of each key's tile."""
    *more, rows, keys = weights.shape
    logs = torch.cat([weights.log(), torch.zeros(*more, -rows % WHOLE, keys, dtype=weights.dtype)], -2)
    logs = torch.nn.functional.pad(logs, (0, -keys % tile), value=-torch.inf)
    return logs, torch.arange(logs.shape[-1]) // tile * tile + tile - 1
