"""Gives away a process's rights, in layers that each work alone, before the first instruction of a submission runs.

| layer | what it holds back | since |
|---|---|---|
| disk | writing anywhere but to a folder in memory, of a limited size (`confine_mounts.py`) | Linux 5.12, namespaces |
| network | the network, abstract sockets, memory that processes of others share (there, too) | |
| files | opening files that are not on a list (`confine_files.py`) | Linux 5.13, Landlock |
| calls | what no list of files stops: processes, sockets, rights of files (`confine_calls.py`) | Linux 3.17, seccomp |
| user | root's rights (`confine_user.py`): its capabilities, and where possible that it is root | |

`enter` comes before the build, which starts compilers; `shut` before the submission is loaded. Three more hold the
server from which a worker is forked (`outside.py`).
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.devices.worker import confine_calls, confine_files, confine_mounts, confine_user
from grader.devices.worker.confine_files import landlock_version

__all__ = ["Sandbox", "Unsafe", "forbid_new_rights", "landlock_version", "missing_layers"]

_PR_SET_NO_NEW_PRIVS = 38
_PACKAGE = Path(__file__).parents[2]
_SYSTEM = [
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store"),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload"),
    *("/etc/localtime", "/sys/devices/system", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version"),
    *("/proc/self/maps", "/proc/self/stat", "/proc/self/statm", "/proc/self/status", "/proc/self/environ"),
    *("/proc/self/cmdline", "/proc/self/auxv"),
]
_SYSTEM_OF_A_GPU = ["/proc", "/sys", "/etc/nvidia", "/etc/nsswitch.conf", "/etc/passwd", "/run/nvidia-persistenced"]


class Unsafe(Exception):
    """A strict sandbox was asked for, and cannot hold here: one sentence."""


@dataclass
class Sandbox:
    """One process's way into its sandbox. `held` are the layers that hold, `lacking` the others, each with a reason."""

    level: str  # one of job.LEVELS
    folder: Path  # its own, the only one in which it may write
    on_gpu: bool = False
    outside: Mapping[str, Any] = field(default_factory=dict)  # what holds the server already, as `report` tells it
    held: list[str] = field(default_factory=list)
    lacking: dict[str, str] = field(default_factory=dict)

    def enter(self, needed: Sequence[Path], alone: bool = True) -> None:
        """The layers that compilers can work under. `needed` is to be read besides what every process needs.

        As root, it also becomes another user, unless that user could not read what is needed. If it is not to be
        `alone`, as with a debugger, it stays that user and keeps what lies in its folder, which else is empty then.
        Raises Unsafe, and OSError if the system has a layer and refuses it.
        """
        if self.level == "strict" and (missing := missing_layers()):
            raise Unsafe(f"--sandbox strict cannot hold here, as {' and '.join(missing.values())}")
        forbid_new_rights()  # by which the standby server knows a submission, too
        if self.level == "none":
            return
        listed = [*readable(self.on_gpu), *needed]
        self._leave_spaces("" if alone else "a debugger looks on")
        if os.geteuid() == 0:
            self._leave_root([self.folder.parent, _PACKAGE, *_pythons(), *needed] if alone else None)
        if landlock_version():
            devices = confine_files.DEVICES + (confine_files.devices_of_a_gpu() if self.on_gpu else [])
            confine_files.restrict_files(self.folder, listed, devices)
            self.held.append("files")
        else:
            self.lacking["files"] = _NO_LANDLOCK

    def shut(self, processes: Iterable[int] = ()) -> None:
        """The layer that allows no new process. Signals may be sent to this process and to these. Raises OSError."""
        if self.level == "none":
            return
        if confine_calls.available():
            confine_calls.refuse_calls([os.getpid(), *processes])
            self.held.append("calls")
        else:
            self.lacking["calls"] = _NO_SECCOMP

    def _leave_spaces(self, reason: str) -> None:
        reason = reason or ("a GPU is used as the system has it" if self.on_gpu else confine_mounts.why_not())
        if reason:
            self.lacking |= {"disk": _NO_SPACES.format(reason), "network": _NO_SPACES.format(reason)}
            return
        confine_mounts.own_spaces(self.folder)
        if os.geteuid() != 0:
            confine_user.drop_capabilities()  # those of the user namespace; root's go below
        self.held += ["disk", "network"]

    def _leave_root(self, paths: Sequence[Path] | None) -> None:
        reason = "a GPU, or a debugger, is used as the user that one is" if paths is None or self.on_gpu else ""
        reason = reason or confine_user.why_no_other_user(paths or ())
        if not reason:
            try:
                confine_user.become_another_user(self.folder)
            except OSError as error:  # as in a container that has one user
                reason = f"the system allows no other user ({error.strerror})"
        confine_user.drop_capabilities()
        self.held.append("capabilities" if reason else "user")
        if reason:
            self.lacking["user"] = reason

    def report(self) -> dict[str, Any]:
        """For a grade, as JSON."""
        if self.level == "none":
            return {"level": self.level, "held": [], "lacking": {}}
        held, lacking = self.outside.get("held", []), self.outside.get("lacking", {})
        return {"level": self.level, "held": [*held, *self.held], "lacking": {**lacking, **self.lacking}}


def readable(on_gpu: bool = False) -> list[Path]:
    """What every worker may read: the system's own, Python, the grader and the compilers."""
    return [*map(Path, _SYSTEM), *map(Path, _SYSTEM_OF_A_GPU if on_gpu else ()), *_programs()]


_NO_SPACES = "it can have no mounts and no network of its own ({})"
_NO_LANDLOCK = "this kernel has no Landlock (Linux 5.13 or newer has it, unless it is switched off)"
_NO_SECCOMP = "this kernel has no filters of system calls (seccomp)"


def missing_layers() -> dict[str, str]:
    """Of the layers without which a sandbox is not strict, those that this machine lacks, each with the reason."""
    layers = (("files", landlock_version() > 0, _NO_LANDLOCK), ("calls", confine_calls.available(), _NO_SECCOMP))
    return {layer: reason for layer, there, reason in layers if not there}


def forbid_new_rights() -> None:
    """No program that this process starts from here on has more rights than it. Both other layers ask for that."""
    ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _programs() -> list[Path]:
    """Where Python, the grader and the compilers lie; nothing in which other people's files lie, too."""
    compiler = shutil.which("g++")
    tools = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    tools += [Path(compiler).resolve().parents[1]] if compiler else []
    tools += [Path(folder) for folder in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if folder]
    found = [*_pythons(), *(Path(folder) for folder in sys.path if folder), *tools]
    holders = {folder for folder in _PACKAGE.parents if folder.name not in ("site-packages", "dist-packages")}
    too_much = {*holders, *_home().parents, _home()}
    return [_PACKAGE, *dict.fromkeys(path for path in found if path.resolve() not in too_much)]


def _pythons() -> list[Path]:
    """Of a virtual environment its own parts, for the grader may lie in it, and other files beside them."""
    prefixes = [Path(prefix) for prefix in dict.fromkeys((sys.prefix, sys.base_prefix, sys.exec_prefix))]
    parts = ("pyvenv.cfg", "bin", "lib", "lib64")
    return [
        path
        for prefix in prefixes
        for path in ([prefix / part for part in parts] if os.path.exists(prefix / parts[0]) else [prefix])
    ]


def _home() -> Path:
    """The user's, whatever the environment says."""
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir).resolve()
    except KeyError:
        return Path("/root")
