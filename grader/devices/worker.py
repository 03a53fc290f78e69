"""The life of a worker: one forked process that builds one kernel file, runs one task's cases and tells what it saw.

Everything here runs beside the learner's code, in a process that may crash, hang or lie. So it only reports, as JSON
lines over a pipe; the judge looks at the buffers itself.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.course.prototype import Prototype, parse_prototype
from grader.devices.buffers import WorkerMemory

# Address space beyond a fresh worker's: 4 GB are emulated device memory, up to 4 GB the stacks of a cooperative launch,
# and 8 GB are the submission's own. Each thread of the emulator has a block's stacks besides.
MEMORY_BYTES = 16 << 30
STACK_BYTES = 256 << 20
LARGEST_FILE_BYTES = 256 << 20
LOST = 97  # exit code: the pipe to the judge is gone
_PR_SET_PDEATHSIG = 1
_LINE_BUFFERED = 1


def main(job: dict[str, Any], server: int, memory_fd: int, events_fd: int, output_fd: int) -> None:
    """Runs the job and ends the process; never returns, so that nothing of the server runs on in a worker."""
    status = 1
    try:
        tell = Events(events_fd, job["token"])
        try:
            _settle_in(job, server, memory_fd, output_fd)
            _work(job, memory_fd, tell)
            status = 0
        except Exception as error:
            traceback.print_exc()
            tell("broken", message=f"{type(error).__name__}: {error}".removesuffix(": "))
        _flush()
    finally:
        os._exit(status)


class Events:
    """Sends events to the judge. A copy of the worker that the submission forked stays silent."""

    def __init__(self, fd: int, token: str):
        self.fd = fd
        self.token = token
        self.pid = os.getpid()

    def __call__(self, event: str, **facts: Any) -> None:
        if os.getpid() != self.pid:
            os._exit(0)
        line = f"{self.token} {json.dumps({'event': event, **facts})}\n".encode()
        try:
            while line:
                line = line[os.write(self.fd, line) :]
        except OSError:
            os._exit(LOST)


def _work(job: dict[str, Any], memory_fd: int, tell: Events) -> None:
    prototypes = [parse_prototype(text) for text in job["prototypes"]]
    task = next(prototype for prototype in prototypes if prototype.name == job["task"])
    tell("preparing")
    _prepare_runtime(Path(job["cache"]))
    tell("building")
    library = _build(job, prototypes, task, tell)
    stopped = _run_cases(job, library, task, WorkerMemory(memory_fd, job["layout"]), tell) if library else None
    tell("end", stopped=stopped)


def _prepare_runtime(cache: Path) -> None:
    """Compiles the emulator the first time (without a compiler, the build says so)."""
    from grader.devices.build import missing_tool
    from grader.devices.emulator.session import runtime_library

    if missing_tool():
        return
    try:
        runtime_library(cache)
    except subprocess.CalledProcessError as error:
        first = next((line for line in error.stderr.splitlines() if "error" in line), "no reason given")
        raise RuntimeError(f"the emulator does not compile with this g++ ({first})") from error


def _build(job: dict[str, Any], prototypes: list[Prototype], task: Prototype, tell: Events) -> Path | None:
    from grader.devices.build import build_for_emulator, missing_entry_point

    folder, cache = Path(job["folder"]), Path(job["cache"])
    build, library = build_for_emulator(job["source"], job["filename"], prototypes, cache, folder)
    if library and (missing := missing_entry_point(library, job["source"], task)):
        build, library = missing, None
    tell("built", build=asdict(build))
    return library


def _run_cases(
    job: dict[str, Any], library: Path, task: Prototype, memory: WorkerMemory, tell: Events
) -> dict[str, str] | None:
    """Runs case by case. Stops after a crash, when nothing is sure any more, or a time-out, and returns which."""
    from grader.devices.emulator.session import Session, runtime_library

    runtime = runtime_library(Path(job["cache"]))
    session = Session(library, Path(job["filename"]), job["threads"], runtime=runtime)
    mapping = (memory.address, memory.bytes)
    for case, buffers in zip(job["cases"], memory.cases, strict=True):
        tell("running", case=case["name"])
        run = session.run(case["name"], task, buffers, case["scalars"], job["seconds"], mapping)
        _flush()
        tell("case", case=asdict(run))
        fatal = next((finding for finding in run.findings if finding.kind in ("crash", "timeout")), None)
        if fatal:
            return {"problem": fatal.kind, "ended": f"{fatal.message} (case {case['name']})"}
    return None


def _settle_in(job: dict[str, Any], server: int, memory_fd: int, output_fd: int) -> None:
    """Makes the fork a stranger: its own group, folder, streams, environment and limits."""
    os.setsid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != server:
        os._exit(1)  # it was gone before it could take us along
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, C programs do not
        signal.signal(number, signal.SIG_DFL)
    warnings.simplefilter("ignore")  # torch's, about compilers: not the learner's words
    _set_streams(output_fd)
    _set_environment(Path(job["folder"]))
    _set_limits(os.fstat(memory_fd).st_size, job["threads"] or os.cpu_count() or 1)


def _set_streams(output_fd: int) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output_fd, 1)
    os.dup2(output_fd, 2)
    for fd in (nothing, output_fd):
        os.close(fd)
    sys.stdout = os.fdopen(1, "w", errors="replace", closefd=False)
    sys.stderr = os.fdopen(2, "w", errors="replace", closefd=False)
    c = ctypes.CDLL(None)  # line by line, so that what was printed before a crash is not lost
    c.setvbuf(ctypes.c_void_p.in_dll(c, "stdout"), None, _LINE_BUFFERED, ctypes.c_size_t(1 << 16))


def _set_environment(folder: Path) -> None:
    path = os.environ["PATH"]
    os.environ.clear()
    os.environ.update(PATH=path, HOME=str(folder), TMPDIR=str(folder), LANG="C.UTF-8", CXX="g++")
    os.environ["TORCH_DONT_CHECK_COMPILER_ABI"] = "1"  # asks the compiler for its version three times
    tempfile.tempdir = None
    os.chdir(folder)


def _set_limits(shared_bytes: int, threads: int) -> None:
    """RLIMIT_AS counts address space, of which a fresh worker with a CUDA build of torch holds much already."""
    own = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = own + shared_bytes + MEMORY_BYTES + threads * STACK_BYTES
    for what, limit in (
        (resource.RLIMIT_AS, most),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, LARGEST_FILE_BYTES),
    ):
        _, hard = resource.getrlimit(what)
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(what, (limit, limit))
    with contextlib.suppress(
        OSError
    ):  # if memory runs out all the same, this process goes and not the learner's editor
        Path("/proc/self/oom_score_adj").write_text("1000")


def _flush() -> None:
    sys.stdout.flush()
    ctypes.CDLL(None).fflush(None)
