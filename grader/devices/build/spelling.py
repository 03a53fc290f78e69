"""What nvcc takes and clang does not know how to read: such places are spelled otherwise before clang sees them."""

from __future__ import annotations

from grader.devices.build.lexer import lex
from grader.devices.build.syntax import Stream, code_stream, is_launch, launch_end, macro_stream


def for_clang(source: str) -> str:
    """The file with the same lines, and mostly the same columns.

    `k<< <{2, 2}, 32>> >()` becomes `k<<<dim3{2, 2}, 32>>>()`; `__shared__ alignas(16) float a[4]` gets an attribute.
    """
    edits: list[tuple[int, int, str]] = []
    lexed = lex(source)
    for stream in [code_stream(lexed), *(macro_stream(each) for each in lexed.directives if each.name == "define")]:
        for index in range(len(stream.tokens)):
            if is_launch(stream, index):
                edits += _launch(source, stream, index)
            elif stream.text(index) == "alignas" and _is_shared(stream, index):
                edits.append((stream.tokens[index].start, stream.tokens[index].end, "__align__"))
    for start, end, text in sorted(edits, reverse=True):
        source = source[:start] + text + source[end:]
    return source


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


def _is_shared(stream: Stream, index: int) -> bool:
    """Whether `__shared__`, without `extern`, stands before it in the declaration."""
    before = index
    while before > 0 and stream.text(before - 1) not in (";", "{", "}"):
        before -= 1
    words = stream.texts(before, index)
    return "__shared__" in words and "extern" not in words
