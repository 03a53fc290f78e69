"""Builds a kernel file with torch's `load_inline`. Only a worker may call this: `load_inline` loads what it built.

A build happens in the job's own folder, and the server moves it to the cache when the job has ended (`keep`). So a
build that is killed leaves nothing behind that the next one could wait for (torch waits for ever for a lock file whose
owner was killed), and a worker that runs a submission needs no right to write to the cache.

For a GPU the learner's text is compiled as it is, for the emulator it is translated first; all other steps are shared.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from grader.course.catalog import UsageError
from grader.course.prototype import Prototype
from grader.devices import diagnostics
from grader.devices.diagnostics import ENTRY_FILE, Message
from grader.devices.evidence import Build
from grader.devices.recipe import LIBRARY, Recipe
from grader.devices.refused import refusal

MOST_SOURCE_BYTES = 1 << 20
LONGEST_MESSAGE = 1000
MOST_CACHED_BYTES = 2 << 30
MOST_CACHED_BUILDS = 500

ShutIn = Callable[[str], None]  # gets the build's key, and comes back when this process can do no more harm


def cache_root() -> Path:
    """Where builds are kept: $XDG_CACHE_HOME/kernel-ladder, else ~/.cache/kernel-ladder, else a temporary folder."""
    chosen = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    root = Path(chosen) / "kernel-ladder"
    try:
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK | os.X_OK):
            return root
    except OSError:
        pass
    root = Path(tempfile.gettempdir()) / f"kernel-ladder-{os.getuid()}"
    root.mkdir(mode=0o700, exist_ok=True)
    if stat.S_ISLNK(root.lstat().st_mode) or root.stat().st_uid != os.getuid():
        raise UsageError(f"{root} belongs to somebody else: set XDG_CACHE_HOME to a folder that you can write")
    return root


def build_for_emulator(
    source: str, filename: str, prototypes: Sequence[Prototype], cache: Path, folder: Path, shut_in: ShutIn
) -> tuple[Build, Path | None]:
    """Builds for the emulator and loads the library. `folder` is the job's own, on the cache's file system.

    `shut_in` is called before the library is built and loaded, for loading it runs the file's constructors.

    Returns how it went, and the library unless it went wrong. A task that the file does not define is no problem yet:
    ask `missing_entry_point`.
    """
    from grader.devices.emulator.compile import emulator_recipe
    from grader.devices.emulator.translate import TranslationError, translate

    start = time.perf_counter()
    problem = unreadable(source) or missing_tool()
    if problem:
        return Build("build_error", problem), None
    try:
        translated = translate(source, filename)
    except TranslationError as error:
        return _build_error([diagnostics.unclosed([], source) or Message(error.message, error.line)], source), None
    recipe = emulator_recipe(translated + entry_points(prototypes), cache)
    build, library = _cached_or_built(recipe, cache, folder, shut_in)
    if isinstance(build, str):
        build = explain_failure(build, source, filename, translated, prototypes)
    return replace(build, seconds=time.perf_counter() - start), library


def build_for_cuda(
    source: str,
    filename: str,
    prototypes: Sequence[Prototype],
    cache: Path,
    folder: Path,
    shut_in: ShutIn,
    architecture: str,
) -> tuple[Build, Path | None]:
    """The same for a GPU of one architecture ("90a"): the learner's own text, compiled by nvcc."""
    from grader.devices.cuda.compile import CudaRecipe
    from grader.devices.cuda.toolkit import missing_cuda_tool
    from grader.devices.emulator.lexer import lex

    start = time.perf_counter()
    problem = unreadable(source) or missing_tool() or missing_cuda_tool()
    if problem:
        return Build("build_error", problem), None
    if found := refusal(source, lex(source), emulated=False):
        return _build_error([Message(*found)], source), None
    text = f'#line 1 "{filename}"\n{source}'
    build, library = _cached_or_built(CudaRecipe(text + entry_points(prototypes), architecture), cache, folder, shut_in)
    if isinstance(build, str):
        build = explain_failure(build, source, filename, text, prototypes)
    return replace(build, seconds=time.perf_counter() - start), library


def _cached_or_built(recipe: Recipe, cache: Path, folder: Path, shut_in: ShutIn) -> tuple[Build | str, Path | None]:
    """The loaded library, from the cache if it is there; or, with None, what the compiler or the loader said."""
    key = recipe.key()
    shut_in(key)
    kept = cache / "kernels" / key / LIBRARY
    if loads(kept):
        return Build(cached=True), kept
    try:
        built = recipe.run(folder / "build")
    except (RuntimeError, OSError) as error:  # load_inline's: around ninja's output; around dlopen's
        return str(error), None
    return Build(), built.parent.rename(folder / "built") / LIBRARY


def place_in_cache(
    source: str, filename: str, prototypes: Sequence[Prototype], cache: Path, architecture: str | None
) -> Path:
    """Where the cache keeps the build of this text, if it was built: for a GPU's architecture, or the emulator."""
    from grader.devices.cuda.compile import CudaRecipe
    from grader.devices.emulator.compile import emulator_recipe
    from grader.devices.emulator.translate import translate

    entries = entry_points(prototypes)
    if architecture:
        recipe: Recipe = CudaRecipe(f'#line 1 "{filename}"\n{source}' + entries, architecture)
    else:
        recipe = emulator_recipe(translate(source, filename) + entries, cache)
    return cache / "kernels" / recipe.key() / LIBRARY


