"""How often a sum has each of its terms, where loops step by another number than their threads, or shuffles err."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

import torch
from torch import Tensor

from grader.judge.causes.copies import copies
from grader.judge.causes.elements import ordinal
from grader.judge.causes.often import LANES, Launches
from grader.judge.causes.parts_of_blocks import weights_of_blocks
from grader.judge.causes.unrolled import unrolled

STEPS = (16, 8, 4, 2, 1)  # of the shuffles that add up a warp
VECTOR = 4  # neighbours that a lane loads at once
TILES = (16, 32, 64)  # of an axis, that blocks take at a time
SIZES = (32, 64, 128, 256, 512, 1024)

Times = Callable[[Tensor, Launches], Tensor]  # from the places along an axis
Weights = tuple[str, Times, Callable[[Launches], str]]  # a key, how often each place counts, and what to say


def weights(noun: str, launches: Launches) -> Iterator[Weights]:
    """How often places of an axis may count, by loops whose step is wrong, and by shuffles of lanes with neighbours."""
    for at, launch in enumerate(launches):
        yield from _steps(noun, at, launches)
        if math.prod(launch["grid"]) > 1:
            yield from _overlapping(noun, at)
            yield from _all_from_the_first(noun, at)
    yield from weights_of_blocks(noun, launches)
    yield from _tiles(noun)
    yield from _last_tiles(noun)
    yield from _again(noun, launches)
    yield from _trees_first(noun, launches)
    yield from weights_of_lanes(VECTOR)
    if all(launch["block"][1] == 1 for launch in launches):  # else a row of a block works on its own
        yield from copies()
    yield from unrolled(noun, launches)


def weights_of_teams(noun: str, launches: Launches) -> Iterator[Weights]:
    """The same by loops of a part of a block that has a row of its own: a warp, or what lies along x."""
    for at, launch in enumerate(launches):
        width, height, _ = launch["block"]
        of = "x" if height > 1 else "warp"
        for step in ("blockDim.x * blockDim.y" if height > 1 else "blockDim.x", *map(str, SIZES)):
            if (width if height > 1 else LANES) > 1 and width * height > LANES:
                loop = Loop(noun, at, of, step)
                yield f"step_{at}_{of}_{step}", loop.visits, loop.said


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
    """`for (c = thread; c < n; c += step)`, with the threads of a block, of an axis of it, or of the grid."""

    noun: str
    launch: int
    of: str  # "block", "grid", "x", "y" or "warp"
    step: str  # a number, or what of the launch it is

    def threads(self, launches: Launches) -> int:
        launch = launches[self.launch]
        if self.of == "warp":
            return LANES
        if self.of in ("x", "y"):
            return int(launch["block"]["xy".index(self.of)])
        return math.prod(launch["block"]) * (math.prod(launch["grid"]) if self.of == "grid" else 1)

    def by(self, launches: Launches) -> int:
        launch = launches[self.launch]
        if self.of in ("x", "y") and self.step in ("blockDim.x", "blockDim.y"):
            return int(launch["block"]["xy".index(self.step[-1])])
        threads = math.prod(launch["block"])
        sizes = {"gridDim.x": math.prod(launch["grid"]), "blockDim.x": threads, "blockDim.x * blockDim.y": threads}
        return sizes[self.step] if self.step in sizes else int(self.step)

    def visits(self, places: Tensor, launches: Launches) -> Tensor:
        """By how many threads each place is come to."""
        if self.launch >= len(launches):
            return torch.ones_like(places).double()
        step, threads = self.by(launches), self.threads(launches)
        first, last = places % step, places.clamp(max=threads - 1)
        return torch.where(last < first, 0, (last - first) // step + 1).double()

    def from_the_first(self, places: Tensor, launches: Launches) -> Tensor:
        """The same where the threads go on by as many as they are, and all begin at 0."""
        threads = self.threads(launches) if self.launch < len(launches) else 1
        return torch.where(places % threads == 0, threads, 0).double()

    def said(self, launches: Launches) -> str:
        step, threads = self.by(launches), self.threads(launches)
        does = (
            f"has some {self.noun}s of {{x}} several times" if step < threads else f"lacks some {self.noun}s of {{x}}"
        )
        called = f"{self.step}, {step:,} here" if self.step[-1] in "xy" else f"{step:,}"
        share = f"{{buffer}} {does}: {threads:,} threads share them, and"
        if step > threads:
            each = f", or let each thread take {step // threads:,}" if step % threads == 0 else ""
            further = f"{step:,} further" if self.step[-1] not in "xy" else f"{self.step} further, {step:,} here"
            return f"{share} what comes next begins {further}: go on by `{self.right}`{each}."
        return f"{share} the loop in which each goes on steps by {called}: write `+= {self.right}`."

    def said_of_the_first(self, launches: Launches) -> str:
        threads = self.threads(launches)
        return (
            f"{{buffer}} has each {threads:,}th {self.noun} of {{x}} {threads:,} times and no other, as where all"
            f" {threads:,} threads begin at 0, or what the first one has is added {threads:,} times: let each begin at"
            f" its own number, go on by `{self.right}`, and add its own."
        )

    @property
    def right(self) -> str:
        return {"grid": "gridDim.x * blockDim.x", "y": "blockDim.y", "warp": str(LANES)}.get(self.of, "blockDim.x")


def _steps(noun: str, launch: int, launches: Launches) -> Iterator[Weights]:
    block = launches[launch]["block"]
    of_axes = ("x", "y") if block[1] > 1 else ()
    for of in ("block", "grid", *of_axes):
        steps = {"grid": ("gridDim.x", "blockDim.x"), "x": ("blockDim.y",), "y": ("blockDim.x",)}.get(
            of, ("gridDim.x",)
        )
        threads = Loop(noun, launch, of, "1").threads(launches)
        # As where a step of the loops is another team's, or one too long or too short.
        near = {threads // 2, 2 * threads, threads + 1, threads - 1} - {0, 1, *SIZES}
        for step in (*steps, *map(str, (1, *sorted(near), *SIZES))):
            loop = Loop(noun, launch, of, step)
            yield f"step_{launch}_{of}_{step}", loop.visits, loop.said
    for of in ("block", *of_axes):
        loop = Loop(noun, launch, of, "")
        if math.prod(block) > 1:
            yield f"from_first_{launch}_{of}", loop.from_the_first, loop.said_of_the_first


def _overlapping(noun: str, launch: int) -> Iterator[Weights]:
    """Blocks that take several elements for each thread, and begin as far behind one another as they have threads."""
    for each in (2, 4, 8):

        def visits(places: Tensor, launches: Launches, each: int = each) -> Tensor:
            if launch >= len(launches):
                return torch.ones_like(places).double()
            threads, blocks = (math.prod(launches[launch][size]) for size in ("block", "grid"))
            last = (places // threads).clamp(max=blocks - 1)
            first = (places - each * threads).div(threads, rounding_mode="floor").clamp(min=-1)
            return (last - first).clamp(min=0).double()

        def said(launches: Launches, each: int = each) -> str:
            threads = math.prod(launches[launch]["block"])
            return (
                f"{{buffer}} has some {noun}s of {{x}} several times: a block of {threads:,} threads takes"
                f" {each * threads:,}, and the next one begins {threads:,} further: write `blockIdx.x * {each} *"
                " blockDim.x`."
            )

        yield f"overlap_{launch}_{each}", visits, said


def _tiles(noun: str) -> Iterator[Weights]:
    """A loop that goes on by less than the tile that it takes each time."""
    for tile in TILES:
        for step in (tile // 2, tile // 4):

            def visits(places: Tensor, _: Launches, tile: int = tile, step: int = step) -> Tensor:
                before = (places - tile).div(step, rounding_mode="floor").clamp(min=-1)
                return (places // step - before).double()

            said = (
                f"{{buffer}} has most {noun}s of {{x}} {tile // step} times: a loop goes on by {step}, and takes {tile}"
                f" each time: let it go on by {tile}."
            )
            yield f"tile_{tile}_{step}", visits, partial(_always, said)


def _last_tiles(noun: str) -> Iterator[Weights]:
    """Behind the end the last tile has what the one before has left there, or all of it is the one before."""
    for tile in (8, *TILES, 128):

        def left(places: Tensor, _: Launches, tile: int = tile) -> Tensor:
            count = len(places)
            end = -(-count // tile) * tile
            return 1.0 + ((places >= count - tile) & (places < end - tile)).double()

        def whole(places: Tensor, _: Launches, tile: int = tile) -> Tensor:
            last = (len(places) - 1) // tile
            return torch.where(places // tile == last, 0.0, 1.0 + (places // tile == last - 1).double())

        said = (
            f"{{buffer}} has some {noun}s of {{x}} twice: what the last tile of {tile} lacks holds what the tile before"
            " has left there: put zeros behind the end, in each tile."
        )
        yield f"left_{tile}", left, partial(_always, said)
        said = (
            f"{{buffer}} has the {noun}s of {{x}} of the last tile of {tile} not at all, and those of the one before"
            " twice: which buffer does the last step read, and is it filled by then?"
        )
        yield f"last_again_{tile}", whole, partial(_always, said)


def _again(noun: str, launches: Launches) -> Iterator[Weights]:
    """The first of a team's sums counts twice, or all that a tree leaves are added up."""
    sizes = {math.prod(launch["block"]) for launch in launches}
    for size in sorted({each for whole in sizes for each in (whole, whole // LANES) if each > 1}):

        def twice(places: Tensor, _: Launches, size: int = size) -> Tensor:
            return 1.0 + (places % size == 0).double()

        said = (
            f"{{buffer}} has each {ordinal(size)} {noun} of {{x}}, from the first on, twice: are {size} sums added up"
            " from 0 on, to one that has the first already? Begin at 1."
        )
        yield f"again_{size}", twice, partial(_always, said)
    for size in sorted({each for whole in sizes for each in (whole, LANES) if each > 2 and not each & (each - 1)}):

        def of_tree(places: Tensor, _: Launches, size: int = size) -> Tensor:
            bits = torch.arange(size.bit_length() - 1)
            return 1.0 + ((places[..., None] >> bits) & 1).sum(-1).double()

        said = (
            f"What {{buffer}} holds is all that a tree leaves in the places of {size} threads, added up: the first"
            " place alone has the sum of {x}, so let one thread add it, `if (threadIdx.x == 0)`."
        )
        yield f"tree_of_all_{size}", of_tree, partial(_always, said)


def _trees_first(noun: str, launches: Launches) -> Iterator[Weights]:
    """The last steps of a tree are taken once more: of all that it leaves, the first so many places are added up."""
    sizes = {math.prod(launch["block"]) for launch in launches}
    for size in sorted(each for each in sizes if each > LANES and not each & (each - 1)):
        for first in (2 * LANES, LANES):
            if first < size:
                said = (
                    f"{{buffer}} has some {noun}s of {{x}} several times, as where a tree over {size} threads goes down"
                    f" to the first place, and the first {first} places are added up behind it once more: end it at"
                    f" {first // 2} there, or take the first place alone."
                )
                counts = partial(_of_places, _left_by_tree(size, first))
                yield f"tree_again_{size}_{first}", counts, partial(_always, said)


def _of_places(counts: Tensor, places: Tensor, _: Launches) -> Tensor:
    return counts[places % len(counts)]


def _left_by_tree(size: int, first: int) -> Tensor:
    """How often the first so many places have each thread's value together, once a tree is done."""
    has = torch.eye(size, dtype=torch.float64)
    step = size // 2
    while step:
        has[:step] += has[step : 2 * step]
        step //= 2
    return has[:first].sum(0)


def _all_from_the_first(noun: str, launch: int) -> Iterator[Weights]:
    """Each block takes what the first one does, and they go on by the threads of the grid."""

    def visits(places: Tensor, launches: Launches) -> Tensor:
        if launch >= len(launches):
            return torch.ones_like(places).double()
        threads, blocks = (math.prod(launches[launch][size]) for size in ("block", "grid"))
        return torch.where(places % (threads * blocks) < threads, blocks, 0).double()

    def said(launches: Launches) -> str:
        blocks = math.prod(launches[launch]["grid"])
        return (
            f"{{buffer}} has the {noun}s of {{x}} of the first block {blocks} times, and none of the others': let the"
            " index begin at `blockIdx.x * blockDim.x + threadIdx.x`."
        )

    yield f"all_from_first_{launch}", visits, said


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
            ("shuffle_of_last_lane", _sum(down, lane=LANES - 1), _LAST_LANE),
            ("shuffle_of_all_lanes", _sum(down, lane=slice(None)), _ALL_LANES),
        ]
        for at, step in enumerate(order):
            rest = order[:at] + order[at + 1 :]
            if step in STEPS[1:-1]:  # those at the ends are told of as loops that begin or end too soon
                found.append(
                    (
                        f"shuffle_without_{step}",
                        _sum([("down", d) for d in rest]),
                        _WITHOUT.format(d=step, twice=2 * step),
                    )
                )
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
_WITHOUT = (
    "{{buffer}} has the {{x}} of half of the threads: the step by {d} is missing, of the shuffles, or of the tree, that"
    " add up what the threads have, or a loop goes on by {twice} where {d} threads share what it reads."
)
_LAST_LANE = (
    "What {buffer} holds is what __shfl_down_sync leaves in the last lane, its own {x} 32 times: lane 0 has the sum, so"
    " let that one write, `if (lane == 0)`."
)
_ALL_LANES = (
    "What {buffer} holds is what all lanes have behind __shfl_down_sync, added up: lane 0 alone has the sum of {x}, so"
    " let that one add it, `if (lane == 0)`."
)
_TWICE = (
    "What {{buffer}} holds has some of {{x}} twice and lacks others, as where none is by {d}, and another distance is"
    " there twice: shuffles need 16, 8, 4, 2 and 1, each once, and a loop within a tile its own number in the index."
)


def _sum(steps: Sequence[tuple[str, int]], adds: bool = True, lane: int | slice = 0) -> Tensor:
    """How often each lane's value is in that of a `lane`, or of several, behind `v += shuffle(v, step)`s."""
    lanes = torch.arange(LANES)
    has = torch.eye(LANES, dtype=torch.float64)
    for kind, step in steps:
        origin = {"down": lanes + step, "up": lanes - step, "xor": lanes ^ step, "one": torch.full_like(lanes, step)}[
            kind
        ]
        taken = has[torch.where((origin >= 0) & (origin < LANES), origin, lanes)]
        has = has + taken if adds else taken
    return has[lane] if isinstance(lane, int) else has[lane].sum(0)
