"""The emulator as the worker uses it: compiler flags, the runtime library, and a session that runs cases.

A session owns one built kernel file. `run` calls an entry point on the judge's buffers and returns what the runtime
saw, with program counters turned into the learner's lines (symbols.py) and findings into sentences (wording.py).
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol

import filelock
import numpy as np

from grader.course.prototype import Prototype
from grader.devices.emulator.counters import add_up
from grader.devices.emulator.recording import ROOM, Wanted, describe
from grader.devices.emulator.symbols import CodeMap, Symbol
from grader.devices.emulator.translate import FIRST_HEADER
from grader.devices.emulator.wording import word_findings
from grader.devices.evidence import CaseRun, stream_notes

HERE = Path(__file__).parent
RUNTIMES_KEPT = 4
POISON, OTHER_POISON = 0xFF, 0x3F  # bytes of memory that nobody wrote: NaN as a float, and 0.747
RUNTIME_FLAGS = ["-std=c++20", "-O2", "-g1", "-fPIC", "-pthread"]

# -fsanitize=thread and trace-pc insert the callbacks; the learner's library is linked without them, to our own.
# -fno-tree-sra keeps a float4 access one access, -fno-reorder-blocks keeps basic blocks in source order (replay needs
# it) and -fno-thread-jumps from being copied (lanes in two copies of a line would not meet); -fno-gnu-unique keeps two
# builds of one template from sharing their statics; inlining is as eager as nvcc's.
COMPILE_FLAGS = [
    "-std=c++20", "-O1", "-gdwarf-4", "-fno-var-tracking", "-w", "-fsanitize=thread", "-fsanitize-coverage=trace-pc",
    "--param", "tsan-distinguish-volatile=1",
    "-fno-tree-sra", "-fno-reorder-blocks", "-fno-thread-jumps", "-fno-gnu-unique", "-fno-builtin-printf",
    "-finline-functions", "-finline-small-functions", "-findirect-inlining", "-fno-semantic-interposition",
]  # fmt: skip
WRAPPED = ["printf", "vprintf", "puts", "putchar", "memcpy", "memmove", "memset", "malloc", "free", "__assert_fail"]


class View(Protocol):
    """A buffer as it lies in this process."""

    address: int
    bytes: int
    writable: bool


def include_folder() -> Path:
    """Where the emulator's cuda_runtime.h and its kin lie."""
    return HERE / "include"


def compile_flags(runtime: Path) -> list[str]:
    """g++'s flags for a translated kernel file that will be linked with the runtime library at this path."""
    return [*COMPILE_FLAGS, f"-I{runtime.parent}", f"-I{include_folder()}"]


def link_flags(runtime: Path) -> list[str]:
    """g++'s flags to link it with the runtime library at this path."""
    wraps = [f"-Wl,--wrap={name}" for name in WRAPPED]
    return [*wraps, f"-L{runtime.parent}", f"-l:{runtime.name}", f"-Wl,-rpath,{runtime.parent}", "-Wl,-z,defs", "-lm"]


def runtime_library(cache: Path, compiler: str = "g++") -> Path:
    """The runtime, compiled once per content and compiler. Raises OSError or CalledProcessError."""
    sources = sorted((HERE / "runtime").glob("*.cpp"))
    headers = [*sorted((HERE / "runtime").glob("*.h")), *sorted(include_folder().rglob("*.h"))]
    digest = hashlib.sha256(" ".join([compiler, *RUNTIME_FLAGS, *COMPILE_FLAGS]).encode())
    for path in [*sources, *headers]:
        digest.update(path.read_bytes())
    folder = cache / f"runtime-{digest.hexdigest()[:16]}"
    library = folder / "libladder_emulator.so"
    if library.exists():
        return library
    folder.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(folder / "lock"):
        if not library.exists():
            _compile_header(library, compiler)
            _compile_runtime(sources, library, compiler)
            _remove_old_runtimes(cache)
    return library


