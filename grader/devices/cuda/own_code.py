"""The course's own native code, rungs and rivals: built by nvcc or g++, and called in this process.

Only for trusted code: there is no worker, no limit and no refusal of libraries. Entry points as in every kernel file;
a `.cpp` works on host memory, and its entry point has no stream.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from grader.course.inline import inlined
from grader.course.prototype import Prototype, bind
from grader.devices.cuda.compile import CudaRecipe
from grader.devices.cuda.runtime import runtime
from grader.devices.cuda.toolkit import cuda_home, runtime_library

CPU_FLAGS = ["-O3", "-march=native", "-fopenmp", "-std=c++20", "-shared", "-fPIC"]
_PATIENCE_SECONDS = 300  # for one compiler

Call = Callable[..., None]  # f(**buffers, **scalars), as a task's baselines


class BuildError(RuntimeError):
    """A file that its compiler refuses; the message is the compiler's first complaint."""


def build_all(sources: Iterable[Path], folder: Path, architecture: str) -> dict[Path, Path | BuildError]:
    """The library of every source, or why there is none. `architecture` is what nvcc compiles for, "90a"."""

    def build(numbered: tuple[int, Path]) -> Path | BuildError:
        number, source = numbered
        try:
            return _build(source, folder / f"{number}_{source.stem}.so", architecture)
        except BuildError as error:
            return error

    sources = list(sources)
    with ThreadPoolExecutor() as threads:
        return dict(zip(sources, threads.map(build, enumerate(sources)), strict=True))


def _build(source: Path, library: Path, architecture: str) -> Path:
    command = [*_compiler(source, architecture), "-o", str(library), str(source)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{Path(command[0]).name}: {error}") from None
    if done.returncode:
        raise BuildError(_first_complaint(done.stderr) or f"{Path(command[0]).name} exits with {done.returncode}")
    return library


def _compiler(source: Path, architecture: str) -> list[str]:
    """The compiler and its flags: nvcc's are those that a submission is built with."""
    if source.suffix == ".cpp":
        return ["g++", *CPU_FLAGS]
    home, text = cuda_home(), inlined(source)
    if home is None:
        raise BuildError("there is no nvcc")
    libraries = ["-lcublas"] if "#include <cublas" in text else []
    # torch's CUDA runtime, not one inside the library: errors of launches are asked for there
    link = ["-shared", "-cudart=none", "-Xlinker", str(runtime_library(home)), *libraries]
    return [str(home / "bin" / "nvcc"), *CudaRecipe(text, architecture).flags, "-Xcompiler=-fPIC", *link]


def _first_complaint(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if re.search(r"\berror\b", line)), lines[0] if lines else "")


def load(library: Path, task: Prototype, *, on_host: bool = False) -> Call | None:
    """A task's entry point as a function of tensors and numbers by name; None if the library does not have it.

    On a GPU it launches on torch's current stream and does not wait. Raises CudaError if a launch fails.
    """
    try:
        function = ctypes.CDLL(str(library))[task.name]
    except AttributeError:
        return None
    if on_host:
        _take_allowed_cores(library)
    parameters = [each for each in task.parameters if not (on_host and each.role == "stream")]
    bind(function, parameters)

    def call(**values: Any) -> None:
        function(*(_argument(each, values) for each in parameters))
        if not on_host and (code := runtime().last_error()):
            runtime().check(code)

    return call


def allowed_cores(quota: Path = Path("/sys/fs/cgroup/cpu.max")) -> int:
    """How many cores this process may use, by its affinity and its container's share of the time."""
    cores = len(os.sched_getaffinity(0))
    try:
        share, period = map(int, quota.read_text().split())
    except (OSError, ValueError):  # there is no quota, or it is "max"
        return cores
    return max(min(cores, share // period), 1)


def _take_allowed_cores(library: Path) -> None:
    """OpenMP starts a thread for each core it sees. Where fewer are allowed, each call would wait for threads that do
    not run: milliseconds, however little there is to do.
    """
    if "OMP_NUM_THREADS" in os.environ:
        return
    with contextlib.suppress(AttributeError):  # code without OpenMP
        ctypes.CDLL(str(library)).omp_set_num_threads(allowed_cores())


def _argument(parameter: Any, values: Mapping[str, Any]) -> Any:
    import torch

    if parameter.role == "stream":
        return torch.cuda.current_stream().cuda_stream
    value = values[parameter.name]
    return value.data_ptr() if parameter.is_buffer else value
