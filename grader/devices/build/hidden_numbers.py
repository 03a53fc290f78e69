"""Whole numbers that a file has and does not write as numbers: in texts, signs and digits apart, by lines and counters.

`parse("300000")`, `{'9', '6'}`, `n % 'a'`, `sizeof "..."`, `__LINE__`: a size may be held against any of them. What is
printed is none: of a text with a `%`, or with words, only the length is looked at, and that where a file asks for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from grader.devices.build.lexer import Token, lex

_MOST = 1 << 40
_FEW = 4  # signs of a text that a file looks at one by one: each may stand for its code
_MOST_COUNTED = 12  # __COUNTER__s of a file that are each a number; of more the last is
_WORDS = re.compile(r"%|[^\W\d_]{2}")
_HEXADECIMAL = re.compile(r"(?:0[xX]|(?=\d*[a-fA-F])(?!\d+[eE]\d))([\da-fA-F]{2,10})")
_DECIMAL = re.compile(r"(\d+)(?:\.0*)?(?:[eE]\+?(\d{1,2}))?")
_TEXT = re.compile(r"(?:u8|[uUL])?(?:\"(.*?)\"?|R\"([^(]*)\((.*)\)\2\")", re.DOTALL)
_LENGTHS = {"sizeof", "strlen", "__builtin_strlen", "size", "length", "npos"}
_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11}
_ESCAPE = re.compile(r"\\(?:x([\da-fA-F]+)|([0-7]{1,3})|(.))", re.DOTALL)


def hidden_numbers(source: str) -> set[int]:
    """Those of the file's code and macros, up to 2^40."""
    tokens = lex(source)
    rows = [tokens.code, *(each.tokens for each in tokens.directives if each.name not in ("include", "error", "line"))]
    asks_for_lengths = any(token.text in _LENGTHS for row in rows for token in row)
    found = {number for row in rows for number in _of_row(row, asks_for_lengths)}
    return {number for number in [*found, *_of_lines(rows), *_counted(rows)] if number <= _MOST}


def _of_row(row: Sequence[Token], asks_for_lengths: bool) -> Iterator[int]:
    at = 0
    for kind, run in groupby(row, key=lambda token: token.kind):
        tokens = list(run)
        before, after = [each.text for each in row[max(at - 2, 0) : at]], row[at + len(tokens) :][:1]
        at += len(tokens)
        if kind != "string" or before[-1:] == ["extern"]:
            continue
        text = "".join(map(_signs, tokens))
        yield from _of_text(text)
        if before[-1:] == ["*"] or before == ["]", "="] or (after and after[0].text == "["):
            yield from map(ord, text[:_FEW])
        if asks_for_lengths and "%" not in text:
            yield from (len(text), len(text) + 1)
    yield from _of_signs(row)


def _of_text(text: str) -> Iterator[int]:
    if whole := _HEXADECIMAL.fullmatch(text):
        yield int(whole[1], 16)
    elif not _WORDS.search(text):
        for digits, power in _DECIMAL.findall(text):
            yield int(digits)
            if power:
                yield int(digits) * 10 ** int(power)
        if re.fullmatch("[01]{5,40}|0[0-7]+", text):
            yield int(text, 2 if set(text) <= {"0", "1"} else 8)


def _of_signs(row: Sequence[Token]) -> Iterator[int]:
    """Codes of signs, `'a'`, and what signs or digits in braces make: `{'9', '6'}` and `{9, 6}`."""
    digits, kind = "", ""
    for token in row:
        sign = _signs(token) if token.kind == "char" else token.text if token.kind == "number" else ""
        if token.kind == "char" and len(sign) == 1:
            yield ord(sign)
        if token.text == "{":
            digits, kind = "", "any"
        elif kind in ("any", token.kind) and re.fullmatch(r"[0-9]", sign):
            digits, kind = digits + sign, token.kind
        elif token.text != ",":  # `}`, or the 0 behind the signs of a text
            yield from [int(digits)] if len(digits) > 1 and (token.text == "}" or kind == "char") else []
            digits, kind = "", ""


def _signs(token: Token) -> str:
    """What stands between the quotes, as C++ reads it."""
    if token.kind == "char":
        inside = token.text.partition("'")[2].removesuffix("'")
    else:
        match = _TEXT.fullmatch(token.text)
        if match and match[3] is not None:
            return match[3]
        inside = (match[1] if match else "") or ""
    return _ESCAPE.sub(_escaped, inside)


def _escaped(match: re.Match[str]) -> str:
    if match[1] or match[2]:
        code = int(match[1], 16) if match[1] else int(match[2], 8)
        return chr(code) if code < 256 else ""
    return chr(_ESCAPES[match[3]]) if match[3] in _ESCAPES else match[3]


def _of_lines(rows: Sequence[Sequence[Token]]) -> Iterator[int]:
    """The lines of `__LINE__`, and of macros that have it, where these are used by themselves."""
    code, *directives = rows
    names = {row[2].text for row in directives if len(row) > 3 and any(each.text == "__LINE__" for each in row[3:])}
    behind = [*(token.text for token in code[1:]), ""]
    for token, after in zip(code, behind, strict=True):
        if token.text == "__LINE__" or (token.text in names and after != "("):
            yield token.line


def _counted(rows: Sequence[Sequence[Token]]) -> Iterator[int]:
    count = sum(token.text == "__COUNTER__" for row in rows for token in row)
    yield from range(count) if count <= _MOST_COUNTED else [count - 1, count]
