"""Which files a process can open: only those on a list, by Landlock, Linux's sandbox for programs without privileges.

Linux 5.13; kernel documentation, "Landlock: unprivileged access control". The numbers are those of `linux/landlock.h`.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # system calls, the same on every architecture
SYSTEM_CALLS = (_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF)
_VERSION = 1  # asks for the version instead of a ruleset
_BELOW_PATH = 1  # the type of a rule

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE = 1 << 4 | 1 << 5  # folders; files
_MAKE = 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12  # folders, files, sockets, pipes, symbolic links
_MAKE_DEVICES = 1 << 6 | 1 << 11
_MOVE = 1 << 13  # to another folder; from version 2 on, before that always forbidden
_TRUNCATE = 1 << 14  # from version 3 on
_CONTROL_DEVICE = 1 << 15  # ioctl; from version 5 on
_TCP = 1 << 0 | 1 << 1  # bind; connect: from version 4 on
_OUTSIDERS = 1 << 0 | 1 << 1  # talk to their abstract sockets; send them signals: from version 6 on
_READ = _EXECUTE | _READ_FILE | _READ_FOLDER
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _CONTROL_DEVICE  # what a rule about one may name

DEVICES = [*map(Path, ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"))]


def landlock_version() -> int:
    """What this kernel offers; 0 if nothing."""
    return max(_call(_CREATE_RULESET, None, 0, _VERSION), 0)


def devices_of_a_gpu() -> list[Path]:
    """What CUDA talks to."""
    return [*Path("/dev").glob("nvidia*"), Path("/dev/dxg")]  # the last is WSL's


def restrict_files(folder: Path, readable: Iterable[Path] | None, devices: Iterable[Path]) -> None:
    """From here on this thread, and all that it starts, writes below `folder` and to the devices, and nowhere else.

    It reads what is below `readable`, too, and nothing else (None: everything). Nor does it see into processes that it
    did not start (ptrace, /proc/PID/mem), use TCP (version 4), control other devices (version 5) or send signals to
    those processes (version 6). There is no way back. Needs no_new_privs. Raises OSError.
    """
    version = landlock_version()
    changes = _WRITE_FILE | _REMOVE | _MAKE | (_MOVE if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    control = _CONTROL_DEVICE if version >= 5 and readable is not None else 0
    reads = 0 if readable is None else _READ
    handled = [reads | changes | control | _MAKE_DEVICES]
    handled += [*([_TCP] if version >= 4 else []), *([_OUTSIDERS] if version >= 6 else [])]
    ruleset = _checked(_CREATE_RULESET, struct.pack(f"{len(handled)}Q", *handled), 8 * len(handled), 0)
    _allow(ruleset, folder, reads | changes)
    for device in devices:
        _allow(ruleset, device, reads & ~_EXECUTE | control | changes & (_WRITE_FILE | _TRUNCATE))
    for path in readable or ():
        _allow(ruleset, path, reads)
    _checked(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: Path, what: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # not here
        return
    allowed = what if path.is_dir() else what & _OF_A_FILE
    _checked(_ADD_RULE, ruleset, _BELOW_PATH, struct.pack("=Qi", allowed, opened), 0)
    os.close(opened)


def _checked(number: int, *arguments: int | bytes | None) -> int:
    result = _call(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "Landlock refuses to confine the worker")
    return result


def _call(number: int, *arguments: int | bytes | None) -> int:
    widened = [ctypes.c_long(each) if isinstance(each, int) else ctypes.c_char_p(each) for each in arguments]
    result: int = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *widened)
    return result
