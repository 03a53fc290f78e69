"""Which volatile reads look at a flag: the value decides where the thread goes on, as in `while (*ready == 0) {}`.

A flag may be read while another thread writes it. Data may not, `volatile` or not: what is read for its value needs
something that orders it behind the write. A guess is as harmless, whether it is volatile or not: what is read before a
compare-and-swap, a maximum or a minimum of the same word, and decides whether to try that at all. But a volatile read
whose word the thread then changes by what it has read is no flag, whatever is decided then: that takes an atomic. Seen
in the machine code, where it takes no scopes, macros and casts apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from grader.devices.emulator import machine_code as of
from grader.devices.emulator.kinds import names_of
from grader.devices.emulator.machine_code import Instruction
from grader.devices.emulator.overwrites import overwrite, throws_away
from grader.devices.emulator.places import Places
from grader.devices.emulator.updates import update

_ABI = Path(__file__).parent / "include/ladder/abi.h"

FAR = 40  # instructions from the read to the branch
FURTHER = 80  # and to the atomic that confirms a guess
_OPERATIONS = {name: f"$0x{number:x}" for number, name in enumerate(names_of("Atomic", _ABI))}
_CONFIRM = {_OPERATIONS[name] for name in ("compare_swap", "max", "min")}
_ONLY_LOOK = {_OPERATIONS[name] for name in ("add", "sub", "or", "xor")}  # with 0


def flag_reads(code: Iterable[Instruction]) -> list[int]:
    """The return addresses of the callbacks of these reads."""
    rows = list(code)
    places = Places(rows)
    return [rows[at + 1][0] for at in range(len(rows) - 1) if _looks_at_a_flag(rows, at, places)]


def _looks_at_a_flag(rows: Sequence[Instruction], at: int, places: Places) -> bool:
    callback = rows[at][2]
    if "__tsan_volatile_read" in callback:
        look = _follow(rows, at, places)
        if look.branch:
            return True
        return any(_follow(rows, other, places).branch for store in look.kept for other in places.reads_of(store))
    return "__tsan_read" in callback and _is_guess(rows, at, places) and bool(_follow(rows, at, places).branch)


def overwrites(code: Iterable[Instruction]) -> list[int]:
    """The return addresses of callbacks of volatile writes by which what others have written may be lost."""
    rows = list(code)
    places = Places(rows)
    reads = (at for at, row in enumerate(rows[:-1]) if "__tsan_volatile_read" in row[2] or _only_looks(rows, at))
    looks = (_follow(rows, at, places) for at in reads)
    exchange = _OPERATIONS["exchange"]
    found = (
        overwrite(rows, look.load, look.branch, places, exchange) for look in looks if look.branch and look.by_order
    )
    return [rows[at + 1][0] for at in found if at is not None]


def updates(code: Iterable[Instruction]) -> list[tuple[int, int]]:
    """The return addresses of atomics for what is calculated from a look at the same word before, and what they are."""
    rows = list(code)
    places = Places(rows)
    exchange, swap = _OPERATIONS["exchange"], _OPERATIONS["compare_swap"]
    found = set[tuple[int, int] | None]()
    for begin, end in _functions_with(rows, (exchange, swap)):
        for at in range(begin, end):
            if _looks(rows, at) and (look := at if of.is_atomic(rows[at][2]) else _load_behind(rows, at)):
                found.add(update(rows, look, places, exchange, swap))
    return sorted((rows[each[0] + 1][0], each[1]) for each in found if each)


def _functions_with(rows: Sequence[Instruction], operations: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where functions begin and end that have one of these atomics."""
    begins = [at for at, row in enumerate(rows) if not row[1]]
    for begin, end in pairwise([*begins, len(rows) - 1]):
        atomics = (at for at in range(begin, end) if of.is_atomic(rows[at][2]))
        if any((of.argument(rows, at, of.FIRST_ARGUMENT) or "").replace("#", "$") in operations for at in atomics):
            yield begin, end


def _looks(rows: Sequence[Instruction], at: int) -> bool:
    return bool(re.search("__tsan_(volatile_)?read", rows[at][2])) or _only_looks(rows, at)


def _load_behind(rows: Sequence[Instruction], callback: int) -> int | None:
    """The row of the load that a callback tells of."""
    for at in range(callback + 1, min(callback + 4, len(rows))):
        if of.reads_memory(*rows[at][1:]):
            return at
    return None


def blind_exchanges(code: Iterable[Instruction]) -> list[int]:
    """The return addresses of atomic exchanges whose old value is thrown away: these only write."""
    rows = list(code)
    places = Places(rows)
    exchange = _OPERATIONS["exchange"]
    return [rows[at + 1][0] for at in range(len(rows) - 1) if throws_away(rows, at, places, exchange)]


