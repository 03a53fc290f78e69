"""Counts of bytes that threads load several at once: a byte is taken from elsewhere, or the rest goes astray."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.often import LANES

BYTES = 4  # of a word
WHOLE = (16, 8, 4)  # elements that a thread loads at once
STEPS = (0, 1, 2, 4)  # bits, in the place of 8

Taken = Callable[[Tensor, int], Tensor]  # the numbers that are counted, of x and so many counters

_SHIFTS = (
    "{{buffer}} has from each word of four elements what lies at shifts of {shifts} bits: byte j of it is `word >> 8 *"
    " j & 0xff`."
)
_TWICE = (
    "Of each word of four elements {{buffer}} has byte {taken} twice, and byte {left} not at all: the four are at"
    " shifts of 0, 8, 16 and 24 bits."
)
_ONCE = (
    "{buffer} has each number once for each 32 elements that it is among, however often: a lane that adds for all lanes"
    " with its number adds how many these are, `__popc(same)`."
)
_ALL_OF_A_WARP = (
    "{buffer} has for each number, of each 32 elements that it is among, how many these are: a lane that adds for all"
    " lanes with its number adds how many have that, `__popc(same)`, and not how many take part."
)
_SQUARES = (
    "{buffer} has for each number, of each 32 elements, the square of how often it is among them: each lane adds how"
    " many lanes have its number, so let the first of these alone add it, `if (lane == __ffs(same) - 1)`."
)
_BEHIND_THE_FIRST = (
    "{buffer} has of each 32 elements a number only where the lane behind the first that has it has it, too: __ffs"
    " counts lanes from 1, so the first is lane `__ffs(same) - 1`."
)
_AS_THE_LAST = (
    "What is left of {x} behind whole words, or vectors, counts as {x}[n - 1] in {buffer}, each time: give each of"
    " these elements its own index."
)
_IN_ONE = (
    "What is left of {{x}} behind whole words, or vectors, counts in {{buffer}}[{counter}], whatever it is: let it"
    " count in `{{buffer}}[{{x}}[i]]`, as all else does."
)


def taken_otherwise(counters: int) -> Iterator[tuple[str, Taken, str]]:
    """A name, which numbers are counted in the place of x, and a sentence, with {buffer} and {x} for the arrays."""
    yield "once_a_warp", _once_a_warp, _ONCE
    yield "all_of_a_warp", _all_of_a_warp, _ALL_OF_A_WARP
    yield "squares_of_a_warp", _squares_of_a_warp, _SQUARES
    yield "behind_the_first", _behind_the_first, _BEHIND_THE_FIRST
    for whole in WHOLE:
        for step in STEPS:
            *first, last = (str(step * at) for at in range(BYTES))
            told = _SHIFTS.format(shifts=f"{', '.join(first)} and {last}")
            yield f"shifts_{step}_{whole}", partial(_by_shifts, whole, step), told
        for left in range(BYTES):
            for taken in range(BYTES):
                told = _TWICE.format(taken=taken, left=left)
                yield f"byte_{left}_{taken}_{whole}", partial(_one_twice, whole, left, taken), told
        yield f"rest_as_last_{whole}", partial(_rest_as_last, whole), _AS_THE_LAST
        for counter in (0, counters - 1):
            told = _IN_ONE.format(counter=counter)
            yield f"rest_in_{counter}_{whole}", partial(_rest_in, whole, counter), told


def _once_a_warp(x: Tensor, counters: int) -> Tensor:
    """Of each 32 elements side by side, those that are alike once."""
    whole = torch.nn.functional.pad(x, (0, -len(x) % LANES), value=-1).view(-1, LANES).sort(1).values
    is_new = torch.cat([torch.ones_like(whole[:, :1]).bool(), whole[:, 1:] != whole[:, :-1]], 1)
    return whole[is_new & (whole >= 0)]


def _all_of_a_warp(x: Tensor, counters: int) -> Tensor:
    """Of each 32 elements side by side, each number as often as there are elements."""
    groups = [x[first : first + LANES] for first in range(0, len(x), LANES)]
    return torch.cat([each.unique().repeat(len(each)) for each in groups])


def _squares_of_a_warp(x: Tensor, counters: int) -> Tensor:
    """Of each 32 elements side by side, each number the square of how often it is there."""
    counted = (x[first : first + LANES].unique(return_counts=True) for first in range(0, len(x), LANES))
    return torch.cat([numbers.repeat_interleave(counts * counts) for numbers, counts in counted])


def _behind_the_first(x: Tensor, counters: int) -> Tensor:
    """Of each 32 elements side by side, each number as often as it is there, if it is behind its first place, too."""
    kept = []
    for group in (x[first : first + LANES] for first in range(0, len(x), LANES)):
        numbers, counts = group.unique(return_counts=True)
        behind = torch.tensor([int((group == each).nonzero()[0]) + 1 for each in numbers])
        is_told = (behind < len(group)) & (group[behind.clamp(max=len(group) - 1)] == numbers)
        kept.append(numbers[is_told].repeat_interleave(counts[is_told]))
    return torch.cat(kept)


def _parts(whole: int, x: Tensor) -> tuple[Tensor, Tensor]:
    """Words of whole loads, words x bytes, and the elements behind them."""
    end = len(x) // whole * whole
    return x[:end].reshape(-1, BYTES), x[end:]


def _by_shifts(whole: int, step: int, x: Tensor, counters: int) -> Tensor:
    words, rest = _parts(whole, x)
    numbers = (words << 8 * torch.arange(BYTES)).sum(1, keepdim=True)
    return torch.cat([((numbers >> step * torch.arange(BYTES)) & 0xFF).flatten() % counters, rest])


def _one_twice(whole: int, left: int, taken: int, x: Tensor, counters: int) -> Tensor:
    words, rest = _parts(whole, x)
    places = torch.arange(BYTES)
    return torch.cat([words[:, torch.where(places == left, taken, places)].flatten(), rest])


def _rest_as_last(whole: int, x: Tensor, counters: int) -> Tensor:
    words, rest = _parts(whole, x)
    return torch.cat([words.flatten(), rest[-1:].expand(rest.shape)])


def _rest_in(whole: int, counter: int, x: Tensor, counters: int) -> Tensor:
    words, rest = _parts(whole, x)
    return torch.cat([words.flatten(), torch.full_like(rest, counter)])
