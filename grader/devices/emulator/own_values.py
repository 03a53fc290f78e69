"""`--set N=64`: a program's own constants and variables begin with other values, as smaller sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from grader.devices.build.lexer import lex
from grader.devices.build.syntax import Stream, code_stream

Edit = tuple[int, int, str]  # from, to, what stands there instead


def with_values(text: str, values: Mapping[str, str]) -> tuple[str, set[str]]:
    """The text with `#define N ...` and declarations `int N = ...` that give these values; which of them it has."""
    lexed = lex(text)
    found: set[str] = set()
    edits: list[Edit] = []
    for directive in lexed.directives:
        tokens = directive.tokens
        if directive.name != "define" or len(tokens) < 4 or tokens[2].text not in values:
            continue
        if tokens[3].start > tokens[2].end:  # no macro with parameters
            found.add(tokens[2].text)
            edits.append((tokens[3].start, tokens[-1].end, values[tokens[2].text]))
    for name, start, end in _initial_values(code_stream(lexed)):
        if name in values:
            found.add(name)
            edits.append((start, end, values[name]))
    for start, end, value in sorted(edits, reverse=True):
        breaks = "".join(re.findall(r"(?:\\[^\S\n]*)?\n", text[start:end]))
        text = text[:start] + value + breaks + text[end:]
    return text, found


def _initial_values(stream: Stream) -> Iterator[tuple[str, int, int]]:
    """The name, and where the value starts and ends, of each `int N = ...` and of each `, N = ...` behind one.

    Not of what a loop counts in: another loop, or a constant, may have that name.
    """
    counters = set(_counters(stream))
    for index in range(1, len(stream.tokens)):
        if stream.text(index + 1) != "=" or stream.text(index + 2) == "=" or not stream.is_word(index):
            continue
        if index in counters:
            continue
        if stream.text(index - 1) == "," and not _declares(stream, index):
            continue
        if stream.text(index - 1) != "," and (not stream.is_word(index - 1) or stream.text(index - 1) == "return"):
            continue
        end = index + 2
        while end < len(stream.tokens) and stream.text(end) not in (",", ";", ")"):
            end = stream.after_group(end)
        yield stream.text(index), stream.tokens[index + 2].start, stream.tokens[end - 1].end


def _counters(stream: Stream) -> Iterator[int]:
    """The tokens in the first part of each `for (...)`."""
    for index in range(len(stream.tokens)):
        if stream.text(index) == "for" and stream.text(index + 1) == "(":
            at, end = index + 2, stream.after_group(index + 1)
            while at < end and stream.text(at) != ";":
                yield at
                at += 1


def _declares(stream: Stream, index: int) -> bool:
    """Whether the statement around a name begins with a type and a name."""
    while index > 0 and stream.text(index - 1) not in (";", "{", "}"):
        index -= 1
    return stream.is_word(index) and stream.is_word(index + 1)
