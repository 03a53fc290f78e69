"""Lines of a program that read by a kernel's parameter which is `const` and `__restrict__`, and load nothing else.

nvcc reads by such a pointer through the read-only cache, which stores of the same launch do not reach.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from grader.devices.build.lexer import Token, lex

_RESTRICT = {"__restrict__", "__restrict", "restrict"}
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_UNARY_BEHIND = {*"([{},;=?:+-*/%<>&|!", "return"}
_BEFORE_A_VALUE = ("return", "else", "do", "case", "throw")
_LOADS = ("[", "->", "*")  # in what a macro stands for


def restricted_lines(source: str) -> list[int]:
    """Their numbers in this file."""
    lexed = lex(source)
    loading = {
        each.tokens[2].text
        for each in lexed.directives
        if each.name == "define" and any(token.text in _LOADS for token in each.tokens[3:])
    }
    found = set[int]()
    for parameters, body in _kernels(lexed.code):
        names = {name for name in _restricted(parameters) if _is_kept(name, body)}
        lines = defaultdict[int, list[int]](list)
        for at, token in enumerate(body):
            lines[token.line].append(at)
        found |= {line for line, places in lines.items() if names and _reads_only(names, loading, body, places)}
    return sorted(found)


def _kernels(code: Sequence[Token]) -> Iterator[tuple[Sequence[Token], Sequence[Token]]]:
    """The parameters and the body of each kernel that is defined."""
    for at, token in enumerate(code):
        if token.text != "__global__":
            continue
        opening = next((n for n in range(at, len(code)) if code[n].text == "(" and code[n - 1].text[:2] != "__"), None)
        closing = _closing(code, opening)
        if opening is not None and closing is not None and closing + 1 < len(code) and code[closing + 1].text == "{":
            end = _closing(code, closing + 1)
            yield code[opening + 1 : closing], code[closing + 2 : end]


def _closing(code: Sequence[Token], opening: int | None) -> int | None:
    if opening is None:
        return None
    opens, closes, depth = code[opening].text, _PAIRS[code[opening].text], 0
    for at in range(opening, len(code)):
        depth += (code[at].text == opens) - (code[at].text == closes)
        if depth == 0:
            return at
    return None


def _restricted(parameters: Sequence[Token]) -> Iterator[str]:
    """`x` of `const float* __restrict__ x`."""
    one: list[str] = []
    for text in [*(token.text for token in parameters), ","]:
        if text != ",":
            one.append(text)
            continue
        star = one.index("*") if one.count("*") == 1 else 0
        if star and "const" in one[:star] and _RESTRICT & set(one[star:]) and one[-1] not in _RESTRICT:
            yield one[-1]
        one = []


def _is_kept(name: str, body: Sequence[Token]) -> bool:
    """Whether it stays what the launch has given: not assigned, not declared again, and its address is not taken."""
    for at, token in enumerate(body):
        if token.text != name:
            continue
        before, behind = _text(body, at - 1), [_text(body, at + n) for n in (1, 2)]
        is_assigned = behind[0] == "=" and behind[1] != "="
        is_declared = before in ("*", "&") and _text(body, at - 2) not in (")", "]") and behind[0] in (*";,=:",)
        is_declared = is_declared or (at > 0 and body[at - 1].kind == "word" and before not in _BEFORE_A_VALUE)
        if is_assigned or is_declared or (before == "&" and behind[0] in (",", ")")):
            return False
    return True


def _reads_only(names: set[str], loading: set[str], body: Sequence[Token], places: Sequence[int]) -> bool:
    reads = False
    for at in places:
        text, before = body[at].text, _text(body, at - 1)
        if text in loading or text == "->":
            return False
        if text == "*" and before in _UNARY_BEHIND and _text(body, at + 1) not in names:
            return False
        if text == "[" and before in names:
            reads = True
        elif text == "[" and not _is_stored_to(body, at):
            return False
    return reads


def _is_stored_to(body: Sequence[Token], at: int) -> bool:
    """Whether `z[...]`, whose bracket is here, is what a plain `=` assigns to, at the beginning of a statement."""
    closing = _closing(body, at)
    begins = _text(body, at - 2) in ("", ";", "{", "}", ")", "else")
    is_assigned = closing is not None and [_text(body, closing + n) for n in (1, 2)].count("=") == 1
    return begins and is_assigned and closing is not None and _text(body, closing + 1) == "="


def _text(code: Sequence[Token], at: int) -> str:
    return code[at].text if 0 <= at < len(code) else ""
