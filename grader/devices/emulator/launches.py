"""The parts of a launch, `kernel<<<config>>>(arguments)`, and the macros that stand for a whole `<<<config>>>`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.devices.build.lexer import Directive
from grader.devices.build.own_namespace import as_written
from grader.devices.build.syntax import Stream, is_launch, launch_end, macro_stream


def quoted(text: str) -> str:
    """As a string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def macros_for_configurations(directives: Sequence[Directive]) -> dict[str, bool]:
    """The macros that are a `<<<...>>>` and nothing else: whether each has parameters."""
    found = {}
    for directive in directives:
        body = macro_stream(directive) if directive.name == "define" else None
        if body and is_configuration(body):
            found[directive.tokens[2].text] = len(directive.tokens) > len(body.tokens) + 3
    return found


def is_configuration(macro: Stream) -> bool:
    """Whether all that the macro stands for is `<<<...>>>`."""
    return is_launch(macro, 0) and launch_end(macro, 3) == len(macro.tokens) - 3


def arguments(stream: Stream, opening: int) -> Iterator[tuple[int, int]]:
    """Where the arguments in these parentheses start and end, but for what may be a template's: that is never `{a}`."""
    closing = stream.closing(opening)
    start = at = opening + 1
    while closing is not None and at <= closing:
        if at == closing or stream.text(at) == ",":
            angles = "<" in map(stream.text, range(opening, start)) and ">" in map(stream.text, range(at, closing))
            if at > start and (not angles or stream.text(start) == "{"):
                yield start, at
            start = at + 1
        at = at + 1 if at == closing or stream.text(at) == "," else stream.after_group(at)


def name_literal(stream: Stream, start: int, end: int) -> str:
    """The kernel as written, on one line, as a string literal; a macro's parameter becomes what the macro is given."""
    name = ""
    for index in range(start, end):
        text, before = stream.text(index), stream.text(index - 1)
        if text == "#":  # two names are glued
            continue
        space = "" if index == start or before == "#" or stream.touches(index - 1) else " "
        name += space + (f'" #{text} "' if text in stream.parameters else quoted(text)[1:-1])
    return as_written(f'"{name}"')
