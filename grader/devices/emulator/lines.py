"""Which line of the learner's an address of a built library stands for, as addr2line (binutils) tells it."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from grader.devices.emulator.own_files import SPAN

_END = 0  # an address that holds no code


def lines_of(library: Path, source_name: str, pcs: Sequence[int]) -> dict[int, int]:
    """For each return address the learner's line, 0 where there is none. Raises OSError or CalledProcessError."""
    if not pcs:
        return {}
    asked = "\n".join(map(_asked, pcs))
    said = subprocess.run(_command(library), input=asked, check=True, capture_output=True, text=True, errors="replace")
    found = _parsed(said.stdout.splitlines(), source_name)
    return {pc: found.get(pc, 0) for pc in pcs}


class LineReader:
    """The same for one address after the other, later: when this process may start no program any more."""

    def __init__(self, library: Path, source_name: str):
        """Raises OSError."""
        self._source_name = source_name
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self._process = subprocess.Popen(
                _command(library), stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=subprocess.DEVNULL
            )
            self._asking = ours.makefile("rw", errors="replace")

    def line_of(self, pc: int) -> int:
        """0 where there is none, or where the submission has closed what the answer comes through."""
        with suppress(OSError, ValueError):
            self._asking.write(f"{_asked(pc)}\n{_END:#x}\n")
            self._asking.flush()
            rows: list[str] = []
            while row := self._asking.readline():
                rows.append(row.rstrip("\n"))
                if len(rows) > 1 and _address_in(rows[-2]) == _END:
                    break
            return _parsed(rows, self._source_name).get(pc, 0)
        return 0


def _command(library: Path) -> list[str]:
    return ["addr2line", "-a", "-i", "-e", str(library)]


def _asked(pc: int) -> str:
    """One byte back: the call itself, not what comes after it."""
    return f"{pc - 1:#x}"


def _address_in(row: str) -> int | None:
    return int(row, 16) if row.startswith("0x") and ":" not in row else None


def _is_own(file: str, line: int, source_name: str) -> bool:
    """Whether a line is the learner's. Without a name: whether it has a number that only a program's own lines have."""
    return file.rpartition("/")[2] == source_name if source_name else line > SPAN


def _parsed(rows: Iterable[str], source_name: str) -> dict[int, int]:
    """The innermost inlined frame that lies in the learner's file, for each return address that has one."""
    lines: dict[int, int] = {}
    pc = 0
    for row in rows:
        address = _address_in(row)
        if address is not None:
            pc = address + 1
            continue
        file, _, line = row.partition(" (")[0].rpartition(":")
        if pc not in lines and line.isdigit() and _is_own(file, int(line), source_name):
            lines[pc] = int(line)
    return lines
