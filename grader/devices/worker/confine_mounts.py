"""A process's own view of the file system, network and shared memory: Linux's namespaces, made by the process itself.

All that is mounted can only be read, its own folder is an empty one in memory of a limited size, and there is no
network. Root may do so; another user does so in a user namespace of its own, where the system allows one.
Linux 5.12: namespaces(7), user_namespaces(7), mount_setattr(2).
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import struct
import tempfile
from pathlib import Path

MOST_BYTES = 512 << 20  # of all files together: a build of a kernel takes some MB
MOST_FILES = 20_000

_NEW_MOUNTS, _NEW_NAMES, _NEW_IPC, _NEW_USER, _NEW_NETWORK = 0x20000, 0x4000000, 0x8000000, 0x10000000, 0x40000000
_PRIVATE_FROM_HERE_DOWN = 1 << 18 | 1 << 14
_NO_DEVICES_NOR_RIGHTS = 2 | 4  # MS_NOSUID, MS_NODEV
_SET_ATTRIBUTES = 442  # mount_setattr, the same on every architecture
_HERE, _FROM_HERE_DOWN, _READ_ONLY = -100, 0x8000, 1
_UNSHARE = {"x86_64": 272, "aarch64": 97}
SYSTEM_CALLS = (_UNSHARE.get(platform.machine(), -1),)


def own_spaces(folder: Path) -> None:
    """From here on this process, and all that it starts, writes to `folder` alone, which is empty and in memory.

    It has no network, and shares no memory or messages of System V with others. Its current folder is `folder`.
    Raises OSError, and then the process is good for nothing: ask `why_not` first.
    """
    user, group = os.geteuid(), os.getegid()
    spaces = _NEW_MOUNTS | _NEW_NAMES | _NEW_IPC | _NEW_NETWORK
    _checked(_SYSTEM.unshare(spaces | (0 if user == 0 else _NEW_USER)))
    if user != 0:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    place = os.fsencode(folder)
    _checked(_SYSTEM.mount(b"none", b"/", None, ctypes.c_ulong(_PRIVATE_FROM_HERE_DOWN), None))
    limits = f"size={MOST_BYTES},nr_inodes={MOST_FILES},mode=700,uid={user},gid={group}".encode()
    _checked(_SYSTEM.mount(b"ladder", place, b"tmpfs", ctypes.c_ulong(_NO_DEVICES_NOR_RIGHTS), limits))
    _set_read_only(b"/", _FROM_HERE_DOWN, on=True)
    _set_read_only(place, 0, on=False)
    os.chdir(folder)


@functools.cache
def why_not() -> str:
    """Why this process and its forks cannot have spaces of their own; "" if they can. Tries it in a fork."""
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory(prefix="ladder-") as folder:
        child = os.fork()
        if child == 0:
            try:
                own_spaces(Path(folder))
                Path("file").touch()
            except OSError as error:
                os.write(writing, (error.strerror or "no reason given").encode())
            finally:
                os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        return pipe.read()


def _set_read_only(place: bytes, depth: int, on: bool) -> None:
    attributes = struct.pack("4Q", _READ_ONLY if on else 0, 0 if on else _READ_ONLY, 0, 0)
    size = ctypes.c_size_t(len(attributes))
    number, here = ctypes.c_long(_SET_ATTRIBUTES), ctypes.c_long(_HERE)
    _checked(_SYSTEM.syscall(number, here, place, ctypes.c_long(depth), attributes, size))


def _checked(result: int) -> None:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


_SYSTEM = ctypes.CDLL(None, use_errno=True)
