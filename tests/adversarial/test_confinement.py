"""What a process can still do when its rights are given away, and what enters the cache when its job has ended."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from grader.devices.cache import hashes_of, is_intact, keep
from grader.devices.worker.confine import confine, landlock_version

ROOT = Path(__file__).parents[2]

TRIES = """
import json, os, socket, subprocess, sys
from pathlib import Path
from grader.devices.worker.confine import confine

inside, outside, judge, port = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
confine(inside)

def can(action):
    try:
        action()
    except OSError as error:
        return type(error).__name__
    return "yes"

def move_inside():
    (inside / "a").mkdir()
    (inside / "a" / "file").write_text("")
    (inside / "a" / "file").rename(inside / "file")

def connect(to):
    socket.create_connection(("127.0.0.1", to), timeout=5).close()

print(json.dumps({
    "write inside": can(move_inside),
    "write to devices": can(lambda: Path(os.devnull).write_text("x")),
    "read outside": can((outside / "old").read_text),
    "write outside": can(lambda: (outside / "old").write_text("x")),
    "truncate outside": can(lambda: os.truncate(outside / "old", 0)),
    "create outside": can(lambda: (outside / "new").write_text("x")),
    "make a folder outside": can((outside / "new").mkdir),
    "remove outside": can((outside / "old").unlink),
    "move out": can(lambda: (inside / "file").rename(outside / "file")),
    "link out": can(lambda: (outside / "link").symlink_to(inside)),
    "read the judge's memory": can(lambda: open(f"/proc/{judge}/mem", "rb")),
    "write its own code": can(lambda: open("/proc/self/mem", "r+b")),
    "connect": can(lambda: connect(port)),
    "end the judge": can(lambda: os.kill(judge, 0)),
    "write to memory that programs share": can(lambda: Path(sys.argv[5]).write_text("x")),
    "have a child write outside": str(subprocess.run(["touch", outside / "new"], capture_output=True).returncode),
}))
"""


@pytest.mark.skipif(landlock_version() == 0, reason="this kernel has no Landlock")
def test_a_confined_process_writes_to_its_own_folder_only(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "old").write_text("old")
    with socket.create_server(("127.0.0.1", 0)) as listener, tempfile.NamedTemporaryFile(dir="/dev/shm") as shared:
        arguments = [str(inside), str(outside), str(os.getpid()), str(listener.getsockname()[1]), shared.name]
        command = [sys.executable, "-c", TRIES, *arguments]
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    could = json.loads(said)
    allowed = {"write inside", "write to devices", "read outside"}
    if landlock_version() < 6:
        allowed.add("end the judge")
    if landlock_version() < 4:
        allowed.add("connect")
    if landlock_version() < 3:
        allowed.add("truncate outside")
    assert {what for what, answer in could.items() if answer in ("yes", "0")} == allowed
    assert (outside / "old").exists() and sorted(path.name for path in outside.iterdir()) == ["old"]


def test_without_landlock_nothing_changes(monkeypatch, tmp_path):
    monkeypatch.setattr("grader.devices.worker.confine.landlock_version", lambda: 0)
    assert confine(tmp_path / "inside") is False
    (tmp_path / "outside").touch()


def test_only_what_a_build_consists_of_enters_the_cache(tmp_path):
    job, cache, elsewhere = tmp_path / "job", tmp_path / "cache", tmp_path / "elsewhere"
    (job / "built").mkdir(parents=True)
    elsewhere.write_text("theirs")
    library = job / "built" / "kernel.so"
    library.write_text("library")
    (job / "built" / "other").write_text("other")
    keep(job, cache, "key", hashes_of([library]))
    kept = cache / "kernels" / "key"
    assert sorted(file.name for file in kept.iterdir()) == ["kernel.sha256", "kernel.so"] and is_intact(kept)
    (kept / "kernel.so").write_text("another")
    assert not is_intact(kept)


@pytest.mark.parametrize("trick", ["another text", "link", "folder", "gone"])
def test_what_is_no_longer_what_was_built_does_not_enter_the_cache(tmp_path, trick):
    job, cache, elsewhere = tmp_path / "job", tmp_path / "cache", tmp_path / "elsewhere"
    library = job / "built" / "kernel.so"
    library.parent.mkdir(parents=True)
    for file in (library, elsewhere):
        file.write_text("library")
    hashes = hashes_of([library])
    library.unlink()
    if trick == "another text":
        library.write_text("Library")
    elif trick == "link":
        library.symlink_to(elsewhere)
    elif trick == "folder":
        library.mkdir()
    keep(job, cache, "key", hashes)
    assert not (cache / "kernels").exists() and elsewhere.read_text() == "library"


def test_a_folder_that_is_elsewhere_is_no_build(tmp_path):
    job, cache = tmp_path / "job", tmp_path / "cache"
    victim = cache / "kernels" / "theirs"
    victim.mkdir(parents=True)
    (victim / "kernel.so").write_text("theirs")
    job.mkdir()
    (job / "built").symlink_to(victim)
    keep(job, cache, "ours", hashes_of([victim / "kernel.so"]))
    assert (victim / "kernel.so").read_text() == "theirs"
    assert not (cache / "kernels" / "ours" / "kernel.so").exists()
