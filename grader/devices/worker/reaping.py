"""How a server waits for a worker, and ends all that the worker leaves behind."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
from collections.abc import Callable
from pathlib import Path

KEEP = b"K"
_LOOK_AGAIN = 0.01  # seconds


def ended(pid: int, judge: socket.socket, keep: Callable[[], None]) -> int:
    """The worker's wait status. What the worker has built is kept once the judge says so; if the judge says stop, or is
    gone, the worker is killed.
    """
    process = _opened(pid)
    while not (found := os.waitpid(pid, os.WNOHANG))[0]:
        watched: list[int | socket.socket] = [judge] if process is None else [process, judge]
        ready, _, _ = select.select(watched, [], [], _LOOK_AGAIN if process is None else None)
        if judge in ready and process not in ready:
            if judge.recv(1) == KEEP:
                keep()
            else:
                os.kill(pid, signal.SIGKILL)
                found = os.waitpid(pid, 0)
                break
    if process is not None:
        os.close(process)
    return found[1]


def _opened(pid: int) -> int | None:
    """A descriptor that is ready once the process has ended; None where that is refused, as in an old container."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def end_children() -> None:
    """Kills until none is left; those whose parent dies become our children and are next."""
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
