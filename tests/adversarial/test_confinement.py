"""What a process can still do when its rights are given away, and what enters the cache when its job has ended."""

from __future__ import annotations

import ctypes
import json
import os
import re
import secrets
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.course.catalog import UsageError
from grader.devices.cache import is_intact, keep, vouched
from grader.devices.worker import confine_mounts
from grader.devices.worker.confine import Sandbox, Unsafe, landlock_version
from grader.devices.worker.job import default_level
from grader.devices.worker.outside import why_no_bubblewrap, wrapping

ROOT = Path(__file__).parents[2]

TRIES = Path(__file__).with_name("tries.py")
USER = 12345  # who owns nothing else


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder that another user may enter, which `tmp_path` is not."""
    with tempfile.TemporaryDirectory(prefix="ladder-tries-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def tried(
    place: Path,
    name: str,
    without: str = "",
    user: int = 0,
    level: str = "basic",
    other_user: bool = False,
    on_gpu: bool = False,
    wrapped: bool = False,
) -> dict:
    """What a program could do there, with a layer missing, as another user if this one is root."""
    inside, outside, socket_file = (place / name / each for each in ("jobs/inside", "outside", "socket"))
    for folder in (inside, outside):
        folder.mkdir(parents=True)
    for file in ("old", "victim", "program"):
        (outside / file).write_text("#!/bin/sh\n")
        (outside / file).chmod(0o755)
    if user:
        for path in [place / name, *(place / name).rglob("*")]:
            os.chown(path, user, user)
    master, slave = os.openpty()
    os.chown(slave, user or os.getuid(), -1)
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.socket(socket.AF_UNIX) as daemon,
        socket.socket(socket.AF_UNIX) as nameless,
        segment() as key,
        tempfile.NamedTemporaryFile(dir="/dev/shm") as shared,
    ):
        daemon.bind(str(socket_file))
        daemon.listen()
        nameless.bind(f"\0{socket_file}")
        nameless.listen()
        for path in (socket_file, shared.name):
            os.chmod(path, 0o777)
        order = {
            "inside": str(inside), "outside": str(outside), "judge": os.getpid(), "daemon": str(socket_file),
            "port": listener.getsockname()[1], "terminal": os.ttyname(slave), "own terminal": os.ttyname(slave),
            "abstract": str(socket_file), "segment": key, "shared": shared.name, "user": user,
            "without": without, "level": level, "becomes another user": other_user, "on a GPU": on_gpu,
            "wrapped": wrapped,
        }  # fmt: skip
        command = [sys.executable, "-c", TRIES.read_text(), json.dumps(order)]
        command = [*wrapping(inside.parent), *command] if wrapped else command
        options = {"cwd": ROOT, "env": {**os.environ, "PYTHONPATH": str(ROOT)}, "stdin": subprocess.DEVNULL}
        done = subprocess.run(command, capture_output=True, text=True, **options)
    os.close(slave)
    os.close(master)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@contextmanager
def segment() -> Iterator[int]:
    """The key of a piece of System V's shared memory that everyone may use."""
    system, x86 = ctypes.CDLL(None, use_errno=True), os.uname().machine == "x86_64"
    get, control = (29, 31) if x86 else (194, 195)
    key = secrets.randbits(30) + 1
    number = system.syscall(ctypes.c_long(get), key, 4096, 0o1666)  # IPC_CREAT
    assert number >= 0
    try:
        yield key
    finally:
        system.syscall(ctypes.c_long(control), number, 0, None)  # IPC_RMID


def users() -> list[int]:
    """0 is the user that the tests run as; root tries another one, too."""
    return [0, USER] if os.geteuid() == 0 else [0]


OWN = [
    "write inside", "write to /dev/null", "read a system library", "read the grader", "start a thread",
    "send itself a signal", "limit itself", "map memory",
]  # fmt: skip


def own(user: int) -> list[str]:
    """What a confined process of that user can do: another than root cannot read a checkout in root's home."""
    is_open = all(folder.stat().st_mode & stat.S_IXOTH for folder in TRIES.parents)
    return [what for what in OWN if what != "read the grader" or is_open or not user]


has_landlock = pytest.mark.skipif(landlock_version() < 6, reason="this kernel has no Landlock, or an old one")


@has_landlock
@pytest.mark.parametrize("user", users())
def test_a_confined_process_does_its_own_work_and_nothing_else(place, user):
    could = tried(place, f"all-{user}", user=user)
    assert could["own"] == own(user) and could["files"] == [] and could["calls"] == []
    assert could["disk"] == [] or confine_mounts.why_not()
    assert {"files", "calls"} <= set(could["report"]["held"])
    assert sorted(path.name for path in (place / f"all-{user}" / "outside").iterdir()) == ["old", "program", "victim"]


@pytest.mark.parametrize("user", users())
def test_without_landlock_the_filter_holds_alone(place, user):
    could = tried(place, f"calls-{user}", without="files and spaces", user=user)
    assert could["own"] == own(user) and could["calls"] == []
    assert could["disk"] == ["fill the disk", "fill it with names"] and "write outside" in could["files"]
    assert "Landlock" in could["report"]["lacking"]["files"] and "calls" in could["report"]["held"]


