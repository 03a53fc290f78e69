"""What a library tells of itself: sections, symbols, relocations (System V ABI, chapters 4 and 5, of 64 bits).

Read here, as each build asks for all of it, and binutils take longer to start than to read.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from grader.devices.build.own_namespace import as_written

_HEADER, _SECTION, _SYMBOL, _RELOCATION = "<16sHHIQQQIHHHHHH", "<IIQQQQIIQQ", "<IBBHQQ", "<QQq"
_NEEDED, _NEEDED_VERSION = "<HHIII", "<IHHII"
_SYMBOLS, _RELOCATIONS, _DYNAMIC_SYMBOLS, _VERSIONS_NEEDED, _VERSIONS = 2, 4, 11, 0x6FFFFFFE, 0x6FFFFFFF  # sh_type
_OF_A_SECTION, _OF_A_FILE = 3, 4  # STT_SECTION, STT_FILE
_X86, _ARM = 62, 183  # e_machine
# R_X86_64_GLOB_DAT and _64, R_AARCH64_GLOB_DAT and _ABS64; R_X86_64_JUMP_SLOT and _RELATIVE, R_AARCH64_...
_ADDRESS = {_X86: (6, 1), _ARM: (1025, 257)}
_NO_ADDRESS_OF_A_NAME = {_X86: (7, 8), _ARM: (1026, 1027)}


class Section(NamedTuple):
    """A part of the file. `kind` is its sh_type."""

    name: str
    kind: int
    address: int
    offset: int
    bytes: int
    link: int
    info: int


class Entry(NamedTuple):
    """A symbol, by the linker's name. From outside the library are those with no section."""

    name: str
    value: int
    bytes: int
    section: str
    version: str = ""

    @property
    def versioned(self) -> str:
        """`name@version`, or the name."""
        return f"{self.name}@{self.version}" if self.version else self.name


class Elf:
    """A library. Raises OSError, or struct.error if it is none."""

    def __init__(self, library: Path):
        self.data = library.read_bytes()
        header = struct.unpack_from(_HEADER, self.data)
        self.machine, start, size, count, names = header[2], header[6], header[11], header[12], header[13]
        rows = [struct.unpack_from(_SECTION, self.data, start + size * number) for number in range(count)]
        self.sections = [Section(self._text(rows[names][4] + row[0]), row[1], *row[3:8]) for row in rows]

    @property
    def memory(self) -> int:
        """The bytes that it takes where it is loaded."""
        return max((section.address + section.bytes for section in self.sections if section.address), default=0)

    @cached_property
    def symbols(self) -> list[Entry]:
        """All, but for those that stand for sections, for files, and for kinds of code (aarch64's `$x`)."""
        found = self._table(_SYMBOLS)
        return [entry for kind, entry in found if kind not in (_OF_A_SECTION, _OF_A_FILE) and entry.name[:1] != "$"]

    @cached_property
    def named(self) -> list[tuple[Entry, str]]:
        """The same, with their names in words. Raises OSError or CalledProcessError."""
        return list(zip(self.symbols, in_words([entry.name for entry in self.symbols]), strict=True))

    @cached_property
    def dynamic(self) -> list[Entry]:
        """What the loader sees."""
        return [entry for _, entry in self._table(_DYNAMIC_SYMBOLS)]

    def undefined(self) -> list[Entry]:
        """What others must define."""
        return [entry for entry in self.dynamic if entry.name and not entry.section]

    def addressed(self) -> Iterator[tuple[Entry, bool]]:
        """Whose address the loader puts somewhere else than into the table of calls, and whether into a variable."""
        code, variable = _ADDRESS.get(self.machine, (None, None))
        for kind, entry in self._relocations():
            if kind in (code, variable):
                yield entry, kind == variable

    def pointed_to(self) -> Iterator[str]:
        """The names whose address it holds, in whatever way."""
        for kind, entry in self._relocations():
            if kind not in _NO_ADDRESS_OF_A_NAME.get(self.machine, ()) and entry.name:
                yield entry.name

    def _relocations(self) -> Iterator[tuple[int, Entry]]:
        for section in self.sections:
            if section.kind == _RELOCATIONS:
                for _, info, _ in struct.iter_unpack(_RELOCATION, self._content(section)):
                    yield info & 0xFFFFFFFF, self.dynamic[info >> 32]

    def _table(self, kind: int) -> Iterator[tuple[int, Entry]]:
        for section in self.sections:
            if section.kind == kind:
                names, versions = self.sections[section.link].offset, self._versions() if kind != _SYMBOLS else {}
                rows = struct.iter_unpack(_SYMBOL, self._content(section))
                for number, (name, info, _, where, value, size) in enumerate(rows):
                    inside = self.sections[where].name if 0 < where < len(self.sections) else "*" if where else ""
                    yield info & 15, Entry(self._text(names + name), value, size, inside, versions.get(number, ""))

    def _versions(self) -> dict[int, str]:
        """Of dynamic symbols, by their numbers."""
        named: dict[int, str] = {}
        for section in self.sections:
            if section.kind == _VERSIONS_NEEDED:
                names, at = self.sections[section.link].offset, section.offset
                for _ in range(section.info):
                    _, count, _, first, step = struct.unpack_from(_NEEDED, self.data, at)
                    each = at + first
                    for _ in range(count):
                        _, _, number, name, following = struct.unpack_from(_NEEDED_VERSION, self.data, each)
                        named[number] = self._text(names + name)
                        each += following
                    at += step
        numbers = [each for section in self.sections if section.kind == _VERSIONS for each in self._halves(section)]
        return {symbol: named[number] for symbol, number in enumerate(numbers) if number in named}

    def _halves(self, section: Section) -> Iterator[int]:
        return (number for (number,) in struct.iter_unpack("<H", self._content(section)))

    def _content(self, section: Section) -> bytes:
        return self.data[section.offset : section.offset + section.bytes]

    def _text(self, start: int) -> str:
        return self.data[start : self.data.index(b"\0", start)].decode(errors="replace")


def in_words(names: Sequence[str]) -> list[str]:
    """Symbols' names as C++ writes them: `_Z1kPf` is `k(float*)`. Raises OSError or CalledProcessError."""
    done = subprocess.run(["c++filt"], input="\n".join(names), check=True, capture_output=True, text=True)
    return as_written(done.stdout).split("\n") if names else []
