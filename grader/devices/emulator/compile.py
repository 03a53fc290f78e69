"""Builds a kernel file for the emulator: translated, then compiled by g++.

Not through torch's `load_inline`: a worker that need not import torch, nor start ninja for one file, is ready at once.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from grader.course.prototype import Prototype
from grader.devices.build import diagnostics, frontend
from grader.devices.build.build import (
    Built,
    Gate,
    build_error,
    cached_or_built,
    entry_points,
    explain_failure,
    place_in_cache,
    timed,
    unreadable,
)
from grader.devices.build.diagnostics import Message
from grader.devices.build.opinion import ClangsOpinion
from grader.devices.build.own_faults import complaint
from grader.devices.build.recipe import STRICT_LINK, Refused, contents, hash_of
from grader.devices.build.toolchain import missing_compiler
from grader.devices.cache import LIBRARY, is_intact
from grader.devices.emulator import checked, seen
from grader.devices.emulator.checked import Facts
from grader.devices.emulator.linking import link_command
from grader.devices.emulator.sides import marks
from grader.devices.emulator.symbols import CodeMap, place_of_map, too_much_constant
from grader.devices.emulator.translate import TranslationError, translate
from grader.devices.emulator.turned import COPY, copy_beside
from grader.devices.evidence import Build

_QUIET = ["-fno-diagnostics-show-caret", "-fdiagnostics-color=never", f"-fmax-errors={diagnostics.MOST}"]

_IN_A_LINE = re.compile(r":\d+:\d+: (fatal )?error: ")

# A host function that others could link, at the beginning of a line.
_OTHERS = re.compile(r'^extern "C" (?=void (?!ladder_)(\w+)\()', re.MULTILINE)

# Where clang has the last word: nvcc's front end is more lenient in device code than g++.
_LENIENT = ["-fpermissive", "-Wno-narrowing"]


@dataclass(frozen=True)
class EmulatorRecipe:
    """A translated file as text, with all flags."""

    text: str
    filename: str
    include: Path
    compile_flags: list[str]
    link_flags: list[str]
    second: str = ""  # who has read the file besides
    with_checks: bool = True  # makes a checking build besides, where that may find more
    called: tuple[str, ...] | None = None  # the host functions that the grader calls, if others need not be made

    def key(self) -> str:
        own = [self.text, self.second, str(self.with_checks), str(self.called)]
        return hash_of([*own, *self.compile_flags, *self.link_flags, *STRICT_LINK, rules_content(self.include)], "g++")

    def run(self, folder: Path) -> Path:
        """As recipe.Recipe says."""
        text = seen.preprocessed(self.text, self.filename, folder.parent, self.compile_flags)
        compiling = self._compiling(folder, self._narrowed(text))  # what takes longest begins first
        second = None
        if self.with_checks and checked.finds_more(seen.own_code(self.text, text)):
            elements = seen.fragment_elements(self.text, text)
            flags = self.compile_flags, self.link_flags
            beside = folder.with_name("checked")
            second = checked.CheckedBuild(text, self.filename, beside, *flags, elements, seen.own_lines(self.text))
        try:
            library = self._linked(compiling, folder)
        except RuntimeError:
            if second:
                second.stop()
            raise
        if second:
            with suppress(Refused):  # `facts` will say so
                CodeMap.load(library, Path(self.filename).name)  # and finds it made
            second.finish(library)
        elif self.with_checks:
            shutil.copyfile(library, library.with_name(COPY))
        return library

    def _narrowed(self, text: str) -> str:
        """The text, in which each host function that the grader does not call is marked `inline`: g++ then leaves that
        function out of the library, with the kernels that only it launches.
        """
        called = self.called
        if called is None:
            return text
        return _OTHERS.sub(lambda found: found[0] if found[1] in called else f"{found[0]}inline ", text)

    def _compiling(self, folder: Path, text: str) -> subprocess.Popen[str]:
        folder.mkdir()
        (folder / "main.cpp").write_text(text)
        flags = ["-std=c++20", "-fPIC", *self.compile_flags, seen.PREPROCESSED, *seen.DUMP_FLAGS]
        return _begun(folder, ["g++", *_QUIET, *flags, "-c", "main.cpp"])

    def _linked(self, compiling: subprocess.Popen[str], folder: Path) -> Path:
        self._ended(compiling, folder)
        linking = _begun(folder, link_command("main.o", LIBRARY, self.link_flags))
        linked = partial(self._ended, linking, folder)
        seen.check_built(folder / LIBRARY, folder / seen.DUMP, self.filename, linked)
        return folder / LIBRARY

    def _ended(self, compiler: subprocess.Popen[str], folder: Path) -> None:
        """Once it has ended. Raises RuntimeError with what it says if it fails."""
        out, err = compiler.communicate()
        if said := complaint(subprocess.CompletedProcess(compiler.args, compiler.returncode, out, err)):
            text_said = self._said_of_the_text(folder.parent) if _IN_A_LINE.search(said) else ""
            raise RuntimeError(text_said or said)

    def _said_of_the_text(self, folder: Path) -> str:
        """What g++ says of the text before it was preprocessed, with its columns and macros; "" if it says nothing."""
        text = folder / "text.cpp"
        text.write_text(self.text)
        flags = ["-std=c++20", "-fPIC", *self.compile_flags, *_QUIET, "-S", "-o", "/dev/null", text.name]
        said = subprocess.run(["g++", *flags], cwd=folder, capture_output=True, text=True, errors="replace").stderr
        text.unlink()
        return said if "error:" in said else ""

    def facts(self, library: Path) -> tuple[Facts, list[Path]]:
        """As recipe.Recipe says."""
        code = CodeMap.load(library, Path(self.filename).name)
        code.begin_to_read()
        if said := too_much_constant(code.symbols):
            raise Refused(said)
        names = (checked.NAME, *checked.OTHERS, checked.FEW, checked.FACTS, COPY)
        beside = [library.parent / name for name in names]
        files = [place_of_map(library), *filter(Path.exists, beside)]
        second = checked.beside(library, self.filename)
        if second:
            second.code.begin_to_read()
        return Facts(code, second or copy_beside(library, code)), files


def _begun(folder: Path, command: Sequence[str]) -> subprocess.Popen[str]:
    """g++ at work in a folder."""
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe, text=True, errors="replace")


def rules_content(include: Path) -> str:
    """A hash of the headers, and of the rules that a build is held to."""
    return contents((include, ""), (Path(__file__).parent, ".py"))


def emulator_recipe(text: str, filename: str, cache: Path) -> EmulatorRecipe:
    """The recipe of a translated file. Compiles the runtime first, once for a cache; raises as `runtime_library`."""
    from grader.devices.emulator import session

    runtime = session.runtime_library(cache)
    compile_flags, link_flags = session.compile_flags(runtime), session.link_flags(runtime)
    second = frontend.identity()
    if second:
        compile_flags += _LENIENT
    return EmulatorRecipe(text, filename, session.include_folder(), compile_flags, link_flags, second)


@timed
def build_for_emulator(
    source: str,
    filename: str,
    prototypes: Sequence[Prototype],
    cache: Path,
    folder: Path,
    gate: Gate,
    with_checks: bool = True,
) -> Built:
    """Builds for the emulator and loads the library: as `build.cached_or_built` says. The checking build is made
    besides, unless the caller can do without and the cache has none: then of host functions only the tasks are made,
    and what they call (rungs have more, for kernels.ops).
    """
    if problem := unreadable(source) or missing_compiler():
        return Build("build_error", problem), None
    try:
        translated = translate(source, filename)
    except TranslationError as error:
        return build_error([diagnostics.unclosed([], source) or Message(error.message, error.line)], source), None

    def explain(output: str) -> Build:
        return explain_failure(output, source, filename, translated, prototypes)

    recipe = _recipe(translated, source, filename, prototypes, cache, with_checks)
    return cached_or_built(recipe, cache, folder, gate, explain, ClangsOpinion(source, cache))


def emulated_library(
    source: str, filename: str, prototypes: Sequence[Prototype], cache: Path, with_checks: bool = True
) -> Path:
    """Where the cache keeps the build of this text, if it was built: the one that `build_for_emulator` would take.
    Raises TranslationError.
    """
    recipe = _recipe(translate(source, filename), source, filename, prototypes, cache, with_checks)
    return place_in_cache(recipe.key(), cache)


def _recipe(
    translated: str, source: str, filename: str, prototypes: Sequence[Prototype], cache: Path, with_checks: bool
) -> EmulatorRecipe:
    recipe = emulator_recipe(translated + marks(source) + entry_points(prototypes), filename, cache)
    if with_checks or is_intact(place_in_cache(recipe.key(), cache).parent):
        return recipe
    return replace(recipe, with_checks=False, called=tuple(each.name for each in prototypes))
