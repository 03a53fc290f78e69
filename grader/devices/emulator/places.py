"""Which loads and stores are of one place, as the machine code tells: registers are followed in the order of the text.

So it is known where a value that one thread reads is kept for the others of its block, and where those read it, as in
`if (t == 0) seen = *flag; __syncthreads(); if (seen) ...`: the thread that looks at the flag is not the one that
decides. Only on x86-64: elsewhere places are the same if they are written in the same way.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from grader.devices.emulator import machine_code as of
from grader.devices.emulator.machine_code import Instruction

_PLACE = re.compile(r"(-?0x[0-9a-f]+)?\((%r\w+)(?:,(%r\w+),(\d))?\)$")
_LOADS = re.compile(r"mov([sz][bwl][wlq])?$")
_CALCULATES = re.compile(r"(add|sub|and|or|xor|imul|shl|shr|sar|movs[bwl][wlq])$")
_REMARK = re.compile(r"# ([0-9a-f]+) ")
LONG = 500  # characters: whence a value comes is not followed any further
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
            return places[a] == places[b]
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
    values: dict[str, Value] = {}
    block, found = "", dict[int, Place]()  # the variables' block that __tls_get_addr is asked for
    for at in range(begin, end):
        _, operation, operands = rows[at]
        if (place := _place(operands, values)) and not operation.startswith("lea"):
            found[at] = place
        if of.is_call(operation):
            if of.is_atomic(operands):
                found[at] = values.get("c", ("c", 0)), ("", 0), ""  # what its address leads to
            values = {register: value for register, value in values.items() if of.KEPT_BY_CALLS.match(register)}
            values["a"] = (f"block {block}" if "__tls_get_addr" in operands else f"row {at}", 0)
            continue
        remark = _REMARK.search(operands)
        written = of.destination(operation, operands)
        if operation == "lea" and remark and written == "di":
            block = remark[1]
        if written:
            value = _value(operation, operands, values)
            unknown = f"variable {remark[1]}" if remark and operation == "mov" else f"row {at}"
            values[written] = value if value and len(value[0]) < LONG else (unknown, 0)
    return found


def _value(operation: str, operands: str, values: dict[str, Value]) -> Value | None:
    """Of a copy, of an address, of a load, or of a calculation: a second one of the same gives the same."""
    source = of.split(operands)[0].strip()
    if operation == "mov" and source.startswith("%r"):
        return values.get(of.family(source))
    match = _PLACE.match(source) if operation == "lea" else None
    if match and not match[3]:
        base = values.get(of.family(match[2]))
        return (base[0], base[1] + int(match[1] or "0", 16)) if base else None
    if match or (_LOADS.match(operation) and "%rip" not in source):
        place = _place(source, values)
        return (f"{'sum' if match else operation} {place}", 0) if place else None
    return _calculated(operation, of.split(operands), values)


def _calculated(operation: str, parts: list[str], values: dict[str, Value]) -> Value | None:
    if not _CALCULATES.match(operation) or any(part.strip().endswith(")") for part in parts):
        return None
    used = [values.get(of.family(part)) if "%" in part else (part.strip(), 0) for part in parts]
    return (f"{operation} {used}", 0) if all(used) else None


def _place(operands: str, values: dict[str, Value]) -> Place | None:
    text = next((each.strip() for each in of.split(operands) if each.strip().endswith(")")), "")
    match = _PLACE.match(text)
    if not match:
        return None
    unknown = of.family(match[2]), 0
    name, offset = values.get(of.family(match[2]), unknown)
    index = values.get(of.family(match[3]), (of.family(match[3]), 0)) if match[3] else ("", 0)
    return (name, offset + int(match[1] or "0", 16)), index, match[4] or ""
