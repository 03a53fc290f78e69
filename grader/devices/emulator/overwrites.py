"""Looks at a word by which a thread decides to overwrite it, as in `if (*most < mine) *most = mine;`.

Another thread may write in between, and what it has written is lost. So such a look is no flag's: it races with what
others write there. A look that waits until its turn has come, and then writes whose turn is next, is one: it goes
round until the value is there. So is one that asks for a value that only one thread waits for (`if (*turn == mine)`),
one that sets a constant, and one that looks again before it writes, under a lock.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.devices.emulator import machine_code as of
from grader.devices.emulator.machine_code import Instruction
from grader.devices.emulator.places import Places

FAR = 60  # instructions from the branch to the store
MOST = 4000  # instructions that are looked at


def is_overwritten(rows: Sequence[Instruction], load: int, branch: int, places: Places) -> bool:
    """Whether the branch, which compares by < or > what was loaded, leads to a store there."""
    there = places.row_at(of.target(rows[branch][2]))
    if there is None:
        return False
    ways = (branch + 1, there)
    return any(
        _stores(rows, act, load, places) and not _comes_back(rows, other, load, places)
        for act, other in (ways, ways[::-1])
    )


def _stores(rows: Sequence[Instruction], start: int, load: int, places: Places) -> bool:
    """Whether what is no constant goes into that place, before it is read again. Branches on the way are not taken."""
    told, asked, at = False, False, start
    for _ in range(FAR):
        _, operation, operands = rows[at] if at < len(rows) else (0, "", "")
        if not operation or operation.startswith("ret"):
            return False
        if of.is_jump(operation):
            there = places.row_at(of.target(operands))
            if there is None or there <= at:
                return False
            at = there
            continue
        if of.is_call(operation):
            told, asked = "__tsan_volatile_write" in operands, "__tsan_volatile_read" in operands
        elif (told or asked) and places.same(load, at):
            return told and not of.sources(operation, operands).startswith(("$", "wzr", "xzr"))
        at += 1
    return False


def _comes_back(rows: Sequence[Instruction], start: int, load: int, places: Places) -> bool:
    """Whether all ways from here lead to a load from that place again: then it waits there for something."""
    seen = set[int]()
    ways = [start]
    while ways:
        at = ways.pop()
        while at not in seen:
            seen.add(at)
            _, operation, operands = rows[at] if at < len(rows) else (0, "", "")
            if of.reads_memory(operation, operands) and places.same(load, at):
                break
            if not operation or operation.startswith("ret"):
                return False
            if of.is_jump(operation) or of.CONDITIONAL.match(operation):
                there = places.row_at(of.target(operands))
                if there is None:
                    return False
                if of.is_jump(operation):
                    at = there
                    continue
                ways.append(there)
            at += 1
        if len(seen) > MOST:
            break
    return True
