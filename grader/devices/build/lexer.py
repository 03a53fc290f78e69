"""The tokens of a CUDA C++ file: enough of a C++ lexer to rewrite a file without ever touching a comment or a string.

Preprocessor lines are kept apart from the code, because each is a small program of its own: `code` holds the tokens of
the file without them, `directives` the tokens of each `#...` line, continuations included.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
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
