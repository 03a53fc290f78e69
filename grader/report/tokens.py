"""Source code as HTML: comments, keywords and literals have a colour; all else has no element of its own."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from grader.report.words import harmless

KINDS = {"Comment": "comment", "Keyword": "key", "Name.Builtin": "key", "Literal": "literal"}  # by pygments' names


def coloured(source: str, language: str, attribute: Callable[[str], str]) -> list[str]:
    """Each line of the source as HTML; `attribute` says how a kind looks, as `class="k-key"`.

    Neighbours of one kind share an element. What a terminal or a browser would obey is shown instead.
    """
    from pygments.lexers import get_lexer_by_name

    lines: list[list[tuple[str, str]]] = [[]]  # kind and text
    for token, value in get_lexer_by_name(language, stripnl=False, ensurenl=False).get_tokens(source):
        kind = next((kind for name, kind in KINDS.items() if str(token).startswith(f"Token.{name}")), "")
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if part and lines[-1] and lines[-1][-1][0] == kind:
                part = lines[-1].pop()[1] + part
            if part:
                lines[-1].append((kind, part))
    return ["".join(_element(attribute(kind) if kind else "", part) for kind, part in line) for line in lines]


def _element(attribute: str, text: str) -> str:
    shown = escape(harmless(text.expandtabs(4)), quote=False)
    return f"<span {attribute}>{shown}</span>" if attribute else shown
