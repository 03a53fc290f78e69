"""`cudaMemcpy(d, h, n)` of `half *d` and `float *h`: a copy moves bytes, and makes no numbers of another type."""

from __future__ import annotations

from typing import Any

from grader.devices.build.cursors import children_of, kind_of

_CALLS = ("cudaMemcpy", "cudaMemcpyAsync")
_DIFFERENT = (
    "this copies the bytes of `{source}` to an array of `{target}`, and converts nothing: let both have one type, or"
    " convert the numbers before the copy"
)
_ARRAYS = ("CONSTANTARRAY", "INCOMPLETEARRAY", "VARIABLEARRAY")
_REAL = ("FLOAT", "DOUBLE")
_WHOLE = ("SHORT", "USHORT", "INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG")
_SMALL = ("__half", "__nv_bfloat16", "half", "nv_bfloat16")
_CASTS = ("CSTYLE_CAST_EXPR", "CXX_REINTERPRET_CAST_EXPR", "CXX_STATIC_CAST_EXPR")


def of_call(name: str, call: Any) -> str:
    """What is suspicious about the two types; "" if nothing is, as where one is cast to another type on purpose."""
    if name not in _CALLS or kind_of(call) != "CALL_EXPR":
        return ""
    arguments = list(call.get_arguments())
    if len(arguments) < 3:
        return ""
    target, source = (_element(argument) for argument in arguments[:2])
    if target is None or source is None or target.get_size() == source.get_size():
        return ""
    if _is_whole(target) and _is_whole(source):  # a larger one may be meant to hold the smaller
        return ""
    return _DIFFERENT.format(source=_name(source), target=_name(target))


def _element(argument: Any) -> Any:
    """The type of number to which an argument leads; None if it is none."""
    while children_of(argument) and kind_of(argument) in ("UNEXPOSED_EXPR", "PAREN_EXPR", *_CASTS):
        if kind_of(argument) in _CASTS and argument.type.get_canonical().get_pointee().kind.name != "VOID":
            return None
        argument = children_of(argument)[-1]
    type_ = argument.type.get_canonical()
    while type_.kind.name in _ARRAYS:
        type_ = type_.element_type.get_canonical()
        if type_.kind.name not in (*_ARRAYS, "POINTER"):
            return type_ if _is_number(type_) else None
    pointee = type_.get_pointee().get_canonical() if type_.kind.name == "POINTER" else None
    while pointee is not None and pointee.kind.name in _ARRAYS:
        pointee = pointee.element_type.get_canonical()
    return pointee if pointee is not None and _is_number(pointee) else None


def _is_number(type_: Any) -> bool:
    return type_.kind.name in (*_REAL, *_WHOLE) or _name(type_) in _SMALL


def _is_whole(type_: Any) -> bool:
    return type_.kind.name in _WHOLE


def _name(type_: Any) -> str:
    return str(type_.spelling).removeprefix("const ").rpartition("::")[2]
