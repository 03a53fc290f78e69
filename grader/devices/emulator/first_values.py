"""Local variables of a program's device code that are used before they have a first value, from the text alone.

`float sum;` and then, before anything else, `sum += x[i]`: no path sets it first. What is not as plain as that is left
alone: a variable whose address is taken or that a macro or `asm` may set, and one that is assigned anywhere, unless its
first use is on every path to that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from grader.devices.build.lexer import lex
from grader.devices.build.syntax import Scope, Stream, code_stream
from grader.devices.emulator.first_fragments import unset_fragments

_UNUSED = ["sizeof", "decltype", "alignof", "void"]  # in front of parentheses, or in them: no value is read
_NUMBERS = ("char", "short", "int", "long", "float", "double", "longlong")
_TYPES = {
    *("unsigned", "signed", "size_t", "bool", "half", "__half", "half2", "__half2", "uint", *_NUMBERS),
    *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *(f"{sign}{name}{n}" for sign in ("", "u") for name in _NUMBERS for n in (2, 3, 4)),
}  # without dim3, which has a constructor
_OPERATORS = frozenset("+-*/%&|^")


@dataclass(frozen=True)
class Unset:
    """A variable, the lines of its declaration and first use, and those of the block that the use stands in."""

    name: str
    declared: int
    used: int
    block: range


def unset_locals(texts: Sequence[str]) -> list[list[Unset]]:
    """Of all device functions of each of a program's files."""
    lexed = [lex(text) for text in texts]
    in_macros = {token.text for each in lexed for directive in each.directives for token in directive.tokens}
    return [_in_file(code_stream(each), in_macros) for each in lexed]


def _in_file(stream: Stream, in_macros: Set[str]) -> list[Unset]:
    functions = [each for each in stream.functions if each.device and each.closed is not None]
    found = [unset for each in functions for unset in _in_function(stream, each, each.closed or 0)]
    return [each for each in found if each.name not in in_macros]


def _in_function(stream: Stream, function: Scope, closed: int) -> Iterator[Unset]:
    for index in range(function.opened + 1, closed):
        in_for = stream.text(index - 1) == "(" and stream.text(index - 2) == "for"
        begins = (in_for or stream.text(index - 1) in (";", "{", "}")) and stream.scopes[index].kind != "class"
        if begins and stream.text(index) in _TYPES:
            for name, dimensions in _without_value(stream, index):
                if (use := _first_use(stream, name, dimensions)) is not None:
                    at, block = stream.tokens[use].line, _block(stream, use)
                    yield Unset(stream.text(name), stream.tokens[name].line, at, block)
    for name, use in unset_fragments(stream, function.opened, closed):
        yield Unset(stream.text(name), stream.tokens[name].line, stream.tokens[use].line, _block(stream, use))


def _block(stream: Stream, index: int) -> range:
    """The lines between the braces around it, its own at least: what ends in that of the first is a condition."""
    opened = stream.enclosing(index)
    while opened is not None and stream.text(opened) != "{":
        opened = stream.enclosing(opened)
    closed = stream.closing(opened) if opened is not None else None
    line, first, last = (stream.tokens[-1 if at is None else at].line for at in (index, opened, closed))
    return range(min(first + 1, line), max(last, line + 1))


def _without_value(stream: Stream, index: int) -> Iterator[tuple[int, int]]:
    """The names that the declaration beginning here leaves without a value, and of how many dimensions they are."""
    while stream.text(index) in _TYPES:
        index += 1
    while stream.is_word(index) and stream.text(index) not in _TYPES:
        name, dimensions = index, 0
        index += 1
        while stream.text(index) == "[":
            index, dimensions = stream.after_group(index), dimensions + 1
        if stream.text(index) in (",", ";") and not stream.conditional[name]:
            yield name, dimensions
        elif stream.text(index) != "=":
            return  # a function, a bit field
        end = _end_of_expression(stream, index)
        if stream.text(end) != "," or "<" in stream.texts(index, end):  # whose comma may be a template's
            return
        index = end + 1


def _end_of_expression(stream: Stream, index: int) -> int:
    """The comma, semicolon or bracket behind it."""
    while stream.text(index) not in (",", ";", ")", "]", "}", ""):
        index = stream.after_group(index)
    return index


def _first_use(stream: Stream, name: int, dimensions: int) -> int | None:
    """Where the variable is used first, if that changes or reads what it has, and nothing ever sets it."""
    block = stream.enclosing(name)
    if block is not None and stream.text(block) == "(":  # of a for
        block = stream.enclosing(block)
    end = stream.closing(block) if block is not None else None
    uses = [each for each in range(name + 1, end or 0) if _is_use(stream, each, stream.text(name))]
    if not uses or any(_may_set(stream, each, dimensions) for each in uses):
        is_sure = uses and not _may_set(stream, uses[0], dimensions) and not _is_argument(stream, uses[0])
        return uses[0] if is_sure and _comes_first(stream, name, uses[0]) else None
    if _changes(stream, uses[0]) or not any(_is_argument(stream, each) for each in uses):
        return uses[0]
    return None


