"""Starts workers: a small process that has imported what they need forks one for each job, in milliseconds.

    judge  --job, file descriptors-->  server  --fork-->  worker  --events, output-->  judge

Not multiprocessing's fork server, which imports the judge's main module again and unpickles what its children send.
Nothing that a submission does can make `run` raise, hang or leave a process behind.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import gc
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, NoReturn

from grader.course.catalog import UsageError
from grader.devices import cache
from grader.devices.evidence import Evidence
from grader.devices.worker.confine_files import devices_of_a_gpu
from grader.devices.worker.job import GPU_VARIABLES, Cancelled, Job
from grader.devices.worker.reaping import end_children, ended
from grader.devices.worker.running import STOP_SECONDS, RunningJob, read_reply

__all__ = ["ForkServer", "Job", "server"]

STALE_SECONDS = 3600
FOR_COMPILE = "torch._meta_registrations"  # a third of torch's import, which a worker, that traces nothing, can lack
DESCRIPTORS = 4  # that come with a job: memory, events, output, orders
_PR_SET_CHILD_SUBREAPER = 36
_KEPT_VARIABLES = ("PATH", "HOME", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "TMPDIR", *GPU_VARIABLES)
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")  # for fork's sake
_SERVER = [sys.executable, "-P", "-m", "grader.devices.worker.server"]


# ---- the judge's side ----


class ForkServer:
    """Starts at once and gets ready in the background; `run` waits for that. Also a context manager."""

    def __init__(self, forked: bool = False, cache: Path | None = None) -> None:
        """`forked`: off this process, which holds what workers need, and nothing yet that a submission may not know.

        Then `settle` must be called. Else, where all jobs have one cache, bubblewrap holds it, if it can be had.
        """
        self._lock, self._cache = threading.Lock(), cache
        self._process: subprocess.Popen[bytes] | _Fork
        self._start(forked)

    def _start(self, forked: bool = False) -> None:
        self._socket, theirs = socket.socketpair()
        self._replies = self._socket.makefile("r")
        self._ready = False
        with theirs:
            if forked:
                self._process = _Fork(partial(_serve_alone, theirs))
                return
            self._process = subprocess.Popen(
                [*_SERVER, str(theirs.fileno()), *([str(self._cache)] if self._cache else [])],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_server_environment(),
                start_new_session=True,  # Ctrl-C is for the judge, who then ends the server and all below it
            )

    def settle(self) -> None:
        """Tells a forked server what it could not inherit: the environment, where this process is, its umask."""
        mask = os.umask(0o077)
        os.umask(mask)
        try:
            folder = os.getcwd()
        except FileNotFoundError:  # it was removed
            folder = os.sep
        payload = json.dumps({"environment": _server_environment(), "umask": mask, "folder": folder}).encode()
        self._socket.sendall(b"E" + struct.pack("!Q", len(payload)) + payload)

    def run(self, job: Job, on_event: Callable[[dict[str, Any]], None] | None = None) -> Evidence:
        """Runs one job to its end, whatever that is. `on_event` sees each of the worker's events as it comes.

        Raises UsageError if no worker can be started at all, and Cancelled when the job was called off and its worker
        has ended. Any other exception (Ctrl-C) ends the server first.
        """
        try:
            with self._lock, _job_folder(job.cache) as folder:
                if self._cache not in (None, job.cache):  # bubblewrap would hide it
                    self.close()
                    self._cache = job.cache
                if not self.alive:  # a submission killed it, or the last run was interrupted
                    self._start()
                self._wait_until_ready()
                running = RunningJob(job, folder, on_event or (lambda event: None))
                running.follow(self._socket, self._replies)
                if running.status is None:
                    self.close()
                if running.cancelled:
                    raise Cancelled
                return running.found
        except Cancelled:
            raise
        except BaseException:
            self.close()
            raise

    def _wait_until_ready(self) -> None:
        if not self._ready:
            answer = read_reply(self._replies) or {"failed": "it ended at once"}
            if "failed" in answer:
                raise UsageError(f"the worker cannot start: {answer['failed']}; `ladder doctor` says what is missing")
            self._ready = True

    @property
    def alive(self) -> bool:
        return self._socket.fileno() >= 0 and self._process.poll() is None

    def close(self) -> None:
        """Ends the server and whatever it runs: it goes when its socket's other end is closed."""
        self._replies.close()
        self._socket.close()
        try:
            self._process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)  # bubblewrap, too
            self._process.wait()

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@functools.cache
def server() -> ForkServer:
    """The process's own server, started by the first call."""
    if forked := _adopted.get():
        return forked[0]
    started = ForkServer(cache=cache.cache_root())
    atexit.register(started.close)
    return started


