"""A file's lines with each statement on one of them, for rules that read a line at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from grader.devices.build.lexer import Token, lex

OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, (")", "]", "}")
# What an expression goes on behind, and what no statement begins with.
_GO_ON = ("+", "-", "*", "/", "%", "&", "|", "^", "?", "=", "<", "<=", ">=", ",", "->", ".", "::")
_GOES_ON = ("+", "/", "%", "|", "^", "?", "=", "<", "<=", ">=", ".", "->", ")", "]")
_BEHIND_A_NAME = ("*", "&", "-")  # which begin a statement elsewhere: behind `if (...)`, or `;`


def statements(source: Sequence[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """As many lines, of which those that a statement goes on in are empty; and the first line of each one's statement.

    Preprocessor lines, and those with a lambda's body in parentheses, stay as they are.
    """
    return _statements(tuple(source))


def begin(begins: Sequence[int], line: int | None) -> int | None:
    """Where the statement of a line begins."""
    return begins[line - 1] if line and line <= len(begins) else line


@lru_cache(8)
def _statements(source: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    tokens = lex("\n".join(source))
    fixed = {token.line for each in tokens.directives for token in each.tokens}
    lines, begins = list(source), list(range(1, len(source) + 1))
    for first, last in _joined(tokens.code):
        if last > len(lines) or fixed & set(range(first, last + 1)):
            continue
        head = begins[first - 1]
        parts = [
            _code(lines[head - 1]).rstrip(),
            *(_code(lines[number - 1]).strip() for number in range(first + 1, last)),
        ]
        lines[head - 1] = " ".join(filter(None, [*parts, lines[last - 1].strip()]))
        for number in range(first + 1, last + 1):
            lines[number - 1], begins[number - 1] = "", head
    return tuple(lines), tuple(begins)


def _code(line: str) -> str:
    """A line without the comment behind it."""
    comment = next(
        (at for at in range(len(line)) if line.startswith("//", at) and not line.count('"', 0, at) % 2), None
    )
    return line if comment is None else line[:comment]


def _joined(code: Sequence[Token]) -> list[tuple[int, int]]:
    """Each two lines of neighbouring tokens between which a statement goes on."""
    found: list[tuple[int, int]] = []
    open_: list[str] = []
    for at, token in enumerate(code[:-1]):
        if token.text in OPENING:
            open_.append(token.text)
        elif token.text in CLOSING and open_:
            open_.pop()
        after = code[at + 1]
        if after.line == token.line:
            continue
        goes_on = bool(open_) and open_[-1] != "{" and after.text != "{"
        goes_on = goes_on or (token.text in _GO_ON and after.text != "{")
        is_step = after.text == "+" and at + 2 < len(code) and code[at + 2].text == "+"  # `++i`
        goes_on = goes_on or (after.text in _GOES_ON and token.text not in (";", "{", "}") and not is_step)
        is_value = token.kind in ("word", "number") or token.text == "]"
        if goes_on or (after.text in _BEHIND_A_NAME and is_value and token.text not in ("else", "do", "return")):
            found.append((token.line, after.line))
    return found
