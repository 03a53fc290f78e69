"""Declarations of a GPU's variables, read word by word: where they begin and end, and what they declare."""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.devices.build.syntax import Stream

_SPECIFIERS = {"static", "const", "volatile", "inline", "constexpr", "unsigned", "alignas"}
_WITH_ARGUMENTS = {"__align__", "alignas", "__attribute__", "decltype"}
_NO_VARIABLE = {"extern", "template", "struct", "union", "class", "using", "typedef", "operator"}


@dataclass
class Declaration:
    """Tokens start..end-1: `name` is the first variable, `commas` stand between them, at `values` values begin."""

    start: int
    end: int
    name: int
    commas: list[int]
    dynamic: bool
    values: list[int] = field(default_factory=list)


def shared_variables(stream: Stream, index: int) -> Declaration | None:
    """The declaration that the `__shared__` at `index` belongs to, or None where it declares no variable."""
    start = start_of(stream, index)
    return None if start is None else _declaration(stream, start, index)


def global_variables(stream: Stream, index: int) -> Declaration | None:
    """The declaration that begins with the `__device__` at `index`, or None where it defines no variable."""
    start = start_of(stream, index)
    if start is None or not _SPECIFIERS.issuperset(stream.texts(start, index)):
        return None
    at = index + 1
    while at < len(stream.tokens) and stream.text(at) not in (";", "=", "{", "["):
        is_function = stream.text(at) == "(" and stream.text(at - 1) not in _WITH_ARGUMENTS
        if is_function or stream.text(at) in _NO_VARIABLE:
            return None
        at = stream.after_group(at)
    is_body = stream.text(at) == "{" and not stream.is_word(at - 1)
    return None if is_body else _declaration(stream, start, index)


def start_of(stream: Stream, index: int) -> int | None:
    """Where the statement of this token begins; None of a parameter's."""
    while index > 0 and stream.text(index - 1) not in (";", "{", "}", ":"):
        if stream.text(index - 1) in ("(", ","):
            return None
        group = stream.opening(index - 1)
        index = index - 1 if group is None else group
    return index


def _declaration(stream: Stream, start: int, index: int) -> Declaration | None:
    name: int | None = None
    commas, values, angles, at = list[int](), list[int](), 0, start
    is_record = False
    while at < len(stream.tokens) and stream.text(at) != ";":
        text = stream.text(at)
        ends_name = angles == 0 and (text in (",", "=") or (text == "[" and stream.text(at + 1) != "["))
        ends_name |= text == "{" and not is_record
        if ends_name and name is None:
            name = at - 1
        if name is not None and ends_name and text in ("=", "{"):
            values.append(at)
        if ends_name and text == ",":
            commas.append(at)
        is_record |= text in ("struct", "union")
        angles += (text == "<") - (text == ">")
        at = stream.after_group(at)
    name = at - 1 if name is None else name
    if name <= index or not stream.is_word(name):
        return None
    return Declaration(start, at, name, commas, "extern" in stream.texts(start, name), values)


def lacks_its_end(stream: Stream, declaration: Declaration) -> bool:
    """Whether another statement follows its first variable without a `;`, or the name comes a line later."""
    if stream.tokens[declaration.start].line < stream.tokens[declaration.name].line:
        return True
    at = declaration.name + 1
    while stream.text(at) == "[":
        at = stream.after_group(at)
    return stream.text(at) not in (",", "=", "{", ";")


def without(words: list[str], part: list[str]) -> list[str]:
    """The words but for the first run of these."""
    at = next(at for at in range(len(words)) if words[at : at + len(part)] == part)
    return words[:at] + words[at + len(part) :]


def alignment_spans(stream: Stream, start: int, end: int) -> list[tuple[int, int]]:
    """The attributes among the tokens start..end-1. Dynamic shared memory is aligned for every type anyway."""
    spans = []
    for index in range(start, end):
        if stream.text(index) in ("__align__", "alignas", "__attribute__"):
            spans.append((index, stream.after_group(index + 1)))
        elif stream.text(index) == "[" == stream.text(index + 1):
            spans.append((index, stream.after_group(index)))
    return spans
