"""Whose destructors nvcc calls in a kernel: a virtual one is the host's if it is written without `__device__`, also as
`= default`. One that the compiler makes, for a class that has none of its own, may be called on both sides.
"""

from __future__ import annotations

from typing import Any

from grader.devices.build.constants import CLASSES, Above, is_value
from grader.devices.build.cursors import children_of, is_expression, is_in, kind_of

_PASSED_ON = {"UNEXPOSED_EXPR", "PAREN_EXPR", "CXX_FUNCTIONAL_CAST_EXPR"}
_OUTLIVED = {"VAR_DECL", "CXX_NEW_EXPR", "RETURN_STMT", "CONSTRUCTOR", "INIT_LIST_EXPR", "CONDITIONAL_OPERATOR"}


def _destructor(class_: Any) -> Any | None:
    return next((child for child in children_of(class_) if kind_of(child) == "DESTRUCTOR"), None)


def has_host_destructor(type_: Any) -> bool:
    """Whether a class's destructor is virtual, defaulted, and the host's, which clang takes for anyone's.

    It may be that of an array's elements, or of a member.
    """
    type_ = type_.get_canonical()
    while "ARRAY" in type_.kind.name:
        type_ = type_.element_type
    if type_.kind.name != "RECORD":
        return False
    class_ = _written(type_.get_declaration())
    if any(kind_of(child) == "FIELD_DECL" and has_host_destructor(child.type) for child in children_of(class_)):
        return True
    destructor = _destructor(class_)
    if destructor is None or not (destructor.is_virtual_method() and destructor.is_default_method()):
        return False
    return not any(kind_of(child) == "CUDADEVICE_ATTR" for child in children_of(destructor))


def of_host_twin(variable: Any, file: str) -> str:
    """What is wrong with a variable of the device beside which nvcc makes one of the host, without a value."""
    if not lacks_default(variable.type, file):
        return ""
    name, type_ = variable.spelling, variable.type.get_canonical().spelling
    twin = f"nvcc makes a variable of the host beside `{name}`, without a value"
    return f"{twin}: give `{type_}` a constructor without parameters, or make `{name}` const"


def lacks_default(type_: Any, file: str) -> bool:
    """Whether a type that is not const, or that of its elements, is a class of this file which always needs a value."""
    type_ = type_.get_canonical()
    while "ARRAY" in type_.kind.name:
        type_ = type_.element_type
    class_ = type_.get_declaration() if type_.kind.name == "RECORD" and not type_.is_const_qualified() else None
    if class_ is None or not is_in(class_, file):
        return False
    children = children_of(_written(class_))
    if any(kind_of(child) == "FUNCTION_TEMPLATE" and child.spelling == class_.spelling for child in children):
        return False  # it may be one
    if constructors := [child for child in children if kind_of(child) == "CONSTRUCTOR"]:
        return not any(each.is_default_constructor() and _may_be_called(each) for each in constructors)
    fields = [child for child in children if kind_of(child) == "FIELD_DECL" and not _has_value(child)]
    bases = [child for child in children if kind_of(child) == "CXX_BASE_SPECIFIER"]
    return any(lacks_default(each.type, file) for each in [*fields, *bases]) or any(map(_needs_value, fields))


def _may_be_called(constructor: Any) -> bool:
    return (constructor.access_specifier.name, constructor.availability.name) == ("PUBLIC", "AVAILABLE")


def _needs_value(member: Any) -> bool:
    return bool(member.type.is_const_qualified()) or member.type.kind.name in ("LVALUEREFERENCE", "RVALUEREFERENCE")


def _has_value(member: Any) -> bool:
    return any(is_expression(child) for child in children_of(member))


def is_temporary(call: Any, above: Above) -> bool:
    """Whether what a call makes or returns is an object that ends with the statement."""
    while above and kind_of(above[0]) in _PASSED_ON:
        above = above[1]
    return is_value(call) and not (above and kind_of(above[0]) in _OUTLIVED)


def _written(class_: Any) -> Any:
    """The template of an instance, which has no members in libclang's tree."""
    from clang import cindex

    return cindex.conf.lib.clang_getSpecializedCursorTemplate(class_) or class_


def inherits_destructor(class_: Any) -> bool:
    """Whether a class has no destructor of its own, and a base has a virtual one."""
    if kind_of(class_) not in CLASSES or _destructor(class_) is not None:
        return False
    bases = [child for child in children_of(class_) if kind_of(child) == "CXX_BASE_SPECIFIER"]
    classes = [base.type.get_canonical().get_declaration() for base in bases]
    return any(_is_virtual(_destructor(base)) or inherits_destructor(base) for base in classes)


def _is_virtual(destructor: Any) -> bool:
    return destructor is not None and bool(destructor.is_virtual_method())
