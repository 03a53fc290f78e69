"""Builds a kernel file, or takes the build from the cache. Only a worker may call this: it loads what it built.

A build happens in the job's own folder, and the server writes it to the cache when the job has ended (`cache.keep`). So
a build that is killed leaves nothing behind that the next one could wait for (torch waits for ever for a lock file
whose owner was killed), and a worker that runs a submission needs no right to write to the cache.

What is compiled, and how, is the device's: `emulator/compile.py` translates the learner's text, `cuda/compile.py` takes
it as it is. All other steps are here.
"""

from __future__ import annotations

import ctypes
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import wraps
from pathlib import Path
from typing import Any, Protocol

from grader.course.prototype import Prototype
from grader.course.work import MOST_SOURCE_BYTES
from grader.devices.build import diagnostics
from grader.devices.build.diagnostics import ENTRY_FILE, Message
from grader.devices.build.elf import Elf, in_words
from grader.devices.build.not_emulated import NOT_EMULATED, is_not_emulated
from grader.devices.build.other_files import no_cpp
from grader.devices.build.own_faults import own_fault, used_up_memory
from grader.devices.build.recipe import Library, Recipe, Refused
from grader.devices.cache import LIBRARY, is_intact
from grader.devices.evidence import ENDLESS, Build, Diagnostic

LONGEST_MESSAGE = 1000
MOST_VARIABLE_BYTES = 4 << 30  # as much as the emulated GPU has; nvcc keeps the same room on the host

Built = tuple[Build, Library | None]  # how it went, and what came of it


class Gate(Protocol):
    """What a worker does before anything of the submission runs in it."""

    def confine(self, kept: Path) -> None:
        """From here on this process writes to the job's folder alone, and reads there, in `kept`, and what is no
        other person's. Raises OSError.
        """

    def vouch(self, key: str, files: Sequence[Path]) -> None:
        """Tells the server, for the last time, the build's key and the files that it may keep: what follows may lie."""


class SecondOpinion(Protocol):
    """What another compiler thinks of the file, which it reads beside the build."""

    failed: bool  # it could not say, this time: a build that it has not seen is not kept

    def begin(self) -> None:
        """Starts to read."""

    def weigh(self, build: Build) -> Build:
        """What both compilers say, once the build has ended with this."""


def cached_or_built(
    recipe: Recipe,
    cache: Path,
    folder: Path,
    gate: Gate,
    explain: Callable[[str], Build],
    second: SecondOpinion | None = None,
) -> Built:
    """The loaded library, from the cache if it is there, and how it went. `folder` is the job's own.

    All that is read from the library is read before it is loaded, for this runs the file's constructors. `explain`
    makes a Build of what the compiler or the loader says of a failure; then there is no library, nor if the second
    opinion is that there should be none. A task that the file does not define is no failure yet: ask
    `missing_entry_point`. Raises OSError if this machine cannot build.
    """
    key = recipe.key()
    library = place_in_cache(key, cache)
    gate.confine(library.parent)
    if is_intact(library.parent):
        build, (facts, _), files = Build(cached=True, diagnostics=_kept_notes(library)), recipe.facts(library), []
    else:
        built, build = _built(recipe, folder / "build", explain, second)
        if built is None:
            return build, None
        if excess := _too_large(built):
            return Build("build_error", excess), None
        library = built.parent.rename(folder / "built") / LIBRARY
        _notes(library).write_text(json.dumps([asdict(each) for each in build.diagnostics]))
        try:
            facts, beside = recipe.facts(library)
        except Refused as error:
            return Build("build_error", str(error)), None
        files = [] if second and second.failed else [library, _notes(library), *beside]
    gate.vouch(key, files)
    try:
        return build, Library(library, ctypes.CDLL(str(library)), facts)
    except OSError as error:
        return explain(str(error)), None


def _built(
    recipe: Recipe, folder: Path, explain: Callable[[str], Build], second: SecondOpinion | None
) -> tuple[Path | None, Build]:
    if second:
        second.begin()
    try:
        built, build = recipe.run(folder), Build()
    except RuntimeError as error:  # what the compiler said
        built, build = None, explain(str(error))
    if second:
        build = second.weigh(build)
    return None if build.problem else built, build


