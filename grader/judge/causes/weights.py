"""How often a sum has each of its terms, where loops step by another number than their threads, or shuffles err."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

import torch
from torch import Tensor

from grader.judge.causes.often import LANES, Launches

STEPS = (16, 8, 4, 2, 1)  # of the shuffles that add up a warp
VECTOR = 4  # neighbours that a lane loads at once
SIZES = (32, 64, 128, 256, 512, 1024)

Times = Callable[[Tensor, Launches], Tensor]  # from the places along an axis
Weights = tuple[str, Times, Callable[[Launches], str]]  # a key, how often each place counts, and what to say


def weights(noun: str, launches: Launches) -> Iterator[Weights]:
    """How often places of an axis may count, by loops whose step is wrong, and by shuffles of lanes with neighbours."""
    for at, _ in enumerate(launches):
        yield from _steps(noun, at)
    yield from weights_of_lanes(VECTOR)


def weights_of_lanes(vector: int = 1) -> Iterator[Weights]:
    """The same by shuffles that are wrong, where a lane has `vector` neighbours."""
    for key, of_lane, said in shuffles():
        yield f"{key}_{vector}", partial(_of_lanes, of_lane, vector), partial(_always, said)


def _always(said: str, _: Launches) -> str:
    return said


def _of_lanes(of_lane: Tensor, vector: int, places: Tensor, _: Launches) -> Tensor:
    return of_lane[places // vector % LANES]


# ---- loops ----


@dataclass(frozen=True)
class Loop:
    """`for (c = thread; c < n; c += step)`, where the threads are those of a block or of the grid."""

    noun: str
    launch: int
    of_grid: bool
    step: str  # a number, or what of the launch it is

    def threads(self, launches: Launches) -> int:
        launch = launches[self.launch]
        return math.prod(launch["block"]) * (math.prod(launch["grid"]) if self.of_grid else 1)

    def by(self, launches: Launches) -> int:
        launch = launches[self.launch]
        sizes = {"gridDim.x": math.prod(launch["grid"]), "blockDim.x": math.prod(launch["block"])}
        return sizes[self.step] if self.step in sizes else int(self.step)

    def visits(self, places: Tensor, launches: Launches) -> Tensor:
        """By how many threads each place is come to."""
        if self.launch >= len(launches):
            return torch.ones_like(places).double()
        step, threads = self.by(launches), self.threads(launches)
        first, last = places % step, places.clamp(max=threads - 1)
        return torch.where(last < first, 0, (last - first) // step + 1).double()

    def said(self, launches: Launches) -> str:
        step, threads = self.by(launches), self.threads(launches)
        does = (
            f"has some {self.noun}s of {{x}} several times" if step < threads else f"lacks some {self.noun}s of {{x}}"
        )
        called = f"{self.step}, {step:,} here" if self.step.endswith("x") else f"{step:,}"
        right = "gridDim.x * blockDim.x" if self.of_grid else "blockDim.x"
        return (
            f"{{buffer}} {does}: {threads:,} threads share them, and the loop in which each goes on steps by {called}:"
            f" write `+= {right}`."
        )


def _steps(noun: str, launch: int) -> Iterator[Weights]:
    for of_grid in (False, True):
        for step in ("gridDim.x", *(["blockDim.x"] if of_grid else []), *map(str, SIZES)):
            loop = Loop(noun, launch, of_grid, step)
            yield f"step_{launch}_{of_grid}_{step}", loop.visits, loop.said


# ---- shuffles ----


@cache
def shuffles() -> Sequence[tuple[str, Tensor, str]]:
    """How often lane 0's sum has each lane's value behind shuffles that are wrong, and what is wrong with them."""
    found: list[tuple[str, Tensor, str]] = []
    for order in (STEPS, STEPS[::-1]):
        down = [("down", step) for step in order]
        found += [
            ("shuffle_up", _sum([("up", step) for step in order]), _UP),
            ("shuffle_of_one_lane", _sum([("one", step) for step in order]), _ONE),
            ("shuffle_assigned", _sum(down, adds=False), _ASSIGNED),
        ]
        for at, step in enumerate(order):
            rest = order[:at] + order[at + 1 :]
            if step in STEPS[1:-1]:  # those at the ends are told of as loops that begin or end too soon
                found.append((f"shuffle_without_{step}", _sum([("down", d) for d in rest]), _WITHOUT.format(d=step)))
            for twice in rest:
                steps = [("down", twice if each == step else each) for each in order]
                xor = [("xor", each) for _, each in steps]
                said = _TWICE.format(d=step)
                found += [(f"shuffle_{twice}_for_{step}", _sum(each), said) for each in (steps, xor)]
    different: list[tuple[str, Tensor, str]] = []
    for each in found:
        if not any(torch.equal(each[1], other[1]) for other in different):
            different.append(each)
    return different


_UP = (
    "What {buffer} holds is what __shfl_up_sync leaves in lane 0, {x}'s first value many times: it hands values to"
    " higher lanes, so write __shfl_down_sync, or let the warp's last lane write."
)
_ONE = (
    "What {buffer} holds is what __shfl_sync makes of {x}, by which all lanes take the value of the one lane that is"
    " named: for that of the lane `d` further on, write __shfl_down_sync."
)
_ASSIGNED = (
    "What {buffer} holds has one of 32 lanes' {x} alone, the last one's, as where a shuffle's line has `=` and not"
    " `+=`."
)
_WITHOUT = "{{buffer}} has half of the lanes' {{x}}: a shuffle by {d} is missing among those by 16, 8, 4, 2 and 1."
_TWICE = (
    "What {{buffer}} holds is what shuffles make of {{x}} where none is by {d}, and another distance is there twice:"
    " 16, 8, 4, 2 and 1 are needed, each once."
)


def _sum(steps: Sequence[tuple[str, int]], adds: bool = True) -> Tensor:
    """How often each lane's value is in lane 0's, behind `v += shuffle(v, step)` of each step."""
    lanes = torch.arange(LANES)
    has = torch.eye(LANES, dtype=torch.float64)
    for kind, step in steps:
        origin = {"down": lanes + step, "up": lanes - step, "xor": lanes ^ step, "one": torch.full_like(lanes, step)}[
            kind
        ]
        taken = has[torch.where((origin >= 0) & (origin < LANES), origin, lanes)]
        has = has + taken if adds else taken
    return has[0]
