"""Compilers that do not outlive the process that has started them, however it ends. Where g++ is killed, cc1plus, which
it has started, goes on; and where `ladder` is killed, the system does not end g++.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

Result = TypeVar("Result")

# A group's first process: it reads until the other end of its pipe is closed, and ends its group, with itself.
_WATCHER = ["sh", "-c", "read nothing; kill -KILL -$$"]


class Companions:
    """Compilers at work, as a group of processes, which ends with the `with` at the latest."""

    def __init__(self) -> None:
        self._watcher: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def run(self, command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
        """What it says, once it has ended."""
        return subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            process_group=self._group(),
        )

    def all(self, work: Callable[..., Result], *items: Iterable[Any]) -> list[Result]:
        """What `work`, which runs compilers, gives of each, side by side: Ctrl-C ends them."""
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            try:
                return list(pool.map(work, *items))
            except KeyboardInterrupt:
                self.end()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()

    def _group(self) -> int:
        with self._lock:
            if self._watcher is None:
                self._watcher = subprocess.Popen(_WATCHER, stdin=subprocess.PIPE, process_group=0)
            return self._watcher.pid

    def end(self) -> None:
        """Ends them all: as a group of their own they do not hear of Ctrl-C."""
        with self._lock:
            if self._watcher is None:
                return
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._watcher.pid, signal.SIGKILL)
            if self._watcher.stdin:
                self._watcher.stdin.close()
            self._watcher.wait()
            self._watcher = None
