"""Gives away a process's rights, before the first instruction of a submission runs.

With Landlock, Linux's sandbox for programs that have no privileges themselves (Linux 5.13; kernel documentation,
"Landlock: unprivileged access control"). The numbers are those of `linux/landlock.h`.
"""

from __future__ import annotations

import ctypes
import os
import struct
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # system calls, the same on every architecture
_VERSION = 1  # asks for the version instead of a ruleset
_BELOW_PATH = 1  # the type of a rule
_PR_SET_NO_NEW_PRIVS = 38

_WRITE_FILE = 1 << 1
_REMOVE = 1 << 4 | 1 << 5  # folders; files
_MAKE = 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12  # folders, files, sockets, pipes, symbolic links
_MAKE_DEVICES = 1 << 6 | 1 << 11
_MOVE = 1 << 13  # to another folder; from version 2 on, before that always forbidden
_TRUNCATE = 1 << 14  # from version 3 on
_TCP = 1 << 0 | 1 << 1  # bind; connect: from version 4 on
_OUTSIDERS = 1 << 0 | 1 << 1  # talk to their abstract sockets; send them signals: from version 6 on
_SHARED = ("shm", "mqueue")  # what lies in /dev and is no device, but the memory of other programs


def landlock_version() -> int:
    """What this kernel offers; 0 if nothing."""
    return max(_call(_CREATE_RULESET, None, 0, _VERSION), 0)


def confine(folder: Path) -> bool:
    """From here on this thread, and all that it starts, writes below `folder` and to devices, and nowhere else.

    Nor does it see into processes that it did not start (ptrace, /proc/PID/mem), use TCP (version 4) or end them by a
    signal (version 6). It still reads files. There is no way back. False where the kernel has no Landlock: then nothing
    has changed. Raises OSError.
    """
    version = landlock_version()
    if version == 0:
        return False
    changes = _WRITE_FILE | _REMOVE | _MAKE | (_MOVE if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    handled = [changes | _MAKE_DEVICES, *([_TCP] if version >= 4 else []), *([_OUTSIDERS] if version >= 6 else [])]
    ruleset = _checked(_CREATE_RULESET, struct.pack(f"{len(handled)}Q", *handled), 8 * len(handled), 0)
    _allow(ruleset, folder, changes)
    for device in Path("/dev").iterdir():
        if not device.is_symlink() and (device.is_char_device() or device.is_dir()) and device.name not in _SHARED:
            _allow(ruleset, device, changes & (_WRITE_FILE | _TRUNCATE))
    ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _checked(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return True


def _allow(ruleset: int, path: Path, what: int) -> None:
    opened = os.open(path, os.O_PATH)
    _checked(_ADD_RULE, ruleset, _BELOW_PATH, struct.pack("=Qi", what, opened), 0)
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
