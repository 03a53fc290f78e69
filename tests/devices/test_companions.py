"""A compiler and its own processes end with the process that has started it, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.devices.build.companions import Companions

# As g++: it starts a process of its own, which goes on where the first one is killed.
COMPILER = ["sh", "-c", "sh -c 'echo $$ > own; sleep 100' & wait"]
BUILDS = f"""
from pathlib import Path
from grader.devices.build.companions import Companions
with Companions() as compilers:
    compilers.run({COMPILER!r}, Path("."))
"""


def own_process(folder: Path) -> int:
    """That of the compiler in this folder, once it is there."""
    for _ in range(1000):
        if (folder / "own").exists() and (text := (folder / "own").read_text().strip()):
            return int(text)
        time.sleep(0.02)
    raise AssertionError("no compiler was started")


def has_ended(pid: int) -> bool:
    for _ in range(500):
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_what_a_compiler_has_started_ends_with_the_one_who_asked(tmp_path, number):
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen([sys.executable, "-c", BUILDS], cwd=tmp_path, env=environment)
    own = own_process(tmp_path)
    process.send_signal(number)
    assert process.wait(timeout=20) == -number
    assert has_ended(own)


@pytest.mark.slow
def test_ctrl_c_ends_all_that_work_side_by_side(tmp_path):
    def work(folder: Path) -> None:
        compilers.run(COMPILER, folder)

    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        folder.mkdir()
    with Companions() as compilers, pytest.raises(KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, 2)
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            compilers.all(work, folders)
        finally:
            signal.signal(signal.SIGALRM, before)
    assert all(has_ended(own_process(folder)) for folder in folders)


def test_what_a_compiler_says_and_how_it_ends_is_handed_on(tmp_path):
    with Companions() as compilers:
        done = compilers.run(["sh", "-c", "echo out; echo no >&2; exit 3"], tmp_path)
        again = compilers.run(["pwd"], tmp_path)
    assert (done.stdout, done.stderr, done.returncode, again.stdout) == ("out\n", "no\n", 3, f"{tmp_path.resolve()}\n")
