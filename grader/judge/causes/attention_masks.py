"""Attention whose queries see other keys than they should: what is compared in a mask is another number.

What is right is computed here, too, and asked for first: of another task nothing is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause

TILES = (16, 32, 64, 128)
HALF = 8  # rows of a fragment that a lane has one of
MOST_SCORES = 1 << 20
ROUNDED = 2e-6  # relative, of a sum of products
Mask = Callable[[Tensor, Tensor, int], Tensor]  # of queries, keys and n: which keys are seen

_SEES = "Row i of {buffer} sees the keys j with "
_COUNTED = ": with causal it sees those with j <= i, both counted from the first of the head."


def causes_of_masks(case: Case) -> Iterator[Cause]:
    """Of attention that is causal."""
    if not case.call.scalars.get("causal") or not is_known(case):
        return
    yield Cause("mask_from_the_end", partial(_is_right, _from_the_end, 1), partial(_said, _FROM_THE_END))
    yield Cause("mask_rest_as_it_was", _is_with_scores, partial(_said, _REST))
    sizes = dict.fromkeys([*case.threads, *TILES])
    for size in dict.fromkeys([*sizes, HALF]):
        for key, of_tile, said in _OF_TILES:
            explains = partial(_is_right, partial(of_tile, size), 1)
            yield Cause(f"mask_{key}_{size}", explains, partial(_said, _SEES + said.format(size=size) + _COUNTED))
    for size in sizes:
        for other in sizes:
            said = _SEES + f"`j % {size} <= i % {other}`" + _COUNTED
            for padded in (1, size):
                explains = partial(_is_right, partial(_within, size, other), padded)
                yield Cause(f"mask_within_{size}_{other}_{padded}", explains, partial(_said, said))


def causes_of_places_behind(case: Case) -> Iterator[Cause]:
    """Of places behind the last key that count in all rows, those of a mask, too."""
    for size in dict.fromkeys([*case.threads, *TILES]) if is_known(case) else ():
        yield Cause(f"mask_padded_{size}", partial(_is_padded, size), partial(_said, _PADDED % size))


@lru_cache(8)
def is_known(case: Case) -> bool:
    """Whether this is attention, or its logarithms of sums, as it is computed here."""
    q, k, v = (case.inputs.get(name) for name in "qkv")
    if q is None or k is None or v is None or q.dim() != 3 or not q.shape == k.shape == v.shape:
        return False
    if case.buffer not in ("out", "lse") or q.shape[0] * q.shape[1] ** 2 > MOST_SCORES:
        return False
    claim = _claim(_causal if case.call.scalars.get("causal") else _all, 1, case)
    return bool(((claim.reshape(case.expected.shape) - case.expected).abs() <= case.allowed).all())


@lru_cache(8)
def scores_of(case: Case) -> Tensor:
    q, k = case.inputs["q"].double(), case.inputs["k"].double()
    return q @ k.mT / math.sqrt(q.shape[-1])


def _claim(mask: Mask, tile: int, case: Case) -> Tensor:
    """The output of this mask, where places behind the last key, to the end of its tile, have a score of 0."""
    scores, values = scores_of(case), case.inputs["v"].double()
    n = scores.shape[-1]
    more = -n % tile
    scores, values = torch.nn.functional.pad(scores, (0, more)), torch.nn.functional.pad(values, (0, 0, 0, more))
    seen = mask(torch.arange(n)[:, None], torch.arange(n + more), n)
    scores = scores.masked_fill(~seen, -torch.inf)
    return scores.logsumexp(-1) if case.buffer == "lse" else scores.softmax(-1) @ values


def _is_right(mask: Mask, tile: int, case: Case) -> bool:
    """Whether the mask explains it; one that does not matter in a case does not agree with what is wrong there."""
    return is_known(case) and case.is_right_for(_claim(mask, tile, case))


def _is_padded(size: int, case: Case) -> bool:
    return _is_right(partial(_with_places, bool(case.call.scalars.get("causal"))), size, case)


def _is_with_scores(case: Case) -> bool:
    """Whether what a query must not see counts with its score as it was, as where no weight is stored in its place."""
    if not is_known(case) or case.buffer != "out":
        return False
    scores = scores_of(case)
    seen = torch.ones_like(scores).tril() > 0
    weights, values = scores.masked_fill(~seen, -torch.inf).softmax(-1), case.inputs["v"].double()
    claim = torch.where(seen, weights, scores) @ values
    q, k = case.inputs["q"].double().abs(), case.inputs["k"].double().abs()
    size = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(seen, 0.0) @ values.abs()
    room = torch.maximum(case.allowed.reshape(claim.shape), ROUNDED * size)
    is_so = bool(((case.got.reshape(claim.shape) - claim).abs() <= room).all())
    return is_so and bool(((claim - case.expected.reshape(claim.shape)).abs() > room).any())


def _said(words: str, case: Case) -> str:
    return words.format(buffer=case.buffer)


def _all(query: Tensor, key: Tensor, n: int) -> Tensor:
    return (key < n) & (query >= 0)


def _causal(query: Tensor, key: Tensor, n: int) -> Tensor:
    return key <= query


def _with_places(is_causal: bool, query: Tensor, key: Tensor, n: int) -> Tensor:
    return (key >= n) | (key <= query if is_causal else query >= 0)


def _from_the_end(query: Tensor, key: Tensor, n: int) -> Tensor:
    return key >= n - 1 - query


def _by_place_in_tile(size: int, query: Tensor, key: Tensor, n: int) -> Tensor:
    return key <= query % size


def _whole_tiles(size: int, query: Tensor, key: Tensor, n: int) -> Tensor:
    return key // size <= query // size


def _first_of_group(size: int, query: Tensor, key: Tensor, n: int) -> Tensor:
    return key <= query // size * size


def _tiles_before(size: int, query: Tensor, key: Tensor, n: int) -> Tensor:
    return (key < query // size * size) | ((query < size) & (key <= query))


def _key_in_tile(size: int, query: Tensor, key: Tensor, n: int) -> Tensor:
    return key % size <= query


def _from_itself_in_tile(size: int, query: Tensor, key: Tensor, n: int) -> Tensor:
    return key >= query % size


def _within(size: int, other: int, query: Tensor, key: Tensor, n: int) -> Tensor:
    return key % size <= query % other


_REST = (
    "What a query of {buffer} must not see counts with its score as it was: store a weight of 0 there, too, or end the"
    " last loop at the query's own key."
)
_PADDED = (
    "Each of the places behind the last key, up to the end of its tile of %d, counts in {buffer} with a score of 0,"
    " in every row: give these scores -INFINITY."
)
_FROM_THE_END = (
    "Row i of {buffer} sees the last i + 1 keys, and should see the first: with causal those with j <= i, from 0 on."
)
_OF_TILES: tuple[tuple[str, Callable[[int, Tensor, Tensor, int], Tensor], str], ...] = (
    ("by_place", _by_place_in_tile, "`j <= i % {size}`, as of threadIdx.x"),
    ("whole_tiles", _whole_tiles, "`j <= i`, and the others of the tile of {size} that its own is in"),
    ("first_of_group", _first_of_group, "`j <= i / {size} * {size}`, as of the first row of a group for all of them"),
    ("tiles_before", _tiles_before, "`j < i / {size} * {size}`, as of tiles of {size} with the last one left out"),
    ("key_in_tile", _key_in_tile, "`j % {size} <= i`, by the key's place in its tile"),
    ("from_place", _from_itself_in_tile, "`j >= i % {size}`, as of threadIdx.x"),
)
