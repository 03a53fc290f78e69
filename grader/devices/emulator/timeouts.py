"""A run that did not end, in words: in which loop, after how many steps, and why it was given up."""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import Any

Fact = dict[str, Any]

MANY_STEPS = 1_000_000  # of one thread, in a program that was stopped
WAITS = ("waits", "waits streams", "waits locks")  # the texts of a thread that waits for a value
MANY_LAUNCHES = 200  # of one line in one call: a loop that launches for each element, or for each row
LARGE_LAUNCH = 4096  # threads; as of steps in time, which are no elements
LONGEST_LOOP = 40  # lines; what is further apart are a loop and a function that it calls


def never_ended(fact: Fact, who: str) -> str:
    """What `who`, a thread, was doing when it was given up: where, how far it had come, and what to look for."""
    if fact["text"] == "blocks":
        return (
            f"the time was up when {fact['offset']:,} of {fact['address']:,} blocks had begun:"
            " launch fewer, with more threads each, or give each thread more to do"
        )
    if fact["text"] not in ("empty", *WAITS) and (slow := _launches_too_often(fact)):
        return slow
    if fact["text"] == "host" and not (fact["line"] or fact["loop"]):
        return "host code was still in a library's function (cuBLAS's, the C++ library's) when it was stopped"
    if fact["text"] == "library":
        line = f"line {fact['line']}" if fact["line"] else "host code"
        late = "had not come back when it was stopped: does it wait, as for input?"
        return f"the library's function that {line} calls {late}"
    if fact["text"] == "host":
        return f"host code was still running in {_inside(fact)} when it was stopped: does this loop end?"
    if fact["text"] == "empty":
        return f"{who} does not leave the loop in line {fact['line']}: there is nothing in it that could end it"
    if fact["text"] in WAITS:
        if fact["text"] == "waits locks":
            return (
                f"{who} waits in {_inside(fact)} for a lock while it has another one, and the thread that has that lock"
                " waits, too: let each thread take its locks in one order, the smaller index first"
            )
        later = "; a kernel that is launched later, on another stream, does not run beside it here"
        return (
            f"{who} waits in {_inside(fact)} for a value that no thread writes: all blocks that are not done wait"
            f"{later if fact['text'] == 'waits streams' else ''}"
        )
    if fact["text"] in ("idles", "works"):
        why = "and the last ones changed nothing" if fact["text"] == "idles" else "far too many for data of this size"
        return (
            f"{who} does not leave {_inside(fact)}: {_steps_made(fact)}, {why};"
            " does every round bring the loop nearer to its end?"
        )
    if fact["text"] == "stopped":
        done = f"with {fact['blocks_done']:,} of {fact['blocks']:,} blocks done"
        asked = "; does this loop end?" if fact["steps"] >= MANY_STEPS else ""
        return f"{who} was in {_inside(fact) if asked else _around(fact)}, {done}: {_steps_made(fact)}{asked}"
    return (
        f"{who} was still running in {_inside(fact)} when the time was up, with {fact['blocks_done']:,} of"
        f" {fact['blocks']:,} blocks done: {_steps_made(fact)};"
        " does this loop end, and does each thread do its share only?"
    )


def is_slow(fact: Fact) -> bool:
    """Whether all that is known is that the time was up: it may well have come to its end."""
    return fact["text"] not in ("host", "empty", "idles", "works", "stopped", *WAITS)


def _launches_too_often(fact: Fact) -> str:
    """Of host code that launches a kernel again and again: it is slow, and may well come to an end."""
    made = Counter((launch["line"], launch["kernel"]) for launch in fact.get("launches", ()) if launch["line"])
    (line, kernel), times = made.most_common(1)[0] if made else ((0, ""), 0)
    if times < MANY_LAUNCHES:
        return ""
    last = next(each for each in reversed(fact["launches"]) if (each["line"], each["kernel"]) == (line, kernel))
    blocks, threads = prod(last["grid"]), prod(last["block"])
    size = f"{blocks:,} block{'' if blocks == 1 else 's'} of {threads:,} thread{'' if threads == 1 else 's'}"
    again = f"again and again in line {line}, {times:,} times so far, each with {size}, and one"
    if kernel.startswith(("thrust::", "cub::")):
        return f"host code calls {kernel} {again} waits for the one before: call it once, for the whole range"
    if blocks * threads >= LARGE_LAUNCH:
        return f"host code launches {kernel} {again} launch waits for the one before: do fewer rounds of this loop do?"
    return (
        f"host code launches {kernel} {again} launch waits for the one before: launch it once, without the loop, and"
        " let the kernel take its i from `blockIdx.x * blockDim.x + threadIdx.x`"
    )


def _inside(fact: Fact) -> str:
    """`the loop in lines 12 to 14`, as far as its steps tell."""
    lines = [line for line in fact["loop"] if abs(line - (fact["line"] or line)) < LONGEST_LOOP]
    return _loop(min(lines), max(lines)) if lines else f"line {fact['line'] or '?'}"


def _around(fact: Fact) -> str:
    """The same by the text alone, of a thread that has made few steps: they tell of no loop."""
    first, last = fact["reading"].loop_around(fact["line"] or 0)
    return _loop(first, last) if first else f"line {fact['line'] or '?'}"


def _loop(first: int, last: int) -> str:
    return f"the loop in line {first}" if first == last else f"the loop in lines {first} to {last}"


def _steps_made(fact: Fact) -> str:
    """`256 threads of its block have made 1.2 million steps each`"""
    if fact["threads"] < 2:
        return f"it has made {_rounded(fact['steps'])} steps"
    return f"{fact['threads']:,} threads of its block have made {_rounded(fact['steps'])} steps each"


def _rounded(number: int) -> str:
    """`1.2 million`, `350,000`: counts of steps are no exact science."""
    return f"{number / 1e6:,.3g} million" if number >= 1e6 else f"{round(number, -3) or number:,}"
