"""Looks at cases on the checking build, beside the worker and ahead of it: a case of one block keeps one core busy.

    worker ── fork, before anything of the submission runs ──► looker: a look at case 1, at case 2, ...
           ◄── what it has found, case by case ──

The worker runs a case once it has been looked at, for what a look finds may end a process. The looker has a copy of the
judge's buffers. Where there is none, or it has ended, as by host code that exits, the worker looks for itself.
"""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NoReturn

from grader.devices.buffers import WorkerMemory
from grader.devices.worker.fresh import end_with
from grader.devices.worker.printed import collect, take

Fact = dict[str, Any]


class Looker:
    """`is_here` in the looker, which ends with `look_at`; in the worker `pid` is the looker's."""

    def __init__(self, memory: WorkerMemory, token: str):
        """Comes back in both. The submission, which does not know the `token`, can tell nothing in its place."""
        self._memory, self._token = memory, token.encode() + b" "
        self._socket, theirs = socket.socketpair()
        worker = os.getpid()
        memory.inherit(True)
        self.pid = os.fork()
        self.is_here = self.pid == 0
        memory.inherit(False)
        if self.is_here:
            self._socket, theirs = theirs, self._socket
            end_with(worker)
            self._printed = collect()  # from now on, as what loads a submission runs its constructors
        theirs.close()
        self._lines = self._socket.makefile("rb")

    def begin(self) -> None:
        """By the worker: the inputs are there, and nothing has run."""
        with suppress(OSError):
            self._socket.sendall(b"\n")

    def __call__(self) -> Fact | None:
        """By the worker, which waits: what `look_at` has told of the next case; None if the looker has ended."""
        with suppress(OSError, ValueError):  # it may end in the middle of a line
            for line in self._lines:
                if line.startswith(self._token):
                    told: Fact = json.loads(line.removeprefix(self._token))
                    return told
        return None

    def look_at(self, cases: Iterable[Callable[[], Fact | None]]) -> NoReturn:
        """By the looker: tells of each case what the function for it makes of it, and what was printed meanwhile."""
        try:
            if self._lines.readline():
                self._memory.detach()
                take(self._printed)
                for look in cases:
                    told = json.dumps({"look": look(), "printed": take(self._printed)})
                    self._socket.sendall(b"\n" + self._token + told.encode() + b"\n")
                signal.pause()  # host code may wait for a child to end, and this is no child of its own
        finally:
            os._exit(0)

    def close(self) -> None:
        """By the worker: ends the looker; in the looker, which has nothing to look at, this process."""
        if self.is_here:
            os._exit(0)
        self._socket.close()
        with suppress(OSError):  # the submission has ended it, or waited for it
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
