"""Loops around barriers, in the machine code: a thread that leaves one before the others misses a barrier."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from grader.devices.emulator.machine_code import Instruction

_JUMP = re.compile(r"j\w+|b(\.\w+)?|cbn?z|tbn?z")
_TARGET = re.compile(r"(?:^|[ ,])(?:0x)?([0-9a-f]+) <")
_BARRIER = "<ladder_barrier"


def barrier_loops(code: Sequence[Instruction], blocks: Iterable[int]) -> list[tuple[int, int, int]]:
    """Of each such loop the first instruction, the last jump back to it, and that jump's basic block.

    `code` is all functions' instructions, in order; `blocks` are the return addresses of the basic blocks' callbacks.
    """
    barriers = sorted(address for address, _, operands in code if _BARRIER in operands)
    starts = sorted(blocks)
    jumps: dict[int, int] = {}
    for address, operation, operands in code if barriers else ():
        if _JUMP.fullmatch(operation) and (match := _TARGET.search(operands)):
            first = int(match[1], 16)
            if first < address and bisect_right(barriers, address) > bisect_right(barriers, first):
                jumps[first] = max(address, jumps.get(first, 0))
    found = ((first, jump, starts[bisect_right(starts, jump) - 1]) for first, jump in sorted(jumps.items()))
    return [each for each in found if each[0] < each[2]]
