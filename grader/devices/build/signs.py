"""Signs that look like C++'s and are others: quotes of a text program, blanks of a web page, letters of another script.

Compilers complain of them in words that no reader sees the cause in, or of the names that follow.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from grader.devices.build.lexer import Token, lex

_PLAIN = {
    **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2018\u2019\u00b4", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    **{"\u00d7": "*", "\u22c5": "*", "\u00f7": "/", "\u2264": "<=", "\u2265": ">=", "\u2260": "!=", "\u3002": "."},
}
_STRAY = ("`", "@", "\\")
_INCLUDED = re.compile(r"""^\s*#\s*include\s*[<"]([^<>"]*\\[^<>"]*)[>"]""")  # by a path of Windows
_NOT_PLAIN = re.compile(r"[^\x00-\x7f]+")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_UNKNOWN = re.compile(r"""['`](\w+)['`] (?:was not declared|does not name a type|has not been declared|is unknown)""")
# The letters of Greek and Cyrillic that no reader tells from a Latin one.
_ALIKE = dict(
    zip(
        "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405"
        "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455"
        "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd",
        "ABEKMHOPCTXIJSaeopcyxijsABEZHIKMNOPTYXov",
        strict=True,
    )
)


def strange(source: str, line: int | None, said: str) -> tuple[str, int, int] | None:
    """What is told of a strange sign in a line with an error, with its line and column; or of the one in a name that
    looks like what is `said` to be unknown. None if there is no such sign; those in comments and texts are none.
    """
    rows = source.split("\n")
    if line and line <= len(rows) and (path := _INCLUDED.match(rows[line - 1])):
        plain = path[1].replace("\\", "/")
        return f"between the folders of an #include stands a / and no \\: write {plain}", line, path.start(1) + 1
    pieces = list(_outside_texts(source))
    start = sum(len(row) + 1 for row in rows[: line - 1]) if line and line <= len(rows) else len(source)
    end = start + len(rows[line - 1]) if line and line <= len(rows) else start
    found = next(((at, told) for at, text in pieces if start <= at < end and (told := _told(text))), None)
    if not found and (unknown := _UNKNOWN.search(said)):
        alike = (each for each in pieces if each[1] != unknown[1] and _latin(each[1]) == unknown[1])
        found = next(((at, _of_name(text)) for at, text in alike), None)
    if not found:
        return None
    at, told = found
    return told, source.count("\n", 0, at) + 1, at - source.rfind("\n", 0, at)


def _outside_texts(source: str) -> Iterator[tuple[int, str]]:
    """Words and signs that C++ does not know, and blanks that are none of ASCII's, with where they begin."""
    lexed = lex(source)
    tokens = sorted([*lexed.code, *(each for directive in lexed.directives for each in directive.tokens)], key=_start)
    end = 0
    for token in [*tokens, Token("end", "", len(source), len(source), 0)]:
        gap = _COMMENT.sub(lambda found: " " * len(found[0]), source[end : token.start])
        yield from ((end + found.start(), found[0]) for found in _NOT_PLAIN.finditer(gap))
        if token.kind not in ("string", "char") and (token.text in _STRAY or not token.text.isascii()):
            yield token.start, token.text
        end = token.end


def _start(token: Token) -> int:
    return token.start


def _told(text: str) -> str:
    """Of a word, a sign or a blank: which character is strange, and what to type. "" if none is."""
    if text in _STRAY:
        return f"this {text} is no sign of C++: remove it"
    return next(filter(None, map(_of_sign, text)), "") or (_of_name(text) if _mixes_scripts(text) else "")


def _of_sign(sign: str) -> str:
    if sign.isascii():
        return ""
    category, name = unicodedata.category(sign), unicodedata.name(sign, "").lower()
    code = f"U+{ord(sign):04X}" + f" ({name})" * bool(name)
    if category in ("Cf", "Cc"):
        return f"an invisible character stands here, {code}: remove it"
    if category in ("Zs", "Zl", "Zp"):
        return f"this blank is {code}, as in a text from a page: type a space in its place"
    if unicodedata.normalize("NFC", sign).isascii():  # no reader sees that it differs from the ASCII sign
        return f"this {sign} is {code}, which is no sign of C++: type it again"
    plain = _PLAIN.get(sign) or unicodedata.normalize("NFKC", sign)
    return f"this {sign} is no sign of C++: write the plain {plain}" if plain.isascii() else ""


def _mixes_scripts(text: str) -> bool:
    return bool(re.search("[A-Za-z]", text)) and _latin(text).isascii() and not text.isascii()


def _of_name(text: str) -> str:
    """Of a name that looks like another one."""
    letter = next(each for each in text if each in _ALIKE)
    script = unicodedata.name(letter).split()[0].capitalize()
    return f"the {letter} of this `{text}` is a {script} letter and no plain {_ALIKE[letter]}: type the name again"


def _latin(text: str) -> str:
    return "".join(_ALIKE.get(letter, letter) for letter in text)
