"""Fragments of tensor cores that are loaded from a shared array, or stored there, with another length of its rows."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from grader.devices.build.lexer import Directive, Token

ROWS = (
    "Line {line} goes on by {step} elements to the next row of `{array}`, and its rows have {width}: write"
    " {width_text} as the leading dimension of {call}."
)
UNEVEN = (
    "Line {line} goes on by {step} elements to the next row of `{array}`, and its rows have {width}: {call} takes rows"
    " of whole 16 bytes, so declare `{array}` with rows of {even}, and write {even} as the leading dimension."
)
UNFILLED = (
    "The accumulator `{name}` of line {line} is never filled: a fragment begins with what lay there before, so call"
    " `fill_fragment({name}, 0.0f)` in front of the loop, for each of them."
)
GROUP = (
    "Line {line} takes `{name}` as `{value}`: of a fragment of mma.sync lane / 4 is the group, a row, and lane % 4 the"
    " pair of columns in it."
)
_FOURTHS = re.compile(r"\b(\w*(?:group|pair|thread)\w*)\s*=\s*([^;,=]*?(?:(%\s*4|&\s*3)|(/\s*4|>>\s*2)))\s*[;,]", re.I)
_ACCUMULATOR = re.compile(r"\bfragment\s*<[^;{}]*\baccumulator\b[^;{}]*>")
DEEPEST = 8  # constants that are made of others
_OPERATORS: Mapping[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
}

Call = tuple[Token, list[str], str]  # its name, its arguments, and what is assigned


def leading_dimensions(calls: Sequence[Call], code: Sequence[Token], directives: Sequence[Directive]) -> Iterator[str]:
    """Of `load_matrix_sync(fragment, &tile[row][col], 32)` where it is `tile[16][40]`."""
    constants, widths = _constants(code, directives), _widths(code)
    for name, given, _ in calls:
        if name.text not in ("load_matrix_sync", "store_matrix_sync") or len(given) < 3:
            continue
        pointer = given[1 if name.text.startswith("load") else 0]
        found = re.match(r"&?\s*\(?\s*&?\s*(\w+)\s*\[", pointer)
        width_text = widths.get(found[1], "") if found else ""
        step, width = value(given[2], constants), value(width_text, constants)
        if found and step and width and step != width:
            text = width_text if width_text == str(width) else f"{width_text}, {width},"
            said = UNEVEN if width % 4 else ROWS  # four floats, or eight numbers of 16 bits
            facts = {"line": name.line, "step": step, "array": found[1], "width": width, "call": name.text}
            yield said.format(width_text=text, even=-(-width // 8) * 8, **facts)


def unfilled(calls: Sequence[Call], source: Sequence[str]) -> Iterator[str]:
    """Of an accumulator, in a file that multiplies and neither fills nor loads one."""
    text = re.sub(r"//[^\n]*", "", "\n".join(source))
    called = {(name.text, len(given)) for name, given, _ in calls}
    names = {name for name, _ in called}
    if "mma_sync" not in names or "fill_fragment" in names or ("load_matrix_sync", 4) in called or ".x[" in text:
        return
    aliases = [found[1] for found in re.finditer(rf"\busing\s+(\w+)\s*=\s*[\w:]*{_ACCUMULATOR.pattern}\s*;", text)]
    types = "|".join([_ACCUMULATOR.pattern, *(rf"\b{re.escape(each)}\b" for each in aliases)])
    if found := re.search(rf"(?:{types})\s+(\w+)\s*(?:\[[^;=]*)?[;,]", text):
        yield UNFILLED.format(name=found[1], line=text.count("\n", 0, found.start(1)) + 1)


def groups(source: Sequence[str]) -> Iterator[str]:
    """`group = lane % 4, pair = lane / 4`, beside an mma.sync; of one of the two alone, if its name says enough."""
    text = re.sub(r"//[^\n]*", "", "\n".join(source))
    swapped = []
    for found in _FOURTHS.finditer(text) if re.search(r"\bmma\.sync\.", text) else ():
        is_group = "group" in found[1].lower() and "in_group" not in found[1].lower()
        if bool(found[3]) == is_group:
            swapped.append(found)
    for found in swapped if len(swapped) > 1 or any("in_group" in each[1].lower() for each in swapped) else ():
        yield GROUP.format(line=text.count("\n", 0, found.start(1)) + 1, name=found[1], value=found[2].strip())


def value(text: str, constants: Mapping[str, str], depth: int = 0) -> int | None:
    """Of an expression of whole numbers and constants; None if it is none."""
    text = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", text.strip())
    try:
        return _value(ast.parse(text, mode="eval").body, constants, depth) if text else None
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError):
        return None


def _value(node: ast.expr, constants: Mapping[str, str], depth: int) -> int | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name) and node.id in constants and depth < DEEPEST:
        return value(constants[node.id], constants, depth + 1)
    if isinstance(node, ast.BinOp) and (of := _OPERATORS.get(type(node.op))):
        left, right = (_value(side, constants, depth) for side in (node.left, node.right))
        return None if left is None or right is None else of(left, right)
    return None


def _constants(code: Sequence[Token], directives: Sequence[Directive]) -> dict[str, str]:
    """What is behind `name =` up to a comma or semicolon, and macros without parameters; of several, none."""
    found: dict[str, set[str]] = {}
    for each in directives:
        if each.name == "define" and len(each.tokens) > 3:
            found.setdefault(each.tokens[2].text, set()).add(" ".join(token.text for token in each.tokens[3:]))
    for at, token in enumerate(code[:-2]):
        if token.kind == "word" and code[at + 1].text == "=" and code[at + 2].text != "=":
            end = next((n for n in range(at + 2, len(code)) if code[n].text in (",", ";")), at + 2)
            found.setdefault(token.text, set()).add(" ".join(each.text for each in code[at + 2 : end]))
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def _widths(code: Sequence[Token]) -> dict[str, str]:
    """The last size of each array of two or more dimensions that is declared once, `float tile[16][40];`."""
    found: dict[str, set[str]] = {}
    for name, width in _of_aliases(code):
        found.setdefault(name, set()).add(width)
    for at, token in enumerate(code[1:-1], 1):
        is_next = code[at - 1].text == "," and _begins_shared(code, at)  # `__shared__ float a[8][8], b[8][8];`
        if token.kind != "word" or not (code[at - 1].kind == "word" or is_next) or code[at + 1].text != "[":
            continue
        sizes, end = _brackets(code, at + 1)
        if len(sizes) > 1 and end < len(code) and code[end].text in (",", ";", "="):
            found.setdefault(token.text, set()).add(sizes[-1])
    return {name: sizes.pop() for name, sizes in found.items() if len(sizes) == 1}


def _of_aliases(code: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """The same of `using Tile = half[16][40]; __shared__ Tile a, b;`, and of a typedef."""
    aliases: dict[str, str] = {}
    for at, token in enumerate(code[:-2]):
        if token.text in ("using", "typedef"):
            opening = next((n for n in range(at, len(code)) if code[n].text in ("[", ";")), at)
            sizes, _ = _brackets(code, opening)
            if len(sizes) > 1:
                aliases[code[at + 1 if token.text == "using" else opening - 1].text] = sizes[-1]
        elif token.text in aliases and code[at + 1].kind == "word" and code[at + 2].text in (",", ";", "="):
            here = at + 1
            while code[here].kind == "word" and here + 1 < len(code):
                yield code[here].text, aliases[token.text]
                here += 2 if code[here + 1].text == "," else len(code)
                if here >= len(code):
                    break


def _begins_shared(code: Sequence[Token], at: int) -> bool:
    """Whether the statement around this token begins with `__shared__`."""
    begins = next((n + 1 for n in range(at, -1, -1) if code[n].text in ("{", "}", ";")), 0)
    return code[begins].text == "__shared__"


def _brackets(code: Sequence[Token], at: int) -> tuple[list[str], int]:
    """What stands in each of the brackets that begin there, and where they end."""
    sizes: list[str] = []
    while at < len(code) and code[at].text == "[":
        end = next((n for n in range(at, len(code)) if code[n].text == "]"), len(code))
        sizes.append(" ".join(token.text for token in code[at + 1 : end]))
        at = end + 1
    return sizes, at
