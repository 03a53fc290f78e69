"""Directives that give a file's lines other numbers, or another file's name: `#line 7 "other.cu"`, `# 7 "other.cu" 2`.

All that is said of a file is said of its own lines. So such a directive is left out of what a compiler reads.
"""

from __future__ import annotations

import re

from grader.devices.build.lexer import Directive, lex

_MAY_HAVE = re.compile(r"^[^\S\n]*(/\*.*\*/\s*)?#(\s|\\|/\*.*\*/)*(line|\d)", re.MULTILINE)
_NO_BREAK = re.compile(r"[^\n]")


def renumbers(directive: Directive) -> bool:
    """Whether it is meant to number lines, rightly or not."""
    return directive.name == "line" or directive.name.isdigit()


def is_right(directive: Directive) -> bool:
    """Whether compilers take it: a number, then perhaps a name."""
    told = directive.tokens[1 + (directive.name == "line") :]
    is_named = len(told) == 1 or (len(told) > 1 and told[1].text.startswith('"'))
    return is_named and told[0].text.isdigit()


def with_own_numbers(source: str) -> str:
    """The text without such directives, which become spaces."""
    if not _MAY_HAVE.search(source):
        return source
    for directive in reversed(lex(source).directives):
        if renumbers(directive) and is_right(directive):
            start, end = directive.tokens[0].start, directive.tokens[-1].end
            source = source[:start] + _NO_BREAK.sub(" ", source[start:end]) + source[end:]
    return source