def missing_entry_point(library: Path, source: str, prototype: Prototype) -> Build | None:
    """None if the loaded library defines the task, else the Build that says what is there instead."""
    if ctypes.CDLL(str(library))[f"ladder_defined_{prototype.name}"]():
        return None
    said = diagnostics.explain_entry_point(source, prototype)
    return Build("missing_entry_point", said.message, [said])


def unreadable(source: str) -> str | None:
    """One sentence if this is no text of a sensible size."""
    if not source.strip():
        return "the file is empty: `ladder start` gives you a file to begin with"
    if "\0" in source or any("\ud800" <= character <= "\udfff" for character in source):
        return "the file is not text: a kernel file is CUDA C++ source in UTF-8"
    if hidden := re.search("[\u202a-\u202e\u2066-\u2069]", source):
        line = source.count("\n", 0, hidden.start()) + 1
        return f"line {line} holds an invisible character that shows code in another order than it has: remove it"
    if len(source) > MOST_SOURCE_BYTES:
        return f"the file is larger than {MOST_SOURCE_BYTES >> 20} MB: this is hardly a kernel written by hand"
    return None


def missing_compiler() -> str | None:
    """One sentence if g++ is not there."""
    there = shutil.which("g++")
    return None if there else "there is no C++ compiler: install g++ (on Debian and Ubuntu, `sudo apt install g++`)"


def missing_tool() -> str | None:
    """One sentence if the compiler or ninja is not there."""
    return missing_compiler() or (None if shutil.which("ninja") else "ninja is missing: type `pip install ninja`")


def entry_points(prototypes: Sequence[Prototype]) -> str:
    """Appended to the source: declarations that a wrong definition contradicts, and how the grader gets in.

    Each group has one line a prototype, so that a line's number says whose it is (`diagnostics.conflicts`). `weak`, so
    that a file may leave tasks out.
    """
    declarations, questions, trampolines = [], [], []
    for prototype in prototypes:
        name, types = prototype.name, diagnostics.type_list(prototype.parameters)
        arguments = ", ".join(
            f"*({type_}*)ladder_arguments[{position}]" for position, type_ in enumerate(types.split(", "))
        )
        declarations.append(f'extern "C" __attribute__((weak)) void {name}({types});')
        questions.append(f'extern "C" int ladder_defined_{name}() {{ return ::{name} != nullptr; }}')
        trampolines.append(f'extern "C" void ladder_entry_{name}(void** ladder_arguments) {{ ::{name}({arguments}); }}')
    headers = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" if "half" in "".join(declarations) else ""
    return "\n\n" + headers + "\n".join([f'#line 1 "{ENTRY_FILE}"', *declarations, *questions, *trampolines, ""])


def explain_failure(output: str, source: str, filename: str, translated: str, prototypes: Sequence[Prototype]) -> Build:
    """What ninja printed, as a Build on the learner's own lines."""
    messages = diagnostics.parse_compiler_output(output, filename)
    messages = messages or diagnostics.undefined_references(output)
    unclosed = diagnostics.unclosed(messages, source)
    if unclosed:
        messages = [unclosed]
    elif contradicted := diagnostics.conflicts(messages, prototypes, source):
        said = [diagnostics.explain_entry_point(source, prototype) for prototype in contradicted]
        return Build("missing_entry_point", said[0].message, said)
    messages = [message for message in messages if message.in_entry is None] or messages
    if not messages:
        return Build("build_error", f"the compiler failed: {_last_line(output)}")
    return _build_error(messages, source, translated.partition(f'#line 1 "{filename}"\n')[2])


def _build_error(messages: Sequence[Message], source: str, translated: str = "") -> Build:
    said = diagnostics.on_own_lines(messages, source, translated.split("\n"))
    for each in said:  # the name of a type can have megabytes
        each.message, each.source = _shortened(each.message), each.source and _shortened(each.source)
    first = said[0]
    return Build("build_error", f"line {first.line}: {first.message}" if first.line else first.message, said)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]} ..."


def _last_line(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip() and not line.startswith("ninja: build stopped")]
    return lines[-1].strip() if lines else "it said nothing"


def loads(library: Path) -> bool:
    """False if it is not there, or damaged and to be built again."""
    try:
        ctypes.CDLL(str(library))
    except OSError:
        return False
    return True


def keep(folder: Path, cache: Path, key: str) -> None:
    """Moves what a job built into the cache, or marks what is there as used. To be called when the job has ended.

    By then the folder holds what the submission wants it to hold: `key` is what `shut_in` was told, and so it can spoil
    its own build and no other.
    """
    built, kept = folder / "built", cache / "kernels" / key
    with contextlib.suppress(OSError):  # a full disk: it is built again next time
        kept.mkdir(parents=True, exist_ok=True)
        os.utime(kept)
        files = [] if built.is_symlink() else sorted(built.glob("kernel.*"))
        for file in files:
            if stat.S_ISREG(file.lstat().st_mode):
                os.replace(file, kept / file.name)
        if files:
            _prune(kept.parent)


def _prune(folder: Path) -> None:
    """Drops the builds that were not used for longest, beyond what a cache may hold."""
    builds = sorted(folder.glob("*/"), key=lambda build: build.stat().st_mtime, reverse=True)
    total = 0
    for number, build in enumerate(builds):
        total += sum(file.lstat().st_size for file in build.iterdir())
        if number >= MOST_CACHED_BUILDS or total > MOST_CACHED_BYTES:
            shutil.rmtree(build, ignore_errors=True)
