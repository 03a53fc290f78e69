"""Device functions that stay functions, and get or give structures by value.

g++ copies such a structure into the call, or out of it, by itself: no callback tells of that. So a `__noinline__` or a
recursive function gets its structures by reference and copies them, and a small function with its old name and
parameters, which g++ puts into the caller, calls it there. What it is given is then copied in the caller, seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.devices.build.syntax import Scope, Stream
from grader.devices.emulator.outside import words

Insertion = tuple[int, int, str]  # tokens from here to there become this text

_NO_STRUCTURES = words("void bool char short int long float double signed unsigned half auto size_t")
_NOT_OF_THE_TYPE = {"__device__", "__host__", "static", "inline", "__noinline__", "__inline__", "const"}
_LEFT_ALONE = {"template", "operator", "constexpr", "consteval", "extern", "__global__", "__forceinline__", "friend"}
_HAVE_PARENTHESES = {"__attribute__", "__declspec", "__launch_bounds__", "alignas", "__align__", "noexcept"}


@dataclass(frozen=True)
class _Parameter:
    first: int
    name: int  # its last token

    def is_structure(self, stream: Stream) -> bool:
        return _may_be_structure(stream.texts(self.first, self.name))


@dataclass(frozen=True)
class _Function:
    scope: Scope
    name: int
    closing: int  # of its parameters
    parameters: list[_Parameter]

    def needs_copies(self, stream: Stream) -> bool:
        """Whether it may stay a call, and has structures."""
        closed, name = self.scope.closed or 0, stream.text(self.name)
        is_kept = not {"__noinline__", "noinline"}.isdisjoint(stream.texts(self.scope.head, self.name)) or any(
            stream.text(at) == name and stream.text(at + 1) == "(" for at in range(self.scope.opened, closed)
        )
        given = any(each.is_structure(stream) for each in self.parameters)
        return is_kept and (given or _may_be_structure(self.type(stream)))

    def type(self, stream: Stream) -> list[str]:
        """Of what it gives."""
        return [text for text in self.head(stream) if text not in _NOT_OF_THE_TYPE]

    def head(self, stream: Stream) -> list[str]:
        """All before its name, but for attributes."""
        texts, at = [], self.scope.head
        while at < self.name:
            is_attribute = stream.text(at) in _HAVE_PARENTHESES
            at, before = stream.after_group(at + 1) if is_attribute else at + 1, at
            texts += [] if is_attribute else [stream.text(before)]
        return texts


def copies(stream: Stream) -> Iterator[Insertion]:
    """What makes the copies of all functions that need them."""
    number = 0
    for scope in stream.functions:
        function = _read(stream, scope) if scope.device and scope.closed else None
        if function and function.needs_copies(stream):
            number += 1
            yield from _rewritten(stream, function, f"ladder_value_{number}_{stream.text(function.name)}")


def _read(stream: Stream, scope: Scope) -> _Function | None:
    """A free function whose parameters all have names, and no values of their own."""
    head = stream.texts(scope.head, scope.opened)
    in_class = scope.parent is not None and scope.parent.kind == "class"
    if in_class or stream.conditional[scope.head] or not _LEFT_ALONE.isdisjoint(head):
        return None
    at = scope.head
    while at < scope.opened and stream.text(at) != "(":
        at = stream.after_group(at + 1) if stream.text(at) in _HAVE_PARENTHESES else at + 1
    closing, name = stream.closing(at), at - 1
    if closing is None or stream.texts(closing + 1, scope.opened) or not stream.is_word(name):
        return None
    parameters = list(_parameters(stream, at, closing))
    is_plain = stream.text(name - 1) != "::" and "=" not in stream.texts(at, closing)
    named = all(stream.is_word(each.name) and each.name > each.first for each in parameters)
    return _Function(scope, name, closing, parameters) if is_plain and named else None


def _parameters(stream: Stream, opening: int, closing: int) -> Iterator[_Parameter]:
    start, angles, at = opening + 1, 0, opening + 1
    while at <= closing:
        angles += (stream.text(at) == "<") - (stream.text(at) == ">")
        if at > start and (at == closing or (stream.text(at) == "," and not angles)):
            yield _Parameter(start, at - 1)
            start = at + 1
        at = at + 1 if at == closing else stream.after_group(at)


def _may_be_structure(type_: list[str]) -> bool:
    words = [text for text in type_ if text != "const"]
    is_value = {"*", "&", "[", "]", "(", ")", "..."}.isdisjoint(words)
    return is_value and not _NO_STRUCTURES.issuperset(words)


def _rewritten(stream: Stream, function: _Function, inner: str) -> Iterator[Insertion]:
    scope = function.scope
    head = " ".join(text for text in function.head(stream) if text != "__noinline__")
    taken = " ".join(stream.texts(function.name, function.closing + 1))
    yield scope.head, scope.head, f"{head} {taken}; "
    yield function.name, function.name + 1, inner
    made = ""
    for number, each in enumerate(function.parameters, 1):
        if each.is_structure(stream):
            made += f" {' '.join(stream.texts(each.first, each.name + 1))} = ladder_value_{number};"
            yield each.first, each.first, "" if stream.text(each.first) == "const" else "const "
            yield each.name, each.name + 1, f"& ladder_value_{number}"
    yield scope.opened, scope.opened + 1, "{" + made
    call = f"{inner}({', '.join(stream.text(each.name) for each in function.parameters)})"
    type_ = function.type(stream)
    body = f"return {call};"
    if _may_be_structure(type_):  # which goes through a box, so that g++ does not let the call itself write it there
        body = f"struct {{ {' '.join(type_)} value; }} ladder_value_0 = {{{call}}}; return ladder_value_0.value;"
    closed = scope.closed or 0
    yield closed, closed + 1, f"}} {head} {taken} {{ {body} }}"
