"""Attention whose keys are shared out among threads, each with a maximum of its own, and put together wrongly.

A thread that has seen some of a row's keys has a maximum, a sum and an output of these alone. All three are right again
once the sum and the output are multiplied with exp(its own maximum - the whole row's).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause
from grader.judge.causes.attention_masks import TILES, is_known, scores_of

LANES = (32, 16, 8, 4, 2)
PARTS = (2, 4, 8)
Groups = Callable[[int], Tensor]  # which thread, or part, has each of so many keys


def causes_of_own_maxima(case: Case) -> Iterator[Cause]:
    """Of attention's outputs, where keys go to lanes in turn, or parts of them to warps or blocks."""
    if case.buffer != "out" or not is_known(case):
        return
    groups: list[tuple[str, str, Groups]] = [
        (f"lanes_{each}", f"{each} threads that take keys in turn", partial(_in_turn, each))
        for each in dict.fromkeys([*LANES, *case.threads])
    ]
    groups += [(f"parts_{each}", f"{each} parts of the keys", partial(_in_parts, each)) for each in PARTS]
    groups += [(f"tiles_{each}", f"tiles of {each} keys", partial(_in_tiles, each)) for each in TILES]
    for key, whose, group in groups:
        for name, (of_outputs, of_sums, said) in _WRONG.items():
            explains = partial(_is_so, group, of_outputs, of_sums)
            yield Cause(f"own_maxima_{name}_{key}", explains, partial(_said, said.format(whose=whose)))


def _is_so(groups: Groups, of_outputs: bool, of_sums: bool, case: Case) -> bool:
    """Whether outputs, sums or both still have exp(score - their own maximum) where they are put together."""
    if case.buffer != "out" or not is_known(case):
        return False
    found = scores_of(case)
    if case.call.scalars.get("causal"):
        found = found.masked_fill(torch.ones_like(found).tril() == 0, -torch.inf)
    group = groups(found.shape[-1])
    own = found.new_full((*found.shape[:-1], int(group.max()) + 1), -torch.inf)
    own = own.scatter_reduce(-1, group.expand_as(found), found, "amax")[..., group]
    by_own = torch.exp(found - own).nan_to_num(0.0)
    by_row = torch.exp(found - found.amax(-1, keepdim=True))
    outputs, sums = (by_own if wrong else by_row for wrong in (of_outputs, of_sums))
    return case.is_right_for(outputs @ case.inputs["v"].double() / sums.sum(-1, keepdim=True))


def _in_turn(threads: int, keys: int) -> Tensor:
    return torch.arange(keys) % threads


def _in_parts(parts: int, keys: int) -> Tensor:
    return torch.arange(keys) // -(-keys // parts)


def _in_tiles(tile: int, keys: int) -> Tensor:
    return torch.arange(keys) // tile


def _said(words: str, case: Case) -> str:
    return words.replace("{buffer}", case.buffer)


_BELONGS = "multiply {what} with expf(its own maximum - the whole row's) before they are added up"
_WRONG: dict[str, tuple[bool, bool, str]] = {
    "both": (
        True,
        True,
        "A row of {{buffer}} is put together from {whose}, each weighed by its own maximum: put the maxima together,"
        f" and {_BELONGS.format(what='the sum and the output of each')}.",
    ),
    "outputs": (
        True,
        False,
        "A row of {{buffer}} is put together from {whose}, each with an output by its own maximum:"
        f" {_BELONGS.format(what='the output of each, as its sum,')}.",
    ),
    "sums": (
        False,
        True,
        "A row of {{buffer}} is divided by the sums of {whose}, each by its own maximum:"
        f" {_BELONGS.format(what='the sum of each, as its output,')}.",
    ),
}