@has_landlock
@pytest.mark.parametrize("user", users())
def test_without_the_filter_landlock_holds_alone(place, user):
    could = tried(place, f"files-{user}", without="calls and spaces", user=user)
    assert could["own"] == own(user) and could["files"] == []
    stopped = {"truncate", "connect", "end the judge"}  # Landlock's, too
    assert not stopped & set(could["calls"]) and {"chmod", "ask a daemon", "fork"} <= set(could["calls"])
    assert "seccomp" in could["report"]["lacking"]["calls"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_root_becomes_another_user_that_can_do_little_without_any_other_layer(place):
    could = tried(place, "user", without="calls and files and spaces", other_user=True)
    assert could["own"] == own(USER) and could["report"]["held"] == ["user"]
    left = {"read a file of the user's", "list a folder of the user's", "run the user's program"}  # whoever may
    left |= {"read how the judge was started", "write to memory that programs share"}
    assert set(could["files"]) == left
    mine = {"chmod of all jobs", "limit the judge", "slow the judge down", "end the judge", "chmod", "chown", "utime"}
    assert not mine & set(could["calls"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_s_process_still_ends_with_the_server(tmp_path):
    code = """
import ctypes, sys
from pathlib import Path
from grader.devices.worker.confine_user import become_another_user
c, signal = ctypes.CDLL(None), ctypes.c_int()
c.prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, as each worker does when it begins
become_another_user(Path(sys.argv[1]))
c.prctl(2, ctypes.byref(signal), 0, 0, 0)
print(signal.value)
"""
    options = {"cwd": ROOT, "env": {**os.environ, "PYTHONPATH": str(ROOT)}}
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, **options)
    assert done.stdout == "9\n", done.stderr


def test_without_a_sandbox_all_of_this_can_be_done(place):
    could = tried(place, "none", level="none")
    assert {"write outside", "read a file of the user's", "write on the terminal"} <= set(could["files"])
    assert {"chmod", "ask a daemon", "connect by UDP", "fork", "limit the judge"} <= set(could["calls"])
    assert could["disk"] == ["fill the disk", "fill it with names"]
    assert could["report"] == {"level": "none", "held": [], "lacking": {}}


@pytest.mark.skipif(bool(confine_mounts.why_not()), reason=f"no namespaces: {confine_mounts.why_not()}")
@pytest.mark.parametrize("user", users())
def test_spaces_of_its_own_hold_alone(place, user):
    could = tried(place, f"spaces-{user}", without="files and calls", user=user)
    assert could["own"] == own(user) and could["disk"] == [] and {"disk", "network"} <= set(could["report"]["held"])
    assert not [name for name in could["files"] if re.search("outside|out$|that programs share", name)]
    stopped = {"chmod", "chown", "utime", "setxattr", "truncate"}  # of what is mounted to be read only
    stopped |= {"connect", "connect by MPTCP", "connect by UDP", "ask a daemon without a path"}
    stopped |= {"find another's memory of System V"}
    assert not stopped & set(could["calls"])
    assert {"read a file of the user's"} <= set(could["files"]) and {"ask a daemon", "fork"} <= set(could["calls"])


@pytest.mark.skipif(bool(why_no_bubblewrap(Path("/tmp"))), reason=why_no_bubblewrap(Path("/tmp")))
@pytest.mark.parametrize("user", users()[:1])
def test_bubblewrap_holds_alone(place, user):
    could = tried(place, f"wrapped-{user}", level="none", user=user, wrapped=True)
    assert could["own"] == own(user)
    assert could["files"] == ["write its own code", "write to memory that programs share"]  # with itself alone
    gone = {"ask a daemon", "ask a daemon without a path", "connect", "connect by MPTCP"}
    gone |= {"find another's memory of System V", "chmod", "chown", "utime", "setxattr", "truncate"}
    assert not gone & set(could["calls"])


@has_landlock
def test_what_a_gpu_needs_opens_no_way_out(place):
    could = tried(place, "gpu", on_gpu=True)
    assert could["own"] == own(0) and could["calls"] == [] and {"files", "calls"} <= set(could["report"]["held"])


def test_a_strict_sandbox_holds_whole_or_not_at_all(monkeypatch, tmp_path):
    monkeypatch.setattr("grader.devices.worker.confine.landlock_version", lambda: 0)
    monkeypatch.setattr("grader.devices.worker.confine_calls.available", lambda: False)
    with pytest.raises(Unsafe, match=r"strict cannot hold here, as this kernel has no Landlock .* and .* \(seccomp\)"):
        Sandbox("strict", tmp_path).enter([])
    (tmp_path.parent / "outside").touch()


def test_the_level_is_one_of_three(monkeypatch):
    monkeypatch.setenv("LADDER_SANDBOX", "tight")
    with pytest.raises(UsageError, match="LADDER_SANDBOX names no sandbox `tight`: choose none, basic or strict"):
        default_level()


def test_what_was_vouched_for_enters_the_cache_whatever_becomes_of_the_files(tmp_path):
    job, cache = tmp_path / "job", tmp_path / "cache"
    job.mkdir()
    library, notes = job / "kernel.so", job / "kernel.json"
    library.write_text("library\n")
    notes.write_text("[]")
    build = vouched("key", [library, notes])
    library.write_text("another")
    notes.unlink()
    keep(cache, build)
    kept = cache / "kernels" / "key"
    assert sorted(file.name for file in kept.iterdir()) == ["kernel.json", "kernel.sha256", "kernel.so"]
    assert (kept / "kernel.so").read_text() == "library\n" and is_intact(kept)
    (kept / "kernel.so").write_text("another")
    assert not is_intact(kept)


def test_a_build_that_is_there_is_marked_as_used(tmp_path):
    kept = tmp_path / "kernels" / "key"
    kept.mkdir(parents=True)
    os.utime(kept, (1e9, 1e9))
    keep(tmp_path, vouched("key", []))
    assert kept.stat().st_mtime > 1e9 and list(kept.iterdir()) == []
