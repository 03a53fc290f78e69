"""Words of CUDA's that stand where nvcc does not take them, and clang does: a look at the tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.devices.build.lexer import Token

_SIDES = ("__device__", "__host__", "__global__", "__noinline__", "__forceinline__")
_BOUNDS = {"__launch_bounds__", "__maxnreg__", "__cluster_dims__"}


def misplaced(code: Sequence[Token]) -> Iterator[tuple[str, int]]:
    """A sentence, and its 1-based line, for each."""
    for index, token in enumerate(code):
        if token.text in _BOUNDS and _stands_before_body(code, index + 1):
            yield (
                f"`{token.text}` stands before the function's name: `__global__ void {token.text}(...) name(`",
                token.line,
            )
        elif token.text in _SIDES and _stands_behind_parameters(code, index):
            yield f"`{token.text}` stands before the function's type: `{token.text} int name(`", token.line
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


def _stands_behind_parameters(code: Sequence[Token], index: int) -> bool:
    """Whether it stands between a function's parameters and its body; the words of lambdas and methods may."""
    before = index - 1
    while code[before].text in ("const", "noexcept", *_SIDES):
        before -= 1
    if code[before].text != ")" or index + 1 == len(code) or code[index + 1].text != "{":
        return False
    depth = 0
    while before >= 0:
        depth += (code[before].text == ")") - (code[before].text == "(")
        before -= 1
        if depth == 0:
            is_name = before >= 0 and code[before].kind == "word" and not code[before].text.startswith("__")
            return is_name and not _is_in_class(code, before)
    return False


def _is_in_class(code: Sequence[Token], index: int) -> bool:
    depth = 0
    while index >= 0 and depth >= 0:
        depth += (code[index].text == "}") - (code[index].text == "{")
        index -= 1
    words = set()
    while index >= 0 and code[index].text not in (";", "{", "}"):
        words.add(code[index].text)
        index -= 1
    return bool(words & {"class", "struct", "union"})


def _divides_pointer(code: Sequence[Token], index: int) -> bool:
    """Whether the word stands between a `*` and its `const`."""
    before = index - 1
    while before > 0 and code[before].text == "__restrict__":
        before -= 1
    return code[before].text in ("*", "&") and code[index + 1].text in ("const", "volatile") if index else False


def meant(text: str, source: str, line: int | None) -> str:
    """What is meant where clang says something else, `text`, of this 1-based line; "" if that is as good."""
    lines = source.splitlines()
    return _unshared(text, source) or _of_other_words(text, lines[line - 1] if line and line <= len(lines) else "")


def _of_other_words(text: str, line: str) -> str:
    """Of words of C's and C++20's, and of one that C++20 no longer needs."""
    if text.startswith("expected ')'") and re.search(r"\brestrict\b", line):
        return "`restrict` is C's: CUDA writes `__restrict__`, as in `const float* __restrict__ x`"
    word = re.search(r"\brequires(?=\s*\(|\s+\w+\s*<)|\bconcept(?=\s+\w+\s*=)", line)
    if word and re.search(r"type|template|expected", text):
        return (
            f"`{word[0]}` is C++20's, and this is C++17: take it out, or write `static_assert(...)` into the function;"
            " in a program of your own type `-std=c++20` behind `ladder run`, and behind nvcc"
        )
    of_type = re.search(r"(?:^|[;{}(,])\s*(?:const\s+)?((?:\w+::)*\w+<[^<>;()]*>::\w+)\s+[*&]*\w+\s*[=;:{(\[]", line)
    if of_type and re.search(r"typename|expected ';' after expression", text):
        return f"what stands in a template's type needs `typename` if it is a type: `typename {of_type[1]}`"
    return ""


def _unshared(text: str, source: str) -> str:
    """What is wrong with `extern float s[];` in a kernel, of clang's `text`; "" of any other variable of the host."""
    name = re.match(r"reference to __host__ variable '(\w+)'", text)
    found = name and re.search(rf"\bextern\s+([\w:<>\s]+?)\s+{name[1]}\s*\[\s*\]", source)
    if not name or not found or "__shared__" in found[1]:
        return ""
    return f"`{name[1]}` lacks its `__shared__`: write `extern __shared__ {found[1]} {name[1]}[];`"
