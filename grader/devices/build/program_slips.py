"""What the emulator takes in a program, and nvcc or a GPU does not: a header left out, an object of the host's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from grader.devices.build.cursors import children_of, kind_of

_NO_HEADER = "nvcc does not know `printf` without its header: write `#include <cstdio>` at the top"
_VIRTUAL = (
    "`{type}` has virtual functions, and the copy that a launch makes is an object of the host's, whose functions a GPU"
    " has at other addresses: let the kernel make its own `{type}`"
)
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


def of_kernel(cursor: Any) -> list[tuple[Any, str]]:
    """Parameters whose type has virtual functions, each with its place."""
    return [
        (child.location, _VIRTUAL.format(type=child.type.spelling.removeprefix("const ")))
        for child in children_of(cursor)
        if kind_of(child) == "PARM_DECL" and _is_polymorphic(child.type.get_canonical().get_declaration())
    ]


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
