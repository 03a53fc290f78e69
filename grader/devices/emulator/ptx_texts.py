"""What ptxas would refuse of a file's inline PTX, seen in what g++ makes of the file.

nvcc gives ptxas what is left of a file: no template that nothing makes, no function that no kernel calls, no branch
that is never taken. The same is left in g++'s dump, with each kernel's calls within it, and the texts as macros and
templates have made them.
"""

from __future__ import annotations

import re

from grader.devices.build import ptx_rules
from grader.devices.build.refused import Refusal
from grader.devices.emulator.calls import Function, functions_in, reached_by_kernels

_CALL = "ladder_ptx"  # include/ladder/ptx.h
_LINE_AND_TEXT = re.compile(r'(\d+), "((?:[^"\\]|\\.)*)"')
_CONSTRAINT = re.compile(r"Lj(\d+)E")  # of Constraints<...>::list
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\n", "v": " ", "f": " "}


def refused_ptx(dump: str) -> Refusal | None:
    """The first line with PTX that ptxas would not take, if there is one that is certain."""
    if _CALL not in dump:
        return None
    functions = functions_in(dump)
    found = [each for name in reached_by_kernels(functions) for each in _of_function(functions[name])]
    return min(found, key=lambda refused: refused[1], default=None)


def _of_function(function: Function) -> list[Refusal]:
    calls = [arguments for _, name, arguments in function.calls if name == _CALL]
    texts = [match for match in map(_LINE_AND_TEXT.match, calls) if match]  # the text of any other is not known yet
    said = ptx_rules.of_function([_statement(match) for match in texts])
    return [(sentence, int(texts[number][1])) for number, sentence in said.items()]


def _statement(call: re.Match[str]) -> ptx_rules.Asm:
    constraints = call.string[call.end() :].partition("4listE")[0]
    letters = "".join(chr(int(each) & 0xFF) for each in _CONSTRAINT.findall(constraints))
    return ptx_rules.Asm(_ESCAPE.sub(_unescaped, call[2]), letters)


def _unescaped(found: re.Match[str]) -> str:
    return " " if found[1].isdigit() else _ESCAPES.get(found[1], found[1])
