"""Findings about barriers in words (wording.py), and which thread a finding is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from grader.devices.emulator.symbols import CodeMap

WARP = 32  # threads

Fact = dict[str, Any]


class PassedBarrier(NamedTuple):
    """A barrier that has let threads go on: where, and after how many of how many, if not after all."""

    line: int
    some: int
    all: int

    @property
    def told(self) -> str:
        """What is wrong with one that is not for all."""
        whose = "the block's" if self.all > WARP else "a warp's"
        return (
            f"the barrier of line {self.line} waits for {self.some} of {whose} {self.all} threads; let it wait for"
            " all that use this array, or take __syncthreads()"
        )


def too_few_between(fact: Mapping[str, Any], first: int, last: int) -> PassedBarrier | None:
    """The barrier between two lines, if there are only such as are not for all."""
    between = [each for each in fact["passed_barriers"] if first < each.line < last]
    return between[0] if between and all(each.some for each in between) else None


def too_few_before(fact: Mapping[str, Any]) -> PassedBarrier | None:
    """The last barrier before a finding's line, if it is not for all."""
    before = [each for each in fact["passed_barriers"] if each.line < (fact["line"] or 0)]
    return last if before and (last := max(before)).some else None


def thread_of(fact: Fact, prefix: str = "") -> str:
    """The thread of a finding, or with the prefix "other_" that of its other side."""
    thread, block = fact.get(f"{prefix}thread"), fact.get(f"{prefix}block")
    if not thread or not block:
        return "host code"
    return f"thread ({', '.join(map(str, thread))}) of block ({', '.join(map(str, block))})"


def calls_to_barriers(fact: Fact, code: CodeMap) -> tuple[int, int] | None:
    """The lines of two calls that lead to one barrier's line; None if they are not known, or one line."""
    mine, theirs = (code.lines_to(pc) if pc else [] for pc in (fact["call_pc"], fact["other_call_pc"]))
    return next((pair for pair in zip(mine, theirs, strict=False) if pair[0] != pair[1]), None)


def _divergence(fact: Fact) -> str:
    barrier = fact["reading"].barrier_of(fact["line"])
    here, there = _barrier(fact), f"the one of line {fact['other_line']}"
    if fact["calls"]:
        here += f" that the call in line {fact['calls'][0]} leads to"
        there = f"that of the call in line {fact['calls'][1]}"
    elif fact["line"] == fact["other_line"]:
        here, there = f"one {barrier} of line {fact['line']}", "another one of that line"
    mine, _, theirs = fact["text"].partition("|")
    return (
        f"{_waiting(fact, mine)} at {here} while {_waiting(fact, theirs, 'other_')} at {there}: all threads of a block"
        " must reach the same barrier"
    )


def _barrier(fact: Fact) -> str:
    """The barrier of a finding's line, as it is called there."""
    return f"the {fact['reading'].barrier_of(fact['line'])} of line {fact['line']}"


def _waiting(fact: Fact, threads: str, prefix: str = "") -> str:
    """Who waits: `threads` of a block, or the one that is known."""
    if not threads:
        return f"{thread_of(fact, prefix)} waits"
    block = "" if prefix else f" of block ({', '.join(map(str, fact['block']))})"
    return f"{threads}{block} wait{'s' if threads.startswith('thread ') else ''}"


def _passed_by(fact: Fact) -> str:
    if fact["text"] != "__syncthreads":
        missed = f"the {fact['text']} of line {fact['line']}, whose mask names it"
        return (
            f"{thread_of(fact, 'other_')} never comes to {missed}, and the others get on only because it has returned:"
            " all lanes of a mask must make the call; put it behind the `if`, or take the mask from a __ballot_sync()"
            " in front of that"
        )
    return (
        f"{thread_of(fact, 'other_')} never comes to {_barrier(fact)}, and the others get on only because it has"
        " returned: a barrier is for all threads; put it behind the `if` that some leave out"
    )


def _masks_differ(fact: Fact) -> str:
    mine, theirs = fact["text"].split("|")
    return (
        f"{thread_of(fact)} calls {mine}, which names {thread_of(fact, 'other_')}, and that one calls {theirs}: all"
        " lanes that a mask names must call it with that same mask"
    )


def _rounds(fact: Fact) -> str:
    rounds = f"{fact['offset']} round{'' if fact['offset'] == 1 else 's'}"
    return (
        f"{thread_of(fact, 'other_')} leaves the loop around {_barrier(fact)} after {rounds} and returns, while"
        f" {thread_of(fact)} comes there once more: let the loop make as many rounds for all threads of the block, with"
        " an `if` around the work"
    )


BARRIERS: Mapping[str, Callable[[Fact], str]] = {
    "barrier_divergence": _divergence,
    "barrier_passed_by": _passed_by,
    "masks_differ": _masks_differ,
    "barrier_rounds": _rounds,
}
