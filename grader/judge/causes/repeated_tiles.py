"""Sums over the tiles of two inputs, of which a step takes another one than its own: the first, or the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause

SIZES = (4, 8, 16, 32, 64, 128)  # of a tile, along the sum

Tiles = Callable[[int], list[int]]  # which tile each of so many steps takes


def causes_of_repeated_tiles(case: Case) -> Iterator[Cause]:
    """Of outputs that add up products, or terms, of two inputs; none of others."""
    if len(_summed(case)) != 2:
        return
    for name, tiles, words in _CLAIMS:
        for size in SIZES:
            yield Cause(f"{name}_{size}", partial(_is_right, tiles, size), partial(_said, words, size))


def _summed(case: Case) -> list[tuple[str, int]]:
    """Its inputs that are added up along an axis, and that; [] if one of them is along two."""
    floats = {name: values for name, values in case.inputs.items() if values.is_floating_point()}
    found = [(name, axis) for name in floats for axis in range(floats[name].dim()) if case.sums_along(name, axis)]
    return found if len({name for name, _ in found}) == len(found) else []


def _is_right(tiles: Tiles, size: int, case: Case) -> bool:
    changed = {}
    for name, axis in _summed(case):
        values = case.inputs[name]
        steps = -(-values.shape[axis] // size)
        if steps < 2:
            return False
        nothing = -torch.inf if case.counts_in(name) else 0.0
        whole = torch.full((*values.shape[:axis], steps * size, *values.shape[axis + 1 :]), nothing, dtype=values.dtype)
        whole.narrow(axis, 0, values.shape[axis]).copy_(values)
        places = torch.cat([torch.arange(size) + size * tile for tile in tiles(steps)])
        changed[name] = whole.index_select(axis, places)
    try:
        claim: Tensor = case.reference({**case.inputs, **changed})[case.buffer].double()
    except (RuntimeError, IndexError):  # a reference that goes by the sizes of the call
        return False
    return claim.numel() == case.got.numel() and case.is_right_for(claim)


def _said(words: str, size: int, case: Case) -> str:
    one, two = (name for name, _ in _summed(case))
    return words.format(buffer=case.buffer, size=size, one=one, two=two)


_CLAIMS: tuple[tuple[str, Tiles, str], ...] = (
    (
        "first_tile",
        lambda steps: [0] * steps,
        "Each step for {buffer} takes the first {size} of the sum's terms again, of {one} and of {two}: does the slot, "
        "or the pointer, from which a step reads go on to what was loaded for it?",
    ),
    (
        "tile_before",
        lambda steps: [0, *range(steps - 1)],
        "Each step for {buffer} takes the {size} terms of the step before, of {one} and {two}, and the last are left "
        "out: is a slot read before the new tile is in it, or with the number of the other slot?",
    ),
)
