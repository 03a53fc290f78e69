"""Updates of a word in two steps, a look and then an atomic, as in `atomicExch(sum, atomicAdd(sum, 0) + mine)`.

What another thread writes between the two is lost, and no value tells: both may write the same. So two that nothing
orders race. Not so one for what the look has found, with a bit set or as the greater of two numbers, nor one behind a
loop that waits for the word. A compare-and-swap loses the thread's own update instead, if nothing asks whether it has
come about: `old = *sum; atomicCAS(sum, old, old + mine);`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.devices.emulator import machine_code as of
from grader.devices.emulator.machine_code import Instruction
from grader.devices.emulator.overwrites import throws_away
from grader.devices.emulator.places import Places

FAR = 80  # instructions from the look to the atomic, and back to a loop that waits
# What loses an update. A step is a swap for one more behind a question: so threads may help each other to one step.
EXCHANGE, SWAP, STEP = 1, 2, 3
_CALCULATES = re.compile(
    r"lea|v?f?n?(add|sub|mul|div)|i?mul|i?div|inc|dec|neg|sh[lr]|sa[lr]|lsl|v?fn?m(add|sub|la|ls)|xor(?!p)|eor"
)
_CHECK = 6  # instructions of such a check
_SAME, _BY_CONSTANTS, _CALCULATED = range(3)  # what became of a value
_FOUND_BY_ATOMIC = ("a", "r0")


def update(rows: Sequence[Instruction], look: int, places: Places, exchange: str, swap: str) -> tuple[int, int] | None:
    """The row of an atomic for what is calculated from what the look gives, an atomic or a load in this row, and what
    it is. `exchange` and `swap` are the numbers of these operations, as they are written in the code.
    """
    made = _begin(rows[look])
    at, decides = look + 1, False
    for _ in range(FAR):
        _, operation, operands = rows[at] if at < len(rows) else (0, "", "")
        if not operation or operation.startswith("ret"):
            return None
        if of.is_atomic(operands) and places.same(look, at):
            kind = _kind(rows, at, made, places, exchange, swap)
            kind = SWAP if kind == STEP and not decides else kind
            return (at, kind) if kind and not _waits(rows, look, places) else None
        if of.is_jump(operation):
            if not (there := places.ahead(at, operands)):
                return None
            at = there
            continue
        decides = decides or (bool(of.CONDITIONAL.match(operation)) and not _checks_index(rows, at))
        if of.is_call(operation):
            made = {register: how for register, how in made.items() if of.KEPT_BY_CALLS.match(register)}
        else:
            _move(made, operation, operands)
        at += 1
    return None


def _begin(look: Instruction) -> dict[str, int]:
    """Registers that hold the value, or one made from it, and how that is made."""
    _, operation, operands = look
    loaded = None if of.is_atomic(operands) else of.destination(operation, operands)
    return dict.fromkeys([loaded] if loaded else _FOUND_BY_ATOMIC, _SAME)


def _kind(rows: Sequence[Instruction], at: int, made: dict[str, int], places: Places, exchange: str, swap: str) -> int:
    operation = (of.argument(rows, at, of.FIRST_ARGUMENT) or "").replace("#", "$")
    how = max(made.get(register, _SAME) for register in of.VALUE_OF_ATOMIC)
    if how == _SAME:
        return 0
    if operation == exchange:
        return EXCHANGE
    compared = [made.get(register) for register in of.COMPARED_BY_ATOMIC]
    if operation != swap or _SAME not in compared or not throws_away(rows, at, places, swap):
        return 0
    return SWAP if how == _CALCULATED else STEP


def _move(made: dict[str, int], operation: str, operands: str) -> None:
    written = of.destination(operation, operands)
    if written is None:
        return
    sources = of.sources(operation, operands)
    used = [of.family(each) for each in of.REGISTER.findall(sources) if each != "%rip"]
    hows = [made[register] for register in used if register in made]
    if operation.startswith("cmov") and written in made:
        hows.append(made[written])
    if hows:
        others = len(hows) < len(used) or "%fs:" in sources
        how = (_CALCULATED if others else _BY_CONSTANTS) if _CALCULATES.match(operation) else _SAME
        made[written] = max(*hows, how)
    elif of.KEEPS_FLAGS.match(operation):
        made.pop(written, None)


def _checks_index(rows: Sequence[Instruction], jump: int) -> bool:
    """Whether this is no question of the file's, but the build's own, whether an index is in its array."""
    calls = (operands for _, operation, operands in rows[jump + 1 : jump + _CHECK] if of.is_call(operation))
    return "__ubsan_handle" in next(calls, "")


def _waits(rows: Sequence[Instruction], look: int, places: Places) -> bool:
    """Whether a loop before the look asks for the same word: then it is this thread's turn to write there."""
    for at in range(look - 1, max(look - FAR, 0), -1):
        _, operation, operands = rows[at]
        if not operation:
            return False
        if not (of.is_atomic(operands) or of.reads_memory(operation, operands)) or not places.same(look, at):
            continue
        branches = (row for row in rows[at:look] if of.CONDITIONAL.match(row[1]) or of.is_jump(row[1]))
        if any(of.target(row[2]) <= rows[at][0] for row in branches):
            return True
    return False
