"""Inline PTX: `asm volatile("text" : "=r"(a) : "l"(b) : "memory")` becomes a call of `ladder::ptx`.

The text stays the expression that it is, for macros and templates make such strings: the runtime reads it, when a
thread comes there (`runtime/ptx`). What stands in front of the operands moves: their constraints become the template's
arguments, and their names numbers. Clobbers go, as the call is a barrier to the compiler anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from grader.devices.build.asm_rules import is_unused
from grader.devices.build.lexer import lex
from grader.devices.build.ptx_rules import is_instruction
from grader.devices.build.syntax import Stream, code_stream
from grader.devices.emulator.words import NO_PTX

# What only a constraint is, and which letters of such nvcc knows.
_LETTERS = re.compile(r'^"[=+&]*(\w)"$')
_OF_PTX = set("hrlfdqnC0123456789")
_MAY_BE_INSTRUCTIONS = re.compile(r"\A[^a-z]*([a-z]\w*)|\b([a-z]\w*)(?=\.)")  # the first word, and what has a type
WORDS = ("asm", "__asm__", "__asm")
_QUALIFIERS = ("volatile", "__volatile__", "__volatile", "inline", "__inline__")

Edit = tuple[int, int, str]  # tokens start..end-1, and what takes their place


class NotPtx(Exception):
    """Why this `asm` cannot be run, in one sentence."""


@dataclass
class _Operand:
    """Tokens start..opening-1 say its constraint; at `opening` is the parenthesis of its expression."""

    start: int
    opening: int
    constraint: str
    is_output: bool


def statement(stream: Stream, index: int) -> list[Edit]:
    """The edits of the `asm` that begins at `index`; none where it only holds the compiler back. Raises NotPtx."""
    opening = index + 1
    while stream.text(opening) in _QUALIFIERS:
        opening += 1
    closing = stream.closing(opening) if stream.text(opening) == "(" else None
    if closing is None:
        return []
    parts = _parts(stream, opening, closing)
    text = range(opening + 1, parts[0])
    if not "".join(stream.text(at).strip('"') for at in text).strip():
        return []  # asm volatile("" ::: "memory")
    if not stream.macro and not stream.scopes[index].in_code:
        raise NotPtx(NO_PTX)
    if _is_the_cpus(stream, index, parts):
        return []
    operands = list(_operands(stream, parts, closing))
    kinds = ", ".join(f"::ladder::constraint({each.constraint})" for each in operands)
    if _may_move(stream, opening, parts, operands, index):
        kinds = kinds.replace("::ladder::constraint(", "::ladder::moved(", 1)
    edits = [(index, opening + 1, f"::ladder::ptx<{kinds}>(__builtin_LINE(), ")]
    return edits + list(_separated(stream, parts[0], closing, operands))


def _may_move(stream: Stream, opening: int, parts: list[int], operands: list[_Operand], index: int) -> bool:
    """Whether nvcc takes it for a function of its inputs alone, and runs it once where a loop has it many times."""
    is_volatile = any("volatile" in word for word in stream.texts(index, opening))
    clobbers = stream.texts(parts[min(2, len(parts) - 1)], parts[-1])
    return not is_volatile and '"memory"' not in clobbers and any(each.is_output for each in operands)


def without_unused(source: str) -> str:
    """The text without the CPU's assembly in inline and static functions of the host that nothing in it names."""
    if not any(word in source for word in WORDS):
        return source
    stream = code_stream(lex(source))
    for index, token in enumerate(stream.tokens):
        opening = next((at for at in range(index + 1, index + 4) if stream.text(at) not in _QUALIFIERS), index)
        closing = stream.closing(opening) if token.text in WORDS and stream.text(opening) == "(" else None
        scope = stream.scopes[index]
        if closing is None or not scope.in_code:
            continue
        while scope.parent and not scope.is_function:
            scope = scope.parent
        head = stream.texts(scope.head, scope.opened)
        name = head[head.index("(") - 1] if "(" in head else ""
        is_local = not {"inline", "__inline__", "__inline", "static"}.isdisjoint(head)
        if is_local and is_unused(name, source) and _is_the_cpus(stream, index, _parts(stream, opening, closing)):
            start, end = token.start, stream.tokens[closing].end
            source = source[:start] + re.sub(r"[^\n]", " ", source[start:end]) + source[end:]
    return source


def _is_the_cpus(stream: Stream, index: int, parts: list[int]) -> bool:
    """Whether it is no PTX for certain, in a function that says nothing of the device: `asm("rdtsc" : "=a"(low))`."""
    if stream.macro or not stream.heads(index).isdisjoint(("__device__", "__global__")):
        return False
    strings = [token.text for token in stream.tokens[index : parts[-1]] if token.kind == "string"]
    letters = {letter for text in strings for letter in _LETTERS.findall(text)}
    words = ["".join(found) for text in strings for found in _MAY_BE_INSTRUCTIONS.findall(text)]
    return bool(letters - _OF_PTX) or (bool(words) and not any(map(is_instruction, words)))


def _parts(stream: Stream, opening: int, closing: int) -> list[int]:
    """Where the text ends, and each part behind it: at a colon, and twice at a double one; the last is `closing`."""
    found, at = [], opening + 1
    while at < closing:
        found += [at] * (len(stream.text(at)) if stream.text(at) in (":", "::") else 0)
        at = stream.after_group(at)
    return [*found, closing]


def _operands(stream: Stream, parts: list[int], closing: int) -> Iterator[_Operand]:
    """Those of the outputs, then those of the inputs."""
    for number, (begin, end) in enumerate(pairwise(parts[:3])):
        start = begin + 1
        while start < end:
            at = start
            while at < end and stream.text(at) != "(":
                at = stream.after_group(at)
            if stream.text(start) == "[":
                raise NotPtx("nvcc knows no names of operands: write %0, %1, ... in their order")
            constraint = " ".join(stream.texts(start, at))
            if at >= end or not constraint:
                raise NotPtx('an operand of asm is a constraint and an expression in parentheses, as "r"(x)')
            yield _Operand(start, at, constraint, number == 0)
            start = stream.after_group(at)
            start += stream.text(start) == ","  # nvcc does without
    if len(parts) > 4:
        raise NotPtx("asm has a text, outputs, inputs and clobbers, with colons between them")


def _separated(stream: Stream, begin: int, closing: int, operands: list[_Operand]) -> Iterator[Edit]:
    """Each operand behind a comma, and nothing else."""
    for operand in operands:
        yield begin, operand.opening, ", " if operand.is_output else ", ::ladder::value"
        begin = stream.after_group(operand.opening)
    if begin < closing:
        yield begin, closing, ""
