"""The life of a worker: one forked process that builds one kernel file, runs one task's cases and tells what it saw.

Everything here runs beside the learner's code, in a process that may crash, hang or lie. So it only reports, as JSON
lines over a pipe; the judge looks at the buffers itself.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course.prototype import Prototype, parse_prototype
from grader.devices.buffers import WorkerMemory
from grader.devices.build.own_faults import in_words
from grader.devices.build.recipe import Library
from grader.devices.cache import vouched
from grader.devices.emulator.checked import FACTS
from grader.devices.worker import emulated
from grader.devices.worker.confine import Sandbox, Unsafe
from grader.devices.worker.control_group import most_bytes
from grader.devices.worker.fresh import Fresh
from grader.devices.worker.job import GPU_VARIABLES, LOST
from grader.devices.worker.looker import Looker
from grader.devices.worker.printed import flush

if TYPE_CHECKING:
    from grader.devices.cuda.machine_code import MachineCode

# Address space beyond a fresh worker's: 4 GB are emulated device memory, up to 4 GB the stacks of a cooperative launch,
# and 8 GB are the submission's own. Each thread of the emulator has a block's stacks besides.
MEMORY_BYTES = 16 << 30
SAMPLED_BYTES = 144 << 30  # the same where buffers are as large as on a GPU; nearly all of that is never touched
STACK_BYTES = 256 << 20
COMPILER_BYTES = min(4 << 30, most_bytes() // 3)  # two build a file, and clang reads it
LARGEST_FILE_BYTES = 256 << 20
_PR_SET_PDEATHSIG = 1
_LINE_BUFFERED = 1


def main(job: dict[str, Any], server: int, memory_fd: int, events_fd: int, output_fd: int, orders_fd: int) -> None:
    """Runs the job and ends the process; never returns, so that nothing of the server runs on in a worker."""
    status = 1
    gc.disable()  # one job leaves little garbage
    try:
        tell = Events(events_fd, job["token"])
        try:
            _isolate(job, server, memory_fd, output_fd)
            work = _work_on_gpu if job["device"] == "cuda" else _work
            memory = WorkerMemory(memory_fd, job["layout"])
            _close_all(memory_fd)
            work(job, memory, orders_fd, tell)
            status = 0
        except Unsafe as error:
            tell("unsafe", message=str(error))
        except OSError as error:
            tell("broken", message=in_words(error))
        except Exception as error:
            traceback.print_exc()
            tell("broken", message=f"{type(error).__name__}: {error}".removesuffix(": "))
        flush()
    finally:
        os._exit(status)


class Events:
    """Sends events to the judge; facts are plain data, or records of it. Silent in forks of the submission."""

    def __init__(self, fd: int, token: str):
        self.fd = fd
        self.token = token
        self.pid = os.getpid()
        self.silent = False  # in the process of a second run

    def __call__(self, event: str, **facts: Any) -> None:
        if self.silent:
            return
        if os.getpid() != self.pid:
            os._exit(0)
        line = f"{self.token} {json.dumps({'event': event, **facts}, default=vars)}\n".encode()
        try:
            while line:
                line = line[os.write(self.fd, line) :]
        except OSError:
            os._exit(LOST)


def _work(job: dict[str, Any], memory: WorkerMemory, orders_fd: int, tell: Events) -> None:
    tell("preparing")
    prepared = _prepare_runtime(Path(job["cache"]))
    compiled = _compiled(job)
    needed = [*prepared, *(compiled.needed if compiled else [])]
    gate = _Gate(job, tell, memory, needed, *((compiled.finish, compiled.begin) if compiled else ()))
    library, task = _build(job, tell, gate)
    job["machine_code"] = compiled.kernels if compiled else {}
    stopped = None
    if library and (gate.is_forked or os.read(orders_fd, 1)):  # the inputs are there
        stopped = emulated.run_cases(job, library, task, memory, tell, gate.fresh, gate.looker)
    gate.close()
    tell("end", stopped=stopped)


def _work_on_gpu(job: dict[str, Any], memory: WorkerMemory, orders_fd: int, tell: Events) -> None:
    """The same on a GPU; afterwards the judge may order the kernel to be timed."""
    from grader.devices.cuda.runtime import runtime
    from grader.devices.cuda.session import Session, obey, run_cases
    from grader.devices.cuda.toolkit import cuda_home

    free = threading.Event()
    starting = threading.Thread(target=lambda: (free.wait(), runtime().synchronize()), daemon=True)
    starting.start()  # CUDA takes as long to start as nvcc to compile
    if not job["waits_for_card"]:
        free.set()

    def finish() -> None:
        if not free.is_set():
            tell("compiled")
            if not os.read(orders_fd, 1):
                os._exit(0)  # the judge has called the job off: the card is not ours to use
            free.set()
        starting.join()

    library, task = _build(job, tell, _Gate(job, tell, memory, [*filter(None, [cuda_home()])], finish))
    stopped = None
    if library and os.read(orders_fd, 1):  # the inputs are there
        session = Session(library.loaded, task)
        stopped = run_cases(session, memory, job, tell)
        flush()
        if not stopped and job["timed"]:
            tell("ready")
            obey(session, job["timed"]["scalars"], orders_fd, tell)
    tell("end", stopped=stopped)


def _compiled(job: dict[str, Any]) -> MachineCode | None:
    """What nvcc makes of the file, where launches are sampled for a card that it is to be compiled for."""
    if not (job["to_sample"] and job["to_sample"]["architecture"]):
        return None
    from grader.devices.cuda.machine_code import MachineCode

    return MachineCode(job["source"], job["filename"], job["to_sample"]["architecture"], Path(job["folder"]))


def _prepare_runtime(cache: Path) -> list[Path]:
    """Compiles the emulator the first time (without a compiler, the build says so). Returns where it lies."""
    from grader.devices.build import frontend
    from grader.devices.build.toolchain import missing_compiler
    from grader.devices.emulator.session import runtime_library

    if missing_compiler():
        return []
    try:
        runtime = runtime_library(cache)
    except subprocess.CalledProcessError as error:
        first = next((line for line in error.stderr.splitlines() if "error" in line), "no reason given")
        raise RuntimeError(f"the emulator does not compile with this g++ ({first})") from error
    frontend.prepare(cache)
    return [runtime.parent, frontend.folder(cache)]


def _build(job: dict[str, Any], tell: Events, gate: _Gate) -> tuple[Library | None, Prototype]:
    """The library, if it could be built, and the prototype of the task that it holds."""
    from grader.devices.build.build import missing_entry_point

    tell("building")
    prototypes = [parse_prototype(text) for text in job["prototypes"]]
    task = next(prototype for prototype in prototypes if prototype.name == job["task"])
    cache, folder = Path(job["cache"]), Path(job["folder"])
    what = (job["source"], job["filename"], prototypes, cache, folder, gate)
    if job["device"] == "cuda":
        from grader.devices.cuda.compile import build_for_cuda

        build, library = build_for_cuda(*what, job["architecture"])
    else:
        from grader.devices.emulator.compile import build_for_emulator

        build, library = build_for_emulator(*what, job["with_checks"])
    if library and (missing := missing_entry_point(library, job["source"], task)):
        build, library = missing, None
    tell("built", build=build)
    return library, task


@dataclass
class _Gate:
    """As build.Gate says. `needed` is to be read by a build and a run, `finish` ends what begins processes meanwhile.

    Once the gate is passed, `fresh` is for second runs on the emulator, and `looker` for looks at cases there.
    """

    job: dict[str, Any]
    tell: Events
    memory: WorkerMemory
    needed: list[Path]
    finish: Callable[[], None] = lambda: None
    begin: Callable[[], None] = lambda: None  # and starts them
    fresh: Fresh | None = None
    looker: Looker | None = None
    kept: Path = Path()  # where the cache keeps the build

    def __post_init__(self) -> None:
        on_gpu = self.job["device"] == "cuda"
        self.sandbox = Sandbox(self.job["sandbox"], Path(self.job["folder"]), on_gpu, self.job["outside"])

    def confine(self, kept: Path) -> None:
        self.kept = kept
        self.sandbox.enter([*self.needed, kept])
        if self.job["device"] == "emulator":
            _limit_memory(COMPILER_BYTES)
        self.begin()

    def vouch(self, key: str, files: Sequence[Path]) -> None:
        with os.fdopen(self.job["build_fd"], "wb") as file:
            file.write(vouched(key, files))
        if self.job["device"] == "emulator":
            _limit_memory(None)
            self._fork(any(file.name == FACTS for file in files) or (self.kept / FACTS).exists())
        self.finish()
        others = [each.pid for each in (self.fresh, self.looker) if each]
        self.sandbox.shut([] if self.is_forked else others)
        self.tell("loading", sandbox=self.sandbox.report())

    def _fork(self, is_checked: bool) -> None:
        """A looker only where there is a checking build: most small files have none."""
        self.fresh = Fresh(Path(self.job["folder"]), self.memory)
        if self.fresh.number is None and is_checked and emulated.is_checked(self.job):
            self.looker = Looker(self.memory, self.job["token"])
            if self.looker.is_here:
                self.fresh = None
        self.tell.silent = self.is_forked

    @property
    def is_forked(self) -> bool:
        """Whether this is not the worker itself: its inputs are there once it is asked for something."""
        is_second = self.fresh is not None and self.fresh.number is not None
        return is_second or (self.looker is not None and self.looker.is_here)

    def close(self) -> None:
        """Ends the processes beside the worker; in one of them, that one."""
        if self.fresh:
            self.fresh.close()
        if self.looker:
            self.looker.close()


def _isolate(job: dict[str, Any], server: int, memory_fd: int, output_fd: int) -> None:
    """Makes the fork a stranger: its own group, folder, streams, environment and limits."""
    os.setsid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != server:
        os._exit(1)  # it was gone before it could take us along
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, C programs do not
        signal.signal(number, signal.SIG_DFL)
    warnings.simplefilter("ignore")  # torch's, about compilers: not the learner's words
    _end_with_this_thread()
    _set_streams(output_fd)
    _set_environment(Path(job["folder"]))
    threads = job["threads"] or os.cpu_count() or 1
    _set_limits(os.fstat(memory_fd).st_size, threads, job["device"], samples=bool(job["to_sample"]))


def _end_with_this_thread() -> None:
    """If a submission ends the thread that called it, the process ends, too: CUDA's threads would live on for ever."""
    c, key = ctypes.CDLL(None), ctypes.c_uint()
    c.pthread_key_create(ctypes.byref(key), c._exit)
    c.pthread_setspecific(key, ctypes.c_void_p(1 << 8))  # handed to _exit when the thread ends: a status of 0


