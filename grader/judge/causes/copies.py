"""How often a sum or a counter has each of its terms where a block keeps several copies, and not all are added once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.often import LANES, Launches

COPIES = (2, 4, 8, 16)

Weights = tuple[str, Callable[[Tensor, Launches], Tensor], Callable[[Launches], str]]


@dataclass(frozen=True)
class Copies:
    """So many copies, each of which takes what every so many-th warp, lane or share of a block has."""

    count: int
    of: str  # "warp", "lane" or "share"

    def which(self, places: Tensor, launches: Launches) -> Tensor:
        threads = math.prod(launches[-1]["block"]) if launches else 1
        if self.of == "warp":
            return places % max(threads, LANES) // LANES % self.count
        if self.of == "lane":
            return places % self.count
        return places % threads // max(threads // self.count, 1)

    def kept(self, first: int, end: int, times: int, places: Tensor, launches: Launches) -> Tensor:
        """Those from `first` to before `end` count `times`, the others not at all."""
        which = self.which(places, launches)
        return torch.where((which >= first) & (which < end), times, 0).double()

    @property
    def whose(self) -> str:
        return (
            f"the {self.count} shares of a block's threads" if self.of == "share" else f"every {self.count} {self.of}s"
        )


def copies() -> Iterator[Weights]:
    for of in ("warp", "lane", "share"):
        for count in COPIES:
            yield from _of(Copies(count, of))


def _of(all_of: Copies) -> Iterator[Weights]:
    count, key = all_of.count, f"copies_{all_of.count}_{all_of.of}"
    parts = [(0, count - 1, 1), (1, count, 1), (0, 1, 1), (count - 1, count, 1), (0, 1, count)]
    for first, end, times in dict.fromkeys([*parts, (0, count // 2, 1)]):
        yield (
            f"{key}_{first}_{end}_{times}",
            partial(all_of.kept, first, end, times),
            partial(_said, all_of, first, end, times),
        )


def _said(all_of: Copies, first: int, end: int, times: int, _: Launches) -> str:
    count, often = all_of.count, f", {times} times" if times > 1 else ""
    if end - first == count - 1 > 1:
        told = f"{{buffer}} lacks what the {'first' if first else 'last'} of {all_of.whose} has"
    else:
        which = "first half" if end > first + 1 else "last" if first else "first"
        told = f"{{buffer}} has what the {which} of {all_of.whose} has{often}, and nothing of the others"
    return f"{told}: where a block keeps several copies, are all of them added, each once, with `+=`?"
