"""Which volatile reads look at a flag: the value decides where the thread goes on, as in `while (*ready == 0) {}`.

A flag may be read while another thread writes it. Data may not, `volatile` or not: what is read for its value needs
something that orders it behind the write. Seen in the machine code, where it takes no scopes, macros and casts apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

Instruction = tuple[int, str, str]  # its address, operation, operands

FAR = 40  # instructions from the read to the branch
_REGISTER = re.compile(r"%[a-z]+\d*[a-z]*|\b[wxsdq]\d+\b")
_X86_WIDTHS = re.compile(r"^[er]?([abcd])[xlh]$|^[er]?(si|di|bp|sp)l?$|^(r\d+)[dwb]?$")
_KEEPS_FLAGS = re.compile(r"mov|lea|set|cmov|nop|push|pop|cvt|ldr|ldp|str|stp|adr|pxor|cltq|csel|cset")
_CONDITIONAL = re.compile(r"j(?!mp)|b\.|cbn?z|tbn?z")
_KEPT_BY_CALLS = re.compile(r"^(b|bp|r1[2-5]|r(19|2\d))$")  # registers, by family


def flag_reads(code: Iterable[Instruction]) -> list[int]:
    """The return addresses of the callbacks of these reads."""
    rows = list(code)
    calls = (at for at, row in enumerate(rows) if "__tsan_volatile_read" in row[2])
    return [rows[at + 1][0] for at in calls if at + 1 < len(rows) and _is_flag(rows[at + 1 : at + 1 + FAR])]


def empty_loops(code: Iterable[Instruction]) -> list[int]:
    """The addresses of jumps to themselves, as of `while (true) {}`."""
    jumps = ((address, operands.split()) for address, operation, operands in code if operation in ("jmp", "b"))
    return [address for address, operands in jumps if operands and operands[0].removeprefix("0x") == f"{address:x}"]


def _is_flag(rows: Sequence[Instruction]) -> bool:
    """Follows what these instructions load first: does a branch ask for it?"""
    loaded: set[str] = set()  # registers that hold the value, or something made from it
    loads, asks = False, False
    for address, operation, operands in rows:
        if _CONDITIONAL.match(operation):
            if asks or (operation[0] in "ct" and _family(operands.split(",")[0]) in loaded):
                return True
            if loads and _target(operands) <= address:
                return False  # the end of a loop that goes on for another reason
        elif operation.startswith(("ret", "jmp")) or operation == "b":
            return False
        elif operation.startswith(("call", "bl")):
            kept = {register for register in loaded if _KEPT_BY_CALLS.match(register)}
            votes = "ladder_warp" in operands and loaded != kept
            loaded = kept | ({"a", "r0"} if votes else set())
        else:
            is_load = not loads and _reads_memory(operation, operands)
            loads = loads or is_load
            used = set(map(_family, _REGISTER.findall(_sources(operation, operands))))
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


def _target(operands: str) -> int:
    found = re.search(r"\b(?:0x)?([0-9a-f]+) <", operands)
    return int(found[1], 16) if found else 1 << 62
