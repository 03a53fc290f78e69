"""Builds a whole CUDA program for the emulator: one library whose main() a process of its own then calls.

A lesson's file is built by compile.py, under the rules of a grade. None of them holds here: what is compiled is the
user's own program, which may do what any program may.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from grader.devices.build import diagnostics, frontend, program_rules
from grader.devices.build.companions import Companions
from grader.devices.build.elf import Elf
from grader.devices.build.lexer import lex
from grader.devices.build.macro_slips import of_macro
from grader.devices.build.not_emulated import of_program
from grader.devices.build.other_files import has_it
from grader.devices.build.own_faults import complaint, own_fault
from grader.devices.build.reading import Reading
from grader.devices.build.recipe import program_identity
from grader.devices.build.signs import strange
from grader.devices.emulator import session
from grader.devices.emulator.alignments import of_interest
from grader.devices.emulator.checked import CHECKS_CASTS, CHECKS_INDEXES, CHECKS_SHIFTS, dumps, indexed_arrays
from grader.devices.emulator.compile import rules_content
from grader.devices.emulator.heads import with_sizes
from grader.devices.emulator.library import folder_for_programs, library_folder
from grader.devices.emulator.margins import HIDDEN
from grader.devices.emulator.own_files import CUDA, CXX, SPAN, C, OwnFiles, Places, Unreadable, below, shown
from grader.devices.emulator.restricted import restricted_lines
from grader.devices.emulator.seen import PREPROCESSED
from grader.devices.emulator.sides import marks
from grader.devices.emulator.subscripts import with_used_indexes_of_program
from grader.devices.emulator.symbols import CodeMap, Symbol, tables, too_much_constant
from grader.devices.evidence import Build, Diagnostic

LIBRARY, ARRAYS, WARNED = "program.so", "arrays.json", "warned.json"
ANY_FILE = ""  # the lines of all files with numbers of their own
KEPT = 30  # builds in the cache
OLDEST_STANDARD = 17  # of C++, that the emulator's headers can do with
# Ways out of a program that no atexit() hears of: the linker leads them to the runtime.
_WAYS_OUT = [f"-Wl,--wrap={name}" for name in ("_exit", "_Exit", "quick_exit")]
# What host code has from these, as from malloc, is known to the runtime: a copy may reach past its end.
_HOST_MEMORY = ["-Wl,--wrap=calloc", "-Wl,--wrap=realloc"]
# A program's names are its own, whatever the process that runs it has under the same ones.
# OpenMP's functions are there, and its pragmas are left out: one thread does it all, as OpenMP allows.
_LINK = ["-Wl,-Bsymbolic", "-Wl,-z,defs", "-pthread", "-Wl,--as-needed", "-lgomp"]
_OF_GRAPHS = re.compile(r"cudaGraph|Capture|cuda\w+NodeParams|cudaMemsetParams")  # names of ladder_more/graphs.h
# Numbers without a sign, or short ones, that floats may become: then each conversion is looked at.
_OF_PIXELS = re.compile(
    r"\bunsigned (?:char|short)\b|\buint(?:8|16)_t\b|\buchar\d?\b|[(<] ?(?:unsigned|uint32_t)(?: int)? ?[)>]"
)
_OF_FLOATS = re.compile(r"\b(?:float|double)\b")
_NO_MAIN = "there is no main() to run: add a file that has one, or grade a lesson's kernel with `ladder check NN FILE`"
_CUDA_IN_C = (
    "{0}: a .c file is C, and the emulator's CUDA headers are C++: call it {1}.cpp, or {1}.cu if it has kernels"
)
_SAID = re.compile(r"(?P<file>.+?):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<text>.*)")
_LED_THERE = re.compile(r".+?:(?P<line>\d+):(?:\d+:)? +required from here")


@dataclass(frozen=True)
class Wanted:
    """A program as it was asked for: its files, -I folders, -D definitions (`NAME` or `NAME=VALUE`) and standard.

    `values` are other ones for its own constants, by their names; `arrays`: in which files each index is held against
    its own array: in all, in none, or (None) in those where a thread has an array of its own.
    """

    sources: Sequence[Path]
    folders: Sequence[Path] = ()
    definitions: Sequence[str] = ()
    standard: str = "c++17"
    values: Mapping[str, str] = field(default_factory=dict)
    arrays: bool | None = None


@dataclass(frozen=True)
class Program:
    """A program that is built."""

    library: Path
    runtime: Path
    code: CodeMap
    places: Places
    texts: Sequence[str]  # of its own files
    arrays: Mapping[str, str] = field(default_factory=dict)  # what is indexed at `file:line:column`, where that is held
    plain: Sequence[tuple[str, int | None, str]] = ()  # sources in which fewer indexes are held: file, line and why
    warned: Sequence[tuple[str, int, str]] = ()  # what is suspicious in the text: file, line and a sentence

    @property
    def text(self) -> str:
        """All of them."""
        return "\n".join(self.texts)

    def line(self, number: int) -> str | None:
        """The text of the line with this number."""
        lines = self.texts[number // SPAN - 1].split("\n") if 0 < number // SPAN <= len(self.texts) else []
        return lines[number % SPAN - 1] if 0 < number % SPAN <= len(lines) else None


class NotBuilt(Exception):
    """Why there is no program: a Build with its messages, each of which names its file."""

    def __init__(self, build: Build):
        super().__init__(build.message)
        self.build = build


def build_program(wanted: Wanted, cache: Path) -> Program:
    """Builds the program, or takes it from the cache. Raises NotBuilt, OSError or CalledProcessError."""
    runtime = session.runtime_library(cache)
    try:
        own = OwnFiles.of(wanted.sources, wanted.folders, session.include_folder())
        with tempfile.TemporaryDirectory(dir=_kept(cache), prefix="build-") as folder, Companions() as compilers:
            library = _Building(wanted, own, runtime, Path(folder), compilers).library(_kept(cache))
    except Unreadable as error:
        told = _told(error.file, error.line, error.message)
        where = Diagnostic(told, error.line, None, _line(error.file, error.line))
        raise NotBuilt(Build("build_error", told, [where])) from None
    code, arrays, plain = CodeMap.load(library, ANY_FILE), {}, []
    if len(wanted.sources) == 1 and (said := too_much_constant(code.symbols)):  # each file has its own room
        raise NotBuilt(Build("build_error", said, [Diagnostic(said)]))
    if (held := library.parent / ARRAYS).exists():
        symbols, arrays, plain = json.loads(held.read_text())
        code.symbols += [Symbol(**each) for each in symbols]
    warned = [(*each,) for each in json.loads((library.parent / WARNED).read_text())]
    texts = list(own.texts.values())
    return Program(library, runtime, code, Places(own.names), texts, arrays, [(*each,) for each in plain], warned)


def _kept(cache: Path) -> Path:
    folder = cache / "programs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class _Building:
    """One build in a folder of its own."""

    def __init__(self, wanted: Wanted, own: OwnFiles, runtime: Path, folder: Path, compilers: Companions):
        self.wanted, self.own, self.runtime, self.folder = wanted, own, runtime, folder
        self.places, self.compilers = Places(own.names), compilers
        # Texts of sources, where indexes are held against their arrays.
        self.with_checks: dict[int, tuple[str, str]] = {}
        self.plain: list[tuple[str, int | None, str]] = []  # as Program says
        root = folder / "files"
        found = [f"-I{below(root, each)}" for each in wanted.folders] + [f"-I{each}" for each in wanted.folders]
        self.sources = own.write(root, wanted.values, wanted.definitions)
        found.append(f"-I{library_folder()}")  # behind the program's own headers of the same names
        first = f"-I{folder_for_programs(runtime)}"
        own_flags = [*found, "-fPIC"]
        own_flags += ["-DLADDER_GRAPHS"] if _OF_GRAPHS.search(own.text) else []
        self.flags = [first, *session.compile_flags(runtime), *own_flags]
        self.flags += [CHECKS_SHIFTS]
        self.flags += [CHECKS_CASTS] if _OF_PIXELS.search(own.text) and _OF_FLOATS.search(own.text) else []
        self.flags += ["-fdiagnostics-color=never", f"-fmax-errors={diagnostics.MOST}", "-fpermissive"]
        self.link_flags = [*session.link_flags(runtime), *_WAYS_OUT, *_HOST_MEMORY, *_LINK]

    def library(self, kept: Path) -> Path:
        """The library in the cache."""
        texts = self.compilers.all(self._preprocessed, self.sources)
        for number, (source, text) in enumerate(zip(self.sources, texts, strict=True)):
            if self.wanted.arrays is not False and source.suffix in CUDA:
                held = with_used_indexes_of_program(text, of_blocks=bool(self.wanted.arrays))
                self.with_checks |= {number: held} if held else {}
        place = kept / self._key([*texts, *(each for both in self.with_checks.values() for each in both)]) / LIBRARY
        if place.exists():
            os.utime(place.parent)
            return place
        readings = {each: self._read(each, kept.parent) for each in self.own.sources if each.suffix in CUDA}
        try:
            objects = self.compilers.all(self._compiled, self.sources, texts)
        except NotBuilt as error:
            raise NotBuilt(_reworded(error.build, readings)) from None
        warned = self._keeps_rules(readings)
        self._run(["g++", "-shared", "-Wl,--require-defined=main", "-o", LIBRARY, *objects, *self.link_flags])
        place.parent.mkdir(exist_ok=True)
        (place.parent / WARNED).write_text(json.dumps(warned))
        if self.with_checks:
            (place.parent / ARRAYS).write_text(self._arrays())
        (self.folder / LIBRARY).replace(place)
        restricted = json.dumps(
            [n * SPAN + line for n, text in enumerate(self.own.texts.values(), 1) for line in restricted_lines(text)]
        )
        accesses, classes = self._told("optimized", of_interest), self._told("classes")
        for kind, text in (("accesses", accesses), ("classes", classes), ("restricted", restricted)):
            place.with_suffix(f".{kind}").write_text(text, errors="surrogateescape")
        _prune(kept)
        return place

    def _read(self, source: Path, cache: Path) -> Reading | None:
        """Has clang read a source as it stands, beside g++."""
        own = [*(f"-I{each}" for each in self.wanted.folders), *(f"-D{each}" for each in self.wanted.definitions)]
        flags = [f"-I{library_folder()}", self._language(source)[2]]
        return program_rules.begin(source, self.own.texts, flags, own, cache)

    def _keeps_rules(self, readings: program_rules.Readings) -> list[tuple[str, int, str]]:
        """Raises NotBuilt with what nvcc would refuse. Returns what Program has as `warned`."""
        found, warned = [], []
        for each in program_rules.broken(readings):
            file = shown(Path(each.file))
            if each.warns:
                warned.append((file, each.line, each.message))
            elif each.sure:
                found.append(_on_line(file, each.line, each.message))
        if found:
            raise NotBuilt(Build("build_error", found[0].message, found[: diagnostics.MOST]))
        return warned

    def _key(self, texts: Sequence[str]) -> str:
        """A hash of all that the library depends on: not of the folder in which it is built."""
        parts = [*texts, *self.flags, *self.link_flags, self.wanted.standard, *program_identity("g++")]
        parts += [frontend.identity(), rules_content(session.include_folder())]
        text = "\0".join(parts).replace(str(self.folder), "")
        return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:32]

    def _preprocessed(self, source: Path) -> str:
        try:
            said = self._run(["g++", *self._language(source), *self.flags, "-E", "-fpch-preprocess", str(source)])
        except NotBuilt as error:
            if source.suffix not in C or str(session.include_folder()) not in error.build.message:
                raise
            told = _CUDA_IN_C.format(file := shown(self.own.sources[self.sources.index(source)]), Path(file).stem)
            raise NotBuilt(Build("build_error", told, [Diagnostic(told)])) from None
        return with_sizes(self.own.number(said)) + (marks(self.own.text) if source.suffix in CUDA else "")

    def _compiled(self, source: Path, text: str) -> str:
        number = self.sources.index(source)
        refused: list[Diagnostic] = []  # is about what is not the user's text
        held = self.with_checks.get(number, ())
        for each in held if self.wanted.arrays else held[:1]:  # a mistake of the user's is in all of them
            try:
                built = self._object(source, number, each)
                break
            except NotBuilt as error:
                refused += error.build.diagnostics
        else:
            built = self._object(source, number, text)
        if refused and self.wanted.arrays:
            file, said = shown(self.own.sources[number]), refused[0]
            why = said.message.removeprefix(f"{file}:{said.line}: ").replace(HIDDEN, "")
            self.plain.append((file, said.line, why))
        return built

    def _object(self, source: Path, number: int, text: str) -> str:
        file = self.folder / f"{number}{'.i' if source.suffix in C else '.ii'}"
        file.write_text(text, errors="surrogateescape")
        flags = ["-x", "cpp-output" if source.suffix in C else "c++-cpp-output"]
        flags += [*self._language(source)[2:], *self.flags, PREPROCESSED]
        optimized = f"{number}.optimized"
        told = [f"-fdump-tree-optimized-asmname={optimized}", f"-fdump-lang-class={number}.classes"]
        if number in self.with_checks:
            flags.append(CHECKS_INDEXES)
            told[:1] = dumps(f"{number}.gimple", optimized)
        told = told if source.suffix not in C else []
        self._run(["g++", *flags, *told, "-c", file.name, "-o", f"{number}.o"])
        return f"{number}.o"

    def _told(self, kind: str, part: Callable[[str], str] = str) -> str:
        """What g++ has told of each source, or a part of it."""
        files = [self.folder / f"{number}.{kind}" for number in range(len(self.sources))]
        return "\f".join(part(file.read_text(errors="replace")) for file in files if file.exists())

    def _arrays(self) -> str:
        """What the compiler has told of the arrays of all sources."""
        symbols: list[dict[str, object]] = []
        arrays: dict[str, str] = {}
        for number in self.with_checks:
            texts = [(self.folder / f"{number}.{kind}").read_text(errors="replace") for kind in ("gimple", "optimized")]
            more, named = indexed_arrays(texts[0], texts[1], constants=tables(Elf(self.folder / f"{number}.o")))
            symbols += [asdict(each) for each in more]
            arrays |= named
        return json.dumps([symbols, arrays, self.plain])

    def _language(self, source: Path) -> list[str]:
        if source.suffix in C:
            return ["-x", "c", "-std=gnu17"]
        asked = re.fullmatch(r"(?:c|gnu)\+\+(\d+)", self.wanted.standard)
        year = asked[1] if asked else "17"
        newer = year.isdigit() and OLDEST_STANDARD <= int(year) < 90
        return ["-x", "c++", f"-std={self.wanted.standard if newer else f'c++{OLDEST_STANDARD}'}"]

    def _run(self, command: list[str]) -> str:
        standard = next((flag for flag in command if flag.startswith("-std=")), "")
        command = [flag for flag in command if not flag.startswith("-std=") or flag == standard]  # the first one counts
        done = self.compilers.run(command, self.folder)
        if said := complaint(done):
            raise NotBuilt(self._explained(said))
        return done.stdout

    def _explained(self, said: str) -> Build:
        """The compiler's or the linker's messages on the files' own lines."""
        if ours := own_fault(said, ""):
            return Build("not_graded", ours)
        found = []
        led_there: tuple[str | None, int | None] = (None, None)  # the files' own line that a header's error comes of
        for row in said.replace("‘", "'").replace("’", "'").splitlines():
            if match := _LED_THERE.match(row):
                led_there = self.places.of(int(match["line"]))
            elif match := _SAID.match(row):
                file, line = self.places.of(int(match["line"]))
                text = of_program(self.places.in_words(diagnostics.plain(match["text"]), file or led_there[0]))
                if not file and led_there[0]:
                    (file, line), text = led_there, text.removeprefix("static assertion failed: ")
                led_there = (None, None)
                file = file or match["file"].removeprefix(str(self.folder / "files"))
                found.append(_on_line(file, line, text))
        found += [Diagnostic(self._missed(each.text)) for each in diagnostics.undefined_references(said)]
        if "required symbol `main' not defined" in said:
            found.append(Diagnostic(_NO_MAIN))
        if not found and diagnostics.NO_ROOM_FOR_VARIABLES.search(said):
            found = [Diagnostic(f"there is no room for this program's variables: {diagnostics.TOO_LARGE}")]
        if not found:
            found = [Diagnostic(next((row for row in said.splitlines() if row.strip()), "the compiler failed"))]
        found = [each for at, each in enumerate(found) if each not in found[:at]]
        return Build("build_error", found[0].message, found[: diagnostics.MOST])

    def _missed(self, text: str) -> str:
        """What the linker missed, with the file beside the program's that has it."""
        symbol = re.match(r"`(.*)` is declared and used", text)
        return text + (has_it(symbol[1], self.wanted.sources) if symbol else "")


