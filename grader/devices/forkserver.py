"""Starts workers: a small process with torch already imported forks one for each job, in milliseconds.

    judge  --job, file descriptors-->  server  --fork-->  worker  --events, output-->  judge

Not multiprocessing's fork server, which imports the judge's main module again and unpickles what its children send.
Nothing that a submission does can make `run` raise, hang or leave a process behind.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
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
from pathlib import Path
from typing import Any

from grader.course.catalog import UsageError
from grader.devices import build, job, worker
from grader.devices.evidence import Evidence
from grader.devices.job import Cancelled, Flight, Job, read_reply

__all__ = ["ForkServer", "Job", "server"]

STALE_SECONDS = 3600
DESCRIPTORS = 4  # that come with a job: memory, events, output, orders
_PR_SET_CHILD_SUBREAPER = 36
_KEPT_VARIABLES = ("PATH", "HOME", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "TMPDIR", *worker.GPU_VARIABLES)
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")  # for fork's sake


# ---- the judge's side ----


class ForkServer:
    """Starts at once and gets ready in the background; `run` waits for that. Also a context manager."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._start()

    def _start(self) -> None:
        self._socket, theirs = socket.socketpair()
        self._replies = self._socket.makefile("r")
        self._ready = False
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "grader.devices.forkserver", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_server_environment(),
                start_new_session=True,  # Ctrl-C is for the judge, who then ends the server and all below it
            )

    def run(self, job: Job, on_event: Callable[[dict[str, Any]], None] | None = None) -> Evidence:
        """Runs one job to its end, whatever that is. `on_event` sees each of the worker's events as it comes.

        Raises UsageError if no worker can be started at all, and Cancelled when the job was called off and its worker
        has ended. Any other exception (Ctrl-C) ends the server first.
        """
        try:
            with self._lock, _job_folder(job.cache) as folder:
                if not self.alive:  # a submission killed it, or the last run was interrupted
                    self._start()
                self._wait_until_ready()
                flight = Flight(job, folder, on_event or (lambda event: None))
                flight.follow(self._socket, self._replies)
                if flight.status is None:
                    self.close()
                if flight.cancelled:
                    raise Cancelled
                return flight.found
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
            self._process.wait(timeout=job.STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@functools.cache
def server() -> ForkServer:
    """The process's own server, started by the first call."""
    started = ForkServer()
    atexit.register(started.close)
    return started


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
    package_root = str(Path(__file__).parents[2])
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


def serve(judge: socket.socket) -> None:
    """Imports what every worker needs, then runs one job after the other until the judge is gone.

    Nothing here may start CUDA, which does not survive a fork.
    """
    try:
        _import_torch()
        import grader.devices.emulator.session
        import grader.devices.emulator.translate  # noqa: F401
    except Exception as error:
        _reply(judge, {"failed": f"{type(error).__name__}: {error}"})
        return
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)  # what a worker leaves behind becomes ours, to be ended
    _reply(judge, {"ready": True})
    server = os.getpid()
    while True:
        word, descriptors, _, _ = socket.recv_fds(judge, 1, DESCRIPTORS)
        if not word:
            return
        if word == b"J":
            order = json.loads(_receive(judge, *struct.unpack("!Q", _receive(judge, 8))))
            told, tell = os.pipe()
            pid = os.fork()
            if pid == 0:
                judge.close()
                worker.main(order | {"key_fd": tell}, server, *descriptors)
            for descriptor in (tell, *descriptors):
                os.close(descriptor)
            status = _wait(pid, judge)
            _end_children()
            with os.fdopen(told) as pipe:  # the key of what was built; nothing if that could not begin
                if key := pipe.read():
                    build.keep(Path(order["folder"]), Path(order["cache"]), key)
            shutil.rmtree(order["folder"], ignore_errors=True)
            _reply(judge, {"ended": status})


def _import_torch() -> None:
    """With what builds extensions. That asks for a GPU, only to warn if there is none, and would thus start CUDA."""
    import torch

    asked, torch.cuda.is_available = torch.cuda.is_available, lambda: True
    try:
        import torch.utils.cpp_extension
    finally:
        torch.cuda.is_available = asked


def _wait(pid: int, judge: socket.socket) -> int:
    """The worker's wait status. If the judge says stop, or is gone, the worker is killed."""
    process = os.pidfd_open(pid)
    ready, _, _ = select.select([process, judge], [], [])
    if process not in ready:
        os.kill(pid, signal.SIGKILL)
    os.close(process)
    return os.waitpid(pid, 0)[1]


def _end_children() -> None:
    """Kills until there is nobody left; those whose parent dies become our children and are next."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                for child in _children():
                    os.kill(child, signal.SIGKILL)
                os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    children = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                facts = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
                if int(facts[1]) == os.getpid():
                    children.append(int(entry.name))
    return children


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


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
    os._exit(0)  # the judge waits for this; taking torch down politely costs a tenth of a second
