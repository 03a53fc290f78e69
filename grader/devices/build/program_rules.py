"""CUDA's own rules in a whole program (`ladder run`), which g++ does not know: a call from the wrong side, above all.

Of a graded file all counts that clang says (opinion.py). A program has libraries' headers, which clang reads as the
emulator wrote them for g++, and not as NVIDIA did. So only that counts of which clang is surer than g++, and only where
the use stands in the program's own files, and what is used there or in the C++ library, which nvcc reads as it is.
Whatever clang cannot read is left to g++.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grader.devices.build import (
    byte_counts,
    copied_types,
    frontend,
    host_order,
    kernel_rules,
    launch_arguments,
    program_slips,
    rules,
)
from grader.devices.build.around import Around
from grader.devices.build.ast_rules import Tree
from grader.devices.build.cursors import kind_of
from grader.devices.build.host_slips import of_call, of_quotient
from grader.devices.build.misplaced import meant
from grader.devices.build.not_emulated import of_whole_program
from grader.devices.build.opinion import CLANG_FAILED, CLANG_IS_MISSING
from grader.devices.build.reading import Reading
from grader.devices.build.said import Said
from grader.devices.build.sentences import sentence
from grader.devices.build.spelling import for_clang
from grader.devices.build.suspicions import option_of

_OF_CUDA = Path(__file__).parents[1] / "emulator" / "include"
_WARNING = 2  # as libclang numbers them
_USES = re.compile(
    r"reference to __host__ (function|variable) '.*' in __(global|device)__ function"
    r"|reference to __device__ function '.*' in __host__ function"
    r"|no matching (?:function|member function|constructor) for|no viable overloaded operator"
)
_SURE = re.compile(
    r"call to global function .* not configured"
    r"|kernel call to non-global function"
    r"|kernel function type .* must have void return type"
    r"|cannot use variable-length arrays in"
)
_OF_A_KERNEL = re.compile(r"call to __global__ function from __(global|device)__ function")
_CALLED = re.compile(r"\w+\s*\(")  # and not launched, which a kernel may do, too
# Conversions that g++ makes with -fpermissive: from a number to a pointer or an enumeration, and where const is lost.
_CONVERSION = re.compile(
    r"cannot initialize (?:an? )?[\w ]+ of type '|assigning to '.*' from (?:incompatible type|'const .*' discards)"
)
_WRONG_TYPE = re.compile(r"candidate .*(?:no known conversion from '.*' to '.*'.* for|would lose const)")
_NAMED = re.compile(r"'(\w+)'")
_OTHER_SIDE = re.compile(
    r"declared here|(call to|target attributes).* __host__ function from __(global|device)__ function"
    r"|call to __(device|global)__ function from __host__ function"
)


Readings = Mapping[Path, Reading | None]  # of a program's sources


@dataclass(frozen=True)
class Broken:
    """A rule that is not kept: one sentence, and where; if not `sure`, only where g++ refuses that line, too.

    What `warns` is only suspicious.
    """

    message: str
    file: str
    line: int
    sure: bool = True
    warns: bool = False


class _Few(Tree):
    """Of a graded file's rules four: a kernel needs the memory of a host's constant, assigns to a `__constant__`, has
    too many bytes of parameters, or an extern __shared__ array of another type than one of the same name.
    """

    def __init__(self, unit: Any, file: str, own: Mapping[str, str]):
        self._own = own
        self.slips: list[tuple[Any, str]] = []
        super().__init__(unit, file, own[file], "device")

    def _say(self, cursor: Any, message: str) -> None:
        pass

    def _function(self, cursor: Any, sides: frozenset[str], children: list[Any], unmade: bool) -> Around:
        if "kernel" in sides:
            self.broken += [(cursor.location, message) for message in kernel_rules.of_parameters(cursor)]
            self.slips += program_slips.of_kernel(cursor, self._own[self.file])
        return super()._function(cursor, sides, children, unmade)

    def _read(self, cursor: Any, used: Any, around: Around) -> None:
        if self._is_own(used):
            super()._read(cursor, used, around)

    def _visit(self, cursor: Any, around: Around) -> None:
        if kind_of(cursor) == "BINARY_OPERATOR" and (said := of_quotient(cursor)):
            self.slips.append((cursor.location, said))
        super()._visit(cursor, around)

    def _call(self, cursor: Any, used: Any, around: Around) -> None:
        call, source = around.call(), self._own[self.file]
        said = of_call(used.spelling, call) or byte_counts.of_call(used.spelling, call, source)
        said = said or launch_arguments.of_call(used.spelling, call) or copied_types.of_call(used.spelling, call)
        if said or (said := program_slips.of_header(used.spelling, self._own.values())):
            self.slips.append((cursor.location, said))
        super()._call(cursor, used, around)

    def _write(self, cursor: Any, used: Any, around: Around) -> None:
        if self._is_own(used):
            super()._write(cursor, used, around)

    def _is_own(self, used: Any) -> bool:
        return bool(used.location.file) and used.location.file.name in self._own


def begin(
    source: Path, texts: Mapping[Path, str], flags: Sequence[str], own_flags: Sequence[str], cache: Path
) -> Reading | None:
    """Starts to read a source with the program's own files (`texts`); None without libclang. Ask `broken` for more.

    `cache` is for what clang makes of the headers. `own_flags` are the program's, -I and -D.
    """
    if not frontend.available():
        return None
    return Reading(lambda: [asdict(each) for each in _read(source, texts, flags, own_flags, cache)])


def broken(readings: Readings) -> list[Broken]:
    """What clang would refuse the program for, or warns of, by source and line, or that it could not tell.

    Of a line what it says first comes first: the rest may follow from it.
    """
    return list(dict.fromkeys(each for source, reading in readings.items() for each in _broken(source, reading)))


def _broken(source: Path, reading: Reading | None) -> list[Broken]:
    found = reading.result(tries=2) if reading else None
    if found is None:
        return [Broken(CLANG_FAILED if reading else CLANG_IS_MISSING, str(source), 1, sure=False, warns=True)]
    told = [Broken(**each) for each in found]
    if any(each.message.startswith("a __global__ function returns void") for each in told):
        told = [each for each in told if "is launched, but is no kernel" not in each.message]  # it follows from that
    return sorted(told, key=lambda each: (each.file, each.line))


def _read(
    source: Path, texts: Mapping[Path, str], flags: Sequence[str], own_flags: Sequence[str], cache: Path
) -> list[Broken]:
    own = {str(file): for_clang(text) for file, text in texts.items()}
    found: list[Broken] = []
    slips: list[Broken] = []
    warned: list[Broken] = []
    for file, text in texts.items():
        found_here = host_order.slips(text, list(texts.values()))
        slips += [Broken(said, str(file), line, sure=False, warns=True) for line, said in found_here]
    for side in frontend.SIDES:
        unit = frontend.parsed_program(str(source), side, flags, list(own.items()), cache, own_flags)
        found += [told for each in unit.diagnostics if (told := _told(each, own))]
        warned += _warned(unit, own)
        if side == "device":
            for tree in (_Few(unit, file, own) for file in own):
                found += [Broken(message, tree.file, place.line) for place, message in tree.broken]
                slips += [Broken(said, tree.file, place.line, sure=False, warns=True) for place, said in tree.slips]
    better = {(each.file, each.line) for each in slips}
    return [*found, *slips, *(each for each in warned if (each.file, each.line) not in better)]


def _is_of_library(place: Any) -> bool:
    """Whether that file is one of the C++ library's, or the C library's `stdlib.h`: nvcc reads the same.

    Or whether it is one of CUDA's headers that graded files have: there, each function has its side.
    """
    name = place.file.name
    return "/c++/" in name or name == "/usr/include/stdlib.h" or Path(name).is_relative_to(_OF_CUDA)


def _may_be_of_device(place: Any, said: str, own: Mapping[str, str]) -> bool:
    """Whether what is declared there is dynamic shared memory, or has `__device__` where it is declared once more."""
    if place.file.name not in own:
        return False
    text = own[place.file.name].encode(errors="surrogateescape")
    before, after = text[: place.offset].decode(errors="replace"), text[place.offset :].decode(errors="replace")
    head = re.split("[;{}]", before)[-1]
    if "__shared__" in head and "extern" in head:
        return True
    name, end = _NAMED.search(said), re.search("[;{]", after)
    is_prototype = end is not None and end[0] == ";"
    again = name and re.compile(rf"__device__[^;{{}}()]*\b{name[1]}\s*\(")
    return bool(again and is_prototype and any(map(again.search, own.values())))


def _told(diagnostic: Any, own: Mapping[str, str]) -> Broken | None:
    place = diagnostic.location
    if diagnostic.severity < 3 or not place.file or place.file.name not in own:
        return None
    notes = [note for note in diagnostic.children if note.location.file]
    here, text = place.file.name, diagnostic.spelling
    shown = tuple((note.location.line if note.location.file.name == here else None, note.spelling) for note in notes)
    calls_a_kernel = _calls_a_kernel(place, notes, own)
    sides = ("kernel",) if calls_a_kernel else ()
    said = Said(text, "error", place.line, place.column, notes=shown, sides=sides)
    told = meant(text, own[here], place.line) or of_whole_program(sentence(said))
    sure = _is_sure(text, notes, own) or calls_a_kernel
    return Broken(told, here, place.line, sure) if sure or told != text else None


def _calls_a_kernel(place: Any, notes: Sequence[Any], own: Mapping[str, str]) -> bool:
    """Whether a kernel calls one of the program's as a function: it may launch one, which clang does not know."""
    candidates = [note for note in notes if "candidate" in note.spelling]
    if not candidates or not all(_OF_A_KERNEL.search(note.spelling) for note in candidates):
        return False
    behind = own[place.file.name].encode(errors="surrogateescape")[place.offset :].decode(errors="replace")
    return all(note.location.file.name in own for note in candidates) and bool(_CALLED.match(behind))


