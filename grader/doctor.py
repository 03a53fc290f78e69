"""`ladder doctor`: what is installed, what is missing, what to type."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader.course.catalog import UsageError

# What the emulator asks of the compiler: C++20, thread-local variables and the sanitizers' callbacks.
PROBE = """
template <class T> concept Any = true;
thread_local int x;
int add(Any auto y) { return x += y; }
int call() { return add(1); }
"""
PROBE_FLAGS = ["-x", "c++", "-std=c++20", "-fsanitize=thread", "-fsanitize-coverage=trace-pc", "-c"]


@dataclass(frozen=True)
class Check:
    """One line of the report. `fix` is what to type; only what is `needed` stops the emulator."""

    name: str
    ok: bool
    found: str
    fix: str = ""
    needed: bool = True


def examine() -> Iterator[Check]:
    """All checks, the quick ones first."""
    yield _system()
    yield _python()
    yield _compiler()
    yield _ninja()
    yield _cache()
    yield _torch()
    yield _bubblewrap()
    yield _nvcc()
    yield _gpu()


def report(console: Console) -> int:
    """Prints every check as it is made; returns 0 if the emulator can grade here, else 2."""
    ready = True
    for check in examine():
        ready = ready and (check.ok or not check.needed)
        mark = Text("ok      ", "green") if check.ok else Text("missing ", "red" if check.needed else "yellow")
        console.print(mark + f"{check.name:<12}" + Text(check.found))
        if not check.ok and check.fix:
            console.print(Text(f"        {'':<12}{check.fix}", "bold" if check.needed else "dim"))
    console.print()
    console.print("The emulator can grade here." if ready else "The emulator cannot grade here yet: see above.")
    return 0 if ready else 2


def _system() -> Check:
    found = f"{platform.system()} {platform.machine()}"
    ok = platform.system() == "Linux" and platform.machine() in ("x86_64", "aarch64")
    return Check("system", ok, found, "The emulator runs on Linux (x86-64 or aarch64); on Windows, use WSL2.")


def _python() -> Check:
    ok = sys.version_info >= (3, 11)
    return Check("Python", ok, platform.python_version(), "Install Python 3.11 or newer and run `make grade` again.")


def _compiler() -> Check:
    fix = "Install g++ 11 or newer, like `sudo apt install g++`."
    version = _output(["g++", "-dumpfullversion", "-dumpversion"])
    if version is None:
        return Check("g++", False, "not found", fix)
    with tempfile.TemporaryDirectory() as folder:
        ok = _output(["g++", *PROBE_FLAGS, "-o", str(Path(folder) / "probe.o"), "-"], PROBE) is not None
    return Check("g++", ok, version if ok else f"{version} cannot compile what the emulator needs", fix)


def _ninja() -> Check:
    beside = Path(sys.executable).with_name("ninja")  # found by the grader even if .venv is not activated
    program = str(beside) if beside.exists() else shutil.which("ninja")
    version = _output([program, "--version"]) if program else None
    return Check("ninja", version is not None, version or "not found", "Type `pip install ninja`.")


def _torch() -> Check:
    try:
        import torch
    except Exception as error:  # a broken installation raises whatever it likes
        return Check("torch", False, f"cannot be imported ({type(error).__name__})", "Type `make grade`.")
    kind = f"built for CUDA {torch.version.cuda}" if torch.version.cuda else "CPU build, enough for the emulator"
    return Check("torch", True, f"{torch.__version__}, {kind}")


def _cache() -> Check:
    from grader.devices.build import cache_root

    fix = "Free some space, or name another folder with the environment variable XDG_CACHE_HOME."
    try:
        folder = cache_root()
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(1 << 20))
    except (OSError, UsageError) as error:
        return Check("cache", False, str(error), fix)
    size = sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())
    return Check("cache", True, f"{folder}, {size / 1e6:.0f} MB")


def _bubblewrap() -> Check:
    version = _output(["bwrap", "--version"])
    return Check("bubblewrap", version is not None, f"{version or 'not found'} (a sandbox, not used yet)", needed=False)


def _nvcc() -> Check:
    text = _output(["nvcc", "--version"])
    release = text.rpartition("release ")[2].partition(",")[0] if text else "not found, only for a GPU"
    return Check("nvcc", text is not None, release, needed=False)


def _gpu() -> Check:
    text = _output(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    found = f"{text.splitlines()[0]} (name, driver)" if text else "none: kernels are emulated"
    return Check("GPU", bool(text), found, needed=False)


def _output(command: list[str], text: str = "") -> str | None:
    """What a program prints, or None if it is missing, fails or takes longer than 20 s."""
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
