"""Refuses the system calls that a kernel file has no use for, by a filter that Linux runs before each call (seccomp).

Needs no privilege and no package, works where Landlock is missing, and holds for all threads. The numbers are those of
Linux's system call tables for x86-64 and aarch64, the filter's form is that of `linux/filter.h` and `linux/seccomp.h`.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

_SECCOMP = {"x86_64": 317, "aarch64": 277}  # the system call itself
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000  # x86-64's second table of the same calls
_LAST = 462  # what newer kernels have added is missing here
_SET_FILTER, _ACTION_AVAILABLE = 1, 2
_ALL_THREADS, _NO_SLOWDOWN = 1, 4  # the latter: no mitigation that older kernels add unasked
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _EQUAL, _ABOVE, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06

# Name: number on x86-64 and on aarch64, None where there is none.
Numbers = Mapping[str, tuple[int | None, int | None]]

REFUSED: Numbers = {
    # other programs, on this machine and elsewhere; a socket that is there can be used
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "sendmsg": (46, 211), "sendmmsg": (307, 269),
    # rights, owners and times of files, which Landlock does not know
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None),
    "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None),
    "futimesat": (261, None), "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6),
    "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "truncate": (76, 45), "mknod": (133, None), "mknodat": (259, 33), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "fanotify_init": (300, 262),
    # memory that outlives the process, or that belongs to another one
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190), "semctl": (66, 191),
    "msgget": (68, 186), "msgsnd": (69, 189), "msgctl": (71, 187), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "migrate_pages": (256, 238), "move_pages": (279, 239),
    "setpriority": (141, 140), "ioprio_set": (251, 30), "tkill": (200, 130),
    # new processes
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281),
    # the system
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "unshare": (272, 97),
    "setns": (308, 268), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171),
    "clock_adjtime": (305, 266), "sethostname": (170, 161), "setdomainname": (171, 162), "syslog": (103, 116),
    "vhangup": (153, 58), "personality": (135, 92), "iopl": (172, None), "ioperm": (173, None),
}  # fmt: skip
# Its argument lies in memory, where no filter looks: libraries then use clone.
MISSING: Numbers = {"clone3": (435, 435)}
# Only where this argument, counted from 0, is 0: the process itself.
_SELF_ALONE: Numbers = {
    "prlimit64": (302, 261), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "sched_setattr": (314, 274),
}  # fmt: skip
_SIGNALS: Numbers = {
    "kill": (62, 129), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
}  # fmt: skip
_CLONE, _SENDTO, _IOCTL, _FCNTL = (56, 220), (44, 206), (16, 29), (72, 25)
_CLONE_THREAD = 0x10000
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: type as if at the keyboard
_SIGNALS_TO_OWNER = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX: signals that no call of `kill` sends

_N = TypeVar("_N", int, int | None)
Instruction = tuple[int, int, int, int]  # code, how far to jump if true, if false, operand


def available() -> bool:
    """Whether this kernel has such filters, and this machine is one whose numbers are known."""
    number = _SECCOMP.get(platform.machine())
    if number is None:
        return False
    action = ctypes.c_uint32(_ERRNO)
    c = ctypes.CDLL(None, use_errno=True)
    return bool(c.syscall(ctypes.c_long(number), _ACTION_AVAILABLE, 0, ctypes.byref(action)) == 0)


def refuse_calls(processes: Iterable[int]) -> None:
    """From here on all threads of this process start no process, open no socket, touch no rights of files, and so on.

    They send signals to these processes only. There is no way back. Needs no_new_privs. Raises OSError.
    """
    install(program(processes))


def program(processes: Iterable[int]) -> list[Instruction]:
    """The filter, as instructions."""
    body = _refusals(REFUSED, errno.EPERM) + _refusals(MISSING, errno.ENOSYS)
    for number in _own(_SELF_ALONE):
        body += _unless(number, _one_of(0, [0], _RETURN_ALLOW))
    for number in _own(_SIGNALS):
        body += _unless(number, _one_of(0, list(processes), _RETURN_ALLOW))
    body += _unless(_here(_CLONE), [_argument(0), (_ANY_BIT, 0, 1, _CLONE_THREAD), _RETURN_ALLOW])
    no_address = [_argument(4), (_EQUAL, 0, 3, 0), _argument(4, high=True), (_EQUAL, 0, 1, 0), _RETURN_ALLOW]
    body += _unless(_here(_SENDTO), no_address)
    for call, commands in ((_IOCTL, _TERMINAL_INPUT), (_FCNTL, _SIGNALS_TO_OWNER)):
        body += _unless(_here(call), [*_one_of(1, commands, _no(errno.EPERM)), _RETURN_ALLOW])
    return [*_head(), *body, _RETURN_ALLOW]


def refusing(numbers: Iterable[int], error: int) -> list[Instruction]:
    """A filter that makes these calls fail, as on a kernel that lacks them."""
    return [*_head(), *(step for number in numbers for step in _unless(number, [], error)), _RETURN_ALLOW]


def install(instructions: Sequence[Instruction]) -> None:
    """Puts a filter on all threads of this process, beside those that they have. Raises OSError."""
    code = b"".join(struct.pack("=HBBI", *each) for each in instructions)
    kept = ctypes.create_string_buffer(code, len(code))
    filter_ = ctypes.create_string_buffer(struct.pack("@HP", len(instructions), ctypes.addressof(kept)))
    c, number = ctypes.CDLL(None, use_errno=True), _SECCOMP.get(platform.machine(), -1)
    if c.syscall(ctypes.c_long(number), _SET_FILTER, _ALL_THREADS | _NO_SLOWDOWN, filter_) != 0:
        raise OSError(ctypes.get_errno() or errno.EPERM, "the system refuses a filter of system calls (seccomp)")


# ---- the parts of a filter ----

_RETURN_ALLOW: Instruction = (_RETURN, 0, 0, _ALLOW)


def _no(error: int) -> Instruction:
    return (_RETURN, 0, 0, _ERRNO | error)


def _head() -> list[Instruction]:
    """Loads the call's number. Calls of another architecture fail, as do those newer than the table."""
    machine = platform.machine()
    second = [(_AT_LEAST, 0, 1, _X32), _no(errno.EPERM)] if machine == "x86_64" else []
    return [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, _AUDIT_ARCH[machine]),
        _no(errno.EPERM),
        (_LOAD, 0, 0, 0),
        *second,
        (_ABOVE, 0, 1, _LAST),
        _no(errno.ENOSYS),
    ]


def _refusals(calls: Numbers, error: int) -> list[Instruction]:
    return [step for number in _own(calls) for step in _unless(number, [], error)]


def _unless(number: int, steps: list[Instruction], error: int = errno.EPERM) -> list[Instruction]:
    """These steps if it is this call; if they come to their end, it fails. Other calls skip them."""
    steps = [*steps, _no(error)]
    return [(_EQUAL, 0, len(steps), number), *steps]


def _one_of(position: int, values: Sequence[int], then: Instruction) -> list[Instruction]:
    """`then` if the argument is one of the values."""
    tests = [step for value in values for step in ((_EQUAL, 0, 1, value), then)]
    return [_argument(position), *tests]


def _argument(position: int, high: bool = False) -> Instruction:
    """Loads the lower half of an argument, which is where a 32-bit one stands, or the upper one."""
    return (_LOAD, 0, 0, 16 + 8 * position + (4 if high else 0))


def _own(calls: Numbers) -> list[int]:
    return [number for each in calls.values() if (number := _here(each)) is not None]


def _here(numbers: tuple[_N, _N]) -> _N:
    """This machine's number."""
    return numbers[0 if platform.machine() == "x86_64" else 1]
