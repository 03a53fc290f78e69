"""nvcc for the tests: what it has accepted once it is not asked again, today or next week."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.devices.build.recipe import hash_of
from grader.devices.cache import cache_root
from grader.devices.cuda.toolkit import cuda_home
from tests.shared import digest

KEPT_DAYS = 60
_LOCAL_INCLUDE = re.compile(rb'^\s*#\s*include\s*"', re.MULTILINE)


def refusal(file: Path, flags: Sequence[str]) -> str:
    """What nvcc has against a file with these flags; "" if it compiles it, or has compiled it before.

    Before: the same text under the same name, with the same flags, by the same nvcc and g++. Only that is remembered,
    as an empty file in the cache; a file that includes others of its folder is compiled each time.
    """
    text = file.read_bytes()
    accepted = _folder() / digest([file.name, text, *flags, *compilers()])
    if accepted.exists() and not _LOCAL_INCLUDE.search(text):
        accepted.touch()
        return ""
    with tempfile.TemporaryDirectory() as folder:
        command = [_home() / "bin/nvcc", *flags, file, "-o", Path(folder, "out")]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        accepted.touch()
        return ""
    return done.stderr.strip() or f"nvcc ended with code {done.returncode}"


def remembered(key: Sequence[str | bytes], make: Callable[[], str]) -> str:
    """`make()`, or what that returned for the same key, perhaps last week."""
    file = _folder() / digest(key)
    if not file.exists():
        unfinished = file.with_suffix(f".{os.getpid()}")
        unfinished.write_text(make())
        unfinished.replace(file)
    file.touch()
    return file.read_text()


def _home() -> Path:
    home = cuda_home()
    assert home, "there is no CUDA toolkit: skip this test"
    return home


@functools.cache
def compilers() -> tuple[str, ...]:
    """nvcc's whole version, and which programs nvcc and g++ are."""
    nvcc = str(_home() / "bin/nvcc")
    said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    return said, hash_of([], nvcc), hash_of([], "g++")


@functools.cache
def _folder() -> Path:
    """Where the accepted are noted; those that no run has asked for lately are forgotten."""
    folder = cache_root() / "nvcc-accepted"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        if time.time() - old.stat().st_mtime > KEPT_DAYS * 86400:
            old.unlink(missing_ok=True)
    return folder
