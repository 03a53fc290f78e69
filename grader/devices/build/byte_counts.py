"""`cudaMemcpy(to, from, n)` where n counts elements elsewhere in the file: sizes are in bytes."""

from __future__ import annotations

import re
from typing import Any

from grader.devices.build.cursors import children_of, kind_of

_COUNTED = "`{name}` counts bytes, and `{count}` counts elements: write `{count} * sizeof({type})`"
_ALL = "`{name}` counts bytes, and there are {count} elements: write `{count} * sizeof({type})`"
_ONE_ELEMENT = 8  # bytes, which are meant where so many are copied
# By name: which arguments lead to elements, and which says how many bytes.
_CALLS = {
    **dict.fromkeys(("memcpy", "cudaMemcpy", "cudaMemcpyAsync"), ((0, 1), 2)),
    **dict.fromkeys(("memset", "cudaMemset", "cudaMemsetAsync"), ((0,), 2)),
    **dict.fromkeys(("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"), ((0, 1), 2)),
    **dict.fromkeys(("cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync"), ((0, 1), 2)),
    **dict.fromkeys(("cudaMemcpy2D", "cudaMemcpy2DAsync"), ((0, 2), 4)),
    "cudaMemset2D": ((0,), 3),
}
_ARRAYS = ("CONSTANTARRAY", "INCOMPLETEARRAY", "VARIABLEARRAY")
_WIDE = ("SHORT", "USHORT", "INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG", "FLOAT", "DOUBLE")
# Where an expression counts elements of more than one byte: beside sizeof, in brackets, of a std::vector.
_SIZEOF = r"sizeof\s*\(\s*(?!(?:(?:un)?signed\s+)?char\b|u?int8_t|std::u?int8_t|bool|\*?\s*\w*bytes)[^()]*\)"
_TYPE = r"\b(?:float|double|int|unsigned|long|short|half|u?int(?:16|32|64)_t|T)"
_EVIDENCE = (
    rf"(?<![\w.>*/+-]){{0}}\s*\*\s*{_SIZEOF}",
    rf"{_SIZEOF}\s*\*\s*{{0}}(?![\w.(\[*/+-])",
    rf"{_TYPE}\s+\w+\s*\[\s*{{0}}\s*\]",
    rf"new\s+{_TYPE[2:]}\s*\[\s*{{0}}\s*\]",
    rf"vector\s*<\s*{_TYPE[2:]}\s*>\s*\w+\s*[({{{{]\s*{{0}}\s*[,)}}}}]",
)


def of_call(name: str, call: Any, source: str) -> str:
    """What is suspicious about the size in a call; "" if nothing is."""
    if name not in _CALLS or kind_of(call) != "CALL_EXPR":
        return ""
    arguments = list(call.get_arguments())
    pointers, size = _CALLS[name]
    if len(arguments) <= size:
        return ""
    types = [_element(arguments[each]) for each in pointers]
    element = next((each for each in types if each), "")
    if element and (number := _all_elements([arguments[each] for each in pointers], arguments[size])):
        return _ALL.format(name=name, count=number, type=element)
    if not element or not (count := _count(arguments[size]) or _macro(name, call, size, source)):
        return ""
    if count.endswith(".size()") or _counts_elements(count, call, arguments[size], source):
        return _COUNTED.format(name=name, count=count, type=element)
    return ""


def _all_elements(pointers: list[Any], size: Any) -> int:
    """The number that is written there, if an array that the call names has as many elements; 0 if not."""
    size = _bare(size)
    if kind_of(size) != "INTEGER_LITERAL":
        return 0
    written = "".join(token.spelling for token in size.get_tokens()).rstrip("uUlL")
    types = [_bare(each).type.get_canonical() for each in pointers]
    arrays = [each for each in types if each.kind.name == "CONSTANTARRAY" and _element_of(each)]
    number = int(written) if written.isdigit() else 0
    for array in arrays:
        is_whole = number % array.element_type.get_canonical().get_size() == 0
        if number == array.element_count and (number > _ONE_ELEMENT or not is_whole):
            return number
    return 0


def _element_of(array: Any) -> bool:
    return array.element_type.get_canonical().kind.name in _WIDE


def _element(argument: Any) -> str:
    """The type of number to which it leads, if that has more than one byte."""
    type_ = _bare(argument).type.get_canonical()
    while type_.kind.name in _ARRAYS:
        type_ = type_.element_type
    pointee = type_.get_pointee() if type_.kind.name in ("POINTER", "LVALUEREFERENCE") else type_
    return str(pointee.spelling).removeprefix("const ") if pointee.kind.name in _WIDE else ""


def _count(size: Any) -> str:
    """A name, a product of names, or `v.size()` of numbers, as it is written; "" of anything else."""
    size = _bare(size)
    kind, children = kind_of(size), children_of(size)
    if kind == "DECL_REF_EXPR":
        return str(size.spelling)
    if kind == "BINARY_OPERATOR" and len(children) == 2:
        factors = [_count(each) for each in children]
        return " * ".join(factors) if all(each.isidentifier() for each in factors) and _is_product(size) else ""
    if kind == "CALL_EXPR" and size.spelling == "size" and children:
        of = _bare((children_of(children[0]) or children)[0])
        vector = re.match(r"(?:const )?std::vector<([\w ]+)", of.type.get_canonical().spelling)
        if vector and kind_of(of) == "DECL_REF_EXPR" and not re.search(r"char|bool", vector[1]):
            return f"{of.spelling}.size()"
    return ""


def _macro(name: str, call: Any, size: int, source: str) -> str:
    """The name of a macro that is the whole of this argument."""
    text = source.encode(errors="surrogateescape")[call.location.offset :][:300].decode(errors="replace")
    found = re.search(rf"\b{name}\s*\((?:[^,]*,){{{size}}}\s*([A-Za-z_]\w*)\s*[,)]", text)
    if not found or not re.search(rf"^\s*#\s*define\s+{found[1]}\s+\(?\d+\)?\s*(?://.*)?$", source, re.M):
        return ""
    return found[1]


def _is_product(operator: Any) -> bool:
    return [token.spelling for token in operator.get_tokens()][1:2] == ["*"]


def _counts_elements(count: str, call: Any, size: Any, source: str) -> bool:
    """Whether the text counts elements by the same expression: of a local variable, in the function that has it."""
    written = r"\s*\*\s*".join(map(re.escape, count.split(" * ")))
    named = _bare(size)
    text = source
    if kind_of(named) == "DECL_REF_EXPR" and (declared := named.referenced) is not None:
        function = declared.semantic_parent
        if kind_of(function) in ("FUNCTION_DECL", "FUNCTION_TEMPLATE", "CXX_METHOD"):
            inside = slice(function.extent.start.offset, function.extent.end.offset)
            text = source.encode(errors="surrogateescape")[inside].decode(errors="replace")
    own = re.search(rf"\b{written}\s*=(?!=)[^;]*(?:sizeof|\*\s*[248]\b)", text)
    return not own and any(re.search(each.format(rf"{written}"), text) for each in _EVIDENCE)


def _bare(cursor: Any) -> Any:
    """What stands there, without ( ) and what the compiler makes of it."""
    while kind_of(cursor) in ("UNEXPOSED_EXPR", "PAREN_EXPR", "CSTYLE_CAST_EXPR") and children_of(cursor):
        cursor = children_of(cursor)[-1]
    return cursor
