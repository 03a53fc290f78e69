"""Which volatile reads look at a flag: the value decides where the thread goes on, as in `while (*ready == 0) {}`.

A flag may be read while another thread writes it. Data may not, `volatile` or not: what is read for its value needs
something that orders it behind the write. A guess is as harmless, whether it is volatile or not: what is read before a
compare-and-swap, a maximum or a minimum of the same word, and decides whether to try that at all. But a volatile read
whose word the thread then changes by what it has read is no flag, whatever is decided then: that takes an atomic. Seen
in the machine code, where it takes no scopes, macros and casts apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from grader.devices.emulator.kinds import names_of

_ABI = Path(__file__).parent / "include/ladder/abi.h"
Instruction = tuple[int, str, str]  # its address, operation, operands

FAR = 40  # instructions from the read to the branch
FURTHER = 80  # and to the atomic that confirms a guess
_CONFIRM = {f"$0x{names_of('Atomic', _ABI).index(name):x}" for name in ("compare_swap", "max", "min")}
_FIRST_ARGUMENT, _ADDRESS_OF_ATOMIC = ("di", "r0"), ("c", "r3")  # registers, by family
_REGISTER = re.compile(r"%[a-z]+\d*[a-z]*|\b[wxsdq]\d+\b")
_X86_WIDTHS = re.compile(r"^[er]?([abcd])[xlh]$|^[er]?(si|di|bp|sp)l?$|^(r\d+)[dwb]?$")
_KEEPS_FLAGS = re.compile(r"mov|lea|set|cmov|nop|push|pop|cvt|ldr|ldp|str|stp|adr|pxor|cltq|csel|cset")
_CONDITIONAL = re.compile(r"j(?!mp)|b\.|cbn?z|tbn?z")
_KEPT_BY_CALLS = re.compile(r"^(b|bp|r1[2-5]|r(19|2\d))$")  # registers, by family


def flag_reads(code: Iterable[Instruction]) -> list[int]:
    """The return addresses of the callbacks of these reads."""
    rows = list(code)
    found = []
    for at, (_, _, operands) in enumerate(rows[:-1]):
        after = rows[at + 1 : at + 1 + FAR]
        if "__tsan_volatile_read" in operands:
            is_flag = _is_flag(after)
        elif "__tsan_read" in operands:
            is_flag = _is_guess(rows, at) and _is_flag(after)
        else:
            continue
        if is_flag:
            found.append(rows[at + 1][0])
    return found


def empty_loops(code: Iterable[Instruction]) -> list[int]:
    """The addresses of jumps to themselves, as of `while (true) {}`."""
    jumps = ((address, operands.split()) for address, operation, operands in code if operation in ("jmp", "b"))
    return [address for address, operands in jumps if operands and operands[0].removeprefix("0x") == f"{address:x}"]


def _is_flag(rows: Sequence[Instruction]) -> bool:
    """Follows what these instructions load first: does a branch ask for it?"""
    loaded: set[str] = set()  # registers that hold the value, or something made from it
    loads, asks, stores, word, goes_on = False, False, False, "", 0
    for address, operation, operands in rows:
        if address < goes_on:
            continue
        if _CONDITIONAL.match(operation):
            if asks or (operation[0] in "ct" and _family(operands.split(",")[0]) in loaded):
                return True
            if loads and _target(operands) <= address:
                return False  # the end of a loop that goes on for another reason
        elif operation.startswith(("jmp", "b")) and operation in ("jmp", "b"):
            goes_on = _target(operands)
            if goes_on <= address:
                return False
        elif operation.startswith("ret"):
            return False
        elif operation.startswith(("call", "bl")):
            stores = "__tsan_volatile_write" in operands
            kept = {register for register in loaded if _KEPT_BY_CALLS.match(register)}
            votes = re.search("ladder_(warp|barrier)", operands) and loaded != kept
            loaded = kept | ({"a", "r0"} if votes else set())
        else:
            is_load = not loads and _reads_memory(operation, operands)
            loads = loads or is_load
            used = set(map(_family, _REGISTER.findall(_sources(operation, operands))))
            if is_load:
                word = _memory(operands)
            elif stores and word and _is_store(operation, operands) and _memory(operands) == word and loaded & used:
                return False
            uses = is_load or bool(loaded & used) or (asks and operation.startswith(("set", "cset")))
            if not _KEEPS_FLAGS.match(operation):
                asks = uses
            _move(loaded, operation, operands, uses)
    return False


def _move(loaded: set[str], operation: str, operands: str, uses: bool) -> None:
    target = _destination(operation, operands)
    if target and uses:
        loaded.add(target)
    elif target and _KEEPS_FLAGS.match(operation):
        loaded.discard(target)


def _family(register: str) -> str:
    """One name for all widths of a register: "a" of %rax, %eax and %al, "r19" of w19 and x19."""
    name = register.strip().removeprefix("%")
    if not register.strip().startswith("%"):
        return "r" + name[1:] if name[:1] in "wx" else name
    match = _X86_WIDTHS.match(name)
    return next(filter(None, match.groups()), name) if match else name


def _split(operands: str) -> list[str]:
    return re.split(r",(?![^(\[]*[)\]])", operands.partition("#")[0] if "%" in operands else operands)


def _destination(operation: str, operands: str) -> str | None:
    if operation.startswith(("cmp", "test", "tst", "str", "stp")):
        return None
    parts = _split(operands)
    target = (parts[-1] if "%" in operands else parts[0]).strip()
    return _family(target) if _REGISTER.fullmatch(target) else None


def _sources(operation: str, operands: str) -> str:
    """All operands but one that is only written."""
    parts = _split(operands)
    only_written = _KEEPS_FLAGS.match(operation) if "%" in operands else not operation.startswith(("cmp", "tst", "str"))
    if only_written and len(parts) > 1:
        parts = parts[:-1] if "%" in operands else parts[1:]
    return ",".join(parts)


def _reads_memory(operation: str, operands: str) -> bool:
    if operation.startswith("ldr") or operation.startswith("lda"):
        return "sp" not in operands
    if operation.startswith("lea") or not re.search(r"\((?!%rip|%rsp)", operands) or "%fs:" in operands:
        return False
    is_store = operation.startswith("mov") and _split(operands)[-1].endswith(")")
    return not is_store


def _memory(operands: str) -> str:
    """`0x8(%rbx)` or `[x19, #8]`, if there is one."""
    found = re.search(r"(?:0x[0-9a-f]+)?\([^)]*\)|\[[^]]*\]", operands)
    return found[0] if found else ""


def _is_store(operation: str, operands: str) -> bool:
    return operation.startswith(("str", "stl")) or (operation.startswith("mov") and _split(operands)[-1].endswith(")"))


def _is_guess(rows: Sequence[Instruction], at: int) -> bool:
    """Whether an atomic that looks for itself follows on the word that the callback at `at` is told of."""
    place = _argument(rows, at, _FIRST_ARGUMENT)
    for other in range(at + 1, min(at + FURTHER, len(rows))):
        _, operation, operands = rows[other]
        if operation.startswith("ret") or not operation:
            return False
        if (_CONDITIONAL.match(operation) or operation in ("jmp", "b")) and _target(operands) <= rows[at][0]:
            return False
        if re.search("ladder_(ordered_)?atomic", operands) and place == _argument(rows, other, _ADDRESS_OF_ATOMIC):
            return (_argument(rows, other, _FIRST_ARGUMENT) or "").replace("#", "$") in _CONFIRM
    return False


def _argument(rows: Sequence[Instruction], call: int, families: tuple[str, str]) -> str | None:
    """What goes into this register right before a call, as it is written there."""
    for _, operation, operands in reversed(rows[max(call - 12, 0) : call]):
        if operation.startswith(("call", "bl")) or _CONDITIONAL.match(operation):
            return None
        if _destination(operation, operands) in families:
            return _sources(operation, operands).strip()
    return None


def _target(operands: str) -> int:
    found = re.search(r"\b(?:0x)?([0-9a-f]+) <", operands)
    return int(found[1], 16) if found else 1 << 62
