"""How a server waits for a worker, and ends all that the worker leaves behind."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
from pathlib import Path


def ended(pid: int, judge: socket.socket) -> int:
    """The worker's wait status. If the judge says stop, or is gone, the worker is killed."""
    try:
        process = os.pidfd_open(pid)
    except OSError:  # refused, as in an old container: look again and again
        while not (found := os.waitpid(pid, os.WNOHANG))[0] and not select.select([judge], [], [], 0.01)[0]:
            pass
        if found[0]:
            return found[1]
        os.kill(pid, signal.SIGKILL)
        return os.waitpid(pid, 0)[1]
    watched: list[int | socket.socket] = [process, judge]
    ready, _, _ = select.select(watched, [], [])
    if process not in ready:
        os.kill(pid, signal.SIGKILL)
    os.close(process)
    return os.waitpid(pid, 0)[1]


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
