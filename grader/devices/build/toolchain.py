"""Whether the programs that build a kernel file are there."""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path

OLDEST_COMPILER = 12  # g++ 11 turns selections into branches: a right kernel would lose a star


def missing_compiler() -> str | None:
    """One sentence if g++ is not there, or is too old."""
    version = compiler_version()
    if version is None:
        return "there is no C++ compiler: install g++ (on Debian and Ubuntu, `sudo apt install g++`)"
    if int(version.partition(".")[0]) < OLDEST_COMPILER:
        return f"g++ {version} is too old: install g++ {OLDEST_COMPILER} or newer"
    return None


def missing_tool() -> str | None:
    """One sentence if the compiler or ninja is not there."""
    return missing_compiler() or (None if shutil.which("ninja") else "ninja is missing: type `pip install ninja`")


def compiler_version() -> str | None:
    """`12.2.0`, None without a g++."""
    program = shutil.which("g++")
    return _version(program, Path(program).stat().st_mtime_ns) if program else None


@functools.cache
def _version(program: str, changed: int) -> str | None:
    """Of a program as it is since then."""
    try:
        done = subprocess.run([program, "-dumpfullversion", "-dumpversion"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.stdout[:1].isdigit() else None
