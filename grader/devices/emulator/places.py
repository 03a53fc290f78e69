"""Which loads and stores are of one place: registers and slots of the stack are followed in the order of the code.

So it is known where a value that one thread reads is kept for the others of its block, and where those read it, as in
`if (t == 0) seen = *flag; __syncthreads(); if (seen) ...`: the thread that looks at the flag is not the one that
decides. Only on x86-64: elsewhere places are the same if they are written in the same way.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Sequence

from grader.devices.emulator import machine_code as of
from grader.devices.emulator.machine_code import Instruction

_PLACE = re.compile(r"(-?0x[0-9a-f]+)?\((%r\w+)?(?:,(%r\w+),(\d))?\)$")
_LOADS = re.compile(r"mov([sz][bwl][wlq])?$")
_WIDE = re.compile(r"%[re]\w+$")
_CALCULATES = re.compile(r"(add|sub|and|or|xor|imul|shl|shr|sar|movs[bwl][wlq])$")
_CONSTANT = re.compile(r"\$(-?0x[0-9a-f]+)$")
_REMARK = re.compile(r"# ([0-9a-f]+) ")
_SLOT = re.compile(r"(?<![\w)])(-?0x[0-9a-f]+)?\(%rsp\)")  # a place of the stack that no register is a part of
_MOVES_STACK = re.compile(r"\$0x([0-9a-f]+),%rsp$")
LONG = 100  # characters that say whence a value comes: a number stands for more, but for sums
Value = tuple[str, int]  # whence a register has its value, and what was added
Place = tuple[Value, Value, str]  # base, index, scale


class Places:
    """The memory operands of a library, function by function."""

    def __init__(self, rows: Sequence[Instruction]):
        self._rows = rows
        self._begins: list[int] | None = None
        self._rows_at: dict[int, int] = {}
        self._of: dict[int, dict[int, Place]] = {}  # by the row where a function begins

    def same(self, a: int, b: int) -> bool:
        """Whether the instructions in two rows of a function name the same place."""
        places = self._around(a)
        if a in places and b in places:
            return places[a] == places[b] or _sum_of(places[a]) == _sum_of(places[b])
        return of.memory(self._rows[a][2]) == of.memory(self._rows[b][2]) != ""

    def row_at(self, address: int) -> int | None:
        """Where a jump goes; None if that is no instruction of this library."""
        if not self._rows_at:
            self._rows_at = {row[0]: at for at, row in enumerate(self._rows) if row[1]}
        return self._rows_at.get(address)

    def ahead(self, jump: int, operands: str) -> int:
        """The row that a jump in this row leads to, if that lies behind it; else 0."""
        there = self.row_at(of.target(operands)) or 0
        return there if there > jump else 0

    def reads_of(self, store: int) -> list[int]:
        """The rows of callbacks of loads from where the store in this row goes.

        Of an element whose index may be another one in each thread, only those that are compared with a constant.
        """
        places = self._around(store)
        its = places.get(store)
        reads = (self._read_before(at) for at, place in places.items() if place == its and self._may_decide(at, place))
        return [read for read in reads if read is not None]

    def _around(self, row: int) -> dict[int, Place]:
        if self._begins is None:
            self._begins = [at for at, each in enumerate(self._rows) if not each[1]]
        after = bisect_right(self._begins, row)
        begin = self._begins[after - 1] if after else 0
        if begin not in self._of:
            end = self._begins[after] if after < len(self._begins) else len(self._rows)
            self._of[begin] = _places(self._rows, begin, end)
        return self._of[begin]

    def _may_decide(self, at: int, place: Place) -> bool:
        _, operation, operands = self._rows[at]
        if not of.reads_memory(operation, operands):
            return False
        return not place[2] or (operation.startswith("cmp") and operands.startswith("$"))

    def _read_before(self, load: int) -> int | None:
        """The row of the callback that tells of this load, which is the last call before it."""
        for at in range(load - 1, max(load - 8, 0), -1):
            if of.is_call(self._rows[at][1]):
                return at if re.search("__tsan_(volatile_)?read", self._rows[at][2]) else None
        return None


def _places(rows: Sequence[Instruction], begin: int, end: int) -> dict[int, Place]:
    values: dict[str, Value] = {}  # of registers, by family, and of slots of the stack
    block, found = "", dict[int, Place]()  # the variables' block that __tls_get_addr is asked for
    stack = _Stack()
    for at in range(begin, end):
        _, operation, operands = rows[at]
        operands = stack.follow(operation, operands)
        if (place := _place(operands, values)) and not operation.startswith("lea"):
            found[at] = place
        if of.is_call(operation):
            if of.is_atomic(operands):
                found[at] = values.get("c", ("c", 0)), ("", 0), ""  # what its address leads to
            kept = (name for name in values if of.KEPT_BY_CALLS.match(name) or "slot" in name)
            values = {name: values[name] for name in kept}
            values["a"] = (f"block {block}" if "__tls_get_addr" in operands else f"row {at}", 0)
            continue
        remark = _REMARK.search(operands)
        written = of.destination(operation, operands)
        if operation == "lea" and remark and written == "di":
            block = remark[1]
        if written:
            value = _value(operation, operands, values)
            unknown = f"variable {remark[1]}" if remark and operation == "mov" else f"row {at}"
            name, offset = value or (unknown, 0)
            is_short = len(name) < LONG or name.startswith("sum ")
            values[written] = (name if is_short else f"value {hash(name)}"), offset
    return found


class _Stack:
    """Where a function keeps what it has no register left for, as if each slot were one more: `%rslot24`."""

    def __init__(self) -> None:
        self._depth = 0  # bytes from where the function began
        self._within = 0  # the same between its first instructions and its last

    def follow(self, operation: str, operands: str) -> str:
        """The operands of the next instruction, in which a slot has one name, however much is pushed there."""
        named = operands if operation == "lea" else _SLOT.sub(self._name, operands)
        moved = _MOVES_STACK.match(operands)
        if operation.startswith(("push", "pop")):
            self._depth += 8 if operation.startswith("push") else -8
        elif moved and operation in ("sub", "add"):
            bytes_ = int(moved[1], 16)
            bytes_ -= 1 << 64 if bytes_ >> 63 else 0
            self._depth += bytes_ if operation == "sub" else -bytes_
        elif operation.startswith("ret"):
            self._depth = self._within
        elif operation.startswith("j"):
            self._within = max(self._within, self._depth)
        return named

    def _name(self, slot: re.Match[str]) -> str:
        return f"%rslot{(self._depth - int(slot[1] or '0', 16)) % (1 << 32)}"


def _value(operation: str, operands: str, values: dict[str, Value]) -> Value | None:
    """Of a copy, of an address, of a load, or of a calculation: a second one of the same gives the same."""
    parts = [part.strip() for part in of.split(operands)]
    if operation in ("mov", "movslq") and _WIDE.match(parts[0]):
        return values.get(of.family(parts[0]))
    if operation == "lea":
        match = _PLACE.match(parts[0])
        is_known = match and (match[3] or of.family(match[2] or "") in values)
        place = _place(parts[0], values) if is_known else None
        return _summed(_sum_of(place)) if place else None
    if _LOADS.match(operation) and parts[0].endswith(")") and "%rip" not in operands:
        place = _place(parts[0], values)
        return (f"{operation} {place}", 0) if place else None
    return _calculated(operation, parts, values)


def _calculated(operation: str, parts: list[str], values: dict[str, Value]) -> Value | None:
    if not _CALCULATES.match(operation) or any(part.endswith(")") for part in parts):
        return None
    parts = parts[:1] if operation.startswith("mov") else parts
    used = [values.get(of.family(part)) if "%" in part else (part, 0) for part in parts]
    known = [each for each in used if each]
    if len(known) < len(used):
        return None
    constant = _CONSTANT.match(parts[0])
    if operation == "add" and len(known) == 2:
        first = ("", int(constant[1], 16)) if constant else known[0]
        return _summed(_sum_of((first, known[1], "1")))
    if operation == "shl" and constant and len(known) == 2:
        return _summed(_sum_of((("", 0), known[1], str(1 << int(constant[1], 16)))))
    return f"{operation} {known}", 0


def _summed(total: dict[str, int]) -> Value:
    """A sum as a value; of a single term, that one's."""
    terms = sorted((name, times) for name, times in total.items() if name)
    name = terms[0][0] if len(terms) == 1 and terms[0][1] == 1 else f"sum {terms}"
    return name, total.get("", 0)


def _sum_of(place: Place) -> dict[str, int]:
    """What an address is the sum of: g++ may work out that of `&bins[b]` anew, as 4 * b and the array's start."""
    total: dict[str, int] = {}
    for (name, offset), scale in ((place[0], 1), (place[1], int(place[2] or "1"))):
        terms = ast.literal_eval(name[4:]) if name.startswith("sum ") else [(name, 1)] if name else []
        for part, times in [*terms, ("", offset)]:
            total[part] = total.get(part, 0) + times * scale
    return {name: times for name, times in total.items() if times}


def _place(operands: str, values: dict[str, Value]) -> Place | None:
    text = next((each.strip() for each in of.split(operands) if each.strip().endswith(")")), "")
    match = _PLACE.match(text)
    if not match:
        return None
    unknown = of.family(match[2] or ""), 0
    name, offset = values.get(unknown[0], unknown) if match[2] else ("", 0)
    index = values.get(of.family(match[3]), (of.family(match[3]), 0)) if match[3] else ("", 0)
    return (name, offset + int(match[1] or "0", 16)), index, match[4] or ""
