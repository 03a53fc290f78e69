"""What is read of a file in a process of its own, with the worker's limits: it may crash there, or take too long."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.devices.build.own_namespace import as_written

MOST_SECONDS = 20.0  # of processor time
MOST_WAITING = 5  # times as long, beyond the compiler's time: another program's work must not change the verdict
MOST_BYTES = 4 << 30
_PR_SET_PDEATHSIG = 1


class Reading:
    """A file that is being read. Ask for the `result` once."""

    def __init__(self, work: Callable[[], Any]):
        self.work = work
        self.pid, self.answer = _forked(work)

    def result(self, tries: int = 1) -> Any | None:
        """What the process has found; None if it could not tell.

        With two tries, one that ended early, as where the machine's memory was full, is begun once more.
        """
        begun = time.monotonic()
        found = self._result()
        if found is None and tries > 1 and time.monotonic() - begun < MOST_SECONDS / 2:
            self.pid, self.answer = _forked(self.work)
            return self._result()
        return found

    def _result(self) -> Any | None:
        data, until = b"", time.monotonic() + MOST_WAITING * MOST_SECONDS
        with os.fdopen(self.answer, "rb", buffering=0) as pipe:
            while select.select([pipe], [], [], max(until - time.monotonic(), 0))[0]:
                if not (piece := pipe.read(1 << 16)):
                    break
                data += piece
        self._end()
        try:
            return json.loads(data)
        except ValueError:
            return None

    def stop(self) -> None:
        """Ends the process: its result is of no use any more."""
        os.close(self.answer)
        self._end()

    def _end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _forked(work: Callable[[], Any]) -> tuple[int, int]:
    """A fork that does the work, tells its result as JSON, and does not survive this process."""
    receive, send = os.pipe()
    parent, limits = os.getpid(), _limits()
    pid = os.fork()
    if pid:
        os.close(send)
        return pid, receive
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == parent:
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            for what, most in limits:
                resource.setrlimit(what, (most, most))
            with os.fdopen(send, "wb") as pipe:
                pipe.write(as_written(json.dumps(work())).encode())
    finally:
        os._exit(0)


def _limits() -> list[tuple[int, int]]:
    """Which resource, and how much of it; a confined process's children cannot ask how large they are."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    wanted = {
        resource.RLIMIT_AS: pages * resource.getpagesize() + MOST_BYTES,
        resource.RLIMIT_CPU: int(MOST_SECONDS),
    }
    allowed = {what: resource.getrlimit(what)[1] for what in wanted}
    return [(what, most if allowed[what] < 0 else min(most, allowed[what])) for what, most in wanted.items()]