def _on_line(file: str, line: int | None, text: str) -> Diagnostic:
    """A compiler's message, or what it comes of: a slip in a macro of that line, or a strange sign."""
    source = _text_of(file)
    text, line, *_ = of_macro(source, line) or strange(source, line, text) or (text, line)
    return Diagnostic(_told(file, line, text), line, None, _line(file, line))


def _reworded(build: Build, readings: program_rules.Readings) -> Build:
    """g++'s messages in the words of CUDA, where clang has such of the same line. A `;` that is missing is missed by
    g++ in the next line with words.
    """
    better: dict[str, str] = {}
    missing: dict[str, Diagnostic] = {}
    for rule in (each for each in program_rules.broken(readings) if not each.warns):
        file = shown(Path(rule.file))
        better.setdefault(_told(file, rule.line, ""), _on_line(file, rule.line, rule.message).message)
        if "`;` is missing" in rule.message:
            missing[_told(file, _next_line(_text_of(file), rule.line), "")] = _on_line(file, rule.line, rule.message)
    found: list[Diagnostic] = []
    for each in build.diagnostics:
        match = re.match(rf".*?:{each.line}: ", each.message)
        place = match[0] if match else ""
        before = missing.get(place) if "expected" in each.message and place not in better else None
        said = before or replace(each, message=better.get(place, each.message))
        found += [said] if said not in found else []
    return replace(build, message=found[0].message, diagnostics=found) if found else build


def _next_line(text: str, line: int) -> int:
    """The next line below that has a word."""
    return next((token.line for token in lex(text).code if token.line > line), line)


def _told(file: str, line: int | None, message: str) -> str:
    return f"{file}:{line}: {message}" if file and line else message


def _line(file: str, line: int | None) -> str | None:
    return diagnostics.source_line(_text_of(file), line)


def _text_of(file: str) -> str:
    with suppress(OSError):
        return Path(file).read_text("utf-8-sig", "replace") if file else ""
    return ""


def is_source(file: Path) -> bool:
    """Whether the compiler takes a file of this name."""
    return file.suffix in (*CUDA, *CXX, *C)


def _prune(kept: Path) -> None:
    used = {}
    for each in kept.iterdir():
        with suppress(FileNotFoundError):  # another program's build does the same
            used[each] = each.stat().st_mtime
    builds = sorted((each for each in used if not each.name.startswith("build-")), key=lambda each: -used[each])
    for each in builds[KEPT:]:
        if time.time() - used[each] > 3600:
            shutil.rmtree(each, ignore_errors=True)
