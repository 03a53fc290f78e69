"""What a kernel's head says of its launches: `__launch_bounds__` and `__cluster_dims__`."""

from __future__ import annotations

import re
from itertools import pairwise

from grader.devices.build.lexer import lex
from grader.devices.build.syntax import Stream

# The variables that keep their numbers, as the sizes that these functions of launch.h give.
SIZES = {
    "__launch_bounds__": (("ladder_bound", "most_threads"), ("ladder_blocks", "least_blocks")),
    "__cluster_dims__": (("ladder_cluster", "cluster_size"),),
}
# What the headers make of both words where only a macro shows them, and how far the kernel's body may be.
_BY_MACRO = re.compile(r"__attribute__\s*\(\s*\(\s*(cluster_dims|launch_bounds)\s*\(")
_MOST_CHARACTERS = 1 << 13
_NO_BODY = (
    '__attribute__((error("repeat __cluster_dims__ in the head of the kernel\'s body, which a launch asks here")))'
)


def with_sizes(text: str) -> str:
    """A preprocessed text in which the numbers of a head that came from macros stand where sizes() puts the others."""
    found = []
    for mark in reversed(list(_BY_MACRO.finditer(text))):
        stream = Stream(lex(text[mark.start() : mark.start() + _MOST_CHARACTERS]).code, (), ())
        end = stream.after_group(1)  # of the attribute
        body = _end_of_head(stream, end)
        found.append((mark, stream, end, body, _kernel(stream, end - 1)))
    told = {kernel for mark, stream, _, body, kernel in found if _is_of_cluster(mark) and stream.text(body) == "{"}
    for mark, stream, end, body, kernel in found:
        start, end_of_it = mark.start(), mark.start() + stream.tokens[end - 1].end
        if stream.text(body) == "{":
            behind = start + stream.tokens[body].end
            text = text[:behind] + _variables(stream, 4, f"__{mark[1]}__") + text[behind:]
        is_missing = _is_of_cluster(mark) and kernel not in told
        left = _NO_BODY if is_missing else " " * (end_of_it - start)  # what stands behind stays where it is
        text = text[:start] + left + text[end_of_it:]
    return text


def _is_of_cluster(mark: re.Match[str]) -> bool:
    return mark[1] == "cluster_dims"


def _end_of_head(stream: Stream, index: int) -> int:
    while index < len(stream.tokens) and stream.text(index) not in ("{", ";"):
        index = stream.after_group(index)
    return index


def _kernel(stream: Stream, index: int) -> str:
    """The name in whose head this word stands, empty if that is not seen."""
    for at in range(index + 1, _end_of_head(stream, index)):
        if stream.text(at + 1) == "(" and stream.text(at) not in SIZES and stream.text(at).isidentifier():
            return stream.text(at)
    return ""


def is_taken(stream: Stream, index: int) -> bool:
    """Whether sizes() takes the word there, or where the kernel's body is."""
    name = _kernel(stream, index)
    same = [at for at, token in enumerate(stream.tokens) if token.text == stream.text(index)]
    return not stream.macro and any(sizes(stream, at)[0] and _kernel(stream, at) == name for at in same)


def sizes(stream: Stream, index: int) -> tuple[int, str]:
    """Behind which token the kernel's body begins, and the variables that go there; 0 if there is no body.

    The runtime finds them among the library's symbols, and asks the launch to keep to them.
    """
    closing = stream.closing(index + 1) if stream.text(index + 1) == "(" else None
    body = _end_of_head(stream, index)
    if closing is None or stream.macro or stream.text(body) != "{":
        return 0, ""
    return body, _variables(stream, index + 1, stream.text(index))


def _variables(stream: Stream, opening: int, word: str) -> str:
    """Those that keep the numbers in these parentheses."""
    named = pairwise(stream.tokens[opening + 1 : (stream.closing(opening) or opening) + 1])
    numbers = "".join(token.text + " " * (token.end < after.start) for token, after in named)  # `==` stays one
    variable = " static const char {}[::ladder::{}({})] __attribute__((used)) = {{}};"
    return "".join(variable.format(*names, numbers) for names in SIZES[word])
