"""Which of an asm statement's operands an instruction of PTX takes, by the letters of their constraints: ptxas 13.0 was
asked of each instruction here with each type and letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_TYPE = re.compile(r"[us](8|16|32|64)|b(16|32|64)|b?f16(x2)?|f(32|64)")
_OF_BITS = {"b16": "h", "b32": "rf", "b64": "ld"}
_OF_FLOATS = {"f32": "rf", "f64": "ld", "f16": "h", "bf16": "h", "f16x2": "r", "bf16x2": "r"}
_OF_INTEGERS = {"16": "h", "32": "r", "64": "l"}
_WHAT = {
    "n": "whole numbers",
    "h": "16-bit integers",
    "r": "32-bit integers",
    "l": "64-bit integers",
    "f": "float",
    "d": "double",
}
# Those whose operands all have the type that they name, or the first so many; from the second on for a comparison.
_ALIKE = {
    **dict.fromkeys(("add", "sub", "and", "or", "xor", "not", "neg", "abs", "min", "max", "div", "rem", "mov"), (0, 3)),
    **dict.fromkeys(("fma", "mul", "mad"), (0, 4)),
    **dict.fromkeys(("shl", "shr"), (0, 2)),
    **{"selp": (0, 3), "setp": (1, 3)},
}
_OPERAND = re.compile(r"%(\d+)")
_ADDRESS = re.compile(r"\[\s*%(\d+)")
_AT_ADDRESS = {"ld", "ldu", "st", "atom", "red", "prefetch"}
_OF_32_BITS = ("shared", "local", "const", "param")  # memory whose addresses may have so few
# Operands of another type: the number, what suits and the type.
_OTHERS = {
    "selp": [(3, "", "pred")],
    "setp": [(0, "", "pred")],
    "shl": [(2, "rn", "u32")],
    "shr": [(2, "rn", "u32")],
}
_IN_BRACKETS = re.compile(r"\[[^]]*\]|\{[^}]*\}|[^,]+")


def of_instruction(name: str, modifiers: Sequence[str], operands: str, letters: str) -> str:
    """What does not suit in `add.u32 %0, %1, 2`, whose operands have these letters; "" if nothing for certain."""
    for number, wanted, type_ in _wanted(name, modifiers, operands):
        letter = letters[number] if number < len(letters) else ""
        if letter in _WHAT and letter not in wanted:
            has = f'"{letter}", which is for {_WHAT[letter]}'
            instead = f'%{number} should have "{wanted[0]}"' if wanted else f"no operand can stand for %{number} there"
            return f"`{name}` of type .{type_} takes nothing with {has}: {instead}"
    return _of_address(name, modifiers, operands, letters)


def of_guard(statement: str) -> str:
    """What is wrong with the `@%1` before an instruction; "" if that is a predicate's name, or not there."""
    found = re.match(r"@\s*!?\s*(%\d+)", statement)
    return f"the guard `{found[0]}` must be a predicate: make one with `setp` from {found[1]}" if found else ""


def _of_address(name: str, modifiers: Sequence[str], operands: str, letters: str) -> str:
    number = _ADDRESS.search(operands) if name in _AT_ADDRESS else None
    letter = letters[int(number[1])] if number and int(number[1]) < len(letters) else ""
    is_short = any(each.startswith(_OF_32_BITS) for each in modifiers)
    if letter in ("f", "d") or (letter == "r" and not is_short):
        return f'the address of `{name}` has 64 bits: bind it with "l", as a pointer'
    return ""


def _wanted(name: str, modifiers: Sequence[str], operands: str) -> Iterator[tuple[int, str, str]]:
    """The number of an operand, the letters that suit it, and the type that asks for them."""
    types = [each for each in modifiers if _TYPE.fullmatch(each)]
    given = [each.strip() for each in _IN_BRACKETS.findall(operands)]
    given = [each for each in given if each]
    for at, suits, type_ in _OTHERS.get(name, ()):
        if at < len(given) and (bare := _OPERAND.fullmatch(given[at])):
            yield int(bare[1]), suits, type_
    if name in _ALIKE and "pred" in modifiers:
        yield from ((int(bare[1]), "", "pred") for each in given if (bare := _OPERAND.fullmatch(each)))
    elif name in _ALIKE and len(types) == 1 and "wide" not in modifiers and "{" not in operands:
        first, last = _ALIKE[name]
        for each in given[first:last]:
            if bare := _OPERAND.fullmatch(each):
                yield int(bare[1]), _exactly(types[0]), types[0]
    elif name in ("ld", "st") and len(types) == 1 and len(given) > 1:
        for number in _OPERAND.findall(given[0 if name == "ld" else 1]):
            yield int(number), _as_wide_as(types[0]), types[0]
    elif name == "cvt" and len(types) == 2 and len(given) == 2:
        for type_, each in zip(types, given, strict=True):
            if "x2" not in type_ and not type_.startswith("b") and (bare := _OPERAND.fullmatch(each)):
                yield int(bare[1]), _as_wide_as(type_), type_


def _exactly(type_: str) -> str:
    """Letters of the operands that the type is for; a constant may stand for a whole number."""
    return _OF_FLOATS.get(type_) or (_OF_BITS.get(type_) or _OF_INTEGERS.get(type_[1:], "rl")) + "n"


def _as_wide_as(type_: str) -> str:
    """The same where a wider register holds a narrower value, as loads, stores and conversions have it."""
    bits = int(re.sub(r"\D", "", type_.partition("x")[0]))
    integers = "".join(letter for size, letter in ((16, "h"), (32, "r"), (64, "l")) if size >= bits)
    floats = "".join(letter for size, letter in ((32, "f"), (64, "d")) if size >= bits)
    if type_.startswith("b"):
        return integers + floats + "n"
    return integers + "n" + (type_.startswith("f") * {"f32": "f", "f64": "d"}.get(type_, ""))
