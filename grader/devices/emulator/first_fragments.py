"""Accumulators of `nvcuda::wmma` that nothing in their block ever sets, from the text alone.

`fragment<accumulator, ...> sum;` and then only `mma_sync(sum, a, b, sum)`: the product is added to whatever lay there.
As in `first_values.py`, any use that is not understood may set it.
"""

from __future__ import annotations

from collections.abc import Iterator

from grader.devices.build.syntax import Stream, after_angles


def unset_fragments(stream: Stream, opened: int, closed: int) -> Iterator[tuple[int, int]]:
    """Where such a fragment is named in its declaration, and where it is used first."""
    for index in range(opened + 1, closed):
        if stream.text(index) == "fragment" and stream.text(index + 1) == "<":
            end = after_angles(stream, index + 1)
            if "accumulator" not in stream.texts(index + 1, end):
                continue
            for name in _declared(stream, end):
                uses = _uses(stream, name)
                if uses and all(_only_reads(stream, each) for each in uses):
                    yield name, uses[0]


def _declared(stream: Stream, index: int) -> Iterator[int]:
    """The names of a declaration behind its type, if it gives none of them a value."""
    while stream.is_word(index):
        after = _after_subscripts(stream, index)
        if stream.text(after) not in (",", ";") or stream.conditional[index]:
            return
        yield index
        if stream.text(after) == ";":
            return
        index = after + 1


def _uses(stream: Stream, name: int) -> list[int]:
    block = stream.enclosing(name)
    end = stream.closing(block) if block is not None else None
    return [each for each in range(name + 1, end or 0) if stream.text(each) == stream.text(name)]


def _only_reads(stream: Stream, index: int) -> bool:
    """An argument of a product that adds to this very fragment, or of a store, or an element that is read."""
    if stream.conditional[index]:
        return False
    after = _after_subscripts(stream, index)
    if stream.texts(after, after + 2) == [".", "x"]:
        after = _after_subscripts(stream, after + 1)
        before, behind = stream.text(index - 1), stream.text(after)
        is_reference = stream.text(index - 3) == "&"
        return (before in ("*", "+", "-") or behind in ("*", "+", "-") or (before == "=" and not is_reference)) and (
            before in ("*", "+", "-", "=", "(") and behind in ("*", "+", "-", ";", ")")
        )
    if stream.texts(after, after + 2) == [".", "num_elements"]:
        return True
    opened = stream.enclosing(index)
    if opened is None or stream.text(opened) != "(":
        return False
    arguments = _arguments(stream, opened)
    if stream.text(opened - 1) == "mma_sync" and len(arguments) >= 4:
        mine = stream.texts(index, after)
        return arguments[3] == mine and (arguments[0] == mine or mine not in arguments[:3])
    return (
        stream.text(opened - 1) == "store_matrix_sync"
        and len(arguments) > 1
        and arguments[1] == stream.texts(index, after)
    )


def _arguments(stream: Stream, opened: int) -> list[list[str]]:
    arguments, begun, index, end = [], opened + 1, opened + 1, stream.closing(opened) or opened
    while index < end:
        if stream.text(index) == ",":
            arguments.append(stream.texts(begun, index))
            begun = index + 1
        index = stream.after_group(index)
    return [*arguments, stream.texts(begun, end)]


def _after_subscripts(stream: Stream, index: int) -> int:
    index += 1
    while stream.text(index) == "[":
        index = stream.after_group(index)
    return index
