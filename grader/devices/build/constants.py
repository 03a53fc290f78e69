"""What nvcc takes of a host's constant in device code: its value, where it works that out, and never its memory.

A number is its value wherever it is read. Of an object or array it is asked whether an expression around it is a
constant: a call of a constexpr function, a member, `*table`. An element, `table[1]`, has its value only where it gives
another variable its first one, as does a class's own table with an index that has no name. All of this was asked of
nvcc 13 (tests/language/variables.cu).
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from typing import Any

from grader.devices.build.cursors import children_of, is_expression, kind_of

CLASSES = {"STRUCT_DECL", "CLASS_DECL", "CLASS_TEMPLATE", "UNION_DECL"}
_FUNCTIONS = {"FUNCTION_DECL", "FUNCTION_TEMPLATE", "CXX_METHOD", "CONSTRUCTOR", "CONVERSION_FUNCTION"}
_NUMBERS = {"INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG", "SHORT", "USHORT", "BOOL", "ENUM"}
_NUMBERS |= {"CHAR_S", "SCHAR", "CHAR_U", "UCHAR", "FLOAT", "DOUBLE", "NULLPTR"}
_NAMES = {"DECL_REF_EXPR", "MEMBER_REF_EXPR", "CALL_EXPR"}
_PLACES = {"DECL_REF_EXPR", "MEMBER_REF_EXPR", "ARRAY_SUBSCRIPT_EXPR", "UNARY_OPERATOR", "CONDITIONAL_OPERATOR"}
_PLACES |= {"PAREN_EXPR"}
_VALUES = {"UNEXPOSED_EXPR", "PAREN_EXPR", "BINARY_OPERATOR", "UNARY_OPERATOR", "CALL_EXPR", "CSTYLE_CAST_EXPR"}
_VALUES |= {"CXX_STATIC_CAST_EXPR", "CXX_FUNCTIONAL_CAST_EXPR"}
_FIRST_VALUE = {"VAR_DECL", "INIT_LIST_EXPR", "CXX_NEW_EXPR", "LAMBDA_EXPR", "CONSTRUCTOR", "FIELD_DECL"}
_CONSTEXPR = re.compile(r"constexpr|_GLIBCXX(14|17)?_CONSTEXPR")
_WHEN = {"__glibcxx_assert", "__builtin_is_constant_evaluated", "__is_constant_evaluated", "is_constant_evaluated"}
_BY_ADDRESS = "and its address is used here, not its value alone"
Above = tuple[Any, Any] | None  # the cursor above one, and what is above that


def needs_memory(use: Any, used: Any, above: Above) -> str:
    """Why a constant of the host cannot be used in this way; "" if it can be."""
    if not _is_const(used.type) or _is_worked_out(use, used, above):
        return ""
    if "(lambda at" in used.type.spelling:
        return "a lambda, which a kernel can call with constants alone"
    return "an array, which a kernel cannot read" if "ARRAY" in used.type.kind.name else _BY_ADDRESS


def _is_worked_out(use: Any, used: Any, above: Above) -> bool:
    element = False  # whether it is one that nvcc does not look up
    for node, over in _outwards(use, above):
        kind = kind_of(node)
        if kind == "CALL_EXPR" and _asks_when(node.referenced):
            return False
        if kind == "CSTYLE_CAST_EXPR" and node.type.kind.name == "VOID":
            return True
        if kind == "ARRAY_SUBSCRIPT_EXPR" and not _is_index(node, use):
            element = not (kind_of(used.semantic_parent) in CLASSES and _has_no_names(children_of(node)[1]))
        elif kind == "UNARY_OPERATOR" and next(node.get_tokens()).spelling == "*":
            element = False
        if _is_copied(node, used, over):
            return True
        known = _is_number(used) if node == use else is_constant(node)
        if known and element and kind == "ARRAY_SUBSCRIPT_EXPR" and _is_read(over) and _is_first_value(over):
            return True
        if known and (kind == "CALL_EXPR" or not element) and (is_value(node) or _is_read(over)):
            return True
    return False


def _outwards(use: Any, above: Above) -> Iterator[tuple[Any, Above]]:
    """The expressions that it stands in, from the innermost, each with what is above it."""
    node: Any = use
    while node is not None and (node == use or is_expression(node)):
        yield node, above
        node, above = above or (None, None)


def _is_index(subscript: Any, use: Any) -> bool:
    children = children_of(subscript)
    index = children[-1].extent
    return bool(index.start.offset <= use.extent.start.offset < index.end.offset)


def _has_no_names(index: Any) -> bool:
    return all(kind_of(each.referenced) != "VAR_DECL" for each in index.walk_preorder() if kind_of(each) in _NAMES)


# ---- what is done with a place in memory ----


def _is_read(above: Above) -> bool:
    """Whether its value is taken, and no reference to it or pointer."""
    while above and kind_of(above[0]) in ("PAREN_EXPR", "CONDITIONAL_OPERATOR"):
        above = above[1]
    parent, kind = (above[0], kind_of(above[0])) if above else (None, "")
    if parent is None or "dependent" in parent.type.spelling:
        return True
    if kind == "RETURN_STMT":
        return not _returns_reference(above)
    if kind in ("VAR_DECL", "PARM_DECL", "CXX_STATIC_CAST_EXPR"):
        return "REFERENCE" not in parent.type.kind.name
    if kind == "UNARY_OPERATOR":
        return bool(parent.type.kind.name != "POINTER")
    return kind not in ("CALL_EXPR", "MEMBER_REF_EXPR", "ARRAY_SUBSCRIPT_EXPR")


def is_pointed_to(above: Above) -> bool:
    """Whether the address is taken of what stands below, or of a member of it."""
    while above and kind_of(above[0]) in ("MEMBER_REF_EXPR", "PAREN_EXPR"):
        above = above[1]
    return bool(above) and kind_of(above[0]) == "UNARY_OPERATOR" and above[0].type.kind.name == "POINTER"  # type: ignore[index]


def is_held(above: Above) -> bool:
    """Whether a variable is what it is the first value of: a lambda, by its name, may then be called."""
    while above and kind_of(above[0]) in _VALUES:
        above = above[1]
    return above is not None and kind_of(above[0]) == "VAR_DECL"


def is_worked_out_by(above: Above) -> bool:
    """Whether what stands below is called, and the compiler knows the result; or is nowhere used."""
    while above and kind_of(above[0]) in ("UNEXPOSED_EXPR", "PAREN_EXPR"):
        above = above[1]
    if above is None:
        return False
    if kind_of(above[0]) == "CSTYLE_CAST_EXPR":
        return bool(above[0].type.kind.name == "VOID")
    is_called = kind_of(above[0]) == "CALL_EXPR" and above[0].spelling == "operator()"
    return is_called and is_constant(above[0])


def _returns_reference(above: Above) -> bool:
    while above and kind_of(above[0]) not in (*_FUNCTIONS, "LAMBDA_EXPR"):
        above = above[1]
    return bool(above) and "REFERENCE" in above[0].result_type.get_canonical().kind.name  # type: ignore[index]


def _is_copied(node: Any, used: Any, above: Above) -> bool:
    """Whether an object is copied as a whole; of one that is not constexpr, only another's first value is."""
    if kind_of(node) not in _PLACES or node.type.get_canonical().kind.name != "RECORD":
        return False
    parent = above[0] if above else None
    while kind_of(parent) == "UNEXPOSED_EXPR" and above and above[1]:
        above = above[1]
        parent = above[0]
    if kind_of(node) == "CONDITIONAL_OPERATOR" or kind_of(parent) != "CALL_EXPR":
        return kind_of(parent) == "INIT_LIST_EXPR"
    called = parent.referenced if parent else None
    if called is not None and kind_of(called) == "CONSTRUCTOR":
        return bool(called.is_copy_constructor() or called.is_move_constructor())
    return called is not None and called.spelling == "operator=" and is_constexpr(used)


