"""Asks clang whether a file keeps CUDA's rules, which g++ does not know: to it a kernel is a function like any other.

libclang reads the file as it stands, as CUDA, beside g++, which compiles a translation of it. It needs no CUDA toolkit:
the functions are those of the emulator's headers, and each of them has its side (`ladder/sides.h`). What clang says
becomes a sentence in `rules.py`; what nvcc sees otherwise than clang is there, too.

It reads in a process of its own, with the worker's limits: a file on which it crashes, or takes too long, is
graded without it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import filelock

from grader.course.editor import FIRST_HEADER, INCLUDE, LANGUAGE
from grader.devices.build import narrowing
from grader.devices.build.accepted import is_launched, is_right_to_nvcc
from grader.devices.build.ast_rules import Tree
from grader.devices.build.branches import Condition, asked_for_values
from grader.devices.build.cursors import name_all_kinds
from grader.devices.build.lexer import lex
from grader.devices.build.misplaced import meant, misplaced
from grader.devices.build.pragmas import unreplaced
from grader.devices.build.reading import Reading
from grader.devices.build.recipe import contents
from grader.devices.build.said import OWN, Said
from grader.devices.build.spelling import for_clang
from grader.devices.build.suspicions import option_of

MOST_SAID = 60
FILE = "kernel.cu"  # clang's name for what it reads
_FATAL = 4  # what clang does not read on after
_FLAGS = (
    *LANGUAGE,
    *("-isystem", str(INCLUDE), f"-ferror-limit={MOST_SAID}", "-Wall"),
    "-Wno-unused-command-line-argument",
    *("-U__FLOAT128__", "-U__SIZEOF_FLOAT128__"),  # g++ 14's <limits> has some of these, which a GPU has not
)
_GUESSES = "-fspell-checking"  # what was meant by a name that there is not, which libclang leaves out unless asked
_PROGRAM = ("-include", FIRST_HEADER, "-include", "ladder_program.h")
_INSTANCE = re.compile(r"explicit instantiation of '(\w+)' does not refer")
_TAKEN = re.compile("deprecated: ladder (true|false)")
_NO_KERNEL = re.compile(r"kernel call to non-global function '?(\w+)")
_NO_MATCH, _OF_DEVICE = "no matching function for call to", "call to __device__ function from"
_SIDE = re.compile("__(host|device|global)__")
_NO_AUTO = "'auto' not allowed in function prototype"
SIDES = ("device", "host")  # both compilers read a file twice: what is wrong in either reading is wrong


def available() -> bool:
    """Whether libclang is there and can be loaded, and g++, whose headers it reads."""
    return shutil.which("g++") is not None and _library() is not None


def prepare(cache: Path) -> None:
    """Reads the headers once for a cache, so that files need not: a file is read in 0.05 s instead of 0.3 s.

    To be called where the cache can be written. Without libclang, or if that fails, nothing happens.
    """
    if not available():
        return
    for side in SIDES:
        if not _header(cache, side).exists():
            Reading(functools.partial(_compile_header, cache, side)).result()


def warm() -> None:
    """Loads libclang, and reads what a file's headers are known by: once, for this process and its forks."""
    if identity():
        _digest()


def folder(cache: Path) -> Path:
    """Where the headers are kept that were read before."""
    return cache / "frontend"


def read(source: str, cache: Path) -> Reading | None:
    """Begins to read a file; None without libclang. `answer` makes what is to be known of the result."""
    if not available():
        return None
    return Reading(lambda: [asdict(each) for each in parse(source, cache)])


def answer(reading: Reading | None) -> list[Said] | None:
    """What clang has to say, or None if it could not read the file, which is not the file's fault."""
    found = reading.result(tries=2) if reading else None
    return (
        None
        if found is None
        else [
            Said(**each | {"notes": tuple(map(tuple, each["notes"])), "sides": tuple(each["sides"])}) for each in found
        ]
    )


def parse(source: str, cache: Path) -> list[Said]:
    """Reads a file in this process, on both sides."""
    source = source.removeprefix("\ufeff")
    text = for_clang(source)
    trees = [_parse(text, side, _header(cache, side)) for side in SIDES]
    if (functions := _no_kernels(trees)) and (other := for_clang(source, functions)) != text:
        text = other
        trees = [_parse(text, side, _header(cache, side)) for side in SIDES]
    tokens = lex(text)
    found = [Said(message, "broken", line) for message, line in (*unreplaced(tokens), *misplaced(tokens.code))]
    accepted = set[tuple[int, int]]().union(*(tree.accepted for tree in trees))
    for tree in trees:
        tree.accepted |= accepted  # what clang has an error for may be missing from its tree
        found += _all_said(tree, text)
    return list(dict.fromkeys(found))


