"""The tokens of a CUDA C++ file: enough of a C++ lexer to rewrite a file without ever touching a comment or a string.

Preprocessor lines are kept apart from the code, because each is a small program of its own: `code` holds the tokens of
the file without them, `directives` the tokens of each `#...` line, continuations included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

# One alternative a kind, tried in this order at each position; a continued line (backslash, newline) is white space,
# and a quote that is never closed ends with its line, as in the compiler.
_TOKEN = re.compile(
    r"""
      (?P<newline>  \n )
    | (?P<space>    (?: [^\S\n] | \\ [^\S\n]* \n )+ )
    | (?P<comment>  // (?: \\ [^\S\n]* \n | [^\n] )* | /\* .*? (?: \*/ | \Z ) )
    | (?P<raw>      (?: u8|u|U|L )? R" (?P<fence> [^()\\\s]{0,16} ) \( .*? \) (?P=fence) " )
    | (?P<string>   (?: u8|u|U|L )? " (?: \\ \r?\n | \\ [^\n] | [^"\\\n] )* (?: " | (?=\n) | \Z ) )
    | (?P<char>     (?: u8|u|U|L )? ' (?: \\ [^\n] | [^'\\\n] )* (?: ' | (?=\n) | \Z ) )
    | (?P<number>   \.? \d (?: [eEpP][+-] | ' \w | [\w.] )* )
    | (?P<word>     [^\W\d] \w* )
    | (?P<sign>     :: | -> | <= | >= | \.\.\. | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_WHOLE = re.compile(r"(0[xX][\da-fA-F]+|0[bB][01]+|\d+)[uUlL]{0,3}")
_HELD_AGAINST = ("<", ">", "<=", ">=", "=", "&", "%")
_WHOLE_FLOAT = re.compile(r"(\d+\.?\d*(?:[eE]\+?\d{1,2})?)[fFlL]?")
_SHIFTS = ("<", ">")  # each half of one
_MOST_NUMBER, _LONGEST = 1 << 40, 64  # and its signs: Python refuses to read thousands of digits
_MAY_HAVE_LINES = {"newline", "space", "comment", "raw", "string"}


class Token(NamedTuple):
    kind: str  # word, number, string, char or sign
    text: str
    start: int  # offsets into the source
    end: int
    line: int  # 1-based


@dataclass
class Directive:
    """One preprocessor line; `tokens` start with its `#`, and `code_before` code tokens stand before it in the file."""

    tokens: list[Token]
    code_before: int

    @property
    def name(self) -> str:
        return self.tokens[1].text if len(self.tokens) > 1 else ""


@dataclass
class Tokens:
    code: list[Token] = field(default_factory=list)
    directives: list[Directive] = field(default_factory=list)


@lru_cache(maxsize=8)  # a build asks for one file's several times, each case's sentences once more
def lex(source: str) -> Tokens:
    """The tokens of a file, which no caller changes.

    Never fails: what does not close is left to the compiler, which says so better.
    """
    tokens = Tokens()
    directive: Directive | None = None
    line, at_line_start = 1, True
    for match in _TOKEN.finditer(source):
        kind, text = match.lastgroup or "", match.group()
        if kind == "newline":
            directive, at_line_start = None, True
        elif kind not in ("space", "comment"):
            token = Token("string" if kind == "raw" else kind, text, match.start(), match.end(), line)
            if text == "#" and at_line_start:
                directive = Directive([], code_before=len(tokens.code))
                tokens.directives.append(directive)
            (directive.tokens if directive else tokens.code).append(token)
            at_line_start = False
        line += text.count("\n") if kind in _MAY_HAVE_LINES else 0
    return tokens


def whole_numbers(source: str) -> set[int]:
    """The whole numbers that a file names in its code and macros: `1 << 20`, `256 * 1024` and `1e6` are numbers, too,
    and so are those that they are made of. A mask, `& 1023`, and a shift, `>> 10`, tell the multiples of 1,024.
    """
    tokens = lex(source)
    found: set[int] = set()
    for row in (tokens.code, *(directive.tokens for directive in tokens.directives)):
        found.update(_numbers(row))
    return {each for each in found if each <= _MOST_NUMBER}


def compared_numbers(source: str) -> set[int]:
    """Of these the ones that something is held against, `n > 1 << 20` or `i & 1023`, or that get a name."""
    tokens = lex(source)
    macros = [each.tokens for each in tokens.directives if [token.text for token in each.tokens[1:2]] == ["define"]]
    found = {number for row in macros for number in _numbers(row) if number <= _MOST_NUMBER}
    code = tokens.code
    texts = [token.text for token in code]
    for at in range(2, len(code)):
        number = _value(code[at])
        if number is None or texts[at - 1] not in _HELD_AGAINST or texts[at - 2] == texts[at - 1] in _SHIFTS:
            continue
        shift = _value(code[at + 3]) if texts[at + 1 : at + 3] == ["<", "<"] and at + 3 < len(code) else None
        found.add(number << shift if shift is not None and shift < 40 else number)
    return found


def _numbers(row: Sequence[Token]) -> set[int]:
    values = [_value(token) for token in row]
    found = {value for value in values if value is not None}
    signs = {at: token.text for at, token in enumerate(row) if token.kind == "sign"}
    places = [at for at, value in enumerate(values) if value is not None]
    found |= {value + 1 for value in found if value > 2 and value & (value + 1) == 0}  # a mask
    shifts = (values[at] or 0 for at in places if signs.get(at - 1) == signs.get(at - 2) in _SHIFTS)
    found |= {1 << shift for shift in shifts if shift < 40}
    product, times = 1, False  # of those before the last, and whether it is multiplied by them
    for one, other in pairwise(places):
        left, right = values[one] or 0, values[other] or 0
        between = [signs.get(at, "") for at in range(one + 1, other)]
        if between == ["*"]:
            product = left * (product if times else 1)
            found |= {left * right, product * right}
        elif between == ["<", "<"] and right < 40:
            found.add(left << right)
        times = between == ["*"]
    return found


def _value(token: Token) -> int | None:
    written = token.text.replace("'", "")
    if token.kind != "number" or not (whole := _WHOLE.fullmatch(written)):
        real = _WHOLE_FLOAT.fullmatch(written) if token.kind == "number" else None  # `n > 1e6`
        return int(float(real[1])) if real and float(real[1]).is_integer() else None
    text = whole[1]
    if len(text) > _LONGEST:
        return None
    return int(text, 8) if re.fullmatch("0[0-7]+", text) else int(text, 10 if text.isdigit() else 0)


# ---- numbers that do not stand there as such ----

_MOST_DIGITS = 13  # as 2^40 has
_FEW_SIGNS = 4  # signs of a text that a file looks at one by one: each may stand for its code
_MOST_COUNTED = 12  # __COUNTER__s of a file that are each a number; of more the last is
_LETTERS = re.compile(r"%|[^\W\d_]{2}")
_HEXADECIMAL = re.compile(r"(?:0[xX]|(?=\d*[a-fA-F])(?!\d+[eE]\d))([\da-fA-F]{2,10})")
_DECIMAL = re.compile(r"(\d+)(?:\.0*)?(?:[eE]\+?(\d{1,2}))?")
_TEXT = re.compile(r"(?:u8|[uUL])?(?:\"(.*?)\"?|R\"([^(]*)\((.*)\)\2\")", re.DOTALL)
_LENGTHS = {"sizeof", "strlen", "__builtin_strlen", "size", "length", "npos"}
_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11}
_ESCAPE = re.compile(r"\\(?:x([\da-fA-F]+)|([0-7]{1,3})|(.))", re.DOTALL)


@lru_cache(maxsize=8)
def hidden_numbers(source: str) -> frozenset[int]:
    """Whole numbers that a file has in its code and macros and does not write as numbers: in texts, in signs and digits
    apart, by lines and counters. `parse("300000")`, `{'9', '6'}`, `n % 'a'`, `sizeof "..."`, `__LINE__`: a size may be
    held against any of them. What is printed is none: of a text with words only the length is looked at, and that where
    a file asks for one.
    """
    tokens = lex(source)
    rows = [tokens.code, *(each.tokens for each in tokens.directives if each.name not in ("include", "error", "line"))]
    asks_for_lengths = any(token.text in _LENGTHS for row in rows for token in row)
    found = {number for row in rows for number in _of_row(row, asks_for_lengths)}
    return frozenset(number for number in [*found, *_of_lines(rows), *_counted(rows)] if number <= _MOST_NUMBER)


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
            yield from map(ord, text[:_FEW_SIGNS])
        if asks_for_lengths and "%" not in text:
            yield from (len(text), len(text) + 1)
    yield from _of_signs(row)


def _of_text(text: str) -> Iterator[int]:
    if whole := _HEXADECIMAL.fullmatch(text):
        yield int(whole[1], 16)
    elif not _LETTERS.search(text):
        for digits, power in _DECIMAL.findall(text):
            yield from _number(digits)
            yield from (each * 10 ** int(power) for each in _number(digits) if power)
        if re.fullmatch("[01]{5,40}|0[0-7]{1,13}", text):
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
            yield from _number(digits) if len(digits) > 1 and (token.text == "}" or kind == "char") else ()
            digits, kind = "", ""


def _number(digits: str) -> Sequence[int]:
    """What they make; nothing if they are too many."""
    return (int(digits),) if len(digits) <= _MOST_DIGITS else ()


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
    for at, token in enumerate(code):
        is_called = at + 1 < len(code) and code[at + 1].text == "("
        if token.text == "__LINE__" or (token.text in names and not is_called):
            yield token.line


def _counted(rows: Sequence[Sequence[Token]]) -> Iterator[int]:
    count = sum(token.text == "__COUNTER__" for row in rows for token in row)
    yield from range(count) if count <= _MOST_COUNTED else [count - 1, count]
