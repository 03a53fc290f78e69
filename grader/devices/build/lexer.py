"""The tokens of a CUDA C++ file: enough of a C++ lexer to rewrite a file without ever touching a comment or a string.

Preprocessor lines are kept apart from the code, because each is a small program of its own: `code` holds the tokens of
the file without them, `directives` the tokens of each `#...` line, continuations included.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
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
_MOST_NUMBER = 1 << 40
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
    return int(text, 8) if re.fullmatch("0[0-7]+", text) else int(text, 10 if text.isdigit() else 0)