def _remove_old_runtimes(cache: Path) -> None:
    """Keeps the newest few: another checkout, or a session that is under way, may still use an older one."""
    runtimes = sorted(cache.glob("runtime-*"), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in runtimes[RUNTIMES_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)


def _compile_header(runtime: Path, compiler: str) -> None:
    """The first header as g++ keeps it in memory: it need not be read again for each kernel, which saves 0.1 s.

    g++ prefers a NAME.gch to a NAME in a later folder, and reads the header as ever if that does not suit.
    """
    unfinished = runtime.with_name("unfinished.gch")
    header = str(include_folder() / FIRST_HEADER)
    command = [compiler, "-fPIC", *compile_flags(runtime), "-x", "c++-header", header, "-o", str(unfinished)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    unfinished.replace(runtime.with_name(f"{FIRST_HEADER}.gch"))


def _compile_runtime(sources: list[Path], library: Path, compiler: str) -> None:
    def compile_one(folder: Path, source: Path) -> Path:
        target = folder / f"{source.stem}.o"
        command = [compiler, *RUNTIME_FLAGS, "-c", str(source), "-o", str(target)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return target

    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            objects = list(pool.map(partial(compile_one, Path(folder)), sources))
        unfinished = Path(folder) / library.name
        command = [compiler, "-shared", "-pthread", *map(str, objects), "-o", str(unfinished)]
        subprocess.run([*command, f"-Wl,-soname,{library.name}"], check=True, capture_output=True, text=True)
        os.replace(unfinished, library)


class _CSymbol(ctypes.Structure):
    _fields_ = [
        ("value", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("kind", ctypes.c_int),
        ("name", ctypes.c_char_p),
    ]


class Session:
    """One built kernel file, ready to run cases. `threads` OS threads run blocks; the counters do not depend on it."""

    _current: ClassVar[Session | None] = None  # whose library the runtime knows: it holds one at a time

    def __init__(
        self,
        library: Path,
        source: Path | str,
        threads: int | None = None,
        *,
        runtime: Path,
        counting: bool = True,
    ):
        self.library = ctypes.CDLL(str(library))
        self.runtime = ctypes.CDLL(str(runtime))
        self.runtime.ladder_session_report.restype = ctypes.c_char_p
        self.runtime.ladder_session_stream.restype = ctypes.c_void_p
        self.runtime.ladder_session_begin.argtypes = [ctypes.c_double, ctypes.c_int]
        self.runtime.ladder_session_record.argtypes = [ctypes.c_size_t, *[ctypes.c_uint] * 3, ctypes.c_size_t]
        self.runtime.ladder_session_mapping.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self.runtime.ladder_session_buffer.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self.code = CodeMap.load(library, Path(source).name)
        self.threads = threads or len(os.sched_getaffinity(0))
        self.counting = counting

    def _describe_module(self, entry: Any) -> None:
        symbols = self.code.symbols
        table = (_CSymbol * max(len(symbols), 1))()
        for slot, symbol in zip(table, symbols, strict=False):
            slot.value, slot.bytes, slot.kind, slot.name = symbol.value, symbol.bytes, symbol.kind, symbol.name.encode()
        self.runtime.ladder_session_module(
            ctypes.cast(entry, ctypes.c_void_p), table, ctypes.c_size_t(len(symbols)), self.threads, int(self.counting)
        )
        Session._current = self

    def run(
        self,
        name: str,
        task: Prototype,
        buffers: Mapping[str, View],
        scalars: Mapping[str, int | float],
        seconds: float,
        mapping: tuple[int, int] | None = None,
        wanted: Wanted | None = None,
    ) -> CaseRun:
        """Calls the task's entry point once. `mapping` (address, bytes) holds the buffers and is shut to host code.

        A block that is `wanted` is recorded besides (recording.py).
        """
        call = partial(self._call, task, buffers, scalars, seconds, mapping)
        outputs = [view for view in buffers.values() if view.writable]
        untouched = [_bytes_of(view) for view in outputs]
        facts, took = call(POISON, wanted)
        again = partial(self._poison_matters, facts, outputs, untouched, call)
        if _is_only_uninitialised(facts["findings"]) and not again():
            for finding in facts["findings"]:
                finding["note"] = True
        return self._describe(name, task, facts, took, wanted)

    def _call(
        self,
        task: Prototype,
        buffers: Mapping[str, View],
        scalars: Mapping[str, Any],
        seconds: float,
        mapping: tuple[int, int] | None,
        poison: int,
        wanted: Wanted | None = None,
    ) -> tuple[dict[str, Any], float]:
        """One call of the entry point: the runtime's facts, and the seconds it took."""
        entry = getattr(self.library, f"ladder_entry_{task.name}")
        if Session._current is not self:
            self._describe_module(entry)
        runtime = self.runtime
        runtime.ladder_session_begin(seconds, poison)
        if wanted:
            runtime.ladder_session_record(wanted.launch, *wanted.block, ROOM)
        if mapping:
            runtime.ladder_session_mapping(*mapping)
        for parameter in task.parameters:
            if view := buffers.get(parameter.name):
                runtime.ladder_session_buffer(parameter.name.encode(), view.address, view.bytes, int(view.writable))
        arguments = self._arguments(task, buffers, scalars)
        pointers = (ctypes.c_void_p * len(arguments))(
            *[ctypes.cast(ctypes.pointer(argument), ctypes.c_void_p).value for argument in arguments]
        )
        start = time.perf_counter()
        runtime.ladder_session_run(entry, pointers)
        took = time.perf_counter() - start
        return json.loads(runtime.ladder_session_report().decode(errors="replace")), took

    def _poison_matters(
        self,
        before: dict[str, Any],
        outputs: list[View],
        untouched: list[np.ndarray],
        call: Callable[[int], tuple[dict[str, Any], float]],
    ) -> bool:
        """Runs again with another value in uninitialised memory: does anything come out differently?

        A value that is loaded and never used (padding) changes nothing. The first run's outputs are put back.
        """
        first = [_bytes_of(view) for view in outputs]
        self.runtime.ladder_session_open()
        for view in outputs:
            ctypes.memset(view.address, OTHER_POISON, view.bytes)
        after, _ = call(OTHER_POISON)
        matters = before["kernels"] != after["kernels"]
        self.runtime.ladder_session_open()
        for view, was, content in zip(outputs, untouched, first, strict=True):
            second = _bytes_of(view)
            unwritten = (content == was) & (second == OTHER_POISON)
            matters = matters or bool(np.any((content != second) & ~unwritten))
            ctypes.memmove(view.address, content.ctypes.data, view.bytes)
        self.runtime.ladder_session_show()
        return matters

    def _arguments(self, task: Prototype, buffers: Mapping[str, View], scalars: Mapping[str, Any]) -> list[Any]:
        values: list[Any] = []
        for parameter in task.parameters:
            if parameter.role == "stream":
                values.append(ctypes.c_void_p(self.runtime.ladder_session_stream()))
            elif parameter.role == "scalar":
                values.append(parameter.type.ctypes(scalars[parameter.name]))
            else:
                values.append(ctypes.c_void_p(buffers[parameter.name].address))
        return values

    def _describe(
        self, name: str, task: Prototype, facts: dict[str, Any], seconds: float, wanted: Wanted | None
    ) -> CaseRun:
        element_bytes = {p.name: p.type.bytes for p in task.parameters if p.role in ("input", "output")}
        barrier_lines = {kernel["name"]: kernel["barrier_lines"] for kernel in facts["kernels"]}
        findings = word_findings(facts["findings"], self.code, element_bytes, barrier_lines)
        findings += stream_notes(facts["launches"])
        totals, kernels, lines = add_up(facts, self.code)
        return CaseRun(
            name=name,
            findings=findings,
            counters=totals,
            lines=lines,
            kernels=kernels,
            launches=facts["launches"],
            seconds=seconds,
            recording=describe(facts, wanted, self.code.line_of) if wanted else None,
        )


def _bytes_of(view: View) -> np.ndarray:
    return np.frombuffer(ctypes.string_at(view.address, view.bytes), dtype=np.uint8)


def _is_only_uninitialised(findings: list[dict[str, Any]]) -> bool:
    errors = [finding for finding in findings if not finding["note"]]
    return bool(errors) and all(finding["kind"] == "uninitialized_read" for finding in errors)


__all__ = ["Session", "Symbol", "compile_flags", "include_folder", "link_flags", "runtime_library"]
