"""In which braces nvcc takes a value that may not fit for an error: in those of a temporary, as in `p[i] = {n, 1}` or
`f(int2{n, 1})`, and not in those that a variable starts with. All of this was asked of nvcc 13 (tests/language).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from grader.devices.build.constants import Above
from grader.devices.build.cursors import is_expression, kind_of

_CAST = "CXX_FUNCTIONAL_CAST_EXPR"
_ITSELF = {"INIT_LIST_EXPR", "UNEXPOSED_EXPR", "PAREN_EXPR", _CAST}
_VARIABLES = {"VAR_DECL", "UNEXPOSED_DECL"}  # auto [a, b] is one, too
_STARTED = {*_VARIABLES, "FIELD_DECL", "CONSTRUCTOR"}


def is_strict(braces: Any, above: Above) -> bool:
    """Whether it is an error there; `braces` are an initialiser list."""
    passed = []
    while above and is_expression(above[0]):
        passed.append(above[0])
        above = above[1]
    kinds = [kind_of(each) for each in passed]
    end = kind_of(above[0]) if above else ""
    type_ = braces.type.get_canonical()
    if "ARRAY" in type_.kind.name and any("initializer_list<" in each.type.spelling for each in passed[:3]):
        return bool(type_.element_type.get_canonical().kind.name != "RECORD")
    if type_.kind.name != "RECORD" and "ARRAY" not in type_.kind.name:
        return kinds[0] not in (_CAST, "INIT_LIST_EXPR") if kinds else end not in _STARTED
    if end in _VARIABLES:
        return False
    is_direct = set(kinds) <= _ITSELF
    if end == "RETURN_STMT":
        return not is_direct or _CAST in kinds
    return not (is_direct and end in _STARTED)


def is_meant(text: str, notes: Sequence[tuple[int | None, str]]) -> bool:
    """Whether this is what clang says of a value that may not fit. In a template's instance nvcc lets it pass."""
    return "cannot be narrowed" in text and not any("in instantiation of" in note for _, note in notes)


def sentence(text: str) -> str:
    """The same in ours."""
    *_, to = names = re.findall(r"(?<!aka )'([^']*)'", text)
    value = re.search(r"evaluates to (\S+)", text)
    what = f"{value[1]} does not fit" if value else f"not every `{names[0]}` fits"
    return f"{what} `{to}`, which these braces ask for: cast it, `({to})`"