def second_server() -> ForkServer:
    """Another one, for a job that runs beside the first one's; started by the first call, in the background."""
    if not (found := spare_server()):
        found = ForkServer(cache=cache.cache_root())
        atexit.register(found.close)
        _second.append(found)
    return found


def spare_server() -> ForkServer | None:
    """The second one, if there is one already."""
    return next(iter([*_adopted.get()[1:], *_second]), None)


_second: list[ForkServer] = []


@contextlib.contextmanager
def adopt(*forked: ForkServer) -> Iterator[None]:
    """Makes them the process's own server and its second one, before there are any. The caller closes them."""
    token = _adopted.set(forked)
    try:
        yield
    finally:
        _adopted.reset(token)


_adopted: ContextVar[tuple[ForkServer, ...]] = ContextVar("adopted", default=())


class _Fork:
    """A forked process that runs one function, as far as a ForkServer asks: like Popen."""

    def __init__(self, run: Callable[[], NoReturn]):
        self._code: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            run()

    def poll(self) -> int | None:
        if self._code is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if ended else None
        return self._code

    def wait(self, timeout: float | None = None) -> int | None:
        if self.poll() is None:
            process = os.pidfd_open(self.pid)
            ended, _, _ = select.select([process], [], [], timeout)
            os.close(process)
            if not ended:
                raise subprocess.TimeoutExpired("the worker's server", timeout or 0)
        return self.poll()


