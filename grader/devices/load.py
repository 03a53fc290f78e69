"""The course's own kernels as Python functions of tensors: in this process, on the memory of the tensors' device.

Building happens elsewhere, as for a submission: `load_inline` loads what it built and changes torch's settings, so a
worker does that (`worker.py`), and the cache hands the library over. What `ladder check --reference` has built is there
already; else a build for the emulator is made without its checks. Calling is direct: on a GPU one ctypes call that
launches on torch's current stream, without a wait.

Only for trusted code. A learner's file never runs in a process that matters.
"""

from __future__ import annotations

import ctypes
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course import catalog
from grader.course.catalog import Entry, UsageError
from grader.course.inline import inlined
from grader.course.prototype import Prototype, bind, parse_prototype
from grader.devices.cache import cache_root

if TYPE_CHECKING:
    from grader.devices.evidence import Evidence

Values = Sequence[Any]  # tensors and numbers in the order of the prototype, without the stream
_PATIENCE_SECONDS = 1e6  # of processor time for an emulated call: no learner waits for a verdict here

_loading = threading.RLock()
_emulator = threading.Lock()  # the runtime holds one machine in a process


class LoadError(RuntimeError):
    """A kernel that cannot be had on this machine; the message is one sentence."""


class ReferenceKernel:
    """The reference kernel of one task. Nothing is read or built before the first call; calls may come from any thread.

    A call takes the prototype's values in its order, without the stream: contiguous tensors of the prototype's types,
    all on one device, the CPU (emulated) or a GPU, and numbers; the first is a tensor. Results go to the output
    tensors. On a GPU the call comes back before they are there, as torch's own do.

    Raises LoadError if the kernel cannot be built here, ValueError if a size does not fit into the C type, RuntimeError
    if the kernel fails.
    """

    def __init__(
        self, root: Path, lesson: str, task: str, kernel: tuple[Path, str | None] | None = None, prototype: str = ""
    ):
        """`root` holds lessons/ and kernels/; `lesson` is a name or number as `catalog.find` knows them.

        `kernel` is another file of the course, instead of the reference, and its text (None: read it). `prototype`, as
        C text, is that of another entry point of the file, for the same task with numbers of other types.
        """
        self._where = root, lesson, task, kernel, prototype
        self._loaded: dict[Any, Callable[[Values], None]] = {}

    def __call__(self, *values: Any) -> None:
        device = values[0].device
        call = self._loaded.get(device) or self._load(device)
        call(values)

    def _load(self, device: Any) -> Callable[[Values], None]:
        with _loading:
            if device not in self._loaded:
                self._loaded[device] = _load(*self._where, device)
            return self._loaded[device]


def _load(
    root: Path, lesson: str, task_name: str, chosen: tuple[Path, str | None] | None, prototype: str, device: Any
) -> Callable[[Values], None]:
    try:
        entry = catalog.find(lesson, root)
        task = next((task.signature for task in entry.lesson.tasks if task.name == task_name), None)
        if task is None:
            raise LoadError(f"lesson {entry.name} has no task `{task_name}`: look into lessons/{entry.name}/lesson.py")
        kernel = _Kernel.of(entry, *(chosen or (entry.reference, None)))
        if prototype:
            task = parse_prototype(prototype)
            kernel = replace(kernel, prototypes=(*kernel.prototypes, task))
        call = _native(kernel, task, device.index) if device.type == "cuda" else _emulated(kernel, task)
    except UsageError as error:
        raise LoadError(str(error)) from None
    except (OSError, subprocess.SubprocessError) as error:
        raise LoadError(f"the kernel of lesson {lesson} cannot be loaded: {error}") from error
    limits = _limits(task)

    def checked(values: Values) -> None:
        for place, most in limits:
            if values[place] >= most:
                p = task.parameters[place]
                raise ValueError(f"{p.name} is {values[place]}, which does not fit into the kernel's `{p.declaration}`")
        call(values)

    return checked


def _limits(task: Prototype) -> list[tuple[int, int]]:
    """Where a call has integers, and what they must stay below: ctypes would cut them to the parameter's type."""
    numbers = [(place, p) for place, p in enumerate(task.parameters) if p.role == "scalar"]
    return [(place, 2 ** (8 * p.type.bytes - 1)) for place, p in numbers if not p.type.is_floating]


# ---- building, through the cache ----


