"""An input that a kernel takes and no line of it names: another array stands where it belongs."""

from __future__ import annotations

from collections.abc import Sequence

from grader.devices.build.lexer import Token, lex
from grader.report.text_slips import parameters_of_kernels

UNREAD = (
    "The kernel {kernel} takes `{name}` in line {line}, and no line of it reads that: is another array named where"
    " `{name}` belongs?"
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
