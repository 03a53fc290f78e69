"""An input that a kernel takes and no line of it names: another array stands where it belongs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from grader.devices.build.lexer import Token, lex
from grader.report.text_slips import parameters_of_kernels

UNREAD = (
    "The kernel {kernel} takes `{name}` in line {line}, and no line of it reads that: is another array named where"
    " `{name}` belongs?"
)


UNREAD_SHARED = (
    "The shared array `{name}` is filled in line {line}, and no line reads it: is another array named where `{name}`"
    " belongs?"
)


def unread_input(source: Sequence[str]) -> str:
    """A sentence on an input, `const float* b`, of a kernel whose body reads another one, and never this; else ""."""
    code = lex("\n".join(source)).code
    kernels: dict[int, list[tuple[str, Token]]] = {}
    for opening, kernel, each in parameters_of_kernels(code):
        texts = [token.text for token in each]
        if "const" in texts and "*" in texts and each[-1].kind == "word":
            kernels.setdefault(opening, []).append((kernel, each[-1]))
    for opening, inputs in kernels.items():
        named = _body(code, opening)
        left = [each for each in inputs if each[1].text not in named]
        for kernel, name in left if len(left) < len(inputs) else ():
            return UNREAD.format(kernel=kernel, name=name.text, line=name.line)
    return ""


def unread_shared(source: Sequence[str]) -> str:
    """A sentence on a shared array that a file's lines fill, and none of them reads, where others are read; else ""."""
    code = lex("\n".join(source)).code
    arrays = list(_shared(code))
    uses = {token.text: [at for at, each in enumerate(code) if each.text == token.text] for token in arrays}
    unread = [token for token in arrays if len(uses[token.text]) > 1 and _are_stores(code, uses[token.text])]
    if len({token.text for token in unread}) != 1 or len(uses) == 1:
        return ""
    return UNREAD_SHARED.format(name=unread[0].text, line=code[uses[unread[0].text][1]].line)


def _shared(code: Sequence[Token]) -> Iterator[Token]:
    """`a` and `b` of `__shared__ float a[16][16], b[16];`."""
    for at, token in enumerate(code):
        if token.text != "__shared__":
            continue
        depth = 0
        for one, after in pairwise(code[at:]):
            if one.text == ";" or (one.text == "(" and depth == 0):
                break
            if depth == 0 and one.kind == "word" and after.text == "[":
                yield one
            depth += (one.text == "[") - (one.text == "]")


def _are_stores(code: Sequence[Token], uses: Sequence[int]) -> bool:
    """Whether each use but the declaration is `a[...]... =`, and the name stands in no macro, call or address."""
    return all(_end_of_brackets(code, at + 1) for at in uses[1:])


def _end_of_brackets(code: Sequence[Token], at: int) -> bool:
    """Whether brackets begin there and a plain `=` comes behind them."""
    depth, begins = 0, at
    if at < 2 or code[at - 2].text not in (";", "{", "}", ")", "else"):
        return False
    while at < len(code) and (depth or code[at].text == "["):
        depth += (code[at].text == "[") - (code[at].text == "]")
        at += 1
    return at > begins and at + 1 < len(code) and code[at].text == "=" and code[at + 1].text != "="


def _body(code: Sequence[Token], opening: int) -> set[str]:
    """All words of the function whose parameters begin there; none of one that is only declared."""
    begin = next((at for at in range(opening, len(code)) if code[at].text in ("{", ";")), len(code))
    depth, found = 0, set()
    for token in code[begin:]:
        depth += (token.text == "{") - (token.text == "}")
        if depth <= 0:
            break
        found.add(token.text)
    return found
