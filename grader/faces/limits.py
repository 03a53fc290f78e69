"""What limits all processes of a grading together: the control group that this one is in, of either version."""

from __future__ import annotations

import re
from pathlib import Path

_ROOT, _OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
_FILES = {"memory": ("memory.max", "memory.limit_in_bytes"), "pids": ("pids.max", "pids.max")}
_NO_LIMIT = 1 << 60  # version 1 writes a number beyond this


def limit_of(controller: str, root: Path = _ROOT, own: Path = _OWN) -> int | None:
    """Bytes for "memory", processes for "pids": the smallest of this group and those above it; None for no limit."""
    found = []
    for line in own.read_text().splitlines() if own.exists() else ():
        number, names, path = line.split(":", 2)
        if number == "0":
            places = [root, root / "unified"]
        elif controller in names.split(","):
            places = [root / controller, root / names]
        else:
            continue
        file = _FILES[controller][number != "0"]
        groups = [Path(path), *Path(path).parents]
        found += [_read(place / str(group).lstrip("/") / file) for place in places for group in groups]
    return min((each for each in found if each is not None and each < _NO_LIMIT), default=None)


def _read(file: Path) -> int | None:
    try:
        text = file.read_text().strip()
    except OSError:
        return None
    return int(text) if re.fullmatch(r"\d+", text) else None