def _is_first_value(above: Above) -> bool:
    while above and kind_of(above[0]) in _VALUES:
        above = above[1]
    parent = above[0] if above else None
    return parent is not None and kind_of(parent) in _FIRST_VALUE and "REFERENCE" not in parent.type.kind.name


# ---- what the compiler knows ----


def is_value(node: Any) -> bool:
    """Whether an expression is no place in memory, nor a call that returns a reference to one."""
    if kind_of(node) == "CALL_EXPR":
        called = node.referenced
        return called is None or "REFERENCE" not in called.result_type.get_canonical().kind.name
    return kind_of(node) not in _PLACES


def _is_const(type_: Any) -> bool:
    while "ARRAY" in type_.kind.name and not type_.is_const_qualified():
        type_ = type_.element_type
    return bool(type_.is_const_qualified())


def _is_number(used: Any) -> bool:
    """A scalar whose value stands for it."""
    type_ = used.type.get_canonical()
    is_scalar = type_.kind.name != "RECORD" and "ARRAY" not in type_.kind.name
    return not type_.is_volatile_qualified() and (type_.kind.name in _NUMBERS or (is_scalar and is_constexpr(used)))


def is_constant(node: Any) -> bool:
    """Whether this expression has a value that the compiler works out."""
    if value_of(node) is not None:
        return True
    is_object = kind_of(node) == "CALL_EXPR" and node.type.get_canonical().kind.name == "RECORD"
    names = [each for each in node.walk_preorder() if kind_of(each) in _NAMES]
    is_template = any(kind_of(each.referenced) == "TEMPLATE_NON_TYPE_PARAMETER" for each in names)
    return (is_object or is_template) and all(map(_stands_for_constant, names))


