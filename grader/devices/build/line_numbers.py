"""Directives that give a file's lines other numbers, or another file's name: `#line 7 "other.cu"`, `# 7 "other.cu" 2`.

All that is said of a file is said of its own lines. So such a directive is left out of what a compiler reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.devices.build.lexer import Directive, lex

_MAY_HAVE = re.compile(r"^[^\S\n]*(/\*.*\*/\s*)?#(\s|\\|/\*.*\*/)*(line|\d)", re.MULTILINE)
_NO_BREAK = re.compile(r"[^\n]")


def renumbers(directive: Directive) -> bool:
    """Whether it is meant to number lines, rightly or not."""
    return directive.name == "line" or directive.name.isdigit()


def is_right(directive: Directive, directives: Sequence[Directive]) -> bool:
    """Whether compilers take it: a number, which may be a macro of the file's, then perhaps a name."""
    told = directive.tokens[1 + (directive.name == "line") :]
    is_named = len(told) == 1 or (len(told) > 1 and told[1].text.startswith('"'))
    return is_named and (told[0].text.isdigit() or told[0].text in _numbers(directives))


def _numbers(directives: Sequence[Directive]) -> set[str]:
    """The macros that are a number."""
    defined = (directive.tokens[2:] for directive in directives if directive.name == "define")
    return {"__LINE__", *(name.text for name, *body in defined if [each.text.isdigit() for each in body[:1]] == [True])}


def with_own_numbers(source: str) -> str:
    """The text without such directives, which become spaces."""
    if not _MAY_HAVE.search(source):
        return source
    directives = lex(source).directives
    for directive in reversed(directives):
        if renumbers(directive) and is_right(directive, directives):
            start, end = directive.tokens[0].start, directive.tokens[-1].end
            source = source[:start] + _NO_BREAK.sub(" ", source[start:end]) + source[end:]
    return source
