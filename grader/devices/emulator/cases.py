"""Variables behind a `case`: nvcc only warns of the jumps past their first values, and g++ refuses them.

What stands behind such a label gets braces of its own, up to the next label, if no later one uses what it declares.
Else its variables get their first values by assignment, where they can.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from grader.devices.build.syntax import Stream
from grader.devices.emulator.outside import words

Insertion = tuple[int, int, str]  # as in by_value.py

_NO_TYPE = words(
    "return break continue goto if else for while do switch throw delete new case default using typedef sizeof asm"
)
_PUNCTUATION = {"::", "<", ">", "*", "&"}  # in a type


def respelled(stream: Stream) -> Iterator[Insertion]:
    """What becomes of variables behind labels of switches that only a GPU runs."""
    for index, token in enumerate(stream.tokens):
        if token.text == "switch" and stream.scopes[index].device and stream.text(index + 1) == "(":
            opening = stream.after_group(index + 1)
            closing = stream.closing(opening) if stream.text(opening) == "{" else None
            yield from _of_switch(stream, opening, closing) if closing else ()


def _of_switch(stream: Stream, opening: int, closing: int) -> Iterator[Insertion]:
    parts = list(_parts(stream, opening, closing))
    for begin, end in parts:
        names = set(_declared(stream, begin, end))
        if names and names.isdisjoint(stream.texts(end, closing)):
            yield begin, begin, "{ "
            yield end, end, "} "
        elif names:
            yield from _assignments(stream, begin, end)


def _parts(stream: Stream, opening: int, closing: int) -> Iterator[tuple[int, int]]:
    """What stands behind each label of the switch itself, up to the next."""
    labels = [at for at in _at_depth(stream, opening + 1, closing) if stream.text(at) in ("case", "default")]
    for label, end in pairwise([*labels, closing]):
        colons = (at for at in _at_depth(stream, label, end) if stream.text(at) == ":")
        begin = next(colons, end) + 1
        if begin < end and not any(stream.conditional[label : end + 1]):
            yield begin, end


def _at_depth(stream: Stream, begin: int, end: int) -> Iterator[int]:
    """The tokens that no bracket holds, opening brackets among them."""
    while begin < end:
        yield begin
        begin = stream.after_group(begin)


def _declared(stream: Stream, begin: int, end: int) -> Iterator[str]:
    """The names of variables that begin with a value here."""
    start = begin
    for at in _at_depth(stream, begin, end):
        if stream.text(at) in (";", "{"):
            yield from _of_statement(stream, start, at)
            start = stream.after_group(at)


def _assignments(stream: Stream, begin: int, end: int) -> Iterator[Insertion]:
    """`float a = 1;` as `float a; a = 1;`: not of a constant, a reference, `auto`, or of several in one statement."""
    start = begin
    for at in _at_depth(stream, begin, end):
        if stream.text(at) not in (";", "{"):
            continue
        equals = next((place for place in _at_depth(stream, start, at) if stream.text(place) == "="), at)
        names = list(_of_statement(stream, start, at))
        kind = stream.texts(start, equals - 1)
        if len(names) == 1 and stream.text(equals - 1) == names[0] and _may_be_assigned(kind):
            yield equals, equals, f"; {names[0]} "
        start = stream.after_group(at)


def _may_be_assigned(kind: list[str]) -> bool:
    last_star = max((at for at, text in enumerate(kind) if text == "*"), default=-1)  # behind it: of the pointer
    return "auto" not in kind and {"const", "constexpr", "static", "&"}.isdisjoint(kind[last_star + 1 :])


def _of_statement(stream: Stream, start: int, end: int) -> Iterator[str]:
    at = start
    while at < end and (stream.is_word(at) or stream.text(at) in _PUNCTUATION):
        at += 1
    texts, name = stream.texts(start, at), at - 1
    has_type = len(texts) > 1 and stream.is_word(name) and texts[-2] not in ("::", "<") and texts[0] not in _NO_TYPE
    if has_type and stream.is_word(start) and stream.text(at) in ("=", "(", "{", "[", ",", ";"):
        yield texts[-1]
        yield from (stream.text(comma + 1) for comma in _at_depth(stream, at, end) if stream.text(comma) == ",")
