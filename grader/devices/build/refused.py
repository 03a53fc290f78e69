"""What a kernel file may not hold: kernels that others wrote, and disguises by which it would hide what it does.

A look at tokens, for a sentence on the right line. It does not stop machine code: see docs/grading.md.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise

from grader.devices.build.lexer import Directive, Token, Tokens
from grader.devices.build.line_numbers import is_right, renumbers
from grader.devices.build.own_namespace import INCLUDES, is_namespace

Refusal = tuple[str, int]  # a sentence, and the 1-based line that it is about

_LIBRARIES = re.compile(
    r"(cccl/)?(torch|ATen|c10|pybind11|cub|thrust|cutlass|cute|cuda/experimental)/"
    r"|cublas|cudnn|cufft|cusparse|cusolver|nvrtc|nvJitLink|npp|Python\.h"
)
# Of the grader, and of what the compiler puts around exceptions by itself: such a call may touch memory unseen.
COMPILERS_NAME = re.compile(r"__cxa|__gxx|_Unwind", re.IGNORECASE)
OWN_NAME = re.compile(
    r"(ladder|__tsan|__ubsan|__sanitizer|__wrap|__real|__cxa|__gxx|_Unwind)(_(?!_$)|$)", re.IGNORECASE
)
_MARKER = re.compile(r"\n#\s*\d")  # tells a compiler where a text comes from
_SPLICE = re.compile(r"(\\[^\S\n]*\n)+")
_SHOWS = "the grader must be able to read a name as it stands"

# What a kernel has no use for, and a file that wants to reach around the grader has: other libraries' code, the rights
# of pages, the emulator's own controls. `wrap` makes the linker look for a __wrap_dlopen, which is nowhere defined, and
# would give the name __real_dlopen to what it replaces.
_CONTROLS = ("begin", "buffer", "mapping", "module", "open", "report", "run", "show")
SYMBOLS = (
    *("dlopen", "dlmopen", "dlsym", "dlvsym", "mmap", "mmap64", "mremap", "mprotect", "pkey_mprotect", "syscall"),
    *("ptrace", "process_vm_readv", "process_vm_writev", *(f"ladder_session_{control}" for control in _CONTROLS)),
)
# On a GPU, besides: what could go on working when the clock stands still.
_THREAD = "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE"  # std::thread's
SYMBOLS_ON_GPU = (
    *(
        _THREAD,
        "pthread_create",
        "thrd_create",
        "fork",
        "vfork",
        "clone",
        "posix_spawn",
        "posix_spawnp",
        "system",
        "popen",
    ),
    *("signal", "sigaction", "alarm", "setitimer", "timer_create", "timer_settime"),
)


def refusal(source: str, tokens: Tokens, *, emulated: bool) -> Refusal | None:
    """The first thing in the file that cannot stay, if there is one.

    For the emulator a library under an `#if` may be meant for another machine. nvcc would find it, and so it must go.
    """
    groups = [(tokens.code, False), *((each.tokens, each.name in INCLUDES) for each in tokens.directives)]
    found = list(_includes(source, tokens.directives, emulated))
    for group, includes in groups:
        found += [*_own_names(group, includes), *_disguises(source, group)]
    return min(found, key=lambda refused: refused[1], default=None)


def _includes(source: str, directives: list[Directive], emulated: bool) -> Iterator[Refusal]:
    conditions = 0
    for directive in directives:
        conditions += directive.name in ("if", "ifdef", "ifndef")
        conditions -= directive.name == "endif"
        if renumbers(directive) and not is_right(directive, directives):
            yield "this directive has no number: write `#line 7`, or take it out", directive.tokens[0].line
        if directive.name not in INCLUDES:
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


def reserved(name: str) -> str:
    """The sentence on an OWN_NAME that a file uses."""
    whose = "compiler" if COMPILERS_NAME.match(name) else "grader"
    return f"`{name}` is a name of the {whose}'s own: choose another one"


def _own_names(tokens: list[Token], includes: bool) -> Iterator[Refusal]:
    """Names by which a file would call the emulator's own functions, or any C++ function that it has not declared."""
    for token in tokens:
        is_free = is_namespace(token.text) and not includes  # compilers read another one (own_namespace.py)
        if token.kind == "word" and OWN_NAME.match(token.text) and not is_free:
            yield reserved(token.text), token.line
        elif token.kind == "word" and token.text.startswith("_Z"):
            yield (
                f"`{token.text}` is a compiler's name for a function that is not this file's: write your own",
                token.line,
            )


def _disguises(source: str, tokens: list[Token]) -> Iterator[Refusal]:
    """Spellings by which the preprocessor reads what is not to be seen here."""
    for token, after in pairwise(tokens):
        if token.kind == "string" and _MARKER.search(token.text):
            yield "a string cannot hold a line that begins with `# 1`, as the preprocessor's do", token.line
        elif token.text == "%" and after.text == ":" and token.end == after.start:
            yield f"write # instead of %: here, for {_SHOWS}", token.line
        elif {token.kind, after.kind} <= {"word", "number"} and _SPLICE.fullmatch(source, token.end, after.start):
            yield f"a \\ divides a name at the end of this line: {_SHOWS}", token.line
