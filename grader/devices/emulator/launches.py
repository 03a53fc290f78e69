"""The parts of a launch, `kernel<<<config>>>(arguments)`, and the macros that stand for a whole `<<<config>>>`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.devices.build.lexer import Directive
from grader.devices.build.line_slips import DIVISION
from grader.devices.build.own_namespace import as_written
from grader.devices.build.syntax import Stream, is_launch, launch_end, macro_stream

_MERGE = "git leaves `<<<<<<<`, `=======` and `>>>>>>>` where it could not merge: keep one side, delete these lines"
_WHOLE_DIVISION = re.compile(r"(?<=[\w)])\s*//\s*(?=[\w(])")  # as in Python


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


def why_no_launch(stream: Stream, start: int | None, opening: int, closing: int | None, source: str) -> str:
    """What is wrong with a `<<<` at `opening` that no launch follows; the kernel's name begins at `start`."""
    if source.startswith("<<<<<<<", stream.tokens[opening].start):
        return _MERGE
    if start is None and stream.macro:
        return "a macro must hold the kernel's name together with its <<<...>>>"
    if start is None:
        return "there is no kernel's name in front of this <<<: write `kernel<<<blocks, threads>>>(...)`"
    name = stream.spelled(range(start, opening))
    if closing is None and (divided := _divides_whole(source, stream, opening)):
        return f"this <<< is never closed: {DIVISION}, as in `{name}<<<{divided}`"
    if closing is None:
        return f"this <<< is never closed: {_unclosed(stream, opening, name)}"
    if closing == opening + 3:
        return f"a launch says how many blocks, and how many threads in each: `{name}<<<blocks, threads>>>(...)`"
    if stream.text(opening - 1) == ")" and (bracket := stream.opening(opening - 1)) is not None:
        kernel = stream.spelled(range(start, bracket))
        return f"<<<...>>> stands between a kernel's name and its arguments: write `{kernel}<<<blocks, threads>>>(...)`"
    return (
        f"a launch needs its arguments in parentheses after its >>>: `{name}<<<...>>>(...)`, and `()` if there are none"
    )


def _divides_whole(source: str, stream: Stream, opening: int) -> str:
    """What belongs between `<<<` and `>>>` where `//` stands among it and takes the rest of the line away, or ""."""
    rest = source[stream.tokens[opening].end + 2 :].partition("\n")[0]
    inside = re.match(r"[^;]*?>>>(?=\s*\()", rest)
    divided = _WHOLE_DIVISION.sub(" / ", inside[0]) if inside else rest
    return divided if inside and divided != inside[0] and "//" not in divided else ""


def _unclosed(stream: Stream, opening: int, name: str) -> str:
    for index in range(opening + 3, len(stream.tokens)):
        if stream.text(index) == ";":
            inside = stream.texts(opening + 3, len(stream.tokens))
            ends = [at for at in range(len(inside)) if inside[at : at + 3] == [">"] * 3]
            breaks = ends and "{" not in inside[: ends[0]] and inside[: ends[0]].count(";") == 1
            return (
                f"its numbers are divided by a comma and not by `;`, `{name}<<<blocks, threads>>>`"
                if breaks
                else f"a launch is `{name}<<<blocks, threads>>>(...)`, with three signs on each side"
            )
    return f"a launch is `{name}<<<blocks, threads>>>(...)`"
