"""What is written where a warp has each element, and its number is made otherwise, or not every warp writes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.often import LANES
from grader.judge.causes.written import MOST_REACHED, Index, Written

Number = Callable[[Tensor, Tensor, int], Tensor]  # of blockIdx.x, a block's warp, and how many warps it has
RIGHT = "blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32"
_NUMBERS: tuple[tuple[str, Number], ...] = (
    ("blockIdx.x + threadIdx.x / 32", lambda block, warp, warps: block + warp),
    ("threadIdx.x / 32", lambda block, warp, warps: warp + 0 * block),
    ("blockIdx.x * blockDim.x + threadIdx.x / 32", lambda block, warp, warps: block * warps * LANES + warp),
    ("blockIdx.x * 32 + threadIdx.x / 32", lambda block, warp, warps: block * LANES + warp),
)


def of_warps() -> Iterator[Index]:
    """Launches with a warp for each element, of which some are not written."""
    yield Index("warp", partial(_reached, None), _too_few)
    yield Index("first_warps", _of_first_warps, _of_first_warps_said)
    for name, number in _NUMBERS:
        yield Index(f"warp_{name}", partial(_reached, number), partial(_of_number, name))


def _warps(case: Written) -> tuple[int, int] | None:
    """Blocks, and the warps of each, of a launch of one dimension with several whole warps in a block."""
    (blocks, *grid), (threads, *block) = case.grid, case.block
    if [*grid, *block] != [1, 1, 1, 1] or threads % LANES or blocks * threads > MOST_REACHED:
        return None
    return blocks, threads // LANES


def _reached(number: Number | None, case: Written) -> Tensor | None:
    if not (launch := _warps(case)):
        return None
    blocks, warps = launch
    block, warp = torch.arange(blocks)[:, None], torch.arange(warps)[None, :]
    places = (number(block, warp, warps) if number else block * warps + warp).flatten()
    if number and (warps < 2 or blocks * warps < case.written.numel()):
        return None
    reached = torch.zeros(case.written.numel(), dtype=torch.bool)
    reached[places[places < len(reached)]] = True
    return reached


def _too_few(case: Written) -> str:
    blocks, threads = math.prod(case.grid), math.prod(case.block)
    count = case.written.numel()
    return (
        f"A warp writes each element, and {blocks:,} block{'' if blocks == 1 else 's'} of {threads:,} threads have"
        f" {blocks * threads // LANES:,} warps for {count:,}: {count:,} * {LANES} threads are needed, so launch"
        f" {-(-count * LANES // threads):,} blocks here."
    )


def _of_number(name: str, case: Written) -> str:
    return (
        f"What is written is just what `{name}` reaches, with a warp for each element: the number that reaches all is"
        f" `{RIGHT}`."
    )


def _of_first_warps(case: Written) -> Tensor | None:
    launch = _warps(case)
    if not launch or launch[1] < 2 or launch[0] != -(-case.written.numel() // launch[1]):
        return None
    return torch.arange(case.written.numel()) % launch[1] == 0


def _of_first_warps_said(case: Written) -> str:
    _, warps = _warps(case) or (0, 0)
    return (
        f"Of every {warps} elements, one for each warp of a block, only the first is written: does thread 0 of the"
        " block write, `if (threadIdx.x == 0)`, where lane 0 of each warp should, `if (threadIdx.x % 32 == 0)`?"
    )
