"""`#define N 1024;` and `#define N = 1024`: compilers complain where N stands, and the slip is in the macro."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from grader.devices.build.lexer import Directive, Token, lex

# A macro with one of these does something: its `;` may be meant.
_OF_STATEMENTS = re.compile(r"[{}=;]|\+ ?\+|- ?-|\b(?:return|break|continue|goto|using|typedef)\b|\w ?\(")


def of_macro(source: str, line: int | None) -> tuple[str, int] | None:
    """A sentence and the macro's own line, of the first word in a line with an error that is such a macro."""
    tokens = lex(source)
    macros = {each.tokens[2].text: each for each in tokens.directives if each.name == "define" and each.tokens[2:]}
    used = [(one, after) for one, after in _with_next(tokens.code) if one.line == line]
    return next(filter(None, (_slip(macros, one, after) for one, after in used)), None)


def _slip(macros: dict[str, Directive], word: Token, after: str, depth: int = 4) -> tuple[str, int] | None:
    """What is wrong with a word that is a macro, or with one that it stands for in its turn."""
    macro = macros.get(word.text)
    if macro is None or depth == 0:
        return None
    body = _body(macro.tokens)
    if body and body[0].text == "=":
        said = f"`#define {word.text}` takes no `=`: write `#define {word.text} {_text(body[1:])}`"
        return said, macro.tokens[2].line
    if after != ";" and body[1:] and body[-1].text == ";" and not _OF_STATEMENTS.search(_text(body[:-1])):
        whole = _text(macro.tokens[2:-1])
        said = f"`#define {whole};` puts its `;` wherever `{word.text}` stands: write `#define {whole}`"
        return said, macro.tokens[2].line
    inner = _with_next(body)
    return next(filter(None, (_slip(macros, one, behind, depth - 1) for one, behind in inner)), None)


def _body(tokens: list[Token]) -> list[Token]:
    """What a macro stands for: behind its name, and its parameters if there are any."""
    if len(tokens) > 3 and tokens[3].text == "(" and tokens[3].start == tokens[2].end:
        closing = next((at for at, each in enumerate(tokens) if each.text == ")"), len(tokens))
        return tokens[closing + 1 :]
    return tokens[3:]


def _with_next(tokens: list[Token]) -> Iterator[tuple[Token, str]]:
    """Each token with the text of the next one."""
    return zip(tokens, [*(each.text for each in tokens[1:]), ""], strict=False)


def _text(tokens: list[Token]) -> str:
    """The tokens as written, but for what is more than one space."""
    gaps = ["", *(" " * (after.start > one.end) for one, after in pairwise(tokens))]
    return "".join(gap + each.text for gap, each in zip(gaps, tokens, strict=True))
