"""Which lines an address of a built library stands for, as addr2line (binutils) tells it."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from grader.devices.emulator.own_files import SPAN

_HINTS = Path(__file__).parent / "include/ladder/memory.h"
# Where g++ finds the load of an __ldg, which is inlined.
LOAD_BY_LDG = _HINTS.name, _HINTS.read_text().split("\n").index("LADDER_LOAD(__ldg)") + 1

_FETCHES = "textures.h", "surfaces.h"  # of libraries/ladder_more, inlined likewise
_END = 0  # an address that holds no code

Way = tuple[tuple[str, int], ...]  # files and lines: where code is, where it was inlined, and so on


def ways_to(library: Path, pcs: Sequence[int]) -> dict[int, Way]:
    """For each return address all of its lines, () where there are none. Raises OSError or CalledProcessError."""
    if not pcs:
        return {}
    asked = "\n".join(map(_asked, pcs))
    said = subprocess.run(_command(library), input=asked, check=True, capture_output=True, text=True, errors="replace")
    found = _parsed(said.stdout.splitlines())
    return {pc: found.get(pc, ()) for pc in pcs}


def by_the_cache(way: Way) -> bool:
    """Whether this is code of a load through the read-only cache, or of a texture's or surface's fetch."""
    return LOAD_BY_LDG in way or bool(way and way[0][0] in _FETCHES)


def own_lines(way: Way, source_name: str) -> list[int]:
    """The learner's lines on it. Without a name: those with a number that only a program's own lines have."""
    return [line for file, line in way if (file == source_name if source_name else line > SPAN)]


class WayReader:
    """`ways_to` for one address after the other, later: when this process may start no program any more."""

    def __init__(self, library: Path):
        """Raises OSError."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self._process = subprocess.Popen(
                _command(library), stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=subprocess.DEVNULL
            )
            self._asking = ours.makefile("rw", errors="replace")

    def way_to(self, pc: int) -> Way:
        """() also where the submission has closed what the answer comes through."""
        with suppress(OSError, ValueError):
            self._asking.write(f"{_asked(pc)}\n{_END:#x}\n")
            self._asking.flush()
            rows: list[str] = []
            while row := self._asking.readline():
                rows.append(row.rstrip("\n"))
                if len(rows) > 1 and _address_in(rows[-2]) == _END:
                    break
            return _parsed(rows).get(pc, ())
        return ()


def _command(library: Path) -> list[str]:
    return ["addr2line", "-a", "-i", "-e", str(library)]


def _asked(pc: int) -> str:
    """One byte back: the call itself, not what comes after it."""
    return f"{pc - 1:#x}"


def _address_in(row: str) -> int | None:
    return int(row, 16) if row.startswith("0x") and ":" not in row else None


def _parsed(rows: Iterable[str]) -> dict[int, Way]:
    ways: dict[int, Way] = {}
    pc = 0
    for row in rows:
        address = _address_in(row)
        if address is not None:
            pc = address + 1
            continue
        file, _, line = row.rpartition(":")
        line = line.partition(" ")[0]  # "12 (discriminator 3)"
        if line.isdigit():
            ways[pc] = (*ways.get(pc, ()), (file.rpartition("/")[2], int(line)))
    return ways
