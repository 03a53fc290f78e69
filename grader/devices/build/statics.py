"""Which static variables of a kernel start with what only a running program knows: nvcc takes no such. All of this was
asked of nvcc 13 (tests/language/storage.cu).
"""

from __future__ import annotations

from typing import Any

from grader.devices.build.constants import CLASSES, is_constexpr, value_of
from grader.devices.build.cursors import children_of, is_expression, kind_of

INDICES = {"threadIdx", "blockIdx", "blockDim", "gridDim"}
_NOT_KNOWN = {"CUDASHARED_ATTR", "CUDACONSTANT_ATTR"}  # where these lie, as seen from global memory
_UNEVALUATED = {"LAMBDA_EXPR", "CXX_UNARY_EXPR"}  # sizeof
_FUNCTIONS = {"FUNCTION_DECL", "CXX_METHOD", "CONVERSION_FUNCTION"}


def starts_at_run_time(variable: Any) -> bool:
    """Whether it starts with what a call gives that is not constexpr, or memory's content. An address is known."""
    by_address = "REFERENCE" in variable.type.kind.name
    return any(_is_run(child, by_address) for child in children_of(variable) if is_expression(child))


def _is_run(node: Any, addressed: bool) -> bool:
    """`addressed`: it is asked where this is, not what."""
    kind, children = kind_of(node), children_of(node)
    if kind in _UNEVALUATED:
        return False
    if kind in ("CALL_EXPR", "CXX_NEW_EXPR") and _is_called(node):
        return True
    if kind == "DECL_REF_EXPR":
        return _is_read(node, addressed)
    if kind == "ARRAY_SUBSCRIPT_EXPR" and not addressed and "ARRAY" in _array_of(children[0]).type.kind.name:
        return _is_read_from_memory(_array_of(children[0])) or _is_run(children[1], False)
    is_address = kind == "UNARY_OPERATOR" and node.type.kind.name == "POINTER"
    decays = node.type.kind.name == "POINTER" and bool(children) and "ARRAY" in children[0].type.kind.name
    kept = addressed and kind in ("PAREN_EXPR", "MEMBER_REF_EXPR", "ARRAY_SUBSCRIPT_EXPR")
    return any(_is_run(child, is_address or decays or (kept and child == children[0])) for child in children)


def _array_of(node: Any) -> Any:
    while kind_of(node) in ("UNEXPOSED_EXPR", "PAREN_EXPR") and (children := children_of(node)):
        node = children[0]
    return node


def _is_read_from_memory(array: Any) -> bool:
    used = array.referenced
    return used is not None and kind_of(used) in ("VAR_DECL", "PARM_DECL") and not is_constexpr(used)


def _is_read(name: Any, addressed: bool) -> bool:
    used = name.referenced
    if kind_of(used) not in ("VAR_DECL", "PARM_DECL"):
        return False
    is_local = kind_of(used.semantic_parent) not in ("TRANSLATION_UNIT", "NAMESPACE", *CLASSES)
    if addressed:
        in_memory = {kind_of(child) for child in children_of(used)}
        return not _NOT_KNOWN.isdisjoint(in_memory) or (is_local and used.storage_class.name != "STATIC")
    if used.spelling in INDICES or used.spelling == "warpSize" or not used.type.is_const_qualified():
        return True
    return kind_of(used) == "PARM_DECL" or (is_local and not is_constexpr(used) and starts_at_run_time(used))


def _is_called(call: Any) -> bool:
    """Whether it runs code: that of a function or constructor which is written and not constexpr."""
    called = call.referenced
    if kind_of(call) == "CXX_NEW_EXPR":
        return True
    if kind_of(called) == "CONSTRUCTOR":
        is_written = called.location != called.semantic_parent.location and not called.is_default_method()
        return is_written and not called.is_copy_constructor() and not is_constexpr(called)
    if kind_of(called) not in _FUNCTIONS or called.spelling.startswith("__builtin_"):
        return False
    place = called.location.file
    of_library = place is not None and "/c++/" in place.name  # its words are not at hand
    return value_of(call) is None and not is_constexpr(called) and not (of_library and _is_object(call))


def _is_object(node: Any) -> bool:
    return bool(node.type.get_canonical().kind.name == "RECORD")
