"""What root gives away besides: its capabilities, and being root, where a process of another user can do the work."""

from __future__ import annotations

import ctypes
import os
import signal
import stat
import struct
from collections.abc import Iterable
from pathlib import Path

FIRST_USER, USERS = 61184, 4096  # systemd's range for users that exist while a service runs
_PR_SET_PDEATHSIG = 1
_PR_CAPBSET_DROP, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 24, 47, 4
_CAPABILITIES = 64  # more than there are
_CAPSET = {"x86_64": 126, "aarch64": 91}
_VERSION_3 = 0x20080522  # of capset's form


def why_no_other_user(paths: Iterable[Path]) -> str:
    """Why another user could not read these, or "" if it can."""
    for path in paths:
        for each in [path, *path.parents]:
            if not each.exists():
                continue
            needed = stat.S_IXOTH if each.is_dir() else stat.S_IROTH
            if not each.stat().st_mode & needed:
                return f"{each} is root's alone"
    return ""


def become_another_user(folder: Path) -> int:
    """Hands a folder to a user that has nothing else, and becomes that user. Returns its number; raises OSError."""
    user = FIRST_USER + os.getpid() % USERS
    os.chown(folder, user, user)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # which Linux forgets with the user
    return user


def drop_capabilities() -> None:
    """Of this thread and what it starts, for good. Raises OSError."""
    c = ctypes.CDLL(None, use_errno=True)
    for number in range(_CAPABILITIES):
        c.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)  # fails for those that this kernel does not have
    c.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    head, none = struct.pack("=Ii", _VERSION_3, 0), bytes(24)
    if c.syscall(ctypes.c_long(_CAPSET[os.uname().machine]), head, none) != 0:
        raise OSError(ctypes.get_errno(), "root cannot give its capabilities away")
