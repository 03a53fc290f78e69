"""The emulator's namespace has a name that a file may give to a thing of its own: `ladder`.

Compilers read it with another last letter: lines and columns stay. What they say of it is told as it was written.
"""

from __future__ import annotations

import re

from grader.devices.build.lexer import lex

_NAME = re.compile(r"\bladder\b", re.IGNORECASE)
_APART = re.compile(r"\b(ladde)_\b", re.IGNORECASE)
INCLUDES = ("include", "include_next", "import")


def is_namespace(word: str) -> bool:
    """Whether the word is that name."""
    return bool(_NAME.fullmatch(word))


def spelled_apart(source: str) -> str:
    """The text with all such words, but for those in texts and headers' names, spelled as none of the emulator's is."""
    if not _NAME.search(source):
        return source
    lexed = lex(source)
    of_directives = [token for each in lexed.directives if each.name not in INCLUDES for token in each.tokens]
    for token in (*lexed.code, *of_directives):
        if token.kind == "word" and is_namespace(token.text):
            source = f"{source[: token.end - 1]}_{source[token.end :]}"
    return source


def as_written(text: str) -> str:
    """What is said of a text that was spelled apart, in the file's own words."""
    return _APART.sub(lambda found: found[1] + ("R" if found[1].isupper() else "r"), text)
