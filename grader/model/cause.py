"""Which line of the kernel file causes most of what holds a launch up, and what is costly about it, in a few words."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.bounds import instructions, of_multiprocessor
from grader.model.card import Card
from grader.model.predict import Modelled, Part
from grader.model.sampled import Counts

WORDS = {
    "dram": "memory",
    "l2": "the L2 cache",
    "l1": "the L1 cache",
    "shared": "shared memory",
    "issue": "the number of its instructions",
    "special": "special functions",
    "double": "arithmetic on doubles",
    "tensor": "tensor cores",
    "atomics": "atomics that wait for each other",
    "barriers": "barriers",
    "blocks": "starting its blocks",
    "latency": "waiting, with too little on its way",
    "launch": "launching it",
}


@dataclass(frozen=True)
class Cause:
    """`bound` is one of the words above by its key; `line` 0 means that no line stands out."""

    bound: str
    line: int = 0
    why: str = ""  # "16 wavefronts a load"

    @property
    def words(self) -> str:
        """`shared memory (16 wavefronts a load, line 31)`"""
        about = [self.why] * bool(self.why) + [f"line {self.line}"] * bool(self.line)
        return WORDS[self.bound] + (f" ({', '.join(about)})" if about else "")


def cause(modelled: Modelled) -> Cause:
    """What holds up the longest launch of a call."""
    bound, main = modelled.bound, modelled.main
    if bound == "launch" or main is None:
        return Cause(bound)
    costs = shares(main, bound, modelled.card)
    line = max(costs, key=lambda each: costs[each], default=0)
    return Cause(bound, line, _why(bound, main.launch.lines.get(line, {})))


def shares(part: Part, bound: str, card: Card) -> dict[int, float]:
    """What each line has of a bound, as a share of it; lines that have nothing are left out."""
    costs = {line: _cost(bound, counts, card) for line, counts in part.launch.lines.items() if line}
    whole = sum(costs.values())
    return {line: cost / whole for line, cost in costs.items() if cost} if whole else {}


def _cost(bound: str, counts: Counts, card: Card) -> float:
    get = counts.get
    clocks = of_multiprocessor(counts, card)
    if bound in ("l1", "shared"):
        return clocks["l1"] + clocks["shared"]
    if bound in clocks:
        return clocks[bound]
    if bound == "issue":
        return instructions(counts, 0.0)
    if bound == "atomics":
        return get("global_atomic_lanes", 0.0)
    if bound == "latency":
        return get("global_load_requests", 0.0) + get("shared_load_requests", 0.0) / 16
    return sum(get(f"global_{way}_sectors", 0.0) for way in ("load", "store", "atomic"))


def _why(bound: str, counts: Counts) -> str:
    get = counts.get
    for way in ("load", "store"):
        requests, wavefronts = get(f"shared_{way}_requests", 0.0), get(f"shared_{way}_wavefronts", 0.0)
        if bound == "shared" and requests and wavefronts / requests >= 2:
            return f"{wavefronts / requests:.3g} wavefronts a {way}"
        asked, lines = get(f"global_{way}_requests", 0.0), get(f"global_{way}_lines", 0.0)
        if bound == "l1" and asked and lines / asked >= 2:
            return f"{lines / asked:.3g} lines of memory a {way}"
    return ""