@dataclass(frozen=True)
class _Kernel:
    """A kernel file with all its tasks, as it is graded: then both share one build."""

    source: str
    filename: str
    prototypes: tuple[Prototype, ...]

    @staticmethod
    def of(entry: Entry, file: Path, source: str | None) -> _Kernel:
        prototypes = tuple(task.signature for task in entry.lesson.tasks)
        name = str(file.relative_to(entry.root) if file.is_relative_to(entry.root) else file)
        return _Kernel(inlined(file) if source is None else source, name, prototypes)

    def library(self, architecture: str | None, task: str) -> Path:
        """The built library, which must have this task; `architecture` is a GPU's, None means the emulator. Raises
        LoadError.
        """
        from grader.devices.cache import is_intact

        kept = self._place_in_cache(architecture)
        if not is_intact(kept.parent):
            evidence = self._build(architecture, task)
            if problem := _problem(evidence):
                raise LoadError(f"{self.filename} cannot be built: {problem}")
            kept = self._place_in_cache(architecture)  # a grade may have put its own build there meanwhile
            if not kept.exists():
                raise LoadError(f"{self.filename} was built, but {kept.parent} does not hold it: is the disk full?")
        return kept

    def _place_in_cache(self, architecture: str | None) -> Path:
        """Where the library is, if it was built. Raises LoadError."""
        from grader.devices.cuda.compile import cuda_library
        from grader.devices.emulator.compile import emulated_library
        from grader.devices.emulator.translate import TranslationError

        what = (self.source, self.filename, self.prototypes, cache_root())
        try:
            return cuda_library(*what, architecture) if architecture else emulated_library(*what, with_checks=False)
        except TranslationError as error:
            raise LoadError(f"{self.filename} cannot be built: line {error.line}: {error.message}") from None

    def _build(self, architecture: str | None, task: str) -> Evidence:
        """A job without cases. The server that runs it imports torch, and need not stay afterwards."""
        from grader.devices.buffers import Arena
        from grader.devices.worker.job import Gpu, Job
        from grader.devices.worker.server import ForkServer

        gpu = Gpu(architecture) if architecture else None
        with Arena([]) as arena, ForkServer() as server:
            what = (self.source, self.filename, self.prototypes, task)
            return server.run(Job(*what, arena, [], gpu=gpu, with_checks=False))


def _problem(evidence: Evidence) -> str | None:
    """Why there is no library; None if there is one."""
    if evidence.build is None:
        return evidence.ended
    return evidence.build.message if evidence.build.problem else None


def _require_compiler() -> None:
    from grader.devices.build.toolchain import missing_compiler

    if missing := missing_compiler():
        raise LoadError(missing)


# ---- calling ----


def _native(kernel: _Kernel, task: Prototype, device: int) -> Callable[[Values], None]:
    """On a GPU: the entry point itself, with addresses and the current stream."""
    import torch

    from grader.devices.cuda.compile import architecture
    from grader.devices.cuda.runtime import runtime
    from grader.devices.cuda.toolkit import missing_cuda_tool

    _require_compiler()
    if missing := missing_cuda_tool():
        raise LoadError(missing)
    library = kernel.library(architecture(*torch.cuda.get_device_capability(device)), task.name)
    cuda, launch = runtime(), bind(ctypes.CDLL(str(library))[task.name], task.parameters)

    def call(values: Values) -> None:
        arguments = [value.data_ptr() if isinstance(value, torch.Tensor) else value for value in values]
        with torch.cuda.device(device):
            launch(*arguments, torch.cuda.current_stream(device).cuda_stream)
        if code := cuda.last_error():
            cuda.check(code)

    return call


def _emulated(kernel: _Kernel, task: Prototype) -> Callable[[Values], None]:
    """On the CPU: the emulator without its counters. It works on copies, whose pages it can shut to host code."""
    from grader.devices.buffers import Arena, WorkerMemory
    from grader.devices.emulator.session import Session, open_library, runtime_library

    _require_compiler()
    library = kernel.library(None, task.name)
    session = Session(open_library(library, kernel.filename), runtime=runtime_library(cache_root()), counting=False)

    def call(values: Values) -> None:
        given = {p.name: value for p, value in zip(task.parameters[:-1], values, strict=True)}
        scalars = {p.name: given[p.name] for p in task.scalars}
        with _emulator, Arena([(task, {p.name: given[p.name].shape for p in task.buffers})]) as arena:
            case = arena.cases[0]
            case.poison()
            for p in task.inputs:
                case.fill(p.name, given[p.name])
            memory = WorkerMemory(arena.fd, arena.layout)
            mapping = (memory.address, memory.bytes)
            run = session.run(task.name, task, memory.cases[0], scalars, _PATIENCE_SECONDS, mapping)
            if error := next((finding for finding in run.findings if finding.severity == "error"), None):
                where = f"{kernel.filename}, line {error.line}" if error.line else kernel.filename
                raise RuntimeError(f"{where}: {error.message}")
            for p in task.outputs:
                given[p.name].copy_(case.read(p.name).view(given[p.name].dtype))

    return call
