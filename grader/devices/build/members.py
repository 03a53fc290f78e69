"""A call of a member template without the word `template`: in the device's templates nvcc alone takes it."""

from __future__ import annotations

from grader.devices.build.syntax import Stream

_TYPES = {"auto", "bool", "char", "const", "double", "float", "int", "long", "short", "signed", "unsigned", "void"}


def needs_no_template(stream: Stream, index: int) -> bool:
    """Whether the token is the `of` of `Cast<T>::of<4>(x)` or `a.of<4>(x)` in a template that only a GPU runs.

    Where a type stands in the angle brackets, nvcc asks for the word as well.
    """
    before = stream.text(index - 1)
    behind = before in (".", "->") or (before == "::" and stream.text(index - 2) == ">")
    if not (behind and stream.is_word(index) and stream.text(index + 1) == "<" and _is_of_values(stream, index + 2)):
        return False
    words = stream.heads(index)
    return "template" in words and bool(words & {"__device__", "__global__"}) and "__host__" not in words


def _is_of_values(stream: Stream, at: int) -> bool:
    """Whether `4, N>(x` begins here: of numbers, and of names that are no type's. nvcc takes `<` and `>` for signs of
    comparison at first, and those want something in the parentheses.
    """
    types = {stream.text(each + 1) for each, token in enumerate(stream.tokens) if token.text in ("class", "typename")}
    while stream.text(at)[:1].isalnum() or stream.is_word(at):
        if stream.text(at) in types | _TYPES:
            return False
        if stream.text(at + 1) != ",":
            return stream.texts(at + 1, at + 3) == [">", "("] and stream.text(at + 3) != ")"
        at += 2
    return False
