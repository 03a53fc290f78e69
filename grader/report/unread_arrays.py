"""An input that a kernel takes and no line of it names: another array stands where it belongs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.devices.build.lexer import Token

UNREAD = (
    "The kernel {kernel} takes `{name}` in line {line}, and no line of it reads that: is another array named where"
    " `{name}` belongs?"
)
Parameter = tuple[int, str, list[Token]]  # where a kernel's parameters begin, its name, and one of them


def unread(code: Sequence[Token], parameters: Iterator[Parameter]) -> Iterator[str]:
    """Of inputs, `const float* b`, of kernels whose body stands in the file and reads another one."""
    kernels: dict[int, list[tuple[str, Token]]] = {}
    for opening, kernel, each in parameters:
        texts = [token.text for token in each]
        if "const" in texts and "*" in texts and each[-1].kind == "word":
            kernels.setdefault(opening, []).append((kernel, each[-1]))
    for opening, inputs in kernels.items():
        named = _body(code, opening)
        left = [each for each in inputs if each[1].text not in named]
        for kernel, name in left if len(left) < len(inputs) else ():
            yield UNREAD.format(kernel=kernel, name=name.text, line=name.line)


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
