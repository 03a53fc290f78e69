"""What of a branch is no part of the program: the compiler knows that it is not taken."""

from __future__ import annotations

import re
from typing import Any

from grader.devices.build.constants import kind_of, value_of

IF_CONSTEXPR = re.compile(rb"if\s+constexpr\b")


def left_out(cursor: Any, children: list[Any], source: bytes) -> tuple[list[Any], bool]:
    """Which of the children of an `if constexpr`, `a ? b : c`, `a && b` or `a || b`, and whether that is sure.

    It is not where a template's argument tells it: clang has one tree for all of them.
    """
    kind = kind_of(cursor)
    if kind == "IF_STMT" and IF_CONSTEXPR.match(source, cursor.extent.start.offset):
        condition, *branches = [child for child in children if not child.kind.is_declaration()]
        value = value_of(condition)
        return (branches, False) if value is None else (branches[:1] if value == 0 else branches[1:], True)
    if kind == "CONDITIONAL_OPERATOR" and (value := value_of(children[0])) is not None:
        return [children[2 if value else 1]], True
    if kind == "BINARY_OPERATOR":
        operator = source[children[0].extent.end.offset : children[1].extent.start.offset].strip()
        if operator in (b"&&", b"||") and (value := value_of(children[0])) is not None:
            return (children[1:] if bool(value) == (operator == b"||") else []), True
    return [], True
