"""`run_kernel`: builds a kernel file for the emulator and calls one entry point, in this process."""

from __future__ import annotations

import ctypes
import itertools
import mmap
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import filelock
import numpy as np
import pytest

from grader.course.prototype import parse_prototype
from grader.devices.build.build import entry_points
from grader.devices.cache import cache_root
from grader.devices.emulator import seen
from grader.devices.emulator import session as emulator
from grader.devices.emulator.checked import CheckedBuild, beside
from grader.devices.emulator.linking import link_command
from grader.devices.emulator.sides import marks
from grader.devices.emulator.translate import translate
from grader.devices.evidence import CaseRun
from tests.shared import digest, kept_folder

PAGE = mmap.PAGESIZE
# For test_sanitizers.py: the runtime to use, and beside it the callbacks with other names there ("old new" in a row).
RUNTIME, RENAMED = "LADDER_TEST_RUNTIME", "renamed"
SECONDS = 400.0 if RUNTIME in os.environ else 20.0  # a sanitizer makes every access slow


class Buffer:
    """An array between guard pages, as the judge lays its buffers out."""

    def __init__(self, array: np.ndarray, writable: bool, memory: np.ndarray | None = None):
        self.memory = np.zeros(Buffer.room(array), np.uint8) if memory is None else memory
        start = -self.memory.ctypes.data % PAGE + PAGE
        self.array = self.memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
        self.array[...] = array
        self.address = self.array.ctypes.data
        self.bytes = array.nbytes
        self.writable = writable

    @staticmethod
    def room(array: np.ndarray) -> int:
        """How many bytes to give for an array, its guards included."""
        return -(-array.nbytes // PAGE) * PAGE + 4 * PAGE


class Mapping:
    """Device memory as the judge hands it over: one mapping that holds all buffers, which host code may not touch."""

    def __init__(self, arrays: list[np.ndarray]):
        self.bytes = sum(map(Buffer.room, arrays))
        self.memory = np.frombuffer(mmap.mmap(-1, self.bytes), np.uint8)
        ends = np.cumsum([0, *map(Buffer.room, arrays)])
        self.parts = [self.memory[start:end] for start, end in itertools.pairwise(ends)]

    @property
    def where(self) -> tuple[int, int]:
        return self.memory.ctypes.data, self.bytes


class KernelRunner:
    """Kernels' libraries are linked with `built_for`, and run with `runtime`; `compiled_for` has the headers, read once
    for all of them.
    """

    def __init__(self, runtime: Path, built_for: Path, compiled_for: Path, folder: Path):
        self.runtime, self.built_for, self.compiled_for = runtime, built_for, compiled_for
        self.renamed = built_for.parent / RENAMED
        self.folder = folder
        self.sessions: dict[Any, emulator.Session] = {}

    def session(self, source: str, declarations: tuple[str, ...], threads: int | None, counting: bool, checked=False):
        key = (source, declarations, threads, counting, checked)
        if key not in self.sessions:
            library = self._build(source, declarations, checked)
            self.sessions[key] = emulator.Session(
                emulator.open_library(library, "kernel.cu", checked), threads, runtime=self.runtime, counting=counting
            )
        return self.sessions[key]

    def _build(self, source: str, declarations: tuple[str, ...], checked: bool) -> Path:
        name = digest([source, *declarations, Path(__file__).read_bytes()])[:16]
        folder = self.folder / f"{name}{'-checked' * checked}"
        library = folder / "kernel.so"
        with filelock.FileLock(f"{folder}.lock"):
            if not library.exists():
                folder.mkdir(exist_ok=True)
                self._compile(source, declarations, library, checked)
        return library

    def _compile(self, source: str, declarations: tuple[str, ...], library: Path, checked: bool) -> None:
        entries = entry_points([parse_prototype(declaration) for declaration in declarations])
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            folder = Path(place)
            flags = emulator.compile_flags(self.compiled_for)
            translated = translate(source, "kernel.cu") + marks(source) + entries
            text = seen.preprocessed(translated, "kernel.cu", folder, flags)
            (folder / "main.cpp").write_text(text)
            compile_ = ["g++", "-std=c++20", "-fPIC", *flags, seen.PREPROCESSED, *seen.DUMP_FLAGS, "-c", "main.cpp"]
            renamed = ["objcopy", f"--redefine-syms={self.renamed}", "main.o"] if self.renamed.exists() else ["true"]
            link = link_command("main.o", "unfinished.so", emulator.link_flags(self.built_for))
            for command in (compile_, renamed, link):
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
                assert done.returncode == 0, done.stderr[:4000]
            if not self.renamed.exists():  # its callbacks have other names
                seen.check_built(folder / "unfinished.so", folder / seen.DUMP, "kernel.cu")
            (folder / seen.DUMP).replace(library.with_suffix(".gimple"))
            (folder / seen.CLASSES).replace(library.with_suffix(".classes"))
            if checked:
                link_flags = emulator.link_flags(self.built_for)
                elements = seen.fragment_elements(translated, text)
                beside_it = folder / "checked", flags, link_flags, elements, seen.own_lines(translated)
                CheckedBuild(text, "kernel.cu", *beside_it).finish(library)
                found = beside(library, "kernel.cu")
                assert found and not found.is_plain, (
                    "g++ does not take what subscripts.py and margins.py make of the text"
                )
            (folder / "unfinished.so").replace(library)

    def __call__(
        self,
        source: str,
        prototype: str,
        *,
        among=(),
        threads=None,
        counting=True,
        seconds=SECONDS,
        to_record=None,
        mapped=False,
        checked=False,
        **values: Any,
    ):
        """Calls the prototype's function. Arrays that are outputs start as NaN patterns. Returns (outputs, CaseRun).

        `among`: all prototypes of the source that will be called, so that they share one build. If `mapped`, buffers
        are device memory, as in a grade; else they are memory that the emulator merely knows. If `checked`, the
        checking build runs first, as in a grade.
        """
        task = parse_prototype(prototype)
        session = self.session(source, tuple(among) or (prototype,), threads, counting, checked)
        mapping = Mapping([values[p.name] for p in task.buffers]) if mapped else None
        parts = mapping.parts if mapping else [None] * len(task.buffers)
        each = zip(task.buffers, parts, strict=True)
        buffers = {p.name: Buffer(values[p.name], p.role == "output", part) for p, part in each}
        for parameter in task.outputs:
            buffers[parameter.name].array.view(np.uint8)[...] = 0xFF
        scalars = {p.name: values[p.name] for p in task.scalars}
        where = mapping.where if mapping else None
        run = session.run(task.name, task, buffers, scalars, seconds, where, to_record=to_record)
        return {p.name: buffers[p.name].array for p in task.outputs}, run


@pytest.fixture(scope="session")
def run_kernel(tmp_path_factory) -> Iterator[KernelRunner]:
    given = os.environ.get(RUNTIME)
    os.environ.pop("LD_PRELOAD", None)  # this process has its sanitizer; compilers need none
    ordinary = emulator.runtime_library(cache_root())
    runtime = Path(given) if given else ordinary
    # All processes share the builds, of later runs as well; but with other names of callbacks they are others.
    built_for = runtime if (runtime.parent / RENAMED).exists() else ordinary
    ctypes.CDLL(str(runtime))  # from now on it is the library of that name, for the kernels' libraries as well
    folder = kept_folder(tmp_path_factory.getbasetemp(), f"kernels-{built_for.parent.name}")
    yield KernelRunner(runtime, built_for, ordinary, folder)
    mapped = {row.split()[-1] for row in Path("/proc/self/maps").read_text().splitlines() if row.endswith(runtime.name)}
    assert mapped == {str(runtime)}, "the kernels have run with another runtime, too"


@dataclass
class Result:
    outputs: dict[str, np.ndarray]
    run: CaseRun

    def __getitem__(self, name: str) -> np.ndarray:
        return self.outputs[name]

    def at_line(self, text: str, source: str) -> dict[str, Any]:
        """The counters of the one source line that holds `text`."""
        (number,) = [number for number, line in enumerate(source.splitlines(), start=1) if text in line]
        (counters,) = [line for line in self.run.lines if line["line"] == number]
        return counters


_ENTRY = re.compile(r'^extern "C" (void \w+\([^)]*\))', re.MULTILINE)


@pytest.fixture
def call(request, run_kernel):
    """`call("name", x=..., z=..., n=3)` runs an entry point of the module's SOURCE, which is built once for all tests.

    Returns its outputs; fails if the emulator reports an error, unless `errors=True`.
    """
    source = request.module.SOURCE
    prototypes = {parse_prototype(text).name: text for text in _ENTRY.findall(source)}

    def call_one(name: str, *, errors: bool = False, **values: Any) -> Result:
        outputs, run = run_kernel(source, prototypes[name], among=prototypes.values(), **values)
        found = [finding.message for finding in run.findings if finding.severity == "error"]
        assert errors or not found, found
        return Result(outputs, run)

    return call_one
