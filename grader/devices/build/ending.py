"""Functions that end the program, as a `usage()` with exit() at its end: clang knows only of what is declared so."""

from __future__ import annotations

from collections.abc import Iterator

from grader.devices.build.syntax import Stream

_ENDS = {"exit", "_exit", "_Exit", "quick_exit", "abort"}
_ATTRIBUTE = "__attribute__((noreturn)) "


def declared_so(code: Stream) -> Iterator[tuple[int, int, str]]:
    """The edits that tell clang of them, wherever they are declared: what follows a call of one is never come to."""
    heads = [at for at in range(len(code.tokens)) if _is_head(code, at)]
    ends = {code.text(at + 1): _ends_it(code, at) for at in heads if _body(code, at)}
    for at in heads:
        if ends.get(code.text(at + 1)):
            yield code.tokens[at].start, code.tokens[at].start, _ATTRIBUTE


def _is_head(code: Stream, at: int) -> bool:
    return code.text(at) == "void" and code.text(at + 2) == "(" and code.is_word(at + 1) and not code.scopes[at].in_code


def _body(code: Stream, head: int) -> tuple[int, int] | None:
    """From its `{` to its `}`."""
    closing = code.closing(head + 2)
    if closing is None or code.text(closing + 1) != "{" or (end := code.closing(closing + 1)) is None:
        return None
    return closing + 1, end


def _ends_it(code: Stream, head: int) -> bool:
    """Whether its last statement calls exit() whatever was before, and none before returns."""
    start, end = _body(code, head) or (0, 0)
    if code.text(end - 1) != ";" or (opening := code.opening(end - 2)) is None or code.text(opening - 1) not in _ENDS:
        return False
    before = opening - 2
    if code.text(before) == "::":
        before -= 2 if code.text(before - 1) == "std" else 1
    return code.text(before) in (";", "{", "}") and "return" not in code.texts(start, end)
