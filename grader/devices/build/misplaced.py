"""Words of CUDA's that stand where nvcc does not take them, and clang does: a look at the tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.devices.build.lexer import Token

_BOUNDS = {"__launch_bounds__", "__maxnreg__", "__cluster_dims__"}


def misplaced(code: Sequence[Token]) -> Iterator[tuple[str, int]]:
    """A sentence, and its 1-based line, for each."""
    words = {token.text for token in code}
    if not words & {*_BOUNDS, "__grid_constant__"}:
        return
    for index, token in enumerate(code):
        if token.text in _BOUNDS and _stands_before_body(code, index + 1):
            yield (
                f"`{token.text}` stands before the function's name: `__global__ void {token.text}(...) name(`",
                token.line,
            )
        elif token.text == "__grid_constant__" and _divides_pointer(code, index):
            yield (
                "`__grid_constant__` stands behind the const of a pointer: `int* const __grid_constant__ p`",
                token.line,
            )


def _stands_before_body(code: Sequence[Token], opening: int) -> bool:
    """Whether the brackets that open here end in front of a `{`."""
    depth = 0
    for at in range(opening, len(code)):
        depth += (code[at].text == "(") - (code[at].text == ")")
        if depth == 0:
            return code[at].text == ")" and at + 1 < len(code) and code[at + 1].text == "{"
    return False


def _divides_pointer(code: Sequence[Token], index: int) -> bool:
    """Whether the word stands between a `*` and its `const`."""
    before = index - 1
    while before > 0 and code[before].text == "__restrict__":
        before -= 1
    return code[before].text in ("*", "&") and code[index + 1].text in ("const", "volatile") if index else False
