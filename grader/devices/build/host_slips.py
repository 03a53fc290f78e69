"""A newcomer's slips in a program, most of them in calls of CUDA, which every compiler takes: what to type instead."""

from __future__ import annotations

import re
from typing import Any

from grader.devices.build.constants import uses_variables, value_of
from grader.devices.build.cursors import children_of, kind_of

_NO_POINTER = "`{name}` sets a pointer, and this is the address of `{type}`: declare that as a pointer, as in `float *`"
_NO_ADDRESS = "`{name}` sets a pointer, so it takes the pointer's address: write & before it, in place of the cast"
_BYTE_BY_BYTE = "`{name}` sets each byte to {value}, which makes each `{type}` {made}: let a kernel set such numbers"
_TOO_LARGE = (
    "`{name}` sets each byte, and {value} is more than a byte holds: each gets its lowest 8 bits, {byte}: let a kernel"
    " set such numbers"
)
_NO_BYTES = "`{name}` takes the pointer, the value of each byte, and how many bytes: here these are none"
_SIZE_OF_POINTER = (
    "sizeof of the pointer `{of}` is 8, whatever it points to: write how many bytes there are, `n * sizeof(*{of})`"
)
_SIZE_OF_VECTOR = (
    "sizeof of the std::vector `{of}` is {bytes}, however many elements it has: write `{of}.size() * sizeof({of}[0])`"
)
_QUOTIENT = "`1 / {of}` of whole numbers is 0 wherever `{of}` is above 1: write `1.0f / {of}`"
_ALLOCATE = ("cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaMallocAsync")
_SET = ("memset", "cudaMemset", "cudaMemsetAsync")
_COPY = ("memcpy", "cudaMemcpy", "cudaMemcpyAsync")
# Which argument leads to host memory: the symbol may be a pointer itself, of which sizeof is right.
_SYMBOL = {
    **dict.fromkeys(("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"), 1),
    **dict.fromkeys(("cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync"), 0),
}
_WHOLE = ("INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG")
_NUMBERS = (*_WHOLE, "FLOAT", "DOUBLE")
_ELEMENTS = (*_NUMBERS, "SHORT", "USHORT", "CHAR_S", "SCHAR", "UCHAR", "BOOL")
_TO_POINTERS = re.compile(r"\s*(?:\(\s*void\s*\*\s*\*\s*\)|reinterpret_cast\s*<\s*void\s*\*\s*\*\s*>)")
# Other numbers are often meant as a pattern: large ones of all bytes alike, as 0x7f7f7f7f.
_SMALL = range(1, 51)


def of_call(name: str, call: Any) -> str:
    """What is suspicious in a call; "" if nothing is."""
    if name not in (*_ALLOCATE, *_SET, *_COPY, *_SYMBOL) or kind_of(call) != "CALL_EXPR":
        return ""
    arguments = list(call.get_arguments())
    if name in _ALLOCATE and len(arguments) > 1:
        return _of_pointer(name, arguments[0]) or _of_size(arguments[0], children_of(arguments[0])[:1], arguments[1])
    if name in _SET and len(arguments) > 2:
        return _of_memset(name, *arguments[:3]) or _of_size(call, arguments[:1], arguments[2])
    if len(arguments) < 3 or name in _ALLOCATE:
        return ""
    return _of_size(call, [arguments[_SYMBOL[name]]] if name in _SYMBOL else arguments[:2], arguments[2])


def _of_pointer(name: str, argument: Any) -> str:
    """`(void **)d`, where d is no address of a pointer."""
    argument = _bare(argument)
    if kind_of(argument) not in ("CSTYLE_CAST_EXPR", "CXX_REINTERPRET_CAST_EXPR"):
        return ""
    given = _bare(children_of(argument)[-1])
    pointee = given.type.get_canonical().get_pointee()
    if pointee.kind.name not in _NUMBERS or (pointee.get_size() == 8 and pointee.kind.name != "DOUBLE"):
        return ""  # `(void **)&address`, of a number that holds one
    if kind_of(given) == "UNARY_OPERATOR":
        return _NO_POINTER.format(name=name, type=pointee.spelling)
    return _NO_ADDRESS.format(name=name)


