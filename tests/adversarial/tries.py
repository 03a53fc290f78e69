"""What a program may want to do to others, tried from inside a sandbox: prints what went well, as JSON.

    python tries.py ORDER           (JSON, as test_confinement.py makes it)

Each try does no harm where nothing stops it: it asks for what is there already, or with arguments that come to nothing
once the call is allowed. All that is needed is imported before the rights are gone, as in a worker.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import mmap
import os
import resource
import socket
import subprocess
import sys
import termios
import threading
from collections.abc import Callable
from pathlib import Path

from grader.devices.worker import confine_calls, confine_files, confine_mounts, confine_user
from grader.devices.worker.confine import Sandbox, forbid_new_rights

c = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"
PR_SET_DUMPABLE = 4
MOST_BYTES, MOST_FILES = 16 << 20, 200  # of its own folder: less than usual, so that tries are quick


def call(x86: int, aarch64: int, *arguments: object) -> Callable[[], None]:
    """A system call by its number, which counts as done unless the system refuses it for what it is."""

    def tried() -> None:
        if c.syscall(ctypes.c_long(x86 if X86 else aarch64), *arguments) < 0 and ctypes.get_errno() in (
            errno.EPERM,
            errno.EACCES,
            errno.ENOSYS,
        ):
            raise OSError(ctypes.get_errno(), "refused")

    return tried


def connect(family: int, kind: int, protocol: int, address: object) -> Callable[[], None]:
    return lambda: socket.socket(family, kind, protocol).connect(address)  # type: ignore[arg-type]


def fork() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def type_on(terminal: str) -> None:
    fcntl.ioctl(os.open(terminal, os.O_RDWR | os.O_NOCTTY), termios.TIOCSTI, b"#")


def find_memory(key: int) -> None:
    if c.syscall(ctypes.c_long(29 if X86 else 194), key, 0, 0) < 0:
        raise OSError(errno.EPERM, "there is none")


def fill(folder: Path, files: int, bytes_: int) -> None:
    folder.mkdir()
    for number in range(files):
        with (folder / str(number)).open("wb") as file:
            if bytes_:
                os.posix_fallocate(file.fileno(), 0, bytes_)


def signal_by_owner(judge: int) -> None:
    fcntl.fcntl(0, fcntl.F_SETOWN, judge)


def in_a_thread() -> None:
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()


def own(order: dict) -> dict[str, Callable[[], object]]:
    inside = Path(order["inside"])

    def move() -> None:
        (inside / "a").mkdir()
        (inside / "a" / "file").write_text("")
        (inside / "a" / "file").rename(inside / "file")

    return {
        "write inside": move,
        "write to /dev/null": lambda: Path(os.devnull).write_text("x"),
        "read a system library": Path("/etc/ld.so.cache").read_bytes,
        "read the grader": Path(confine_calls.__file__).read_bytes,
        "start a thread": in_a_thread,
        "send itself a signal": lambda: os.kill(os.getpid(), 0),
        "limit itself": lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        "map memory": lambda: mmap.mmap(-1, 4096),
    }


def files(order: dict) -> dict[str, Callable[[], object]]:
    """What the list of files stops."""
    inside, outside, judge = Path(order["inside"]), Path(order["outside"]), order["judge"]
    return {
        "read a file of the user's": (outside / "old").read_text,
        "list a folder of the user's": lambda: os.listdir(outside),
        "write outside": lambda: (outside / "old").write_text("x"),
        "create outside": lambda: (outside / "new").write_text("x"),
        "make a folder outside": (outside / "folder").mkdir,
        "remove outside": (outside / "victim").unlink,
        "move out": lambda: (inside / "file").rename(outside / "file"),
        "link out": lambda: (outside / "link").symlink_to(inside),
        "run the user's program": lambda: subprocess.run([outside / "program"], check=True),
        "read the judge's memory": lambda: open(f"/proc/{judge}/mem", "rb"),
        "read the judge's environment": lambda: open(f"/proc/{judge}/environ", "rb").read(1),
        "read how the judge was started": lambda: open(f"/proc/{judge}/cmdline", "rb").read(1),
        "write its own code": lambda: open("/proc/self/mem", "r+b"),
        "write on the terminal": lambda: Path(order["terminal"]).write_text("FORGED"),
        "write to memory that programs share": lambda: Path(order["shared"]).write_text("x"),
    }


def disk(order: dict) -> dict[str, Callable[[], object]]:
    """What a folder of a limited size stops, and no other layer."""
    inside = Path(order["inside"])
    return {
        "fill the disk": lambda: fill(inside / "large", 8, MOST_BYTES // 4),
        "fill it with names": lambda: fill(inside / "many", MOST_FILES, 0),
    }


def calls(order: dict) -> dict[str, Callable[[], object]]:
    """What no list of files stops, and the filter of system calls does."""
    outside, judge, port = Path(order["outside"]), order["judge"], order["port"]
    udp = (socket.AF_INET, socket.SOCK_DGRAM, 0, ("127.0.0.1", 9))
    return {
        "chmod": lambda: os.chmod(outside / "old", 0o600),
        "chmod of all jobs": lambda: os.chmod(Path(order["inside"]).parent, 0o755),
        "chmod by a descriptor": lambda: os.fchmod(os.open(order["inside"], os.O_RDONLY), 0o700),
        "chown": lambda: os.chown(outside / "old", os.getuid(), os.getgid()),
        "utime": lambda: os.utime(outside / "old", (1, 1)),
        "setxattr": lambda: os.setxattr(outside / "old", "user.mine", b"x"),
        "truncate": lambda: os.truncate(outside / "old", 0),
        "make a pipe with a name": lambda: os.mkfifo(Path(order["inside"]) / "fifo"),
        "ask a daemon": connect(socket.AF_UNIX, socket.SOCK_STREAM, 0, order["daemon"]),
        "ask a daemon without a path": connect(socket.AF_UNIX, socket.SOCK_STREAM, 0, f"\0{order['abstract']}"),
        "connect": connect(socket.AF_INET, socket.SOCK_STREAM, 0, ("127.0.0.1", port)),
        "connect by MPTCP": connect(socket.AF_INET, socket.SOCK_STREAM, 262, ("127.0.0.1", port)),
        "connect by UDP": connect(*udp),
        "ask the kernel": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0),
        "make a pair of sockets": socket.socketpair,
        "shared memory of System V": call(29, 194, 0x4C41, 0, 0),
        "find another's memory of System V": lambda: find_memory(order["segment"]),
        "messages of System V": call(68, 186, 0x4C41, 0),
        "semaphores of System V": call(64, 190, 0x4C41, 0, 0),
        "limit the judge": lambda: resource.prlimit(judge, resource.RLIMIT_NOFILE),
        "slow the judge down": lambda: os.setpriority(os.PRIO_PROCESS, judge, os.getpriority(os.PRIO_PROCESS, judge)),
        "schedule the judge": lambda: os.sched_setaffinity(judge, os.sched_getaffinity(judge)),
        "end the judge": lambda: os.kill(judge, 0),
        "end the judge's thread": call(234, 131, judge, judge, 0),
        "end its whole group": lambda: os.kill(0, 0),
        "signal as an owner": lambda: signal_by_owner(judge),
        "fork": fork,
        "vfork and exec": lambda: subprocess.run(["true"], check=True),
        "exec": lambda: os.execv("/nowhere/program", ["program"]),
        "clone": call(56, 220, 0x800, 0, 0, 0, 0),
        "clone3": call(435, 435, None, 0),
        "trace": call(101, 117, 0x4200, judge, None, None),
        "read another's memory": call(310, 270, judge, None, 0, None, 0, 0),
        "open a process": lambda: os.pidfd_open(judge),
        "mount": call(165, 40, None, ctypes.c_void_p(-1), None, 0, None),
        "unshare": call(272, 97, 0),
        "keys": call(250, 219, 0, -3, 0),
        "bpf": call(321, 280, 0, None, 0),
        "io_uring": call(425, 425, 1, None),
        "userfaultfd": call(323, 282, 0),
        "perf": call(298, 241, None, 0, -1, -1, 0),
        "type on the terminal": lambda: type_on(order["own terminal"]),
        "a call that no table knows": call(470, 470, 0),
    }


def main(order: dict) -> None:
    if order["user"]:
        os.setgroups([])
        os.setgid(order["user"])
        os.setuid(order["user"])
        c.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # as a process of that user from the beginning
    if "files" in order["without"]:  # a kernel without Landlock
        forbid_new_rights()
        confine_calls.install(confine_calls.refusing(confine_files.SYSTEM_CALLS, errno.ENOSYS))
    if "calls" in order["without"]:
        confine_calls.available = lambda: False
    if "spaces" in order["without"]:
        confine_mounts.why_not = lambda: "it may not"
    confine_mounts.MOST_BYTES, confine_mounts.MOST_FILES = MOST_BYTES, MOST_FILES
    confine_user.why_no_other_user = lambda paths: "" if order["becomes another user"] else "it may not"
    sandbox = Sandbox(order["level"], Path(order["inside"]), order["on a GPU"])
    sandbox.enter([])
    os.chdir(order["inside"])
    sandbox.shut()
    said = {"report": sandbox.report(), "own": could(own(order), order), "files": could(files(order), order)}
    print(json.dumps(said | {"disk": could(disk(order), order), "calls": could(calls(order), order)}))


def could(tries: dict[str, Callable[[], object]], order: dict) -> list[str]:
    """Those that went well, or came to nothing though they were allowed: in bubblewrap there is nothing to come to."""
    done = []
    for name, act in tries.items():
        try:
            act()
            done.append(name)
        except (OSError, subprocess.SubprocessError) as error:
            if getattr(error, "errno", 0) in (errno.ENOENT, errno.ESRCH) and not order["wrapped"]:
                done.append(name)  # it was allowed, and came to nothing
    return done


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
