"""nvcc for the tests: what it has said once it is not asked again, today, next week, or on another machine.

`python -m tests.nvcc` asks what the tests of the course's and the adversarial files ask, with two processes, and
notes it in `asked_of_nvcc.txt`. What stands there is as true as the versions in its first line are those of today.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.course.inline import inline
from grader.course.mistake import without_comments
from grader.devices.build.recipe import hash_of
from grader.devices.build.toolchain import compiler_version
from grader.devices.cache import cache_root
from grader.devices.cuda.toolkit import cuda_home
from tests.shared import digest

RECORD = Path(__file__).with_name("asked_of_nvcc.txt")  # versions, and a line for each question: its hash, the answer
TESTS = (
    "tests/devices/test_cuda_build.py", "tests/adversarial/test_adversarial.py", "tests/lessons/test_halves.py",
    "tests/emulator/test_libcuxx.py",
)  # fmt: skip
NOTES = "LADDER_ASKED_OF_NVCC"  # where `python -m tests.nvcc` wants to have it noted
KEPT_DAYS = 60
_LOCAL_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]*)"?', re.MULTILINE)


def refusal(file: Path, flags: Sequence[str]) -> str:
    """What nvcc has against a file with these flags; "" if it compiles it, or has compiled it before.

    Before: the same code under the same name, with the same flags, by the same nvcc and g++. Only that is remembered.
    Comments and empty lines may change: nvcc does not read them.
    What a kernel of the course includes is a part of its text, and so is what any other includes of its own folder.
    """
    text = inline(_text(file), file)
    included = _included(text, file.parent)
    if included is None:
        return _compiled(file, flags)
    asked = [file.name, code_of(text), *included, *flags]
    return remembered(asked, lambda: _compiled(file, flags), is_final=lambda said: not said)


def refuses(file: Path, flags: Sequence[str]) -> bool:
    """Whether nvcc has anything against a file that includes none beside it, or had. Both answers are remembered."""
    said = remembered(["refused", file.name, code_of(_text(file)), *flags], lambda: str(bool(_compiled(file, flags))))
    return said == str(True)


def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogateescape")


def _included(text: str, folder: Path) -> list[bytes] | None:
    """The code of the files that a text includes by their names in its folder; None if it includes any other file."""
    found = []
    for name in _LOCAL_INCLUDE.findall(text):
        if not (folder / name).is_file() or "/" in name:
            return None
        inside = _text(folder / name)
        if _LOCAL_INCLUDE.search(inside):
            return None
        found.append(code_of(inside))
    return found


def code_of(text: str) -> bytes:
    """Without comments, empty lines and the white space at the ends of lines."""
    lines = without_comments(text).splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip()).encode("utf-8", "surrogateescape")


def _compiled(file: Path, flags: Sequence[str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        command = [_home() / "bin/nvcc", *flags, file, "-o", Path(folder, "out")]
        done = subprocess.run(command, capture_output=True, text=True)
    return done.stderr.strip() or f"nvcc ended with code {done.returncode}" if done.returncode else ""


def remembered(
    key: Sequence[str | bytes], make: Callable[[], str], is_final: Callable[[str], bool] = lambda said: True
) -> str:
    """`make()`, or what that returned for the same key and the same compilers, if that was final."""
    mark = digest(key)[:16]
    said = _recorded().get(mark)
    if said is None:
        file = _folder() / digest([*key, *compilers()])
        said = file.read_text() if file.exists() else make()
        if not is_final(said):
            return said
        unfinished = file.with_suffix(f".{os.getpid()}")
        unfinished.write_text(said)
        unfinished.replace(file)
    if notes := os.environ.get(NOTES):
        with open(notes, "a") as opened:
            opened.write(f"{mark} {said}".strip() + "\n")
    return said


def _home() -> Path:
    home = cuda_home()
    assert home, "there is no CUDA toolkit: skip this test"
    return home


def versions() -> str:
    """`nvcc V13.0.88 g++ 12.2.0`"""
    release = re.search(r"release \S+, (\S+)", compilers()[0])
    return f"nvcc {release[1] if release else '?'} g++ {compiler_version() or '?'}"


@functools.cache
def compilers() -> tuple[str, ...]:
    """nvcc's whole version, and which programs nvcc and g++ are."""
    nvcc = str(_home() / "bin/nvcc")
    said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    return said, hash_of([], nvcc), hash_of([], "g++")


@functools.cache
def _recorded() -> dict[str, str]:
    """What was answered, by the question's hash; nothing if other versions were asked."""
    first, *lines = RECORD.read_text().splitlines()
    return {line[:16]: line[17:] for line in lines} if first == versions() else {}


@functools.cache
def _folder() -> Path:
    """Where answers are kept that are not recorded; what no run has asked for lately is forgotten."""
    folder = cache_root() / "nvcc-answers"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        if time.time() - old.stat().st_mtime > KEPT_DAYS * 86400:
            old.unlink(missing_ok=True)
    return folder


def record() -> int:
    """Runs the tests that ask nvcc, and notes what it has answered. Returns their exit code."""
    with tempfile.NamedTemporaryFile("r") as notes:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "2",
            "-k",
            "compiles or built_for_a_gpu or nvcc_says",
            *TESTS,
        ]
        code = subprocess.run(command, env=os.environ | {NOTES: notes.name}).returncode
        if code == 0:
            RECORD.write_text("\n".join([versions(), *sorted(set(notes.read().splitlines()))]) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(record())
