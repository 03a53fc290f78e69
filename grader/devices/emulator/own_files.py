"""A program's own files: its sources, and the headers that they include from beside them and from -I folders.

Each is rewritten (translate.py) into a copy of its folders, where the compiler finds one from the other as ever. Each
has line numbers of its own, which say which file they are of: line 12 of the third file is 3,000,012.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.devices.build.lexer import lex
from grader.devices.build.other_files import no_cpp
from grader.devices.build.syntax import code_stream
from grader.devices.emulator.first_lines import first_lines
from grader.devices.emulator.known import Known
from grader.devices.emulator.own_values import with_values
from grader.devices.emulator.translate import TranslationError, rewritten

SPAN = 1_000_000  # lines of a file, at most
CUDA, CXX, C = (".cu",), (".cpp", ".cc", ".cxx", ".c++"), (".c",)
_SYSTEM = ("/usr/include", "/usr/local/include", "/usr/lib")
_WHOLE_PATH = re.compile(r"""^(\s*#\s*include\s*["<])(/[^">\n]*)([">])""", re.MULTILINE)
_MARKER = re.compile(r'^# (\d+) "((?:[^"\\\n]|\\.)*)"', re.MULTILINE)
_LINES = re.compile(r"\b(lines?) (\d{7,10})(?:( and | to )(\d{7,10}))?")


class Unreadable(Exception):
    """A file that cannot be read or rewritten: one sentence, with the file and its line if it is about one."""

    def __init__(self, message: str, file: str = "", line: int | None = None):
        super().__init__(message)
        self.message, self.file, self.line = message, file, line


@dataclass
class OwnFiles:
    """The files of a program by their real paths, in the order in which they were met."""

    sources: list[Path]
    folders: list[Path]  # -I
    provided: Path  # the emulator's own headers, which come before those of -I folders
    texts: dict[Path, str] = field(default_factory=dict)

    @staticmethod
    def of(sources: Sequence[Path], folders: Sequence[Path], provided: Path) -> OwnFiles:
        """Reads the sources, and all headers of their own. Raises Unreadable."""
        found = OwnFiles([Path(os.path.abspath(each)) for each in sources], list(folders), provided)
        waiting = list(found.sources)
        while waiting:
            file = waiting.pop(0)
            if file not in found.texts:
                text = found.texts[file] = _read(file)
                if file in found.sources and (said := no_cpp(text)):  # what is included may begin with numbers
                    raise Unreadable(f"{shown(file)}: {said}")
                waiting += found._included(file)
        return found

    @property
    def names(self) -> list[str]:
        """What they are called in messages: below the working folder, without it."""
        return [shown(file) for file in self.texts]

    @property
    def text(self) -> str:
        """All of them, one after the other."""
        return "\n".join(self.texts.values())

    def write(self, root: Path, values: Mapping[str, str], definitions: Sequence[str] = ()) -> list[Path]:
        """Writes the rewritten files below this folder, and returns the places of the sources. Raises Unreadable.

        `values` are what the program's own constants and variables of these names begin with. `definitions` (`NAME` or
        `NAME=VALUE`) stand behind CUDA's headers, some of which have an N of their own.
        """
        named = (each.partition("=") for each in definitions)
        defined = "".join(f"#define {name} {value if equals else 1}\n" for name, equals, value in named)
        given: set[str] = set()
        lexed = lex(self.text)
        known = Known.of(lexed, code_stream(lexed))
        for file, text in self.texts.items():
            name = shown(file)
            wanted, has = with_values(text, values) if values else (text, set())
            given |= has
            try:
                changed = rewritten(wanted, name, known=known)
            except TranslationError as error:
                raise Unreadable(error.message, name, error.line) from None
            head = first_lines(self.text, of_program=True) if file.suffix in CUDA else ""
            head = head + defined if file in self.sources else ""
            place = below(root, file)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(head + self._from_below(root, changed), errors="surrogateescape")
        for missing in values.keys() - given:
            shape = f"`#define {missing} ...` or `{missing} = ...` in a declaration"
            raise Unreadable(f"--set {missing}: no file has {shape}")
        return [below(root, file) for file in self.sources]

    def _from_below(self, root: Path, text: str) -> str:
        """A text whose includes of own files by their whole paths lead to the rewritten ones."""

        def led(found: re.Match[str]) -> str:
            file = Path(os.path.abspath(found[2]))
            return f"{found[1]}{below(root, file)}{found[3]}" if file in self.texts else found[0]

        return _WHOLE_PATH.sub(led, text)

    def number(self, preprocessed: str) -> str:
        """A preprocessed text whose lines have numbers that say which file they are of."""
        numbers = {_quoted(name): number * SPAN for number, name in enumerate(self.names, start=1)}

        def renumber(marker: re.Match[str]) -> str:
            first = numbers.get(marker[2])
            return marker[0] if first is None else f'# {first + int(marker[1])} "{marker[2]}"'

        return _MARKER.sub(renumber, preprocessed)

    def _included(self, file: Path) -> Iterator[Path]:
        text = self.texts[file]
        for directive in lex(text).directives:
            if directive.name not in ("include", "include_next") or len(directive.tokens) < 3:
                continue
            written = text[directive.tokens[1].end : directive.tokens[-1].end].strip()
            beside = [file.parent] if written.startswith('"') else []
            name = written.strip('<>"').strip()
            for folder in [*beside, self.provided, *self.folders]:
                place = Path(os.path.abspath(folder / name))
                if place.is_file():
                    if folder != self.provided and not str(place).startswith(_SYSTEM):
                        yield place
                    break


@dataclass(frozen=True)
class Places:
    """Turns the numbers of lines back into files and their lines. `names` are the files' in their order."""

    names: Sequence[str]

    def of(self, number: int | None) -> tuple[str | None, int | None]:
        """The file and the line with this number; without a file what has no such number."""
        if not number or not 0 < number // SPAN <= len(self.names):
            return None, number
        return self.names[number // SPAN - 1], number % SPAN

    def in_words(self, sentence: str, here: str | None = None) -> str:
        """A sentence whose numbers are those of the files' lines; what is not `here` is named."""

        def told(found: re.Match[str]) -> str:
            (file, first), (other, second) = self.of(int(found[2])), self.of(int(found[4] or found[2]))
            if file is None or other is None:
                return found[0]
            if not found[4]:
                return f"{found[1]} {first}{_elsewhere(file, here)}"
            if file == other:
                return f"{found[1]} {first}{found[3]}{second}{_elsewhere(file, here)}"
            return f"{found[1]} {first}{_elsewhere(file, here)}{found[3]}{second}{_elsewhere(other, here)}"

        return _LINES.sub(told, sentence)


def _elsewhere(file: str, here: str | None) -> str:
    return "" if file == here else f" of {file}"


def below(root: Path, file: Path) -> Path:
    """The place of a file, or of a folder, in a copy of all folders that begins at `root`."""
    return root / str(Path(os.path.abspath(file))).lstrip("/")


def shown(file: Path) -> str:
    """A path as messages show it."""
    here = os.getcwd()
    return os.path.relpath(file, here) if file.is_relative_to(here) else str(file)


def _read(file: Path) -> str:
    try:
        text = file.read_bytes().decode(errors="surrogateescape").replace("\r\n", "\n").removeprefix("\ufeff")
    except OSError as error:
        raise Unreadable(f"{shown(file)} cannot be read: {error.strerror}") from None
    if "\0" in text:
        raise Unreadable(f"{shown(file)} is not text")
    return text


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')
