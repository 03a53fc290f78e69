"""`run_kernel`: builds a kernel file for the emulator and calls one entry point, in this process."""

from __future__ import annotations

import hashlib
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.course.prototype import parse_prototype
from grader.devices.build import cache_root, entry_points
from grader.devices.emulator import session as emulator
from grader.devices.emulator.translate import translate
from grader.devices.evidence import CaseRun

PAGE = 4096


class Buffer:
    """An array between guard pages, as the judge lays its buffers out."""

    def __init__(self, array: np.ndarray, writable: bool):
        self.memory = np.zeros(array.nbytes + 4 * PAGE, np.uint8)
        start = -self.memory.ctypes.data % PAGE + PAGE
        self.array = self.memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
        self.array[...] = array
        self.address = self.array.ctypes.data
        self.bytes = array.nbytes
        self.writable = writable


class KernelRunner:
    def __init__(self, cache: Path, folder: Path):
        self.runtime = emulator.runtime_library(cache)
        self.folder = folder
        self.sessions: dict[Any, emulator.Session] = {}

    def session(self, source: str, declarations: tuple[str, ...], threads: int | None, counting: bool):
        key = (source, declarations, threads, counting)
        if key not in self.sessions:
            library = self._build(source, declarations)
            self.sessions[key] = emulator.Session(
                library, "kernel.cu", threads, runtime=self.runtime, counting=counting
            )
        return self.sessions[key]

    def _build(self, source: str, declarations: tuple[str, ...]) -> Path:
        name = hashlib.sha256("\0".join((source, *declarations)).encode()).hexdigest()[:16]
        library = self.folder / f"{name}.so"
        if library.exists():
            return library
        entries = entry_points([parse_prototype(declaration) for declaration in declarations])
        text = self.folder / f"{name}.cpp"
        text.write_text(translate(source, "kernel.cu") + entries)
        compile_ = [
            "g++",
            "-std=c++20",
            "-fPIC",
            *emulator.compile_flags(self.runtime),
            "-c",
            str(text),
            "-o",
            f"{text}.o",
        ]
        link = ["g++", "-shared", f"{text}.o", "-o", str(library), *emulator.link_flags(self.runtime)]
        for command in (compile_, link):
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr[:4000]
        return library

    def __call__(
        self,
        source: str,
        prototype: str,
        *,
        among=(),
        threads=None,
        counting=True,
        seconds=20.0,
        wanted=None,
        **values: Any,
    ):
        """Calls the prototype's function. Arrays that are outputs start as NaN patterns. Returns (outputs, CaseRun).

        `among`: all prototypes of the source that will be called, so that they share one build.
        """
        task = parse_prototype(prototype)
        session = self.session(source, tuple(among) or (prototype,), threads, counting)
        buffers = {p.name: Buffer(values[p.name], p.role == "output") for p in task.buffers}
        for parameter in task.outputs:
            buffers[parameter.name].array.view(np.uint8)[...] = 0xFF
        scalars = {p.name: values[p.name] for p in task.scalars}
        run = session.run(task.name, task, buffers, scalars, seconds, wanted=wanted)
        return {p.name: buffers[p.name].array for p in task.outputs}, run


@pytest.fixture(scope="session")
def run_kernel(tmp_path_factory) -> KernelRunner:
    return KernelRunner(cache_root(), tmp_path_factory.mktemp("kernels"))


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
