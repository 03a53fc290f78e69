"""A second run of a case that sees nothing of the first: no static variable, no thread, no file that it left behind.

    worker ── fork, before anything of the submission runs ──► fresh ── fork ──► follower ── fork ──► one run

The fresh process sleeps until a case is asked for, and costs a fork. The follower loads the submission for itself and
runs the earlier cases, so that all is as it was before the first run; only the judge's buffers are shared. It forks for
the run that is asked for, and waits for the next question, for which it need not begin again. Where the submission has
left threads or processes behind, which a fork would not have, the follower itself does the run and ends.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from grader.devices.buffers import View, WorkerMemory

_PR_SET_PDEATHSIG = 1


class Fresh:
    """`number` is None in the worker itself; in a follower it is that of the first case to run again.

    `pid` is the fresh process's, 0 in a follower.
    """

    def __init__(self, folder: Path, memory: WorkerMemory):
        """Comes back once in the worker, and in each follower, which ends by `follow`."""
        self.number: int | None = None
        self._folder = folder
        self._files = _files_of(folder)
        self._memory = memory
        self._before = [_outputs_of(buffers) for buffers in memory.cases]
        self._socket, theirs = socket.socketpair()
        worker = os.getpid()
        memory.inherit(True)
        self.pid = os.fork()
        if self.pid == 0:
            self._socket.close()
            self._socket = theirs
            try:
                _end_with(worker)
                self._serve()
            except OSError:  # the worker is gone, or files come and go
                os._exit(1)
        else:
            theirs.close()
        memory.inherit(False)  # the submission's own children do not have it

    def _serve(self) -> None:
        """Forks a follower when a number is asked for, and the next when that has ended; comes back in each."""
        fresh = os.getpid()
        while (number := self._asked()) is not None:
            pid = os.fork()
            if pid == 0:
                _end_with(fresh)
                _be_silent()
                self.number = number
                return
            os.waitpid(pid, 0)
            self._socket.sendall(b"\n")
        os._exit(0)

    def _asked(self) -> int | None:
        """The number that is asked for next; None if no more are. Those that cannot be answered end with no answer."""
        while True:
            line = b""
            while not line.endswith(b"\n"):
                if not (part := self._socket.recv(1)):
                    return None
                line += part
            if _files_of(self._folder) == self._files:
                return int(line)
            self._socket.sendall(b"\n")

    def follow(self, runs: Sequence[Callable[..., Any]], open_memory: Callable[[], Any], poison: int) -> NoReturn:
        """In a follower: answers what the run of each case says that is asked for, in their order; ends the process.

        `runs` are all cases'. The earlier ones run as they did before, with this `poison`. An empty line follows each
        answer, if any.
        """
        follower, done, number = os.getpid(), 0, self.number
        while number is not None:
            if done:
                open_memory()
            _put(each for outputs in self._before[done:number] for each in outputs)
            for run in runs[done:number]:
                run(poison=poison)
            done = number
            if not _is_alone():
                self.answer(runs[number]())
            self._memory.inherit(True)
            pid = os.fork()
            self._memory.inherit(False)
            if pid == 0:
                _end_with(follower)
                self.answer(runs[number]())
            os.waitpid(pid, 0)
            self._socket.sendall(b"\n")
            number = self._asked()
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

    def answer(self, facts: Any) -> NoReturn:
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
    """Asks for them, and puts back what they have left in the outputs of earlier cases."""

    def __init__(self, fresh: Fresh, memory: WorkerMemory, tell: Callable[[int], None]):
        """`tell` is told of the case before each, for it may take as long as all cases until then."""
        self._fresh, self._memory, self._tell = fresh, memory, tell

    def __call__(self, number: int, seconds: float) -> Any:
        """What `Fresh.ask` returns. The outputs of this case are the caller's."""
        now = [each for buffers in self._memory.cases[:number] for each in _outputs_of(buffers)]
        self._tell(number)
        try:
            return self._fresh.ask(number, seconds)
        finally:
            _put(now)


Content = tuple[View, bytes]


def _outputs_of(buffers: Mapping[str, View]) -> list[Content]:
    return [(view, ctypes.string_at(view.address, view.bytes)) for view in buffers.values() if view.writable]


def _put(contents: Iterable[Content]) -> None:
    for view, content in contents:
        ctypes.memmove(view.address, content, len(content))


def _end_with(parent: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _is_alone() -> bool:
    """Whether a fork has all that this process has: it has neither other threads nor children."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return len(os.listdir("/proc/self/task")) == 1
    return False


def _be_silent() -> None:
    """What is printed was printed by the first run."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    os.close(nothing)


def _files_of(folder: Path) -> dict[str, tuple[int, int]]:
    """All that lies below a folder; a change of a file changes its numbers."""
    found = {}
    for file in folder.rglob("*"):
        facts = file.lstat()
        found[str(file)] = (facts.st_ino, facts.st_ctime_ns)
    return found
