"""`cudaLaunchKernel(k, grid, block, args)`, where `args` is an array of pointers that no compiler holds against k."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grader.devices.build.cursors import children_of, kind_of

_CALLS = ("cudaLaunchKernel", "cudaLaunchCooperativeKernel")
_FUNCTION, _ARRAY = 0, 3  # among the arguments
_CASTS = ("UNEXPOSED_EXPR", "PAREN_EXPR", "CSTYLE_CAST_EXPR", "CXX_REINTERPRET_CAST_EXPR", "CXX_STATIC_CAST_EXPR")
_TOO_FEW = "`{kernel}` has {wanted} parameters, and `{array}` points to {given}: one pointer for each, in their order"
_NO_ADDRESS = (
    "`{array}[{at}]` is `{name}` itself, and `{kernel}` would read its parameter where that points to: write `&{name}`"
)
_OTHER = (
    "`{array}[{at}]` points to `{given}`, and this parameter of `{kernel}` is `{wanted}`: its bytes are taken as they"
    " are, so give that variable the parameter's type"
)
_REAL = ("FLOAT", "DOUBLE", "HALF")


def of_call(name: str, call: Any) -> str:
    """What does not fit the kernel's parameters; "" if all does, or if it is not written there."""
    if name not in _CALLS or kind_of(call) != "CALL_EXPR":
        return ""
    arguments = list(call.get_arguments())
    if len(arguments) <= _ARRAY:
        return ""
    kernel, array = _named(arguments[_FUNCTION]), _named(arguments[_ARRAY])
    if kernel is None or array is None or kind_of(array.referenced) != "VAR_DECL":
        return ""
    wanted = [each.get_canonical() for each in _parameters(kernel)]
    given = list(_elements(array.referenced))
    if not wanted or not given:
        return ""
    if len(given) < len(wanted):
        return _TOO_FEW.format(kernel=kernel.spelling, wanted=len(wanted), array=array.spelling, given=len(given))
    for at, (parameter, element) in enumerate(zip(wanted, given, strict=False)):
        if said := _of_element(parameter, element):
            return said.format(kernel=kernel.spelling, array=array.spelling, at=at)
    return ""


def _of_element(parameter: Any, element: Any) -> str:
    element = _bare(element)
    pointee = element.type.get_canonical().get_pointee()
    if pointee.kind.name in ("INVALID", "VOID") or _fits(pointee, parameter):
        return ""
    if kind_of(element) == "DECL_REF_EXPR" and _fits(element.type.get_canonical(), parameter):
        return _NO_ADDRESS.replace("{name}", element.spelling)
    return _OTHER.replace("{given}", pointee.spelling).replace("{wanted}", parameter.spelling)


def _fits(given: Any, wanted: Any) -> bool:
    """Whether the bytes of one can be taken for the other: alike in size, and both numbers of a kind, or neither."""
    pointers = [each.kind.name in ("POINTER", "NULLPTR", "CONSTANTARRAY") for each in (given, wanted)]
    if any(pointers):
        return all(pointers)
    records = "RECORD" in (given.kind.name, wanted.kind.name)
    alike = records or (given.kind.name in _REAL) == (wanted.kind.name in _REAL)
    return bool(alike and given.get_size() == wanted.get_size())


def _parameters(kernel: Any) -> list[Any]:
    type_ = kernel.type.get_canonical()
    type_ = type_.get_pointee() if type_.kind.name == "POINTER" else type_
    return list(type_.argument_types()) if type_.kind.name == "FUNCTIONPROTO" else []


def _elements(variable: Any) -> Iterator[Any]:
    """What a variable's { } holds; nothing where it has none."""
    for child in children_of(variable):
        if kind_of(child) == "INIT_LIST_EXPR":
            yield from children_of(child)


def _named(argument: Any) -> Any:
    """The name that an argument is, behind its casts and &."""
    argument = _bare(argument)
    if kind_of(argument) == "UNARY_OPERATOR" and children_of(argument):
        argument = _bare(children_of(argument)[0])
    return argument if kind_of(argument) == "DECL_REF_EXPR" else None


def _bare(cursor: Any) -> Any:
    while kind_of(cursor) in _CASTS and children_of(cursor):
        cursor = children_of(cursor)[-1]
    return cursor
