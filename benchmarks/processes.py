"""What a process and all that it has started cost: processor seconds and memory, as /proc tells them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

_TICKS, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


def below(top: int) -> Iterator[tuple[int, list[str]]]:
    """The processes that this one has started, and those that they have, each with what its `stat` says."""
    parents: dict[int, list[tuple[int, list[str]]]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(") ")[2].split()
        except OSError:  # it has ended
            continue
        parents.setdefault(int(fields[1]), []).append((int(folder.name), fields))
    waiting = [top]
    while waiting:
        for number, fields in parents.get(waiting.pop(), []):
            yield number, fields
            waiting.append(number)


def processor_seconds(top: int) -> float:
    """Of all processes below this one that run, and of those that they have waited for."""
    return sum(sum(map(int, fields[11:15])) for _, fields in below(top)) / _TICKS


def resident_bytes(top: int) -> int:
    """Of all processes below this one; pages that they share count for each."""
    return sum(int(fields[21]) for _, fields in below(top)) * _PAGE


class Peak(threading.Thread):
    """The most memory that the processes below this one had at any time: `bytes`, once it is stopped."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.bytes, self._stop_now = 0, threading.Event()

    def run(self) -> None:
        while not self._stop_now.wait(0.2):
            self.bytes = max(self.bytes, resident_bytes(os.getpid()))

    def stop(self) -> int:
        self._stop_now.set()
        self.join()
        return self.bytes
