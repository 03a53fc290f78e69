"""Shared variables of classes with constructors: a GPU runs none of these, so g++ gets memory for the object alone."""

from __future__ import annotations

from collections.abc import Iterator, Set

from grader.devices.build.syntax import Scope, Stream
from grader.devices.emulator.declarations import Declaration, alignment_spans

MEMORY = "ladder_shared_"  # the name of that memory is the variable's behind this
_KINDS = ("struct", "class", "union")
_SPECIFIERS = {"static", "__shared__"}
_CONSTRUCTS = "{}"  # no token


def classes_with_constructors(code: Stream) -> set[str]:
    """Those of the file that have one, or a first value or a part that needs one; and other names for them."""
    words = {_name(code, each): set(_parts(code, each)) for each in set(code.scopes) if each.kind == "class"}
    for index, token in enumerate(code.tokens):
        if token.text in ("using", "typedef"):
            end = next((at for at in range(index, len(code.tokens)) if code.text(at) == ";"), index)
            words[code.text(index + 1) if token.text == "using" else code.text(end - 1)] = set(code.texts(index, end))
    found = {name for name, its in words.items() if _CONSTRUCTS in its}
    while more := {name for name, its in words.items() if its & found} - found:
        found |= more
    return found


def _name(code: Stream, scope: Scope) -> str:
    words = [at for at in range(scope.head, scope.opened) if code.text(at) in _KINDS]
    return next((code.text(at) for at in range(words[-1] + 1, scope.opened) if code.is_word(at)), "") if words else ""


def _parts(code: Stream, scope: Scope) -> Iterator[str]:
    """The words of its head and right in it, and whether it has a constructor or a destructor, or a member a value."""
    yield from code.texts(scope.head, scope.opened)
    name, at, end = _name(code, scope), scope.opened + 1, scope.closed or scope.opened
    while at < end:
        is_value = code.text(at) == "=" and code.text(at - 1) != "operator" and code.text(at - 2) != "operator"
        if is_value or code.texts(at, at + 2) == [name, "("]:
            yield _CONSTRUCTS
        yield code.text(at)
        at = code.after_group(at)


def with_memory(code: Stream, shared: Declaration, classes: Set[str]) -> str | None:
    """`__shared__ Unmade<T> ladder_shared_a; T& a = ...` for `__shared__ T a`, if T is one of these classes."""
    words = code.texts(shared.start, shared.name)
    is_one = shared.end == shared.name + 1 and not shared.commas and "{" not in words
    if not is_one or classes.isdisjoint(words):
        return None
    spans = alignment_spans(code, shared.start, shared.name)
    aligned = " ".join(code.spelled(range(start, end)) for start, end in spans)
    gone = {index for start, end in spans for index in range(start, end)}
    left = (at for at in range(shared.start, shared.name) if at not in gone and code.text(at) not in _SPECIFIERS)
    type_, name = code.spelled(left), code.text(shared.name)
    memory = f"{aligned} __shared__ ::ladder::Unmade<{type_}> {MEMORY}{name}"
    return f"{memory}; {type_}& {name} = *reinterpret_cast<{type_}*>(&{MEMORY}{name})"
