"""What of a branch is no part of the program: the compiler knows that it is not taken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import dropwhile
from typing import Any

from grader.devices.build.constants import value_of
from grader.devices.build.cursors import is_expression, kind_of

Condition = tuple[int, int]  # from and to which byte
IF_CONSTEXPR = re.compile(rb"if\s+constexpr\b")


def left_out(cursor: Any, children: list[Any], source: bytes) -> tuple[list[Any], bool]:
    """Which of the children of an `if constexpr`, `a ? b : c`, `a && b` or `a || b`, and whether that is sure.

    It is not where a template's argument tells it: clang has one tree for all of them.
    """
    kind = kind_of(cursor)
    if kind == "IF_STMT" and IF_CONSTEXPR.match(source, cursor.extent.start.offset):
        condition, *branches = _parts(children)
        value = value_of(condition)
        return (branches, False) if value is None else (branches[:1] if value == 0 else branches[1:], True)
    if kind == "CONDITIONAL_OPERATOR" and (value := value_of(children[0])) is not None:
        return [children[2 if value else 1]], True
    if kind == "BINARY_OPERATOR":
        operator = source[children[0].extent.end.offset : children[1].extent.start.offset].strip()
        if operator in (b"&&", b"||") and (value := value_of(children[0])) is not None:
            return (children[1:] if bool(value) == (operator == b"||") else []), True
    return [], True


def _parts(children: list[Any]) -> list[Any]:
    """The condition and the branches, without what may be declared before them."""
    return list(dropwhile(lambda child: not is_expression(child), children))


@dataclass(frozen=True)
class Branch:
    """From and to which byte of the file, and when it is taken: where the condition, which a template's argument
    decides, has this value. Never, without one."""

    start: int
    end: int
    condition: Condition | None = None
    value: bool = False


def branches(children: list[Any], out: list[Any], surely: bool) -> list[Branch]:
    """What `left_out` has found."""
    if surely:
        return [Branch(each.extent.start.offset, each.extent.end.offset) for each in out]
    condition = _parts(children)[0].extent
    asked = condition.start.offset, condition.end.offset
    return [
        Branch(each.extent.start.offset, each.extent.end.offset, asked, value)
        for each, value in zip(out, (True, False), strict=False)
    ]


def asked_for_values(source: bytes, found: list[Branch]) -> tuple[bytes, dict[Condition, Condition]]:
    """The file in which clang says of each condition which values it has in the template's instances (Taken in
    ladder_editor.h), and where each stands there."""
    places, text, at = {}, b"", 0
    for start, end in sorted({each.condition for each in found if each.condition}):
        if at <= start < end:
            before = len(text) + start - at
            text += source[at:start] + b"ladder::Taken<bool(" + source[start:end] + b")>::value"
            places[start, end] = before, len(text)
            at = end
    return text + source[at:], places
