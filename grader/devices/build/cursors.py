"""clang's cursors, asked quickly: a file has thousands, and libclang's Python asks C about each several times."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

Key = tuple[str, str]


def children_of(cursor: Any) -> list[Any]:
    """As `get_children`, which takes three times as long: it makes a function for C each time, and asks C of each."""
    children: list[Any] = []
    visit_children, visitor = _visitor()
    visit_children(cursor, visitor, children)
    unit = cursor._tu
    for child in children:
        child._tu = unit
    return children


@cache
def _visitor() -> tuple[Any, Any]:
    from clang import cindex

    def visit(child: Any, parent: Any, children: list[Any]) -> int:
        children.append(child)
        return 1  # go on, but not inwards

    return cindex.conf.lib.clang_visitChildren, cindex.callbacks["cursor_visit"](visit)


def kind_of(cursor: Any) -> str:
    """clang's name for a cursor's kind; "" of none."""
    return _name_of(cursor._kind_id) if cursor is not None else ""


def is_expression(cursor: Any) -> bool:
    """As clang says of its kind."""
    return _is_expression(cursor._kind_id)


def is_declaration(cursor: Any) -> bool:
    """As clang says of its kind."""
    return _is_declaration(cursor._kind_id)


@cache
def _name_of(kind: int) -> str:
    return str(_kind(kind).name)


@cache
def _is_expression(kind: int) -> bool:
    return bool(_kind(kind).is_expression())


@cache
def _is_declaration(kind: int) -> bool:
    return bool(_kind(kind).is_declaration())


def key_of(cursor: Any) -> Key:
    """What all declarations of one function or variable have in common."""
    return cursor.semantic_parent.get_usr(), cursor.displayname


def namespace_of(cursor: Any) -> str:
    """clang's name for the innermost around it."""
    while kind_of(cursor) not in ("NAMESPACE", "TRANSLATION_UNIT"):
        cursor = cursor.semantic_parent
    return str(cursor.get_usr())


def place_of(cursor: Any) -> tuple[int, int]:
    """Line and column."""
    return cursor.location.line, cursor.location.column


def is_in(cursor: Any, file: str) -> bool:
    """Whether it stands in this file."""
    place = cursor.location
    return bool(place.file) and place.file.name == file


def written(unit: Any, file: str) -> Iterator[Any]:
    """What the file declares, each once: libclang tells of a template's instances, too, at the template's own place."""
    seen: set[tuple[int, str]] = set()
    for cursor in children_of(unit.cursor):
        place = cursor.location.offset, cursor.spelling
        if is_in(cursor, file) and place not in seen and kind_of(cursor.lexical_parent) == "TRANSLATION_UNIT":
            seen.add(place)
            yield cursor


def instances(unit: Any, file: str) -> set[int]:
    """The places, by bytes, of functions that are made: each that is no template, and of a template its instances'."""
    own = (each for each in children_of(unit.cursor) if is_in(each, file))
    return {each.location.offset for each in own if not is_template(each)}


def is_template(function: Any) -> bool:
    """Whether it is a template, or a class's that is one."""
    around = function
    while around is not None and kind_of(around) != "TRANSLATION_UNIT":
        if "TEMPLATE" in kind_of(around):
            return True
        around = around.semantic_parent
    return False


def size_of(type_: Any) -> int:
    """In bytes; negative if that is not known. Of a class template without its arguments clang dies to tell it."""
    element = type_.get_canonical()
    while "ARRAY" in element.kind.name:
        element = element.element_type.get_canonical()
    return -1 if element.kind.name in ("UNEXPOSED", "AUTO", "DEPENDENT", "INVALID") else int(type_.get_size())


def name_all_kinds() -> None:
    """libclang's Python part does not know each kind that its C part tells of: to ask for `_Float16`'s is an error."""
    from clang import cindex

    kinds_and_most = ((cindex.TypeKind, 180), (cindex.CursorKind, 710), (cindex.TemplateArgumentKind, 12))
    for kinds, most in kinds_and_most:
        for number in range(most):
            try:
                kinds.from_id(number)
            except ValueError:
                setattr(kinds, f"OTHER_{number}", kinds(number))


def _kind(kind: int) -> Any:
    from clang import cindex

    return cindex.CursorKind.from_id(kind)
