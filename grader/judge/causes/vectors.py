"""What a sum lacks, or has twice, where threads take four neighbours at once: of each four, and not of each element.

Kernels with float4 keep a loop over single elements for rows that no four divide, or for what is left behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.left_out import Along, Lacking, masks_of_threads
from grader.judge.causes.often import LANES, Launches
from grader.judge.causes.weights import Weights, shuffles

EACH = 4
NOUN = "float4"

Numbers = Callable[[Tensor, int], Tensor]  # which of the vectors, or of the single elements, each place is


def _in_whole_rows(places: Tensor, length: int) -> Tensor:
    """Rows that four divide are vectors, others are single elements."""
    return places if length % EACH else places // EACH


def _before_the_rest(places: Tensor, length: int) -> Tensor:
    """All rows are vectors, and behind them single elements, which begin with the first thread."""
    whole = length // EACH * EACH
    return torch.where(places < whole, places // EACH, places - whole)


WAYS: tuple[tuple[str, Numbers], ...] = (("rows", _in_whole_rows), ("rest", _before_the_rest))


def noun_of(key: str, noun: str, length: int) -> str:
    """What a cause of this key counts in a case of this length."""
    has_vectors = length >= EACH and not (key.startswith("vectors_rows") and length % EACH)
    return NOUN if key.startswith("vectors_") and has_vectors else noun


def masks_of_vectors(noun: str, threads: list[int]) -> Iterator[Lacking]:
    """What threads may leave out of their vectors; words as of `masks`."""
    for way, numbers in WAYS:
        for key, mask, said, asks in masks_of_threads(noun, threads):
            yield f"vectors_{way}_{key}", partial(_masked, mask, numbers), said, asks


def _masked(mask: Along, numbers: Numbers, places: Tensor, length: int) -> Tensor:
    return mask(numbers(places, length), length)


def weights_of_vectors() -> Iterator[Weights]:
    """How often lane 0's sum has each lane's vectors, behind shuffles that are wrong."""
    for way, numbers in WAYS:
        for key, of_lane, said in shuffles():
            yield f"vectors_{way}_{key}", partial(_of_lanes, of_lane, numbers), partial(_always, said)


def _of_lanes(of_lane: Tensor, numbers: Numbers, places: Tensor, _: Launches) -> Tensor:
    return of_lane[numbers(places, len(places)) % LANES]


def _always(said: str, _: Launches) -> str:
    return said