def _only_looks(rows: Sequence[Instruction], at: int) -> bool:
    """Whether the call in this row is an atomic operation that leaves the word as it is, as `atomicAdd(word, 0)`."""
    if not of.is_atomic(rows[at][2]):
        return False
    operation = (of.argument(rows, at, of.FIRST_ARGUMENT) or "").replace("#", "$")
    value = of.argument(rows, at, of.VALUE_OF_ATOMIC)
    if operation == _OPERATIONS["compare_swap"]:
        return value is not None and value == of.argument(rows, at, of.COMPARED_BY_ATOMIC)
    return operation in _ONLY_LOOK and value in ("$0x0", "0x0")


@dataclass
class _Look:
    """What becomes of a value: the rows of its load, of the branch that asks for it, and of stores that keep it."""

    load: int = 0
    branch: int = 0
    by_order: bool = False  # it asks for less or more
    kept: list[int] = field(default_factory=list)


def empty_loops(code: Iterable[Instruction]) -> list[int]:
    """The addresses of jumps to themselves, as of `while (true) {}`."""
    jumps = ((address, operands.split()) for address, operation, operands in code if operation in ("jmp", "b"))
    return [address for address, operands in jumps if operands and operands[0].removeprefix("0x") == f"{address:x}"]


def _follow(rows: Sequence[Instruction], read: int, places: Places) -> _Look:
    """Follows what the instructions behind a callback load first, or what an atomic gives, up to a branch."""
    is_atomic = of.is_atomic(rows[read][2])
    loaded = {"a", "r0"} if is_atomic else set[str]()  # registers that hold the value, or something made from it
    asks, stores, goes_on = False, False, 0
    look = _Look(load=read if is_atomic else 0)
    for at in range(read + 1, min(read + 1 + FAR, len(rows))):
        address, operation, operands = rows[at]
        if address < goes_on:
            continue
        if of.CONDITIONAL.match(operation):
            if asks or (operation[0] in "ct" and of.family(operands.split(",")[0]) in loaded):
                look.branch, look.by_order = at, look.by_order or of.asks_for_order(operation, operands)
                return look
            if look.load and of.target(operands) <= address:
                return look  # the end of a loop that goes on for another reason
        elif of.is_jump(operation):
            goes_on = of.target(operands)
            if goes_on <= address:
                return look
        elif operation.startswith("ret"):
            return look
        elif of.is_call(operation):
            stores = "__tsan_volatile_write" in operands
            loaded = _behind_a_call(operands, loaded)
        else:
            is_load = not look.load and of.reads_memory(operation, operands)
            used = set(map(of.family, of.REGISTER.findall(of.sources(operation, operands))))
            has_it = bool(loaded & used) or (asks and operation.startswith(("set", "cset")))
            if is_load:
                look.load = at
            elif has_it and of.is_store(operation, operands):
                if stores and look.load and places.same(look.load, at):
                    return look
                look.kept.append(at)
            if not of.KEEPS_FLAGS.match(operation):
                asks = is_load or has_it
            elif asks and operation.startswith(("set", "cset")):
                look.by_order = of.asks_for_order(operation, operands)
            _move(loaded, operation, operands, is_load or has_it)
    return look


def _behind_a_call(callee: str, loaded: set[str]) -> set[str]:
    kept = {register for register in loaded if of.KEPT_BY_CALLS.match(register)}
    votes = re.search("ladder_(warp|barrier)", callee) and loaded != kept
    return kept | ({"a", "r0"} if votes else set())


def _move(loaded: set[str], operation: str, operands: str, uses: bool) -> None:
    written = of.destination(operation, operands)
    if written and uses:
        loaded.add(written)
    elif written and of.KEEPS_FLAGS.match(operation):
        loaded.discard(written)


def _is_guess(rows: Sequence[Instruction], at: int, places: Places) -> bool:
    """Whether an atomic that looks for itself follows on the word that the callback at `at` is told of."""
    place, load = of.argument(rows, at, of.FIRST_ARGUMENT), _load_behind(rows, at)
    for other in range(at + 1, min(at + FURTHER, len(rows))):
        _, operation, operands = rows[other]
        if operation.startswith("ret") or not operation:
            return False
        if (of.CONDITIONAL.match(operation) or of.is_jump(operation)) and of.target(operands) <= rows[at][0]:
            return False
        if not of.is_atomic(operands):
            continue
        if place == of.argument(rows, other, of.ADDRESS_OF_ATOMIC) or (load and places.same(load, other)):
            return (of.argument(rows, other, of.FIRST_ARGUMENT) or "").replace("#", "$") in _CONFIRM
    return False
