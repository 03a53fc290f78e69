"""How long one warp takes for a stretch of machine code if no other warp is in its way.

The control bits of each instruction say how long the scheduler must hold the next one back, and for which results of
loads and special functions an instruction waits: six barriers of a warp (Jia et al., "Dissecting the NVIDIA Volta GPU
architecture via microbenchmarking", 2018, section 2.1). The compiler has put them there, so nothing need be guessed of
what depends on what.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from grader.model.flow import NONE, Flow, Instruction, Loop

Latency = Callable[[Instruction], float]  # clocks until an instruction's result is there
ROUNDS = 3  # of a loop, until each takes as long as the one before it
_LEFT = re.compile(r"DEPBAR\.LE SB0, 0x([0-9a-f]+)")


def clocks_of_warp(flow: Flow, latency: Latency) -> float:
    """Of a warp of mean length, from the kernel's begin to its end."""
    whole = 0.0
    for loop in flow.loops:
        times = loop.runs / flow.warps
        whole += times * _clocks(_straight(flow, loop), latency, ROUNDS if loop.parent and times > 1 else 1)
    return whole


def _straight(flow: Flow, loop: Loop) -> list[Instruction]:
    """What mostly runs of a loop, without those within it."""
    parts = (part for part in loop.own if 2 * part.runs >= loop.runs > 0)
    return [each for part in parts for each in flow.code[part.begin : part.end]]


def _clocks(code: Sequence[Instruction], latency: Latency, rounds: int) -> float:
    """Of the last of so many rounds."""
    now, before = 0.0, 0.0
    lifted = [0.0] * NONE
    copies: list[float] = []  # when groups of asynchronous copies will have landed
    landed = 0.0
    for _ in range(rounds):
        before = now
        for each in code:
            now = max([now, *(lifted[b] for b in range(NONE - 1) if each.waits >> b & 1)])
            if each.name == "LDGSTS":
                landed = now + latency(each)
            elif each.name == "LDGDEPBAR":
                copies.append(landed)
            elif left := _LEFT.search(each.text):
                wanted = copies[: len(copies) - int(left[1], 16)]
                now = max([now, *wanted[-1:]])
            if each.sets < NONE:
                lifted[each.sets] = max(lifted[each.sets], now + latency(each))
            if each.name == "BAR":
                now += latency(each)
            now += max(each.stall, 1)
        if rounds == 1:
            now = max([now, *lifted])
    return now - before
