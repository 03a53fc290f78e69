"""A second run of a case that sees nothing of the first: no static variable, no thread, no file that it left behind.

    worker ── fork, before anything of the submission runs ──► fresh ── fork, when a case is asked for ──► one run

The fresh process sleeps until then, and costs a fork. Each run that is asked for has a process of its own, which loads
the submission for itself and runs the earlier cases first, so that all is as it was before the first run; only the
judge's buffers are shared.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from grader.devices.buffers import View, WorkerMemory
from grader.devices.worker.printed import be_silent

_PR_SET_PDEATHSIG = 1


class Fresh:
    """`number` is None in the worker itself; in the process of a second run it is that of the case to run.

    `pid` is the fresh process's, 0 in the process of a second run.
    """

    def __init__(self, folder: Path, memory: WorkerMemory):
        """Comes back once in the worker, and once for each `ask` in a process of its own, which ends by `answer`."""
        self.number: int | None = None
        self._folder = folder
        self._files = _files_of(folder)
        self._socket, theirs = socket.socketpair()
        worker = os.getpid()
        memory.inherit(True)
        self.pid = os.fork()
        if self.pid == 0:
            self._socket.close()
            self._socket = theirs
            try:
                end_with(worker)
                self._serve()
            except OSError:  # the worker is gone, or files come and go
                os._exit(1)
        else:
            theirs.close()
        memory.inherit(False)  # the submission's own children do not have it

    def _serve(self) -> None:
        """Forks for each number that is asked for, and comes back there; an empty line follows the answer, if any."""
        fresh = os.getpid()
        for line in self._socket.makefile("r"):
            pid = os.fork() if _files_of(self._folder) == self._files else None
            if pid == 0:
                end_with(fresh)
                be_silent()
                self.number = int(line)
                return
            if pid:
                os.waitpid(pid, 0)
            self._socket.sendall(b"\n")
        os._exit(0)

    def ask(self, number: int, seconds: float = 10.0) -> Any:
        """What the second run of this case answers; None if it does not within this time, or files have changed."""
        try:
            self._socket.settimeout(seconds)
            self._socket.sendall(b"%d\n" % number)
            answer, end = b"", b"\n"
            while not answer.endswith(b"\n\n") and answer != end:
                part = self._socket.recv(1 << 16)
                if not part:
                    return None
                answer += part
            return json.loads(answer) if answer != end else None
        except (OSError, ValueError):
            return None

    def answer(self, facts: Any) -> None:
        """Ends the process of a second run."""
        self._socket.sendall(json.dumps(facts).encode() + b"\n")
        os._exit(0)

    def close(self) -> None:
        """Ends the fresh process; in that of a second run, which has nothing to answer, this one."""
        if not self.pid:
            os._exit(1)
        self._socket.close()
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except OSError:  # the submission has ended it, or waited for it
            pass


class SecondRuns:
    """Asks for them, with the outputs of earlier cases as they were: a run must not know that it is a second one."""

    def __init__(self, fresh: Fresh, memory: WorkerMemory, tell: Callable[[int], None]):
        """`tell` is told of the case before each, for it may take as long as all cases until then."""
        self._fresh, self._tell = fresh, tell
        self._before = [_outputs_of(buffers) for buffers in memory.cases]

    def __call__(self, number: int, seconds: float) -> Any:
        """What `Fresh.ask` returns. The outputs of this case are the caller's."""
        now = [each for buffers in self._before[:number] for each in map(_content, (view for view, _ in buffers))]
        self._tell(number)
        _put([each for buffers in self._before[:number] for each in buffers])
        try:
            return self._fresh.ask(number, seconds)
        finally:
            _put(now)


Content = tuple[View, bytes]


def _content(view: View) -> Content:
    return view, ctypes.string_at(view.address, view.bytes)


def _outputs_of(buffers: Mapping[str, View]) -> list[Content]:
    return [_content(view) for view in buffers.values() if view.writable]


def _put(contents: Iterable[Content]) -> None:
    for view, content in contents:
        ctypes.memmove(view.address, content, len(content))


def end_with(parent: int) -> None:
    """Has this process end with the one that has forked it."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _files_of(folder: Path) -> dict[str, tuple[int, int]]:
    """All that lies below a folder; a change of a file changes its numbers."""
    found = {}
    for file in folder.rglob("*"):
        facts = file.lstat()
        found[str(file)] = (facts.st_ino, facts.st_ctime_ns)
    return found
