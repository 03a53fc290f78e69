"""Where the standby server listens, and who may ask it for anything: a process of the same user that may do exactly
what the server may. A worker may do less, and so may all that it starts; both for good.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import select
import socket
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
BACKLOG = 16
PRIVATE = 0o700
SUFFIX = ".socket"
_SO_PEERPIDFD = 77  # Linux 6.5; the number of x86-64 and aarch64
# Lines of /proc/PID/status: what the kernel asks before it allows something.
_RIGHTS = (
    *("Uid", "Gid", "Groups", "NoNewPrivs", "Seccomp", "Seccomp_filters", "Cpus_allowed"),
    *("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"),
)
# Variables that Python, the loader, torch and its libraries read while they start: a server has those of its start.
_READ_AT_START = re.compile(
    r"PYTHON[A-Z0-9]+|LD_(LIBRARY_PATH|PRELOAD|BIND_NOW)|GLIBC_TUNABLES|MALLOC_\w+|LANG|LANGUAGE|LC_[A-Z]+"
    r"|(OMP|GOMP|KMP|MKL|OPENBLAS|ATEN|DNNL|NPY|TORCH|PYTORCH)_\w+"
)


def why_not() -> str | None:
    """Why this process does everything itself; None if it may use a server."""
    chosen = os.environ.get("LADDER_SERVER", "")
    if chosen == "0":
        return "LADDER_SERVER=0 says so"
    if not chosen and os.environ.get("CI", "").lower() not in ("", "0", "false"):
        return "this is a run of continuous integration: LADDER_SERVER=1 allows it there"
    if _is_confined(standing("self")):
        return "this terminal is confined (no_new_privs), as a submission is, and the server could not tell them apart"
    return None


def standing(process: int | str) -> str:
    """All that decides what a process may do and use: user, capabilities, namespaces, control groups, limits.

    Raises OSError if it has ended.
    """
    place = Path("/proc", str(process))
    rights = [line for line in (place / "status").read_text().splitlines() if line.partition(":")[0] in _RIGHTS]
    namespaces = [os.readlink(link) for link in sorted((place / "ns").iterdir())]
    label = ""
    with contextlib.suppress(OSError):  # without a security module
        label = (place / "attr" / "current").read_text()
    return "\n".join([*rights, *namespaces, label, (place / "cgroup").read_text(), (place / "limits").read_text()])


def _is_confined(rights: str) -> bool:
    """Whether it is what confine.py makes of a process, and what no process gets rid of."""
    return "NoNewPrivs:\t0" not in rights


def may_ask(peer: socket.socket, ours: str) -> bool:
    """Whether the process at the other end stands as this one does, which is not confined."""
    pid, user, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    if user != os.getuid() or pid <= 0:  # 0: it lives in another pid namespace
        return False
    process = None
    try:
        process = _descriptor_of(peer, pid)
        theirs = standing(pid)
        has_ended = select.select([process], [], [], 0)[0]  # then its number may be another's by now
        return theirs == ours and not _is_confined(theirs) and not has_ended
    except OSError:
        return False
    finally:
        if process is not None:
            os.close(process)


def _descriptor_of(peer: socket.socket, pid: int) -> int:
    """A pidfd of the very process that has connected; before Linux 6.5, of the one that has its number now."""
    try:
        return peer.getsockopt(socket.SOL_SOCKET, _SO_PEERPIDFD)
    except OSError:
        return os.pidfd_open(pid)


def key() -> str:
    """Names the server that this process may use: that of its checkout, its Python, its standing and its start."""
    start = sorted(pair for pair in os.environ.items() if _READ_AT_START.fullmatch(pair[0]))
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    facts = [standing("self"), sys.executable, sys.version, str(PACKAGE), os.uname().nodename, str(nice), str(start)]
    return hashlib.sha256("\0".join(facts).encode(errors="surrogateescape")).hexdigest()[:32]


def variables() -> dict[str, str]:
    """The environment of a server: little, for what it is started with, a submission can read."""
    kept = ("PATH", "HOME", "TMPDIR", "VIRTUAL_ENV")
    found = {name: value for name, value in os.environ.items() if name in kept or _READ_AT_START.fullmatch(name)}
    path = [found.get("PYTHONPATH", ""), str(PACKAGE.parent)]
    return found | {"PYTHONPATH": os.pathsep.join(filter(None, path)), "OPENBLAS_NUM_THREADS": "1"}  # for fork's sake


def version() -> str:
    """Changes with any file of the grader and any package that is installed."""
    digest = hashlib.sha256()
    folders = [Path(entry) for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))]
    for path in [*sorted(PACKAGE.rglob("*.py")), *folders, Path(sys.executable)]:
        with contextlib.suppress(OSError):
            facts = path.stat()
            digest.update(f"{path}\0{facts.st_size}\0{facts.st_mtime_ns}\0".encode(errors="surrogateescape"))
    return digest.hexdigest()


class Place:
    """The folder of the sockets, which belongs to this user alone, as a descriptor. A context manager."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    @staticmethod
    def find() -> Place:
        """$XDG_RUNTIME_DIR/kernel-ladder, else a folder of the cache's; made if need be. Raises OSError."""
        runtime = os.environ.get("XDG_RUNTIME_DIR")
        if runtime and os.path.isabs(runtime):
            with contextlib.suppress(OSError):
                return Place.at(Path(runtime, "kernel-ladder"))
        from grader.course.catalog import UsageError
        from grader.devices.cache import cache_root

        try:
            return Place.at(cache_root() / "server")
        except UsageError as error:
            raise OSError(str(error)) from None

    @staticmethod
    def at(folder: Path) -> Place:
        """This folder. What is not the user's own is refused, and so is a link. Raises OSError."""
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=PRIVATE)
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        if os.fstat(opened).st_uid != os.getuid():
            os.close(opened)
            raise PermissionError(f"{folder} belongs to another user")
        os.fchmod(opened, PRIVATE)
        return Place(opened)

    def __enter__(self) -> Place:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)

    def _address(self, name: str) -> str:
        """Of any length: that of a socket's path has a limit."""
        return f"/proc/self/fd/{self.fd}/{name}{SUFFIX}"

    def servers(self) -> Iterator[tuple[str, int]]:
        """Name and process of each server that listens."""
        for entry in os.listdir(self.fd):
            if entry.endswith(SUFFIX) and (connection := self.connect(name := entry.removesuffix(SUFFIX))):
                with connection:
                    yield name, struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]

    def connect(self, name: str, seconds: float = 1.0) -> socket.socket | None:
        """A connection with the server of this name; None if there is none, or if it is another user's."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(seconds)
        try:
            connection.connect(self._address(name))
            _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            if user == os.getuid():
                return connection
        except OSError:
            pass
        connection.close()
        return None

    def listen(self, name: str) -> socket.socket | None:
        """A socket of this name; None if another server has it. Removes those that ended servers have left."""
        _lock(self.fd)  # one at a time: nothing may come between looking and binding
        try:
            living = [each for each, _ in self.servers()]
            for entry in os.listdir(self.fd):
                if entry.removesuffix(SUFFIX) not in living:
                    self.forget(entry.removesuffix(SUFFIX))
            if name in living:
                return None
            listener = socket.socket(socket.AF_UNIX)
            mask = os.umask(0o177)
            try:
                listener.bind(self._address(name))
            finally:
                os.umask(mask)
            listener.listen(BACKLOG)
            return listener
        finally:
            fcntl.flock(self.fd, fcntl.LOCK_UN)

    def forget(self, name: str) -> None:
        """Removes a socket: its server cannot be reached any more, and ends when it notices."""
        with contextlib.suppress(OSError):
            os.unlink(f"{name}{SUFFIX}", dir_fd=self.fd)

    def facts(self, name: str) -> os.stat_result | None:
        """Of the socket's file; None if there is none."""
        try:
            return os.stat(f"{name}{SUFFIX}", dir_fd=self.fd, follow_symlinks=False)
        except OSError:
            return None


def _lock(fd: int, seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)
