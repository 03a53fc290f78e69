"""Stores into a word that a thread has looked at to decide for them, as in `if (*most < mine) *most = mine;`.

Another thread may write in between, and what it has written is lost. So if the two values differ, the two writes race.
Not so a store behind a look that waits until its turn has come, and that then says whose turn is next: such a look goes
round until the value is there. Nor one behind a look for a value that only one thread waits for
(`if (*turn == mine)`), one of a constant, and one before which the thread looks again, under a lock.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.devices.emulator import machine_code as of
from grader.devices.emulator.machine_code import Instruction
from grader.devices.emulator.places import Places

FAR = 60  # instructions from the branch to the store
MOST = 4000  # instructions that are looked at
# What takes no argument, and what takes no vector.
_TAKES_NONE = (
    *("<__sanitizer_cov_trace_pc", "<__tsan_", "<__tls_get_addr", "<__ubsan_handle_"),
    *("<ladder_barrier", "<ladder_fence", "<ladder_atomic", "<ladder_ordered_atomic"),
)


def overwrite(rows: Sequence[Instruction], load: int, branch: int, places: Places, exchange: str) -> int | None:
    """The row of the callback of such a store, or of an atomic exchange, where this branch compares what was loaded by
    < or >. `exchange` is the number of that operation, as it is written in the code.
    """
    there = places.row_at(of.target(rows[branch][2]))
    if there is None:
        return None
    for act, other in ((branch + 1, there), (there, branch + 1)):
        store = _store(rows, act, load, places, exchange)
        if store is not None and not _comes_back(rows, other, load, places):
            return store
    return None


def _store(rows: Sequence[Instruction], start: int, load: int, places: Places, exchange: str) -> int | None:
    """Where what is no constant goes into that place, before it is read again. Branches on the way are not taken."""
    told, asked, at = 0, False, start
    for _ in range(FAR):
        _, operation, operands = rows[at] if at < len(rows) else (0, "", "")
        if not operation or operation.startswith("ret"):
            return None
        if of.is_jump(operation):
            if not (there := places.ahead(at, operands)):
                return None
            at = there
            continue
        if of.is_atomic(operands) and places.same(load, at):
            return at if _exchanges_blindly(rows, at, exchange) else None
        if of.is_call(operation):
            told = at if "__tsan_volatile_write" in operands else 0
            asked = "__tsan_volatile_read" in operands
        elif (told or asked) and places.same(load, at):
            is_constant = of.sources(operation, operands).startswith(("$", "wzr", "xzr"))
            return told if told and not is_constant else None
        at += 1
    return None


def _exchanges_blindly(rows: Sequence[Instruction], call: int, exchange: str) -> bool:
    """Whether an atomic is an exchange for what is no constant, and what it gives back is not looked at."""
    value = of.argument(rows, call, of.VALUE_OF_ATOMIC)
    if of.argument(rows, call, of.FIRST_ARGUMENT) != exchange or not value or value.startswith("$"):
        return False
    for _, operation, operands in rows[call + 1 : call + 1 + FAR]:
        if "a" in map(of.family, of.REGISTER.findall(of.sources(operation, operands))):
            return False
        if not operation or of.is_call(operation) or of.destination(operation, operands) == "a":
            break
    return True


def throws_away(rows: Sequence[Instruction], call: int, places: Places, exchange: str) -> bool:
    """Whether the call in this row is an atomic exchange, and it is certain that what it gives back is not used."""
    is_wide = of.is_wide_atomic(rows[call][2])
    first = of.argument(rows, call, of.FIRST_ARGUMENT) if is_wide or of.is_atomic(rows[call][2]) else None
    if first is None or first.replace("#", "$") != exchange:
        return False
    given = {"xmm0", "v0", "q0", "d0", "s0"} if is_wide else {"a", "r0"}
    ways, steps = [call + 1], 0
    while ways and steps < FAR:
        at, steps = ways.pop(), steps + 1
        _, operation, operands = rows[at] if at < len(rows) else (0, "", "")
        if not given.isdisjoint(map(of.family, of.REGISTER.findall(of.sources(operation, operands)))):
            return False
        if of.is_call(operation):  # of 16 bytes, and on aarch64, it may be its argument
            takes_none = _TAKES_NONE if is_wide else _TAKES_NONE[:1]
            if not any(name in operands for name in takes_none) and (is_wide or not operation.startswith("call")):
                return False
        elif of.destination(operation, operands) not in given:
            is_branch = of.is_jump(operation) or of.CONDITIONAL.match(operation)
            there = places.row_at(of.target(operands)) if is_branch else at + 1
            if not operation or operation.startswith("ret") or there is None or there <= at:
                return False
            ways += [there, at + 1] if of.CONDITIONAL.match(operation) else [there]
    return not ways


def _comes_back(rows: Sequence[Instruction], start: int, load: int, places: Places) -> bool:
    """Whether all ways from here lead to a load from that place again: then it waits there for something."""
    seen = set[int]()
    ways = [start]
    while ways:
        at = ways.pop()
        while at not in seen:
            seen.add(at)
            _, operation, operands = rows[at] if at < len(rows) else (0, "", "")
            if (of.reads_memory(operation, operands) or of.is_atomic(operands)) and places.same(load, at):
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