def _warned(unit: Any, own: Mapping[str, str]) -> Iterator[Broken]:
    """What is suspicious in the program's own files, as in a graded one."""
    said: dict[str, list[Said]] = {name: [] for name in own}
    for each in unit.diagnostics:
        place = each.location
        if each.severity == _WARNING and place.file and place.file.name in own:
            option = option_of(each, own[place.file.name].encode(errors="surrogateescape"))
            said[place.file.name].append(Said(each.spelling, "warning", place.line, place.column, option))
    for name, all_said in said.items():
        for warning in rules.warnings(all_said):
            yield Broken(warning.text, name, warning.line or 0, sure=False, warns=True)


def _is_sure(text: str, notes: Sequence[Any], own: Mapping[str, str]) -> bool:
    ours = [note for note in notes if "candidate" not in note.spelling or not _OTHER_SIDE.search(note.spelling)]
    if _CONVERSION.match(text) or (ours and all(_WRONG_TYPE.match(note.spelling) for note in ours)):
        return all(note.location.file.name in own or _is_of_library(note.location) for note in ours)
    if not _SURE.search(text):
        wrong_side = [note for note in notes if _OTHER_SIDE.search(note.spelling)]
        others = [note for note in wrong_side if note.location.file.name in own or _is_of_library(note.location)]
        candidates = [note for note in notes if "candidate" in note.spelling]
        of_library = all(_is_of_library(note.location) for note in candidates)  # others are for other arguments
        if not _USES.search(text) or not others or not (of_library or all(note in others for note in candidates)):
            return False
        if any(_may_be_of_device(note.location, text, own) for note in others):
            return False
    return True