def _too_large(library: Path) -> str | None:
    """What is wrong if its variables take more memory than they may: loaded, they would leave none to the grader."""
    elf = Elf(library)
    if elf.memory <= MOST_VARIABLE_BYTES:
        return None
    largest = max(elf.symbols, key=lambda entry: entry.bytes)
    return f"`{in_words([largest.name])[0]}` takes {largest.bytes / 2**30:.1f} GB: {diagnostics.TOO_LARGE}"


def _notes(library: Path) -> Path:
    """What there was to say of a file that could be built."""
    return library.with_suffix(".json")


def _kept_notes(library: Path) -> list[Diagnostic]:
    try:
        return [Diagnostic(**each) for each in json.loads(_notes(library).read_text())]
    except (OSError, ValueError, TypeError):
        return []


def place_in_cache(key: str, cache: Path) -> Path:
    """Where the cache keeps the library of a recipe's key, if it was built."""
    return cache / "kernels" / key / LIBRARY


def timed(build: Callable[..., Built]) -> Callable[..., Built]:
    """The same, with the seconds that it took in the Build."""

    @wraps(build)
    def timing(*arguments: Any) -> Built:
        start = time.perf_counter()
        found, library = build(*arguments)
        return replace(found, seconds=time.perf_counter() - start), library

    return timing


def missing_entry_point(library: Library, source: str, prototype: Prototype) -> Build | None:
    """None if the library defines the task, else the Build that says what is there instead."""
    if library.loaded[f"ladder_defined_{prototype.name}"]():
        return None
    said = diagnostics.explain_entry_point(source, prototype)
    return Build("missing_entry_point", said.message, [said])


def unreadable(source: str) -> str | None:
    """One sentence if this is no text of a sensible size."""
    if not source.strip():
        return "the file is empty: `ladder start` gives you a file to begin with"
    zeros = max(source[::2].count("\0"), source[1::2].count("\0"))  # beside each letter, without a mark at the start
    if source.startswith(("\udcff\udcfe", "\udcfe\udcff")) or 3 * zeros > len(source):
        return "the file is in UTF-16: save it as UTF-8, which your editor can do"
    if "\0" in source:
        return "the file is not text: a kernel file is CUDA C++ source in UTF-8"
    if strange := re.search("[\ud800-\udfff]", source):
        line = source.count("\n", 0, strange.start()) + 1
        return f"line {line} has a character that is not in UTF-8: save the file as UTF-8, which your editor can do"
    if hidden := re.search("[\u202a-\u202e\u2066-\u2069]", source):
        line = source.count("\n", 0, hidden.start()) + 1
        return f"line {line} holds an invisible character that shows code in another order than it has: remove it"
    if len(source) > MOST_SOURCE_BYTES:
        return f"the file is larger than {MOST_SOURCE_BYTES >> 20} MB: this is hardly a kernel written by hand"
    return no_cpp(source)


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
    """What the compiler said, as a Build on the learner's own lines; "not_graded" where it says nothing about them."""
    if ours := own_fault(output, filename):
        return Build("not_graded", ours)
    if used_up_memory(output, filename):
        return Build("build_error", f"the compiler did not finish within the memory it may have: {ENDLESS}")
    if diagnostics.NO_ROOM_FOR_VARIABLES.search(output):
        return Build("build_error", f"there is no room for this file's variables: {diagnostics.TOO_LARGE}")
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
    return build_error(messages, source, translated.partition(f'#line 1 "{filename}"\n')[2])


def build_error(messages: Sequence[Message], source: str, translated: str = "") -> Build:
    """A file that cannot be built, for these reasons, on the learner's own lines.

    Where the first one is that something is not emulated, the others mostly follow from it.
    """
    said = diagnostics.on_own_lines(messages, source, translated.split("\n"))
    lacking = is_not_emulated(said[0].message)
    said = [each for each in said if not lacking or is_not_emulated(each.message)]
    for each in said:  # the name of a type can have megabytes
        each.message, each.source = _shortened(each.message), each.source and _shortened(each.source)
    first = said[0]
    message = f"line {first.line}: {first.message}" if first.line else first.message
    return Build(NOT_EMULATED if lacking else "build_error", message, said)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]} ..."


def _last_line(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip() and not line.startswith("ninja: build stopped")]
    return lines[-1].strip() if lines else "it said nothing"
