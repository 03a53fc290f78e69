"""The modelled time of a call: of each launch the slowest bound or its latency, and what launching costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.model.bounds import PIPES, bounds
from grader.model.caches import moved, names
from grader.model.card import Card
from grader.model.latency import latency
from grader.model.sampled import Json, Launch, launches_of

# Parts work at once, but not quite: (a^s + b^s)^(1/s). Those of one multiprocessor share its warps, and overlap less;
# and while its warps wait, they keep none of its parts busy.
SHARPNESS, OF_WAITING, OF_MULTIPROCESSOR = 6.0, 4.0, 2.2


@dataclass(frozen=True)
class Part:
    """One launch of a call, with its repeats."""

    launch: Launch
    seconds: float
    terms: Mapping[str, float]  # seconds of one repeat, by bounds.BOUNDS


@dataclass(frozen=True)
class Modelled:
    """A call's time on a card, in seconds, and what holds it up most."""

    card: Card
    seconds: float
    parts: Sequence[Part]

    @property
    def main(self) -> Part | None:
        """The launch that takes longest; None if there is none."""
        return max(self.parts, key=lambda part: part.seconds, default=None)

    @property
    def bound(self) -> str:
        """The largest term of the main launch; "launch" where launching takes longer than all else."""
        main = self.main
        if main is None or sum(part.seconds for part in self.parts) < self.seconds / 2:
            return "launch"
        return max(main.terms, key=lambda name: main.terms[name])


def predict(sample: Json, card: Card) -> Modelled:
    """The modelled time of what was sampled. Raises KeyError, TypeError or ValueError if that has another form."""
    held: frozenset[str] = frozenset()  # what the launch before has left in L2
    parts = []
    for launch in launches_of(sample):
        traffic = moved(launch, card, held)
        terms = bounds(launch, card, traffic) | {"latency": latency(launch, card, traffic)}
        seconds = together(terms)
        parts.append(Part(launch, launch.repeats * seconds, terms))
        held = names(launch.arrays) if traffic.touched <= card.l2_bytes else frozenset()
    calls = sum(part.launch.repeats for part in parts) + sample["sets"]
    sets = sample["set_bytes"] / card.dram_rate
    over = card.first_launch + card.next_launch * max(calls - 1, 0)
    return Modelled(card, over + sets + sum(part.seconds for part in parts), parts)


def together(terms: Mapping[str, float]) -> float:
    """Seconds of a launch whose parts are busy for so long."""
    inside = sum(terms[name] ** OF_MULTIPROCESSOR for name in PIPES) ** (1 / OF_MULTIPROCESSOR)
    waiting = (inside**OF_WAITING + terms["latency"] ** OF_WAITING) ** (1 / OF_WAITING)
    others = [term for name, term in terms.items() if name not in (*PIPES, "latency")]
    return float(sum(term**SHARPNESS for term in (waiting, *others)) ** (1 / SHARPNESS))
