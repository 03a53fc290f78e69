"""What nvcc asks of an asm statement, and clang does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from grader.devices.build.around import Around
from grader.devices.build.constants import uses_variables, value_of

_OF_HOST = "asm in a function of the host is no PTX but the CPU's own assembly: a kernel file has no use for it"
_OF_BOTH = (
    "`{}` is for the host, too, where asm is the CPU's own: take `__host__` out, or write it in `#ifdef __CUDA_ARCH__`"
)
_EMPTY_TEXT = re.compile(rb'\w+[\w\s]*\(\s*(""\s*)+(:|\)|$)')
_CONSTRAINT = re.compile(rb'"[=+&]*([a-zA-Z0-9])"\s*\(\s*$')  # in front of an operand
_CONSTRAINTS = b"hrlqfdnC"
_CLOBBERS_CC = re.compile(rb':\s*(?:"\w+"\s*,\s*)*"cc"\s*[,)]')
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_TO_LABEL = re.compile(rb"\w+\s+(volatile\s+)?goto\b.*%l", re.DOTALL)


def is_unused(function: str, source: str) -> bool:
    """Whether the text names it once, but for strings: if it is inline or static, nothing calls it."""
    return function.isidentifier() and len(re.findall(rf"\b{function}\b", _STRING.sub("", source))) == 1


def of_statement(cursor: Any, operands: list[Any], source: bytes, around: Around, side: str) -> Iterator[str]:
    """What is wrong with one in a function of the host, of the device, or of both."""
    start = cursor.extent.start.offset
    text = source[start : cursor.extent.end.offset]
    if not around.on_device:
        # asm volatile("" ::: "memory") only holds the compiler back
        on_host = around.on_host and (around.emitted or not is_unused(around.name, source.decode(errors="replace")))
        if around.name and not _EMPTY_TEXT.match(text) and (on_host or (side == "host" and around.emitted)):
            yield _OF_HOST if around.on_host else _OF_BOTH.format(around.name)
        return
    if _TO_LABEL.match(text):
        yield "asm in a kernel cannot jump to a label of C++: write an `if`, or a label of PTX in its braces"
    if _CLOBBERS_CC.search(text):
        yield 'asm in a kernel has no clobber "cc": PTX has no flags that others use'
    for operand in operands:
        at = operand.extent.start.offset - start
        letter = _CONSTRAINT.search(text, max(at - 32, 0), at)
        if letter and letter[1].isdigit():
            yield f'nvcc takes no operand with "{letter[1].decode()}": write "+r" at the output that it shall begin as'
        elif letter and letter[1] not in _CONSTRAINTS:
            yield f'asm in a kernel has no "{letter[1].decode()}": "r" is for 32 bits, "l" for 64, "f" for float'
        if letter and letter[1] == b"n" and value_of(operand) is None and uses_variables(operand):
            yield 'an operand with "n" must be a constant: make it a template\'s parameter, or constexpr'
