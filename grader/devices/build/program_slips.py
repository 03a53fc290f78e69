"""What the emulator takes in a program, and nvcc or a GPU does not: a header left out, an object of the host's.

And what a GPU takes, though it cannot be meant: two extern __shared__ arrays in use at once, which are one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from grader.devices.build.cursors import children_of, kind_of

_NO_HEADER = "nvcc does not know `printf` without its header: write `#include <cstdio>` at the top"
_VIRTUAL = (
    "`{type}` has virtual functions, and the copy that a launch makes is an object of the host's, whose functions a GPU"
    " has at other addresses: let the kernel make its own `{type}`"
)
_ONE_ARRAY = (
    "`{second}` begins at the address of `{first}`, for all extern __shared__ arrays of a kernel are one: take a part"
    " of that, `{type}* {second} = reinterpret_cast<{type}*>({first} + n)`, behind its n elements"
)
_WRITES = re.compile(r"\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)")
# Asked of nvcc 13.0: with none of these a program has printf. Others may include <cstdio>.
_WITHOUT_PRINTF = frozenset(
    (
        *("cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h", "cuda_fp16.h"),
        *("vector", "algorithm", "numeric", "chrono", "cmath", "math.h", "cstdlib", "stdlib.h"),
        *("cassert", "assert.h", "cstring", "string.h"),
    )
)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[ \t]*(?:[<\"]([^>\"]*)[>\"])?", re.MULTILINE)


def of_header(name: str, texts: Iterable[str]) -> str:
    """Whether a call needs a header that none of the program's files can have; "" if not."""
    if name != "printf":
        return ""
    included = {header for text in texts for header in _INCLUDE.findall(text)}
    return _NO_HEADER if included <= _WITHOUT_PRINTF else ""


def of_kernel(cursor: Any, source: str) -> list[tuple[Any, str]]:
    """Parameters whose type has virtual functions, and shared arrays that are one, each with its place."""
    found = [
        (child.location, _VIRTUAL.format(type=child.type.spelling.removeprefix("const ")))
        for child in children_of(cursor)
        if kind_of(child) == "PARM_DECL" and _is_polymorphic(child.type.get_canonical().get_declaration())
    ]
    inside = slice(cursor.extent.start.offset, cursor.extent.end.offset)
    text = source.encode(errors="surrogateescape")[inside].decode(errors="replace")
    return found + _of_shared_arrays(list(_dynamic_arrays(cursor)), text)


def _dynamic_arrays(cursor: Any) -> Iterator[Any]:
    for child in children_of(cursor):
        if kind_of(child) == "VAR_DECL" and child.type.kind.name == "INCOMPLETEARRAY":
            yield child
        elif kind_of(child) in ("COMPOUND_STMT", "DECL_STMT"):
            yield from _dynamic_arrays(child)


def _of_shared_arrays(arrays: list[Any], text: str) -> list[tuple[Any, str]]:
    """Of two that are written, each with a use behind the other's first write: what one holds the other has changed."""
    uses = {each.spelling: _uses(each.spelling, text) for each in arrays}
    written = [each for each in arrays if any(writes for _, writes in uses[each.spelling])]
    for first, second in itertools.combinations(written, 2):
        begin = max(min(at for at, writes in uses[each.spelling] if writes) for each in (first, second))
        if first.spelling == second.spelling or any(
            not any(at > begin and not writes for at, writes in uses[each.spelling]) for each in (first, second)
        ):
            continue
        type_ = second.type.element_type.spelling
        message = _ONE_ARRAY.format(first=first.spelling, second=second.spelling, type=type_)
        return [(second.location, message)]
    return []


def _uses(name: str, text: str) -> list[tuple[int, bool]]:
    """Where elements of an array are used, and whether such a use only writes."""
    found = []
    for match in re.finditer(rf"(?<![\w.]){re.escape(name)}\s*\[", text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"[": 1, "]": -1}.get(text[end], 0)
            end += 1
        found.append((match.start(), bool(_WRITES.match(text, end))))
    return found


def _is_polymorphic(type_: Any) -> bool:
    """Of a class of the program's own: whether it or one that it is made from has a virtual function."""
    if kind_of(type_) not in ("STRUCT_DECL", "CLASS_DECL"):
        return False
    for child in children_of(type_.get_definition() or type_):
        if kind_of(child) in ("CXX_METHOD", "DESTRUCTOR") and child.is_virtual_method():
            return True
        if kind_of(child) == "CXX_BASE_SPECIFIER" and _is_polymorphic(child.type.get_canonical().get_declaration()):
            return True
    return False
