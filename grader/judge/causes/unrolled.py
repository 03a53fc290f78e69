"""How often a sum has each of its terms, where a loop takes several a round and one line is not like the others.

`for (; i + 3 * step < n; i += 4 * step) { a += x[i]; b += x[i + step]; ... }`, and another loop over the rest: with a
step of 1 they are a vector's components, with 32 or a block's threads the elements of one thread.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.often import LANES, Launches

EACH = (2, 4)  # elements that a round takes
COMPONENTS = "xyzw"

Weights = tuple[str, Callable[[Tensor, Launches], Tensor], Callable[[Launches], str]]


@dataclass(frozen=True)
class Rounds:
    """Rounds of `each` elements, `step` from one to the next; whole ones for all threads together, or for each."""

    noun: str
    each: int
    step: int  # 0: the threads of a block
    together: bool

    def steps(self, launches: Launches) -> int:
        return self.step or max((math.prod(launch["block"]) for launch in launches), default=1)

    def has(self, places: Tensor, launches: Launches) -> tuple[Tensor, Tensor, Tensor]:
        """Of each place, which of a round's elements it is, whether a round takes it, and whether that is the last."""
        step, count = self.steps(launches), len(places)
        whole = self.each * step
        rounds = torch.full_like(places, count // whole)
        if not self.together:
            last = (self.each - 1) * step + places % step
            rounds = (count - 1 - last).div(whole, rounding_mode="floor") + 1
        return places // step % self.each, places // whole < rounds, places // whole == rounds - 1

    def taken(self, of: int, times: float, places: Tensor, launches: Launches, other: int = -1) -> Tensor:
        """One of a round's elements counts `times`, and another one twice."""
        which, inside, _ = self.has(places, launches)
        counts = torch.where(inside & (which == of), times, 1.0).double()
        return torch.where(inside & (which == other), 2.0, counts)

    def assigned(self, of: int, places: Tensor, launches: Launches) -> Tensor:
        """One of a round's elements is of the last round alone."""
        which, inside, last = self.has(places, launches)
        return torch.where(inside & ~last & (which == of), 0.0, 1.0).double()

    def without_the_rest(self, places: Tensor, launches: Launches) -> Tensor:
        return self.has(places, launches)[1].double()

    def one_of_the_rest(self, places: Tensor, launches: Launches) -> Tensor:
        """Of the rest behind the rounds each thread takes one."""
        step = self.steps(launches)
        inside = self.has(places, launches)[1]
        before = torch.zeros_like(inside)
        before[step:] = ~inside[:-step] if len(places) > step else before[step:]
        return (~before | inside).double()

    def twice_the_rounds(self, places: Tensor, launches: Launches) -> Tensor:
        """The loop over the rest begins at 0 again."""
        return 1 + self.has(places, launches)[1].double()

    def named(self, of: int, launches: Launches) -> str:
        step = self.steps(launches)
        if step == 1:
            return f".{COMPONENTS[of]} of each {self.each} neighbours"
        return f"{_at(of * step)} of each round of {self.each}, `[i]` to `[i + {(self.each - 1) * step}]`"


def _at(places: int) -> str:
    return f"`[i + {places}]`" if places else "`[i]`"


def unrolled(noun: str, launches: Launches) -> Iterator[Weights]:
    """How often places of an axis may count, if one of the elements of a round is forgotten, twice or assigned."""
    blocks = {math.prod(launch["block"]) for launch in launches} - {1, LANES}
    for each in EACH:
        for step in (1, LANES, 0) if len(blocks) == 1 else (1, LANES):
            for together in (True, False) if step != 1 else (True,):
                yield from _of(Rounds(noun, each, step, together))


def _of(rounds: Rounds) -> Iterator[Weights]:
    key = f"round_{rounds.each}_{rounds.step}_{rounds.together}"
    for of in range(rounds.each):
        yield f"{key}_without_{of}", partial(rounds.taken, of, 0.0), partial(_without, rounds, of)
        for other in range(rounds.each):
            if other != of:
                times = partial(rounds.taken, of, 0.0, other=other)
                yield f"{key}_{other}_for_{of}", times, partial(_another, rounds, of, other)
        yield f"{key}_assigned_{of}", partial(rounds.assigned, of), partial(_assigned, rounds, of)
    yield f"{key}_no_rest", rounds.without_the_rest, partial(_no_rest, rounds)
    yield f"{key}_one_of_the_rest", rounds.one_of_the_rest, partial(_one_of_the_rest, rounds)
    yield f"{key}_twice", rounds.twice_the_rounds, partial(_twice, rounds)


def _without(rounds: Rounds, of: int, launches: Launches) -> str:
    return f"{{buffer}} lacks {rounds.named(of, launches)}, {rounds.noun}s of {{x}}: is it left out of the sum?"


def _another(rounds: Rounds, of: int, other: int, launches: Launches) -> str:
    step = rounds.steps(launches)
    twice = f".{COMPONENTS[other]}" if step == 1 else _at(other * step)
    return (
        f"{{buffer}} has {twice} twice and lacks {rounds.named(of, launches)}, {rounds.noun}s of {{x}}: is one of"
        f" {rounds.each} like statements left as it was copied?"
    )


def _assigned(rounds: Rounds, of: int, launches: Launches) -> str:
    return (
        f"{{buffer}} has the last round alone of {rounds.named(of, launches)}, {rounds.noun}s of {{x}}: is it `=` where"
        " `+=` belongs?"
    )


def _no_rest(rounds: Rounds, launches: Launches) -> str:
    whole = rounds.each * rounds.steps(launches)
    return (
        f"{{buffer}} lacks the {rounds.noun}s of {{x}} that are left over behind whole rounds of {whole}: add them in a"
        " loop of their own, one at a time."
    )


def _one_of_the_rest(rounds: Rounds, launches: Launches) -> str:
    step = rounds.steps(launches)
    return (
        f"{{buffer}} has one {rounds.noun} of {{x}} for each thread of what is left over behind whole rounds of"
        f" {rounds.each * step}, and there may be more: write a loop in the place of the `if`, `for (; i < n; i +="
        f" {step})`."
    )


def _twice(rounds: Rounds, launches: Launches) -> str:
    whole = rounds.each * rounds.steps(launches)
    return (
        f"{{buffer}} has the {rounds.noun}s of {{x}} of whole rounds of {whole} twice: does the loop over what is left"
        " over begin at the first again? It goes on where the rounds end."
    )
