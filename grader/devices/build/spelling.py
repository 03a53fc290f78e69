"""What nvcc takes and clang does not know how to read: such places are spelled otherwise before clang sees them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise

from grader.devices.build.ending import declared_so
from grader.devices.build.lexer import Tokens, lex
from grader.devices.build.line_numbers import with_own_numbers
from grader.devices.build.own_namespace import spelled_apart
from grader.devices.build.syntax import (
    Stream,
    code_stream,
    is_idle,
    is_launch,
    is_unevaluated,
    launch_end,
    macro_stream,
)

_SHARED = "__shared__"
_SUFFIX = re.compile(r'\boperator\s*""\s*([A-Za-z]\w*)')  # of literals, without the `_` that clang asks for


def for_clang(source: str, functions: Collection[str] = ()) -> str:
    """The file with the same lines, and mostly the same columns.

    `k<< <{2, 2}, 32>> >()` becomes `k<<<dim3{2, 2}, 32>>>()`; `__shared__ alignas(16) float a[4]` gets an attribute;
    the type of a kernel's call, `decltype(k())`, is that of a launch. What says nothing to nvcc is left out: the
    `__device__` of `__device__ __shared__`, and an unroll before no statement. An own literal's suffix gets a `_`.
    What ends the program is declared so.
    `functions` have a kernel's name, and what is called by it in a type is none.
    """
    lexed = lex(source := spelled_apart(with_own_numbers(source)))
    code = code_stream(lexed)
    edits = [*_idle_unrolls(lexed, code), *_suffixes(source, lexed), *declared_so(code)]
    kernels = set(_kernels(code)).difference(functions)
    for stream in [code, *(macro_stream(each) for each in lexed.directives if each.name == "define")]:
        for index, token in enumerate(stream.tokens):
            text = token.text
            if text == "<" and is_launch(stream, index):
                edits += _launch(source, stream, index)
            elif text == "alignas" and _is_shared(stream, index):
                edits += _alignment(stream, index)
            elif _says_nothing(stream, index):
                edits.append((token.start, token.end, " " * len(text)))
            elif text == "(" and kernels and _called(stream, index) in kernels and _is_type(stream, index):
                edits.append((token.start, token.start, "<<<1, 1>>>"))
    for start, end, text in sorted(edits, reverse=True):
        source = source[:start] + text + source[end:]
    return source


def _idle_unrolls(lexed: Tokens, code: Stream) -> Iterator[tuple[int, int, str]]:
    """An unroll with no code around it, or at the end of a block, becomes a comment."""
    for directive in lexed.directives:
        if [token.text for token in directive.tokens[1:3]] == ["pragma", "unroll"]:
            around = code.scopes[directive.code_before : directive.code_before + 1]
            if not any(scope.in_code for scope in around) or code.text(directive.code_before) == "}":
                yield directive.tokens[0].start, directive.tokens[0].end, "//"


def _suffixes(source: str, lexed: Tokens) -> Iterator[tuple[int, int, str]]:
    """`operator""half` and `1.5half` get a suffix with `_` in the place of its first letter."""
    if not (names := set(_SUFFIX.findall(source))):
        return
    for before, token in pairwise(lexed.code):
        if token.kind == "word" and token.text in names and before.kind == "string":
            yield token.start, token.start + 1, "_"
        if token.kind == "number" and (suffix := token.text.lstrip("0123456789.'")) in names:
            yield token.end - len(suffix), token.end - len(suffix) + 1, "_"


def _launch(source: str, stream: Stream, opening: int) -> list[tuple[int, int, str]]:
    edits = _joined(source, stream, opening)
    closing = launch_end(stream, opening + 3)
    if closing is None:
        return edits
    edits += _joined(source, stream, closing)
    at = opening + 3
    while at < closing:
        if stream.text(at) == "{" and stream.text(at - 1) in ("<", ","):
            edits.append((stream.tokens[at].start, stream.tokens[at].start, "dim3"))
        at = stream.after_group(at)
    return edits


def _joined(source: str, stream: Stream, index: int) -> list[tuple[int, int, str]]:
    """Three signs in a row, with the space that was among them behind them."""
    start, end = stream.tokens[index].start, stream.tokens[index + 2].end
    text = source[start:end]
    sign = text[0]
    return [] if text == sign * 3 or "\n" in text else [(start, end, sign * 3 + " " * (len(text) - 3))]


def _kernels(stream: Stream) -> Iterator[str]:
    """The names of the kernels that are declared: what stands before the parameters, behind attributes' brackets."""
    for index in range(len(stream.tokens)):
        if stream.text(index) == "__global__":
            while index < len(stream.tokens) and (stream.text(index) != "(" or stream.text(index - 1).startswith("__")):
                index = stream.after_group(index)
            yield stream.text(index - 1)


def _alignment(stream: Stream, index: int) -> list[tuple[int, int, str]]:
    """The edits by which an `alignas`, of a number or type, may stand anywhere among the words of a declaration."""
    token, opening = stream.tokens[index], stream.tokens[index + 1]
    closing = stream.closing(index + 1) if opening.text == "(" else None
    if closing is None or stream.tokens[index + 2].kind == "number":
        return [(token.start, token.end, "__align__")]
    end = stream.tokens[closing]
    return [
        (token.start, opening.end, "__align__(::ladder::alignment<"),
        (end.start, end.end, ">())"),
    ]


def _says_nothing(stream: Stream, index: int) -> bool:
    """The `__device__` of `__device__ __shared__`, other words that say nothing there, and what is g++'s to know."""
    text, around = stream.text(index), (stream.text(index - 1), stream.text(index + 1))
    if text == "__noinline__":
        return around[0] != "("
    return (text == "__device__" and _SHARED in around) or is_idle(stream, index)


def _is_type(stream: Stream, index: int) -> bool:
    return is_unevaluated(stream.tokens[:index])


def _called(stream: Stream, opening: int) -> str:
    """The name in front of these brackets, with or without template arguments."""
    before = opening - 1
    if stream.text(before) == ">" and (angle := stream.angle_opening(before)):
        before = angle - 1
    return stream.text(before)


def _is_shared(stream: Stream, index: int) -> bool:
    """Whether `__shared__`, without `extern`, stands before it in the declaration."""
    before = index
    while before > 0 and stream.text(before - 1) not in (";", "{", "}"):
        before -= 1
    words = stream.texts(before, index)
    return _SHARED in words and "extern" not in words
