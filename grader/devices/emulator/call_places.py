"""Which calls in the machine code stand for one call of the source.

g++ may make two of one call, where it copies the head of a loop; and from two calls of an inlined function it makes two
in any case. The second kind is two places in CUDA's eyes, too: threads of a block that wait there wait at different
barriers. Debug information tells them apart: copies belong to one record of what was inlined, and to one column.
"""

from __future__ import annotations

import re
import subprocess
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path

from grader.devices.emulator.lines import Way
from grader.devices.emulator.machine_code import Instruction, is_call

_OF_RUNTIME = ("<ladder_barrier@", "<ladder_grid_sync@", "<ladder_ptx@")
_TO_COLUMN = re.compile(r"\]  Set column to (\d+)")
_TO_ADDRESS = re.compile(r"\]  .*(?:[Aa]dvance|set) .*\bto 0x([0-9a-f]+)")
_ENTRY = re.compile(r"\]  (?:Special opcode|Copy)")
_TARGET = re.compile(r"(?:0x)?([0-9a-f]+) <")
_RECORD = re.compile(r"^ <([0-9a-f]+)><([0-9a-f]+)>: Abbrev Number: \d+ \((\w+)\)")
_RANGE = re.compile(r"^ *DW_AT_(low_pc|high_pc|ranges) *: (?:0x)?([0-9a-f]+)")
_OF_TABLE = re.compile(r"^ +([0-9a-f]{8,}) ([0-9a-f]{8,}) ([0-9a-f]{8,})")


def call_places(library: Path, code: Sequence[Instruction], ways: Mapping[int, Way]) -> list[tuple[int, int]]:
    """The return address of each call that another one comes before which stands for the same, and that one's.

    Of calls that lead to a barrier. `ways` are those of all return addresses. What debug information does not tell
    apart is taken for the same.
    """
    alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for call in _leading_to_barriers(list(_calls(code))):
        alike[call.function, call.callee, ways[call.pc]].append(call.pc)
    copies = {key: pcs for key, pcs in alike.items() if len(pcs) > 1}
    if not copies:
        return []
    told = _dumped(library)
    inlined, columns = list(_inlined(told)), _columns(told)
    found = []
    for pcs in copies.values():
        first: dict[tuple[int, int], int] = {}
        for pc in pcs:
            place = _innermost(inlined, pc - 1), _column(columns, pc - 1)
            if (one := first.setdefault(place, pc)) != pc:
                found.append((pc, one))
    return found


@dataclass(frozen=True)
class _Call:
    function: int  # where it begins
    callee: int | str  # the same of one of the file's own, or the runtime's name; 0: through a pointer
    pc: int  # the return address


def _calls(code: Sequence[Instruction]) -> Iterator[_Call]:
    """All calls that may lead to a barrier."""
    function, begins = 0, False
    callee: int | str | None = None
    for address, operation, operands in code:
        if not operation:
            begins, callee = True, None
            continue
        if begins:
            function, begins = address, False
        if callee is not None:
            yield _Call(function, callee, address)
            callee = None
        if not is_call(operation):
            continue
        if "@plt>" in operands:
            callee = next((each for each in _OF_RUNTIME if each in operands), None)
        else:
            target = _TARGET.match(operands)
            callee = int(target[1], 16) if target else 0


def _leading_to_barriers(calls: Sequence[_Call]) -> list[_Call]:
    waiting: set[int | str] = {0, *_OF_RUNTIME}
    callers: dict[int | str, set[int]] = defaultdict(set)
    for call in calls:
        callers[call.callee].add(call.function)
    new: list[int | str] = [*_OF_RUNTIME]
    while new:
        more = callers[new.pop()] - waiting
        waiting |= more
        new += more
    return [call for call in calls if call.callee in waiting]


@dataclass
class _Inlined:
    """A function that was inlined somewhere: its record's number and depth, and the code that it became."""

    number: int
    depth: int
    ranges: list[tuple[int, int]] = field(default_factory=list)


def _innermost(inlined: Sequence[_Inlined], address: int) -> int:
    """The number of what was inlined last around this address; 0 if nothing was."""
    around = [each for each in inlined if any(begin <= address < end for begin, end in each.ranges)]
    return max(around, key=lambda each: each.depth).number if around else 0


def _dumped(library: Path) -> list[str]:
    kinds = (f"--debug-dump={kind}" for kind in ("info", "Ranges", "rawline"))
    command = ["readelf", *kinds, str(library)]
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout.splitlines()


def _inlined(rows: Sequence[str]) -> Iterator[_Inlined]:
    table = _table(rows)
    record, low = None, 0
    for row in rows:
        if opened := _RECORD.match(row):
            if record:
                yield record
            is_inlined = opened[3] == "DW_TAG_inlined_subroutine"
            record = _Inlined(int(opened[2], 16), int(opened[1], 16)) if is_inlined else None
        elif record and (said := _RANGE.search(row.partition(">")[2])):
            value = int(said[2], 16)
            if said[1] == "low_pc":
                low = value
            elif said[1] == "high_pc":
                record.ranges.append((low, low + value))
            else:
                record.ranges += table[value]
    if record:
        yield record


def _table(rows: Sequence[str]) -> Mapping[int, list[tuple[int, int]]]:
    """The ranges of code by where their list begins in its section."""
    table: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in rows:
        if entry := _OF_TABLE.match(row):
            table[int(entry[1], 16)].append((int(entry[2], 16), int(entry[3], 16)))
    return table


def _columns(rows: Sequence[str]) -> list[tuple[int, int]]:
    """Addresses in order, and the column of the source from each of them on."""
    found = []
    address, column = 0, 0
    for row in rows:
        if said := _TO_COLUMN.search(row):
            column = int(said[1])
        if said := _TO_ADDRESS.search(row):
            address = int(said[1], 16)
        if _ENTRY.search(row):
            found.append((address, column))
    return sorted(found, key=itemgetter(0))  # of several at one address the last counts


def _column(columns: Sequence[tuple[int, int]], address: int) -> int:
    at = bisect_right(columns, address, key=itemgetter(0))
    return columns[at - 1][1] if at else 0
