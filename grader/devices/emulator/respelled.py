"""What g++ takes in another spelling than nvcc, besides what translate.py rewrites."""

from __future__ import annotations

from collections.abc import Iterator

from grader.devices.build.members import needs_no_template
from grader.devices.build.syntax import CLOSING, Scope, Stream
from grader.devices.emulator import asm

Insertion = tuple[int, int, str]  # tokens from here to there become this text
_MEMORY = {"__device__", "__constant__", "__managed__"}
_BOTH_SIDES = {"const", "constexpr"}  # such a variable of the device has its values in host code, too, which is g++'s
_MOST_LEFT_OUT = 1024  # elements in front of one that is named by its index
_COMPOUND = {"(", "[", "{", "<<<", "asm"}  # what other places of the text may have to be written anew in
_OWN_NAME = "warpSize"  # of CUDA's, which a file may define once more


def all_of(stream: Stream, alone: bool) -> Iterator[Insertion]:
    """All such places; `alone` is a file that no other is linked with."""
    yield from _defined_by_extern(stream) if alone else ()
    yield from _static_kernels(stream)
    yield from _own_names(stream)
    yield from _indexed_elements(stream)
    yield from _paths_of_members(stream)
    yield from _templates_of_members(stream)


def _static_kernels(stream: Stream) -> Iterator[Insertion]:
    """g++ is to keep those with PTX that no launch names, too, for nvcc compiles them (ptx_texts.py)."""
    for scope in stream.functions:
        head = stream.texts(scope.head, scope.opened)
        parent = scope.parent
        hidden = "static" in head or (parent and stream.texts(parent.head, parent.opened) == ["namespace"])
        is_kernel = "__global__" in head and "template" not in head
        if hidden and is_kernel and not set(asm.WORDS).isdisjoint(stream.texts(scope.opened, scope.closed or 0)):
            yield scope.head, scope.head, "__attribute__((used)) "


def _defined_by_extern(stream: Stream) -> Iterator[Insertion]:
    """`extern __device__ int n;` defines the variable, without separate compilation."""
    for index, token in enumerate(stream.tokens):
        if token.text == "extern" and stream.scopes[index].kind == "namespace":
            begin = end = index
            while begin > 0 and stream.text(begin - 1) not in (";", "{", "}"):
                begin -= 1
            while end < len(stream.tokens) and stream.text(end) not in (";", "(", "{", "="):
                end += 1
            words = set(stream.texts(begin, end))
            if stream.text(end) == ";" and words & _MEMORY and not words & {"const", "__shared__"}:
                is_c = stream.text(index + 1) == '"C"'
                yield from ((at, at + 1, "") for at in range(index, index + 1 + is_c))


def _own_names(stream: Stream) -> Iterator[Insertion]:
    """`constexpr int warpSize = 32;` of the file's own: to nvcc that defines CUDA's, which it only declares."""
    named = [at for at, token in enumerate(stream.tokens) if token.text == _OWN_NAME]
    if any(stream.scopes[at].parent is None and _is_defined(stream, at) for at in named):
        for at in named:
            if stream.text(at - 1) not in (".", "->"):
                yield at, at + 1, f"own_{_OWN_NAME}"


def _indexed_elements(stream: Stream) -> Iterator[Insertion]:
    """`{[2] = 1}` of the device becomes `{{}, {}, 1}`: g++ knows such indices without gaps alone, in their order."""
    designated = (at for at in range(1, len(stream.tokens)) if _is_designated(stream, at))
    for opening in dict.fromkeys(stream.enclosing(at) for at in designated if _is_of_the_device(stream, at)):
        yield from _in_order(stream, opening or 0)


def _in_order(stream: Stream, opening: int) -> list[Insertion]:
    """Of these braces."""
    found: list[Insertion] = []
    place, at, closing = 0, opening + 1, stream.closing(opening) or 0
    while at < closing:
        if _is_designated(stream, at):
            left_out = int(stream.text(at + 1)) - place
            if left_out < 0:
                return _sorted(stream, opening)
            if left_out > _MOST_LEFT_OUT:
                return []
            found.append((at, at + 4, "{}, " * left_out))
            place += left_out
        while at < closing and stream.text(at) != ",":
            at = stream.after_group(at)
        place, at = place + 1, at + 1
    return found


def _sorted(stream: Stream, opening: int) -> list[Insertion]:
    """Braces whose elements, all of them simple, stand in another order than in memory: their texts change places.

    None where one is named twice, or is more than names, numbers and signs.
    """
    found: dict[int, str] = {}
    place, at, closing = 0, opening + 1, stream.closing(opening) or 0
    while at < closing:
        if _is_designated(stream, at):
            place, at = int(stream.text(at + 1)), at + 4
        end = next((each for each in range(at, closing) if stream.text(each) == ","), closing)
        texts = stream.texts(at, end)
        if place in found or place > _MOST_LEFT_OUT or not texts or not _COMPOUND.isdisjoint(texts):
            return []
        found[place] = stream.spelled(range(at, end))
        place, at = place + 1, end + 1
    tokens = stream.tokens
    lines = "\n" * (tokens[closing - 1].line - tokens[opening + 1].line)
    elements = ", ".join(found.get(each, "{}") for each in range(max(found) + 1))
    return [(opening + 1, closing, elements + lines)]


def _is_designated(stream: Stream, at: int) -> bool:
    is_index = stream.text(at) == "[" and stream.texts(at + 2, at + 4) == ["]", "="] and stream.text(at + 1).isdigit()
    return is_index and stream.text(at - 1) in ("{", ",")


def _is_of_the_device(stream: Stream, at: int) -> bool:
    words = stream.heads(at)
    scope: Scope | None = stream.scopes[at]
    while scope:
        head = stream.texts(scope.head, max(scope.opened, scope.head))
        if "(" not in head and not _MEMORY.isdisjoint(head) and not _BOTH_SIDES.isdisjoint(head):
            return False
        scope = scope.parent
    return "__host__" not in words and (stream.scopes[at].device or not _MEMORY.isdisjoint(words))


def _is_defined(stream: Stream, at: int) -> bool:
    return stream.is_word(at - 1) and stream.text(at + 1) in ("=", "{") and stream.enclosing(at) is None


def _paths_of_members(stream: Stream) -> Iterator[Insertion]:
    """`{.a.b = 1}` is `{.a = {.b = 1}}`. nvcc takes it where the device comes, and not in templates."""
    for index, token in enumerate(stream.tokens):
        if token.text == "." and stream.text(index + 2) == "." and stream.text(index - 1) in ("{", ","):
            words = stream.heads(index)
            if words & {"__device__", "__global__"} and "template" not in words:
                yield from _path(stream, index)


def _path(stream: Stream, begin: int) -> Iterator[Insertion]:
    at = begin
    while stream.text(at) == "." and stream.is_word(at + 1):
        at += 2
    end = at
    while end < len(stream.tokens) and stream.text(end) != "," and stream.text(end) not in CLOSING:
        end = stream.after_group(end)
    if stream.text(at) in ("=", "{") and end < len(stream.tokens):
        inner = range(begin + 2, at, 2)
        for dot in inner:
            yield dot, dot + 1, " = {."
        yield end, end, "}" * len(inner)


def _templates_of_members(stream: Stream) -> Iterator[Insertion]:
    """`Cast<T>::of<4>(x)` is `Cast<T>::template of<4>(x)`, which nvcc does not ask for."""
    for index in range(len(stream.tokens)):
        if stream.text(index + 1) == "<" and needs_no_template(stream, index):
            yield index, index, "template "
