"""clang's warnings in one sentence each: what is suspicious about behaviour, and not about style."""

from __future__ import annotations

import re
from typing import Any

from grader.devices.build.formats import of_format
from grader.devices.build.said import OWN, Said
from grader.devices.evidence import NO_RETURN

_NO_BRACES = "the `{0}` above does not guard this line, though it is indented: braces are missing"
LOST_BY_COMMA = "of `a, b` only b counts: [y][x] for an element, && for a condition"
_SOMETIMES = "-Wsometimes-uninitialized"
# By option; what is not here is about style.
_WARNINGS = (
    ("-Wuninitialized", r"variable '(.*?)' is uninitialized", "`{0}` is read before it is set: give it a first value"),
    (_SOMETIMES, r"variable '(.*?)' is", "`{0}` is not always set before it is read"),
    ("-Wparentheses", r"using the result of an assignment", "= assigns, and == compares: which one is meant here?"),
    (
        "-Wparentheses",
        r"(\S+) has lower precedence than (\S+);",
        "{1} is worked out before {0}: put ( ) around the {0}",
    ),
    ("-Wlogical-not-parentheses", r"", "! is worked out first, before what it compares: put ( ) around the comparison"),
    ("-Wdangling-else", r"", "this `else` belongs to the nearest `if`: braces say which one is meant"),
    ("-Wsizeof-pointer-div", r"", "sizeof of a pointer is 8, whatever it points to: hand the number of elements over"),
    (
        "-Wsizeof-array-argument",
        r"",
        "sizeof of a pointer is 8, whatever it points to: hand the number of elements over",
    ),
    (
        "-Wunsequenced",
        r"modifications? (?:and access )?to '(.*?)'",
        "`{0}` is changed here in no certain order: use two lines",
    ),
    ("-Wmisleading-indentation", r"part of the previous '(.*?)'", _NO_BRACES),
    ("-Wunused-value", r"left operand of comma", LOST_BY_COMMA),
    ("-Wunused-value", r"", "this has no effect: its result is not used"),
    ("-Wunused-comparison", r"", "this comparison has no effect: == compares, and = assigns"),
    # a `while` may wait for what another thread does
    ("-Wempty-body", r"(if|for|switch) (?:state|loop).* empty", "the `;` here ends the `{0}`, which guards nothing"),
    ("-Wfor-loop-analysis", r"variables? (.*?) used in loop condition not", "{0} never changes in this loop"),
    ("-Wreturn-type", r"", NO_RETURN),
    ("-Wself-assign", r"variable '(.*?)' to itself", "`{0}` is assigned to itself"),
    ("-Wdivision-by-zero", r"", "this divides by zero"),
    ("-Wshift-count-overflow", r"", "this shifts by more bits than the number has"),
    ("-Wreturn-stack-address", r"", "this is the address of a variable that is gone when the function returns"),
    ("-Wxor-used-as-pow", r"", "^ is exclusive or: call `powf` for a power"),
    *(
        (option, r"(.*)", "{0}")
        for option in (
            *("-Warray-bounds", "-Winteger-overflow", "-Wconstant-conversion", "-Wliteral-conversion"),
            *("-Wtautological-compare", "-Wtautological-constant-out-of-range-compare"),
        )
    ),
)


# What no lane asks for: `if (lane == leader) base = atomicAdd(n, k); base = __shfl_sync(mask, base, leader);`
_SHUFFLED = re.compile(rb"\b(__shfl(_sync)?|shfl)\s*\([^;{}]*$")


def option_of(diagnostic: Any, source: bytes) -> str:
    """A warning's -W... as clang has it; "" where only a shuffle's value is not always set. `source` is its file."""
    used = [note.location.offset for note in diagnostic.children if "use occurs here" in note.spelling]
    if diagnostic.option == _SOMETIMES and used and all(_SHUFFLED.search(source, 0, offset) for offset in used):
        return ""
    return diagnostic.option or ""


def warning(said: Said) -> str:
    """What is suspicious; "" for a warning that would not help."""
    if said.text.startswith("builtin functions"):
        return "`__syncthreads` without () does nothing: write `__syncthreads();`"
    if said.option == OWN:
        return said.text
    if said.option.startswith("-Wformat"):
        return of_format(said.text)
    for option, pattern, words in _WARNINGS:
        if said.option == option and (match := re.search(pattern, said.text)):
            return words.format(*match.groups())
    return ""