def _no_kernels(trees: Sequence[Tree]) -> set[str]:
    """The functions that are launched, to clang, and are no kernels."""
    said = (
        each for tree in trees for diagnostic in tree.unit.diagnostics for each in (diagnostic, *diagnostic.children)
    )
    return {match[1] for each in said if (match := _NO_KERNEL.search(each.spelling))}


def _parse(source: str, side: str, header: Path) -> Tree:
    plain = ["-include", FIRST_HEADER]
    unit = _parsed_quickly(source, side, header) or _parsed(FILE, source, side, plain)
    if any(_NO_AUTO in diagnostic.spelling for diagnostic in unit.diagnostics):
        # nvcc, and g++, take it as a parameter's type, as C++20 does
        unit = _parsed(FILE, source, side, [*plain, "-std=c++20"])
    return Tree(unit, FILE, source, side)


def _parsed_quickly(source: str, side: str, header: Path) -> Any | None:
    """With the compiled header; None if it is not there, or of no use."""
    from clang.cindex import TranslationUnitLoadError

    if not header.exists():
        return None
    try:
        unit = _parsed(FILE, source, side, ["-include-pch", str(header)])
    except TranslationUnitLoadError:
        return None
    return unit if all(diagnostic.location.file for diagnostic in unit.diagnostics) else None


def _all_said(tree: Tree, source: str) -> list[Said]:
    diagnostics = (each for each in tree.unit.diagnostics if each.severity > 1 and not _is_taken_by_gpp(each))
    found = [_said(diagnostic, tree) for diagnostic in diagnostics]
    found = [said for said in found if said.level != "error" or (said.line, said.column) not in tree.accepted]
    values = functools.cache(lambda: _values(tree))  # which are asked for by what is wrong in such a branch alone
    found = [said for said in found if not is_right_to_nvcc(said, source, tree, values)]
    found = [_of_instance(said, tree.kernels) for said in found]
    found += [Said(text, "warning", place.line, place.column, OWN) for place, text in tree.suspicious]
    return found + [Said(text, "broken", place.line, place.column) for place, text in tree.broken]


def _is_taken_by_gpp(diagnostic: Any) -> bool:
    """Whether it is in g++'s own library, of a version that clang is too old for, and about no rule of CUDA's."""
    place = diagnostic.location.file
    said = [diagnostic.spelling, *(note.spelling for note in diagnostic.children)]
    return place is not None and "/c++/" in place.name and not any(_SIDE.search(each) for each in said)


def _of_instance(said: Said, kernels: set[str]) -> Said:
    """`template void k<float>(float*);` of a kernel; of a device function, nvcc takes it without `__device__`."""
    match = _INSTANCE.match(said.text)
    if not match or match[1] not in kernels:
        return said
    text = (
        f"`{match[1]}` is a kernel, and this instance of it is none: write `template __global__ void {match[1]}<...>`"
    )
    return replace(said, text=text, level="broken")


def _values(tree: Tree) -> set[tuple[Condition, bool]]:
    """What the conditions are in the templates' instances."""
    text, places = asked_for_values(tree.source, tree.branches)
    if not places:
        return set()
    unit = _parsed(FILE, text.decode(), tree.side, ["-include", FIRST_HEADER])
    said = [(each.location.offset, each.spelling) for each in unit.diagnostics if _TAKEN.search(each.spelling)]
    return {
        (condition, "true" in text)
        for offset, text in said
        for condition, (start, end) in places.items()
        if start <= offset < end
    }


@functools.cache
def identity() -> str:
    """What changes when clang, what it is told or what is made of its words does; "" without it."""
    if not available():
        return ""
    own = sorted(Path(__file__).parent.glob("*.py"))
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in own)).hexdigest()[:16]
    return " ".join([importlib.metadata.version("libclang"), digest, *_flags()])


def _parsed(name: str, source: str, side: str, arguments: Sequence[str]) -> Any:
    from clang import cindex

    flags = [*_flags(), _GUESSES, f"--cuda-{side}-only", *arguments]
    return cindex.Index.create(excludeDecls=True).parse(name, flags, [(name, source)])