def _close_all(fd: int) -> None:
    """Closes a file and its copies (a mapping keeps one): through it, host code could write to pages that are shut."""
    file = os.fstat(fd)
    for other in map(int, os.listdir("/proc/self/fd")):
        with contextlib.suppress(OSError):  # that of the listing itself is closed by now
            if os.path.samestat(os.fstat(other), file):
                os.close(other)


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
    kept = {name: os.environ[name] for name in ("PATH", *GPU_VARIABLES) if name in os.environ}
    os.environ.clear()
    os.environ.update(kept, HOME=str(folder), TMPDIR=str(folder), LANG="C.UTF-8", CXX="g++")
    os.environ["TORCH_DONT_CHECK_COMPILER_ABI"] = "1"  # asks the compiler for its version three times
    tempfile.tempdir = None
    os.chdir(folder)


def _set_limits(shared_bytes: int, threads: int, device: str, samples: bool) -> None:
    """Memory is limited beyond what a fresh worker with a CUDA build of torch holds already: its address space, or on a
    GPU its private memory, as CUDA maps all memory of host and device into one address space.
    """
    total, *_, private, _ = [int(pages) for pages in Path("/proc/self/statm").read_text().split()]
    more = shared_bytes + (SAMPLED_BYTES if samples else MEMORY_BYTES) + threads * STACK_BYTES
    memory, held = (resource.RLIMIT_DATA, private) if device == "cuda" else (resource.RLIMIT_AS, total)
    for what, limit in (
        (memory, held * resource.getpagesize() + more),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, LARGEST_FILE_BYTES),
    ):
        _, hard = resource.getrlimit(what)
        limit = (
            hard if limit == resource.RLIM_INFINITY else limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        )
        resource.setrlimit(what, (limit, limit))
    with contextlib.suppress(
        OSError
    ):  # if memory runs out all the same, this process goes and not the learner's editor
        Path("/proc/self/oom_score_adj").write_text("1000")


def _limit_memory(more: int | None) -> None:
    """Address space of this process and of those it starts: so much beside what it has; None: all that it may have."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    total = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft = hard if more is None else total + more if hard == resource.RLIM_INFINITY else min(hard, total + more)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