def _of_memset(name: str, pointer: Any, value: Any, size: Any) -> str:
    number, count = _literal(value), _literal(size)
    if count == 0 and number != 0:
        return _NO_BYTES.format(name=name)
    if number != 0 and not uses_variables(value) and (large := value_of(value)) and not _is_pattern(large):
        return _TOO_LARGE.format(name=name, value=large, byte=large & 0xFF)
    pointee = _bare(pointer).type.get_canonical().get_pointee()
    if number is None or number not in _SMALL or pointee.kind.name not in _NUMBERS:
        return ""
    made = int.from_bytes(bytes([number] * pointee.get_size()), "little")
    told = "a tiny fraction" if pointee.kind.name in ("FLOAT", "DOUBLE") else f"{made}"
    return _BYTE_BY_BYTE.format(name=name, value=number, type=pointee.spelling, made=told)


def _is_pattern(number: int) -> bool:
    """Whether a byte holds it, or it is written as several bytes that are all alike: 0xffff, 0x3f3f3f3f."""
    alike = int.from_bytes(number.to_bytes(8, "little", signed=True)[:1] * 4, "little")
    return -128 <= number < 256 or number % 2**32 in (alike, alike % 2**16, alike % 2**24)


def _of_size(call: Any, pointers: list[Any], size: Any) -> str:
    """`cudaMemcpy(to, from, sizeof(from))` of a pointer to numbers, or of a std::vector."""
    size = _bare(size)
    if kind_of(size) != "CXX_UNARY_EXPR" or not (children := children_of(size)):
        return ""
    measured = _bare(children[0])
    type_ = measured.type.get_canonical()
    if type_.spelling.startswith("std::vector<") and kind_of(measured) == "DECL_REF_EXPR":
        return _SIZE_OF_VECTOR.format(of=measured.spelling, bytes=type_.get_size())
    names = {_bare(each).spelling for each in pointers if kind_of(_bare(each)) == "DECL_REF_EXPR"}
    if type_.kind.name != "POINTER" or measured.spelling not in names:
        return ""
    pointee = type_.get_pointee()
    if pointee.kind.name not in _ELEMENTS and not (pointee.kind.name == "RECORD" and pointee.get_size() not in (-2, 8)):
        return ""
    return _SIZE_OF_POINTER.format(of=measured.spelling)


def of_quotient(operator: Any) -> str:
    """`1 / n` of a variable that holds a whole number."""
    sides = children_of(operator)
    if len(sides) != 2 or operator.type.get_canonical().kind.name not in _WHOLE or _literal(sides[0]) != 1:
        return ""
    below = _bare(sides[1])
    named = below.referenced if kind_of(below) == "DECL_REF_EXPR" else None
    if kind_of(named) not in ("VAR_DECL", "PARM_DECL"):
        return ""
    divides = [token.spelling for token in operator.get_tokens()][:2] == ["1", "/"]
    return _QUOTIENT.format(of=below.spelling) if divides else ""


def _literal(cursor: Any) -> int | None:
    """A whole number that is written there, as `1` or `1.0f`."""
    cursor = _bare(cursor)
    if kind_of(cursor) not in ("INTEGER_LITERAL", "FLOATING_LITERAL"):
        return None
    text = "".join(token.spelling for token in cursor.get_tokens()).rstrip("fFuUlL")
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() else None


def _bare(cursor: Any) -> Any:
    """What stands there, without ( ) and what the compiler makes of it."""
    while kind_of(cursor) in ("UNEXPOSED_EXPR", "PAREN_EXPR") and len(children := children_of(cursor)) == 1:
        cursor = children[0]
    return cursor