def parsed_program(
    name: str,
    side: str,
    flags: Sequence[str],
    texts: Sequence[tuple[str, str]],
    cache: Path | None = None,
    own_flags: Sequence[str] = (),
) -> Any:
    """The syntax tree of a source on one side; `texts` are the program's files by name, as clang shall see them.

    In a `cache` the headers that every program has are kept as clang has read them with these flags, which takes a
    second a side: what follows takes a twentieth of it, and the tree has only what is not in these headers. What the
    program's own flags say, its -I and -D, comes after them then, as it does where g++ reads the program.
    """
    from clang import cindex

    # Else, from C++20 on, clang takes the two printf() of the headers that it kept, the host's and the GPU's, for one.
    flags = [*_flags(), *flags, f"--cuda-{side}-only", "-Xclang", "-fno-cxx-modules"]
    files = [(path, text.encode(errors="surrogateescape")) for path, text in texts]  # of any encoding
    if cache and (header := _program_header(cache, side, flags)):
        with contextlib.suppress(cindex.TranslationUnitLoadError):
            given = [*flags, *own_flags, "-include-pch", str(header)]
            unit = cindex.Index.create(excludeDecls=True).parse(name, given, files)
            if all(diagnostic.location.file for diagnostic in unit.diagnostics):
                return unit
    return cindex.Index.create().parse(name, [*flags, *own_flags, *_PROGRAM], files)


def _program_header(cache: Path, side: str, flags: Sequence[str]) -> Path | None:
    """What clang has made of every program's headers, now or before; None if it cannot be kept."""
    from clang import cindex

    places = (INCLUDE, *(Path(flag[2:]) for flag in flags if flag.startswith("-I")))
    read = [contents((place, "")) for place in places]
    digest = hashlib.sha256("\0".join([identity(), *flags, *read]).encode())
    header = folder(cache) / f"program-{side}-{digest.hexdigest()[:16]}.pch"
    with contextlib.suppress(OSError, cindex.TranslationUnitLoadError, cindex.TranslationUnitSaveError):
        header.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(header.with_name("lock")):  # the program's other sources wait for it
            if header.exists():
                os.utime(header)
            else:
                first = [("first.cu", "")]
                _keep(cindex.Index.create().parse("first.cu", [*flags, *_PROGRAM], first), header, "program-*.pch")
        return header
    return None


def _said(diagnostic: Any, tree: Tree) -> Said:
    """With the first line of the learner's that has to do with it."""
    children = [note for note in diagnostic.children if not note.spelling.startswith("in file included from")]
    places = [diagnostic.location, *(note.location for note in children)]
    own = next((place for place in places if place.file and place.file.name == FILE), None)
    notes = tuple((_line(note.location), note.spelling) for note in children)
    level = "error" if diagnostic.severity > 2 else "warning"
    line, column = (own.line, own.column) if own else (None, None)
    sides = tuple(sorted(tree.sides_at(own.offset))) if own and own is places[0] else ()
    text = diagnostic.spelling
    if own and _OF_DEVICE in str(notes) and is_launched(tree.source, own.offset):
        text = text.replace(_NO_MATCH, "kernel call to non-global function")
    if own and narrowing.is_meant(text, notes) and tree.all_must_fit(own.offset):
        level, text = "broken", narrowing.sentence(text)
    if told := meant(text, tree.source.decode(errors="replace"), line):
        level, text = "broken", told
    if diagnostic.category_name == "User-Defined Issue":
        text = f"#{level} {text}"
    if diagnostic.severity == _FATAL and own is None:
        raise ValueError(f"clang cannot read a header: {text}")  # which g++ can, as it is made for that
    return Said(text, level, line, column, option_of(diagnostic, tree.source), notes, sides)


def _line(place: Any) -> int | None:
    return place.line if place.file and place.file.name == FILE else None


def _compile_header(cache: Path, side: str) -> None:
    header = _header(cache, side)
    unit = _parsed("first.cu", f"#include <{FIRST_HEADER}>\n", side, [])
    header.parent.mkdir(parents=True, exist_ok=True)
    _keep(unit, header, "[dh]*.pch")


def _keep(unit: Any, header: Path, kind: str) -> None:
    """Whole or not at all; of its kind, a pattern of names, those six stay that were made or used last."""
    unfinished = header.with_name(f"{header.name}.{os.getpid()}")
    unit.save(str(unfinished))
    unfinished.replace(header)
    for old in sorted(header.parent.glob(kind), key=lambda file: file.stat().st_mtime)[:-6]:
        old.unlink(missing_ok=True)


def _header(cache: Path, side: str) -> Path:
    return folder(cache) / f"{side}-{_digest()}.pch"


@functools.cache
def _digest() -> str:
    digest = hashlib.sha256(identity().encode())
    for path in sorted(INCLUDE.rglob("*.h")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def _flags() -> list[str]:
    """With the folder of g++'s own headers, as the wheel of libclang has none of clang's."""
    asked = subprocess.run(["g++", "-print-file-name=include"], capture_output=True, text=True, check=True)
    return [*_FLAGS, "-idirafter", asked.stdout.strip()]


@functools.cache
def _library() -> Any | None:
    try:
        from clang import cindex

        name_all_kinds()
        return cindex.conf.lib
    except Exception:  # not installed, for another machine, or another version than its Python part
        return None