def uses_variables(node: Any) -> bool:
    """Whether a variable or parameter stands in it that is not const."""
    if kind_of(node) == "DECL_REF_EXPR" and node.referenced is not None:
        used = node.referenced
        return kind_of(used) in ("PARM_DECL", "VAR_DECL") and not used.type.is_const_qualified()
    return any(uses_variables(child) for child in children_of(node))


def reads_local(call: Any) -> bool:
    """Whether a local variable is handed over whose value nvcc does not look up: one not constexpr or static."""
    used = [each.referenced for each in call.walk_preorder() if kind_of(each) == "DECL_REF_EXPR"]
    local = [each for each in used if kind_of(each) == "VAR_DECL" and _is_local(each)]
    return any(each.storage_class.name != "STATIC" and not is_constexpr(each) for each in local)


def value_of(node: Any) -> int | None:
    """What clang works out, as a whole number. It tells none of objects, nor in a template."""
    from clang import cindex

    library = cindex.conf.lib
    library.clang_Cursor_Evaluate.argtypes, library.clang_Cursor_Evaluate.restype = [cindex.Cursor], ctypes.c_void_p
    for function in (library.clang_EvalResult_getAsInt, library.clang_EvalResult_dispose):
        function.argtypes = [ctypes.c_void_p]
    result = library.clang_Cursor_Evaluate(node)
    if not result:
        return None
    value = int(library.clang_EvalResult_getAsInt(result))
    library.clang_EvalResult_dispose(result)
    return value


def _stands_for_constant(name: Any) -> bool:
    used = name.referenced
    kind = kind_of(used)
    if kind in _FUNCTIONS:
        implicit = used.location == used.semantic_parent.location
        return implicit or is_constexpr(used) or "(lambda at" in used.semantic_parent.type.spelling
    if kind == "FIELD_DECL":
        return any(True for _ in children_of(name))  # of another object than *this
    if kind == "VAR_DECL":
        return value_of(name) is not None or is_constexpr(used) or (_is_const(used.type) and not _is_local(used))
    return kind != "PARM_DECL"


def _is_local(used: Any) -> bool:
    return kind_of(used.semantic_parent) in _FUNCTIONS


def is_constexpr(used: Any) -> bool:
    """Whether a function or variable is declared so."""
    return any(_CONSTEXPR.fullmatch(token.spelling) for token in used.get_tokens())


def _asks_when(function: Any, further: int = 1) -> bool:
    """Whether it, or what it calls, asks if it is the compiler that runs it: nvcc then leaves that to the GPU."""
    body = function.get_definition() if function is not None else None
    if body is None:
        return False
    if not _WHEN.isdisjoint(token.spelling for token in body.get_tokens()):
        return True
    calls = [each.referenced for each in body.walk_preorder() if kind_of(each) == "CALL_EXPR"]
    return further > 0 and any(_asks_when(each, further - 1) for each in calls)
