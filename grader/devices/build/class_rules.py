"""Whose destructors nvcc calls in a kernel: a virtual one is the host's if it is written without `__device__`, also as
`= default`. One that the compiler makes, for a class that has none of its own, may be called on both sides.
"""

from __future__ import annotations

from typing import Any

from grader.devices.build.constants import CLASSES, kind_of


def _destructor(class_: Any) -> Any | None:
    return next((child for child in class_.get_children() if kind_of(child) == "DESTRUCTOR"), None)


def has_host_destructor(type_: Any) -> bool:
    """Whether a class's destructor is virtual, defaulted, and the host's, which clang takes for anyone's."""
    destructor = _destructor(type_.get_canonical().get_declaration())
    if destructor is None or not (destructor.is_virtual_method() and destructor.is_default_method()):
        return False
    return not any(kind_of(child) == "CUDADEVICE_ATTR" for child in destructor.get_children())


def inherits_destructor(class_: Any) -> bool:
    """Whether a class has no destructor of its own, and a base has a virtual one."""
    if kind_of(class_) not in CLASSES or _destructor(class_) is not None:
        return False
    bases = [child for child in class_.get_children() if kind_of(child) == "CXX_BASE_SPECIFIER"]
    classes = [base.type.get_canonical().get_declaration() for base in bases]
    return any(_is_virtual(_destructor(base)) or inherits_destructor(base) for base in classes)


def _is_virtual(destructor: Any) -> bool:
    return destructor is not None and bool(destructor.is_virtual_method())
