"""Limits for all processes of a worker together, and for its server: a control group of Linux, of either version.

No other limit bounds them together: a process may hold more than it has mapped (memfd_create), and start as many
threads as fit into memory. Linux documentation, "Control Group v2" and "Control Groups version 1".
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

MEMORY, PROCESSES = "memory", "processes"  # the layers' names
MOST_BYTES = 16 << 30  # or half of the machine's memory: as much address space as a submission has of its own
PROCESSES_BESIDE_THREADS = 512

_ROOT, _OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
_CONTROLLERS = {MEMORY: "memory", PROCESSES: "pids"}
_FILES = {MEMORY: ("memory.max", "memory.limit_in_bytes"), PROCESSES: ("pids.max", "pids.max")}  # version 2, 1
_NO_LIMIT = 1 << 60  # version 1 writes a number beyond this
_NAME = "kernel-ladder."
_numbers = itertools.count()


@dataclass
class Group:
    """What came of an attempt to make one: of each layer that holds its folder; why the others do not."""

    folders: dict[str, Path] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)

    def leave(self) -> None:
        """Moves this process, the last one there, back to the group above, and removes its own."""
        for folder in {*self.folders.values()}:
            with contextlib.suppress(OSError):  # what stays is removed by the next one
                (folder.parent / "cgroup.procs").write_text("0")
                folder.rmdir()


def make_group(root: Path = _ROOT, own: Path = _OWN) -> Group:
    """Moves this process, and so all that it starts, into a new group below its own, as far as the system lets it."""
    made = Group()
    name = f"{_NAME}{os.getpid()}.{next(_numbers)}"
    for layer, limit in ((MEMORY, most_bytes()), (PROCESSES, most_processes())):
        try:
            parent, version = _parent(layer, root, own)
            _remove_old(parent)
            folder = parent / name
            folder.mkdir(exist_ok=True)
            (folder / _FILES[layer][version != 2]).write_text(str(limit))
            (folder / "cgroup.procs").write_text("0")
            made.folders[layer] = folder
        except OSError as error:
            made.lacking[layer] = f"no control group can be made here ({error.strerror or error})"
    return made


def limit_of(layer: str, root: Path = _ROOT, own: Path = _OWN) -> int | None:
    """Bytes, or how many processes: the smallest limit of this process's group and those above; None for no limit."""
    found = []
    for place, path, version in _groups(layer, root, own):
        groups = [Path(path), *Path(path).parents]
        found += [_read(place / str(group).lstrip("/") / _FILES[layer][version != 2]) for group in groups]
    return min((each for each in found if each is not None and each < _NO_LIMIT), default=None)


def most_processes() -> int:
    """Of a server and its workers: threads of the emulator count, too."""
    return PROCESSES_BESIDE_THREADS + 4 * (os.cpu_count() or 1)


def most_bytes() -> int:
    """Of a server and its workers: what a machine can give to two."""
    return min(MOST_BYTES, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)


def _groups(layer: str, root: Path, own: Path) -> list[tuple[Path, str, int]]:
    """Where groups of this controller may lie, this process's path there, and the version."""
    found = []
    for line in own.read_text().splitlines() if own.exists() else ():
        number, names, path = line.split(":", 2)
        if number == "0":
            found += [(root, path, 2), (root / "unified", path, 2)]
        elif _CONTROLLERS[layer] in names.split(","):
            found += [(root / _CONTROLLERS[layer], path, 1), (root / names, path, 1)]
    return found


def _parent(layer: str, root: Path, own: Path) -> tuple[Path, int]:
    """The group below which to make one. Raises OSError."""
    for place, path, version in _groups(layer, root, own):
        parent = place / re.sub(rf"/{re.escape(_NAME)}.*", "", path).lstrip("/")
        if version == 1 and parent.exists():
            return parent, 1
        if version == 2 and _has(parent / "cgroup.controllers", _CONTROLLERS[layer]):
            _hand_down(parent)
            return parent, 2
    raise OSError(0, f"there is no controller `{_CONTROLLERS[layer]}`")


def _hand_down(parent: Path) -> None:
    """Lets groups below have the controllers (version 2). Processes must lie in the leaves then: they go into one.

    Only in a group that was handed over to its processes, as `systemd-run -p Delegate=yes` does, or in a container's
    own root: other processes of a session are not ours to move. Raises OSError.
    """
    wanted = [name for name in _CONTROLLERS.values() if _has(parent / "cgroup.controllers", name)]
    if all(_has(parent / "cgroup.subtree_control", name) for name in wanted):
        return
    is_root = not (parent / "cgroup.type").exists()
    if not is_root:
        if not _is_delegated(parent):
            raise OSError(0, "its group is not its own: type `systemd-run --user --scope -p Delegate=yes` before it")
        leaf = parent / f"{_NAME}rest"
        leaf.mkdir(exist_ok=True)
        for process in (parent / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                (leaf / "cgroup.procs").write_text(process)
    (parent / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in wanted))


def _is_delegated(group: Path) -> bool:
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(group, name) == b"1":
                return True
    return False


def _remove_old(parent: Path) -> None:
    """What a process that was killed has left; a group with processes in it stays."""
    for old in parent.glob(f"{_NAME}[0-9]*"):
        owner = old.name.removeprefix(_NAME).partition(".")[0]
        if not Path("/proc", owner).exists():
            with contextlib.suppress(OSError):
                old.rmdir()


def _has(file: Path, word: str) -> bool:
    try:
        return word in file.read_text().split()
    except OSError:
        return False


def _read(file: Path) -> int | None:
    try:
        text = file.read_text().strip()
    except OSError:
        return None
    return int(text) if re.fullmatch(r"\d+", text) else None
