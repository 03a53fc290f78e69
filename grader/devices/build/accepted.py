"""Which errors of clang's nvcc does not have, by where they stand: in what is not computed, not taken, a friend's."""

from __future__ import annotations

import re
from collections.abc import Callable

from grader.devices.build.ast_rules import Tree
from grader.devices.build.branches import Condition
from grader.devices.build.lexer import lex
from grader.devices.build.members import needs_no_template
from grader.devices.build.said import Said
from grader.devices.build.syntax import code_stream, is_unevaluated

Values = Callable[[], set[tuple[Condition, bool]]]

_OTHER_SIDE = re.compile("(call|reference) to __(host|device|global)__ (function|variable)")
_PRIVATE = re.compile(r"is a (private|protected) member of")
_OF_LIBRARY = re.compile("of '(array|optional)'$")  # which need their own guides, and whose constructors are constexpr
_FROM_DEVICE = "call to __host__ function from"
_NO_TYPE = "a type specifier is required"
_NO_GUIDE = "no viable constructor or deduction guide"
_GUIDE = re.compile(rb"\)\s*->")
_LAUNCHED = re.compile(rb"[\w:]+\s*(<[^<>;]*>\s*)?<<<")
OVERLOAD = re.compile(r"__(host|device)__ (__device__ )?function '.*' cannot overload __")
_DECLARATION = re.compile(r"\w+\s*\([^()]*\)\s*(noexcept\s*)?[;,]")
_STATIC = re.compile(rb"\bstatic\b[^;{}]*$")  # which needs a body of its own
_NO_TEMPLATE = re.compile(r"(?:missing|use) 'template' keyword .*'(\w+)'")
_DESTRUCTOR = re.compile(r"reference to __host__ function '(~\w+)'")


def is_right_to_nvcc(said: Said, source: str, tree: Tree, values: Values) -> bool:
    """Whether it stands where only a type is asked for, as in `sizeof(f(x))`, or in what `if constexpr` leaves out; is
    about a constexpr function; stands in a function that a class has as a friend, though not with its side; asks for
    a deduction guide, which has no side; lacks a member's `template`; or declares one of CUDA's functions again, as in
    `int min(int, int);`.

    `values` tells what conditions are in the templates' instances.
    """
    if not said.line:
        return False
    if found := _NO_TEMPLATE.match(said.text):
        stream = code_stream(lex(source))
        here = (at for at, token in enumerate(stream.tokens) if token.line == said.line and token.text == found[1])
        return any(needs_no_template(stream, at) for at in here)
    lines = source.encode().split(b"\n")[: said.line]
    lines[-1] = lines[-1][: (said.column or 1) - 1]
    before = b"\n".join(lines)
    if OVERLOAD.match(said.text) and not any(line for line, _ in said.notes):
        declared = _DECLARATION.match(source.encode()[len(before) :].decode(errors="replace"))
        return bool(declared) and not _STATIC.search(before)
    if (match := _DESTRUCTOR.match(said.text)) and match[1] in tree.of_no_side:
        return True
    if said.text.startswith(_NO_GUIDE):
        all_lines = source.encode().split(b"\n")
        of_host = [line for line, text in said.notes if line and _FROM_DEVICE in text]
        of_library = _OF_LIBRARY.search(said.text) and any(_FROM_DEVICE in text for _, text in said.notes)
        return bool(of_library) or any(_GUIDE.search(all_lines[line - 1]) for line in of_host)
    if said.text.startswith(_NO_TYPE) and source.split("\n")[said.line - 1][(said.column or 1) - 1 :].startswith(
        "main"
    ):
        return True
    if _PRIVATE.search(said.text):
        return tree.is_in_friend(len(before))
    if not any(_OTHER_SIDE.search(text) for text in (said.text, *(text for _, text in said.notes))):
        return False
    if any(line in tree.on_both | tree.of_device_later.keys() for line, _ in said.notes):
        return not is_launched(tree.source, len(before))
    start = len(before.decode(errors="replace"))
    unevaluated = is_unevaluated([token for token in lex(source).code if token.start < start])
    return unevaluated or _is_left_out(tree, len(before), values)


def is_launched(source: bytes, offset: int) -> bool:
    """Whether what begins at this byte of the file is a function that is launched."""
    return bool(_LAUNCHED.match(source, offset))


def _is_left_out(tree: Tree, offset: int, values: Values) -> bool:
    """Whether an `if constexpr` leaves this byte of the file out: in a template, whether it does in all instances."""
    branch = tree.branch_at(offset)
    return branch is not None and (branch.condition is None or (branch.condition, branch.value) not in values())
