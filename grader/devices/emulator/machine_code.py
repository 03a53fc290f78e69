"""Single instructions as objdump shows them, of x86-64 and aarch64: which registers and what memory they use."""

from __future__ import annotations

import re
from collections.abc import Sequence

Instruction = tuple[int, str, str]  # its address, operation, operands

REGISTER = re.compile(r"%[a-z]+\d*[a-z]*|\b[wxsdqv]\d+\b")
_X86_WIDTHS = re.compile(r"^[er]?([abcd])[xlh]$|^[er]?(si|di|bp|sp)l?$|^(r\d+)[dwb]?$")
KEEPS_FLAGS = re.compile(r"mov|lea|set|cmov|nop|push|pop|cvt|ldr|ldp|str|stp|adr|pxor|cltq|csel|cset")
CONDITIONAL = re.compile(r"j(?!mp)|b\.|cbn?z|tbn?z")
_ORDER = re.compile(r"\b(lt|le|gt|ge|hi|ls|lo|hs|cc|cs|mi|pl)$")
_BY_ORDER = re.compile(rf"(j|set)(a|ae|b|be|g|ge|l|le|c|nc)$|b\.{_ORDER.pattern}")
FIRST_ARGUMENT, ADDRESS_OF_ATOMIC, VALUE_OF_ATOMIC = ("di", "r0"), ("c", "r3"), ("r8", "r4")  # registers, by family
COMPARED_BY_ATOMIC = ("r9", "r5")
KEPT_BY_CALLS = re.compile(r"^(b|bp|r1[2-5]|r(19|2\d))$")  # registers, by family


def is_jump(operation: str) -> bool:
    """Whether it goes elsewhere whatever was asked before."""
    return operation in ("jmp", "b")


def is_call(operation: str) -> bool:
    """Whether it comes back here."""
    return operation.startswith("call") or operation in ("bl", "blr")


def asks_for_order(operation: str, operands: str) -> bool:
    """Whether it does something if one number is less or greater than another one."""
    return bool(_BY_ORDER.match(operation)) or (operation == "cset" and bool(_ORDER.search(operands)))


def family(register: str) -> str:
    """One name for all widths of a register: "a" of %rax, %eax and %al, "r19" of w19 and x19."""
    name = register.strip().removeprefix("%")
    if not register.strip().startswith("%"):
        return "r" + name[1:] if name[:1] in "wx" else name
    match = _X86_WIDTHS.match(name)
    return next(filter(None, match.groups()), name) if match else name


def split(operands: str) -> list[str]:
    """Operands one by one, without what objdump remarks."""
    return re.split(r",(?![^(\[]*[)\]])", operands.partition("#")[0] if "%" in operands else operands)


def destination(operation: str, operands: str) -> str | None:
    """The register that is written, by family."""
    if operation.startswith(("cmp", "test", "tst", "str", "stp")):
        return None
    parts = split(operands)
    target = (parts[-1] if "%" in operands else parts[0]).strip()
    return family(target) if REGISTER.fullmatch(target) else None


def sources(operation: str, operands: str) -> str:
    """All operands but one that is only written."""
    parts = split(operands)
    only_written = KEEPS_FLAGS.match(operation) if "%" in operands else not operation.startswith(("cmp", "tst", "str"))
    if only_written and len(parts) > 1:
        parts = parts[:-1] if "%" in operands else parts[1:]
    return ",".join(parts)


def reads_memory(operation: str, operands: str) -> bool:
    """Other memory than its stack, and variables of its thread."""
    if operation.startswith("ldr") or operation.startswith("lda"):
        return "sp" not in operands
    if operation.startswith("lea") or not re.search(r"\((?!%rip|%rsp)", operands) or "%fs:" in operands:
        return False
    is_store = operation.startswith("mov") and split(operands)[-1].endswith(")")
    return not is_store


def memory(operands: str) -> str:
    """`0x8(%rbx)` or `[x19, #8]`, if there is one."""
    found = re.search(r"(?:0x[0-9a-f]+)?\([^)]*\)|\[[^]]*\]", operands)
    return found[0] if found else ""


def is_store(operation: str, operands: str) -> bool:
    """Whether it only writes memory."""
    return operation.startswith(("str", "stl")) or (
        operation.startswith(("mov", "set")) and split(operands)[-1].endswith(")")
    )


def target(operands: str) -> int:
    """Where a jump goes."""
    found = re.search(r"\b(?:0x)?([0-9a-f]+) <", operands)
    return int(found[1], 16) if found else 1 << 62


def is_atomic(operands: str) -> bool:
    """Whether a call is of an atomic operation of CUDA's."""
    return "<ladder_atomic" in operands or "<ladder_ordered_atomic" in operands


def is_wide_atomic(operands: str) -> bool:
    """Whether a call is of one of 16 bytes."""
    return "<ladder_wide_atomic" in operands


def argument(rows: Sequence[Instruction], call: int, families: tuple[str, str]) -> str | None:
    """What goes into this register right before a call, as it is written there."""
    for _, operation, operands in reversed(rows[max(call - 12, 0) : call]):
        if operation.startswith(("call", "bl")) or CONDITIONAL.match(operation):
            return None
        if destination(operation, operands) in families:
            return sources(operation, operands).strip()
    return None
