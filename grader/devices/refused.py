"""What a kernel file may not hold: kernels that others wrote, and disguises by which it would hide what it does.

A look at tokens, for a sentence on the right line. It stops nobody who writes machine code: see docs/grading.md.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise

from grader.devices.emulator.lexer import Directive, Token, Tokens

Refusal = tuple[str, int]  # a sentence, and the 1-based line that it is about

_LIBRARIES = re.compile(
    r"(cccl/)?(torch|ATen|c10|pybind11|cub|thrust|cutlass|cute|cuda/experimental)/"
    r"|cublas|cudnn|cufft|cusparse|cusolver|nvrtc|nvJitLink|npp|Python\.h"
)
_OWN = re.compile(r"(ladder|__tsan|__sanitizer|__wrap|__real)(_|$)", re.IGNORECASE)
_INCLUDES = ("include", "include_next", "import")
_SPLICE = re.compile(r"(\\[^\S\n]*\n)+")
_END = Token("sign", "", -1, -1, 0)
_SHOWS = "the grader must be able to read a name as it stands"


def refusal(source: str, tokens: Tokens, *, emulated: bool) -> Refusal | None:
    """The first thing in the file that cannot stay, if there is one.

    For the emulator a library under an `#if` may be meant for another machine. nvcc would find it, and so it must go.
    """
    groups = [tokens.code, *(directive.tokens for directive in tokens.directives)]
    found = list(_includes(source, tokens.directives, emulated))
    for group in groups:
        found += [*_own_names(group), *_disguises(source, group), *(_out_of_sight(group) if emulated else ())]
    return min(found, key=lambda refused: refused[1], default=None)


def _includes(source: str, directives: list[Directive], emulated: bool) -> Iterator[Refusal]:
    conditions = 0
    for directive in directives:
        conditions += directive.name in ("if", "ifdef", "ifndef")
        conditions -= directive.name == "endif"
        if directive.name not in _INCLUDES:
            continue
        line = directive.tokens[0].line
        written = source[directive.tokens[1].end : directive.tokens[-1].end].strip()
        header = posixpath.normpath(written.strip('<>"').strip())
        if not written.startswith(("<", '"')):
            yield f"`#{directive.name} {written}` must name its header, as <name>: {_SHOWS}", line
        elif header.startswith(("/", "../")):
            yield f"a kernel file stands alone: it cannot include {header}, a file elsewhere on this machine", line
        elif _LIBRARIES.match(header) and not (emulated and conditions):
            yield f"a kernel file stands alone: it cannot include {header}, write the kernel itself", line


def _own_names(tokens: list[Token]) -> Iterator[Refusal]:
    """Names by which a file would call the emulator's own functions, or any C++ function that it has not declared."""
    for token in tokens:
        if token.kind == "word" and _OWN.match(token.text):
            yield f"`{token.text}` is a name of the grader's own: choose another one", token.line
        elif token.kind == "word" and token.text.startswith("_Z"):
            yield (
                f"`{token.text}` is a compiler's name for a function that is not this file's: write your own",
                token.line,
            )


def _disguises(source: str, tokens: list[Token]) -> Iterator[Refusal]:
    """Spellings by which the preprocessor reads what is not to be seen here."""
    for token, after in pairwise(tokens):
        if token.text == "%" and after.text == ":" and token.end == after.start:
            yield f"write # instead of %: here, for {_SHOWS}", token.line
        elif {token.kind, after.kind} <= {"word", "number"} and _SPLICE.fullmatch(source, token.end, after.start):
            yield f"a \\ divides a name at the end of this line: {_SHOWS}", token.line


def _out_of_sight(tokens: list[Token]) -> Iterator[Refusal]:
    """What keeps code or data from the emulator's eyes, and `##`, which can write such a word."""
    for token, after in pairwise([*tokens, _END]):
        word = token.text.strip("_")
        if word.startswith("no_sanitize") or (word == "section" and after.text == "("):
            yield f"`{token.text}` would hide code from the emulator", token.line
        elif token.text == "#" == after.text and token.end == after.start:
            yield f"## glues names together: write them out (or use a template), for {_SHOWS}", token.line
