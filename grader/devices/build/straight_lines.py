"""What a size becomes in a kernel file's own variables and functions, read statement by statement.

`unsigned h = n * 2654435761u; h ^= h >> 15; if (h >> 27 == 9) ...` asks something of n, as `hash(n) % 64 == 3` does.
Here such names are replaced by what they hold, so that the condition can be worked out for any size (conditions.py).
Nothing is known of loops and branches: what stands in them is taken to be done once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

MOST_SIGNS = 160  # of an expression with all that its names stand for
_NAME = re.compile(r"[A-Za-z_]\w*")
_DECLARES = {"const", "constexpr", "static", "auto", "int", "unsigned", "long", "short", "bool", "size_t", "std", ":"}
_DECLARES |= {"int32_t", "uint32_t", "int64_t", "uint64_t", "char", "inline", "volatile"}
_WITH = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}
_COMPARES = {"==", "!=", "<", ">", "<=", ">="}
_UNSIGNED = {"unsigned", "uint32_t"}
_NO_FUNCTIONS = {"if", "for", "while", "switch", "return", "sizeof", "else", "do", "case"}


def replaced(texts: Sequence[str]) -> list[str]:
    """The statements in which a variable or a function of the file's own was replaced, one behind the other."""
    return _Walk().through(texts)


class _Walk:
    def __init__(self) -> None:
        self._held: dict[str, list[str]] = {}  # by the names of variables
        self._functions: dict[str, tuple[str, list[str]]] = {}  # parameter and result
        self._inside: tuple[str, str] | None = None  # the function and its parameter

    def through(self, texts: Sequence[str]) -> list[str]:
        found: list[str] = []
        begin = 0
        for at, text in enumerate(texts):
            if text not in (";", "{", "}"):
                continue
            statement = list(texts[begin:at])
            begin = at + 1
            if text == "{" and _begins_a_function(statement):
                self._inside, self._held = _head(statement), {}
            elif statement:
                found += self._done(statement)
        return found

    def _done(self, statement: list[str]) -> list[str]:
        whole = self._with_held(statement)
        if self._inside and statement[0] == "return":
            name, parameter = self._inside
            if len(whole) <= MOST_SIGNS:
                self._functions[name] = (parameter, whole[1:])
        for name, sign, row, is_unsigned in _assignments(statement):
            value = self._with_held(row)
            if sign:
                value = [*_in_brackets(self._held.get(name, [name])), sign, *_in_brackets(value)]
            if is_unsigned:
                value = ["(", "unsigned", ")", *_in_brackets(value)]
            self._held.pop(name, None)
            if 1 <= len(value) <= MOST_SIGNS and any(map(_NAME.fullmatch, value)):
                self._held[name] = value
        is_of_use = whole != statement and len(whole) <= 4 * MOST_SIGNS and not _COMPARES.isdisjoint(whole)
        return [*whole, ";"] if is_of_use else []

    def _with_held(self, row: Sequence[str]) -> list[str]:
        found: list[str] = []
        at = 0
        while at < len(row) and len(found) <= 4 * MOST_SIGNS:
            name, is_called = row[at], row[at + 1 : at + 2] == ["("]
            end = _end(row, at + 1) if is_called and name in self._functions else 0
            if end:
                parameter, result = self._functions[name]
                given = _in_brackets(self._with_held(row[at + 2 : end]))
                inner = [part for each in result for part in (given if each == parameter else [each])]
                found += ["(", *inner, ")"]
                at = end
            elif name in self._held and not is_called and row[at - 1 : at] != ["."]:
                found += _in_brackets(self._held[name])
            else:
                found.append(name)
            at += 1
        return found


def _in_brackets(row: Sequence[str]) -> list[str]:
    return ["(", *row, ")"] if len(row) > 1 else list(row)


def _begins_a_function(statement: Sequence[str]) -> bool:
    at = statement.index("(") if "(" in statement else 0
    is_named = at > 0 and bool(_NAME.fullmatch(statement[at - 1])) and statement[at - 1] not in _NO_FUNCTIONS
    return is_named and statement[-1] == ")" and statement[0] not in _NO_FUNCTIONS


def _head(statement: Sequence[str]) -> tuple[str, str] | None:
    """The name of a function with one parameter, and of that."""
    at = statement.index("(")
    name, inside = statement[at - 1], statement[at + 1 : -1]
    if not inside or {"(", ",", ")"} & set(inside):
        return None
    return (name, inside[-1]) if _NAME.fullmatch(inside[-1]) else None


def _assignments(statement: Sequence[str]) -> Iterator[tuple[str, str, list[str], bool]]:
    """Of `unsigned a = n, b = 3` and `a ^= n >> 3`: names, operators, what they get, whether they are unsigned."""
    is_unsigned = bool(_UNSIGNED & set(statement[:3]))
    for row in _apart(statement):
        if "=" not in row:
            continue
        at = row.index("=")
        sign = row[at - 1] if at and row[at - 1] in _WITH else ""
        place = at - 1 - bool(sign)
        if place >= 0 and _NAME.fullmatch(row[place]) and set(row[:place]) <= _DECLARES | _UNSIGNED:
            yield row[place], sign, list(row[at + 1 :]), is_unsigned


def _apart(statement: Sequence[str]) -> Iterator[list[str]]:
    depth, begin = 0, 0
    for at, text in enumerate(statement):
        depth += (text in ("(", "[")) - (text in (")", "]"))
        if text == "," and not depth:
            yield list(statement[begin:at])
            begin = at + 1
    yield list(statement[begin:])


def _end(row: Sequence[str], opened: int) -> int:
    depth = 0
    for at in range(opened, len(row)):
        depth += (row[at] == "(") - (row[at] == ")")
        if not depth:
            return at
    return 0