@contextlib.contextmanager
def _job_folder(cache: Path) -> Iterator[Path]:
    """A private folder beside the cache, so that a build can be renamed into it. Removes those left by a power cut."""
    parent = cache / "jobs"
    parent.mkdir(parents=True, exist_ok=True)
    for old in parent.iterdir():
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _server_environment() -> dict[str, str]:
    """Little of the judge's, for what the server knows, a submission can find out."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    package_root = str(Path(__file__).parents[3])
    python_path = [package_root, os.environ.get("PYTHONPATH", "")]
    path = [sysconfig.get_path("scripts"), kept.get("PATH", os.defpath)]  # ninja lies beside python
    return {
        **kept,
        **_ONE_THREAD,
        "PATH": os.pathsep.join(path),
        "PYTHONPATH": os.pathsep.join(part for part in python_path if part),
        "LANG": "C.UTF-8",
    }


# ---- the server's side ----


def serve(judge: socket.socket, held: dict[str, Any]) -> None:
    """Imports what every worker needs, then runs one job after the other until the judge is gone.

    `held` says what holds this process (outside.py). Nothing here may start CUDA, which does not survive a fork.
    """
    try:
        if has_gpu():  # only kernels for a GPU are built by torch
            sys.modules.setdefault(FOR_COMPILE, ModuleType(FOR_COMPILE))
            import_torch()
        from grader.devices.worker import confine_mounts, life

        warm()
        confine_mounts.why_not()  # asked once, for all workers
    except Exception as error:
        _reply(judge, {"failed": f"{type(error).__name__}: {error}"})
        return
    gc.freeze()  # all that was imported, as import_torch does
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)  # what a worker leaves behind becomes ours, to be ended
    _reply(judge, {"ready": True})
    server = os.getpid()
    while True:
        word, descriptors, _, _ = socket.recv_fds(judge, 1, DESCRIPTORS)
        if not word:
            return
        if word == b"E":
            _settle(_receive_order(judge))
        if word == b"J":
            order = _receive_order(judge)
            build = os.memfd_create("build")
            pid = os.fork()
            if pid == 0:
                judge.close()
                life.main(order | {"build_fd": build, "outside": held}, server, *descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            with os.fdopen(build, "r+b") as file:
                status = ended(pid, judge, partial(_keep, Path(order["cache"]), file))
                end_children()
                _keep(Path(order["cache"]), file)
            shutil.rmtree(order["folder"], ignore_errors=True)
            _reply(judge, {"ended": status})


def _keep(kept: Path, file: BinaryIO) -> None:
    """Puts into the cache what the worker vouches for: once, and nothing if it did not come to that."""
    file.seek(0)  # the worker, whose file it was, has left it at its end
    if vouched := file.read():
        cache.keep(kept, vouched)
        os.ftruncate(file.fileno(), 0)


def warm() -> None:
    """Imports, loads and reads what every worker for the emulator needs: once, for this process and its forks."""
    from grader.devices.build import frontend, toolchain
    from grader.devices.emulator import compile as emulated
    from grader.devices.emulator import session

    toolchain.missing_compiler()
    frontend.warm()
    session.runtime_content()
    emulated.rules_content(session.include_folder())


def has_gpu() -> bool:
    """Whether there is one that torch might use."""
    return any(device.exists() for device in devices_of_a_gpu())


def import_torch(to_build: bool = True) -> None:
    """With what builds extensions, if it is `to_build`. That asks for a GPU, only to warn if there is none, and would
    thus start CUDA.
    """
    gc.disable()  # nothing of it is garbage, and to look for some takes a tenth of the time
    import torch

    asked, torch.cuda.is_available = torch.cuda.is_available, lambda: True
    try:
        if to_build:
            import torch.utils.cpp_extension
    finally:
        torch.cuda.is_available = asked
        gc.freeze()  # nor will it be; and the forks share pages that the collector leaves alone
        gc.enable()


def _settle(order: dict[str, Any]) -> None:
    os.environ.clear()
    os.environ.update(order["environment"])
    os.umask(order["umask"])
    os.chdir(order["folder"])


def _serve_alone(judge: socket.socket) -> NoReturn:
    """In a fork: serves with nothing of the process but what it has imported."""
    try:
        os.setsid()
        for descriptor in map(int, os.listdir("/proc/self/fd")):
            if descriptor > 2 and descriptor != judge.fileno():
                with contextlib.suppress(OSError):  # that of the listing itself is closed by now
                    os.close(descriptor)
        from grader.devices.worker import outside

        with outside.in_a_group(outside.why_no_bubblewrap(None)) as held:
            serve(judge, held)
    finally:
        os._exit(0)


def _receive_order(judge: socket.socket) -> dict[str, Any]:
    (size,) = struct.unpack("!Q", _receive(judge, 8))
    order: dict[str, Any] = json.loads(_receive(judge, size))
    return order


def _receive(judge: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = judge.recv(size - len(data))
        if not part:
            sys.exit()
        data += part
    return data


def _reply(judge: socket.socket, reply: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):  # the judge is gone; the next recv says so
        judge.sendall(json.dumps(reply).encode() + b"\n")


def main(descriptor: str, cache: str = "", wrapped: str = "") -> None:
    """Serves on this socket; with a cache, in bubblewrap where it can be had, which calls this again."""
    from grader.devices.worker import outside

    if wrapped:
        serve(socket.socket(fileno=int(descriptor)), json.loads(wrapped))
        return
    reason = outside.why_no_bubblewrap(Path(cache) if cache else None)
    with outside.in_a_group(reason) as held:
        if reason:
            serve(socket.socket(fileno=int(descriptor)), held)
        else:
            outside.run([*_SERVER, descriptor, cache, json.dumps(held)], Path(cache), int(descriptor))


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)  # the judge waits for this; taking torch down politely costs a tenth of a second