def _is_use(stream: Stream, index: int, name: str) -> bool:
    before = stream.texts(max(index - 2, 0), index)
    is_read = not before or (before[-1] not in _UNUSED and not (before[-1] in ("(", ")") and before[0] in _UNUSED))
    return stream.text(index) == name and is_read and before[-1:] not in (["."], ["->"], ["::"])


def _comes_first(stream: Stream, name: int, use: int) -> bool:
    """Whether what stands behind this use in the text cannot have run before it: no branch leaves the use out, and at
    most one loop is around it.
    """
    block, at, loops = stream.enclosing(name), use, 0
    function = stream.scopes[name]
    while function.parent and function.parent.in_code:
        function = function.parent
    if "goto" in stream.texts(function.opened, function.closed or 0) or stream.text(block or 0) != "{":
        return False
    while True:
        begun = _begin_of_statement(stream, at)
        head = stream.texts(begun, at)
        loops += head.count("for") + head.count("while") + (stream.text(at) == "{" and "do" in head)
        is_condition = stream.text(at) == "(" and head[-1:] == ["if"] and head.count("if") == 1
        is_lambda = any(pair in ("](", "]{") for pair in map("".join, pairwise([*head, stream.text(at)])))
        if is_lambda or not {"?", "&", "|", "else", "case", "default", "switch"}.isdisjoint(head):
            return False
        if ("if" in head and not is_condition) or loops > 1:
            return False
        opened = stream.enclosing(at)
        if opened == block or opened is None:
            return opened == block
        if stream.text(opened) == "(" and stream.text(opened - 1) == "for":
            return False
        at = opened


def _begin_of_statement(stream: Stream, index: int) -> int:
    """Behind the `;` or brace before it that stands in the same brackets."""
    while index > 0 and stream.text(index - 1) not in (";", "{", "}", "("):
        opened = stream.opening(index - 1)
        index = index - 1 if opened is None else opened
    return index


def _after(stream: Stream, index: int) -> int:
    """Behind a variable with its subscripts and members."""
    index += 1
    while stream.text(index) in ("[", "."):
        index = stream.after_group(index) if stream.text(index) == "[" else index + 2
    return index


def _opens(stream: Stream, index: int, after: int) -> Iterator[bool]:
    """Of what stands behind a variable, whether it is a subscript."""
    index += 1
    while index < after:
        yield stream.text(index) == "["
        index = stream.after_group(index) if stream.text(index) == "[" else index + 2


def _changes(stream: Stream, index: int) -> bool:
    """`sum += ...`, `sum++` or `++sum`."""
    after = _after(stream, index)
    doubled = [stream.texts(first, first + 2) for first in (index - 2, after)]
    if ["+", "+"] in doubled or ["-", "-"] in doubled:
        return True
    if stream.text(after) == "=":
        return _reads_itself(stream, index, after)
    return stream.text(after) in _OPERATORS and stream.text(after + 1) == "=" and stream.touches(after)


def _is_argument(stream: Stream, index: int) -> bool:
    """Whether a function is given the variable as it stands, and may take it by reference."""
    is_condition = stream.text(index - 1) == "(" and stream.text(index - 2) in ("if", "while", "switch")
    return (
        not is_condition and stream.text(index - 1) in ("(", ",") and stream.text(_after(stream, index)) in (")", ",")
    )


def _is_operand(stream: Stream, index: int) -> bool:
    return (stream.is_word(index) and stream.text(index) != "return") or stream.text(index) in (")", "]")


def _reads_itself(stream: Stream, index: int, equals: int) -> bool:
    """`sum = sum + ...`, `most = max(most, ...)`: what it is set to is made of what it has, or a choice of that."""
    end = _end_of_expression(stream, equals)
    asked = next((each for each in range(equals, end) if stream.text(each) == "?"), end)
    uses = (each for each in range(equals + 1, asked) if _is_use(stream, each, stream.text(index)))
    return any(not _is_assigned(stream, each) for each in uses)  # as in a[i] = a[j] = 0


def _is_assigned(stream: Stream, index: int) -> bool:
    after = _after(stream, index)
    return stream.text(after) == "=" and not (stream.text(after + 1) == "=" and stream.touches(after))


def _may_set(stream: Stream, index: int, dimensions: int) -> bool:
    before, after = stream.text(index - 1), _after(stream, index)
    if stream.conditional[index] or sum(_opens(stream, index, after)) != dimensions:
        return True  # a pointer to an array, or to its row
    if stream.is_word(index - 1) and before != "return" and before != "else":
        return True  # another one's declaration
    two = stream.texts(max(index - 3, 0), index - 1)  # (char*)&v
    if before == "&" and (two in (["*", ")"], ["const", ")"]) or not _is_operand(stream, index - 2)):
        return True
    if before == "(" and stream.tokens[index - 2].kind == "string":
        return True  # an operand of asm
    if before == "=" and stream.text(index - 3) == "&":
        return True  # a reference to it
    return _is_assigned(stream, index) and not _reads_itself(stream, index, after)
