"""The runtime, built with gcc's sanitizers, runs its own tests; the sanitizers have nothing to report.

AddressSanitizer and UndefinedBehaviorSanitizer watch all that the runtime does, ThreadSanitizer what its OS threads
share. They do not see the kernels, which are instrumented for the runtime itself, as ever.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import filelock
import pytest

from grader.devices.cache import cache_root
from grader.devices.emulator.session import runtime_library
from tests.emulator.conftest import RENAMED, RUNTIME

pytestmark = [pytest.mark.whole, pytest.mark.long]

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Sanitizer:
    flags: tuple[str, ...]
    library: str  # the one that must come first in the process
    options: dict[str, str]  # by the name of the environment's variable; where reports go is added


ADDRESS = Sanitizer(
    # What AddressSanitizer sees of its own need not be looked for twice.
    ("-Og", "-fsanitize=address,undefined", "-fno-sanitize=null,object-size,vptr"),
    "libasan.so",
    {
        # Python and the kernels' libraries are not instrumented, so that what leaks cannot be told from what lives; and
        # a function that leaves its fiber for good must not have its variables in the fake stack that ends with it.
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    },
)
THREAD = Sanitizer(("-Og", "-fsanitize=thread"), "libtsan.so", {"TSAN_OPTIONS": ""})


def renamed_callbacks() -> dict[str, str]:
    """libtsan has callbacks of the same names as the runtime: there, the runtime's get others."""
    exported = subprocess.check_output(["nm", "-D", "--defined-only", runtime_library(cache_root())], text=True)
    names = [row.split()[-1] for row in exported.splitlines()]
    return {name: f"ladder{name}" for name in names if name.startswith("__tsan_")}


def sanitized_runtime(sanitizer: Sanitizer) -> Path:
    """In a cache of its own, for the ordinary one keeps few runtimes."""
    renamed = renamed_callbacks() if sanitizer is THREAD else {}
    flags = [*sanitizer.flags, *(f"-D{old}={new}" for old, new in renamed.items())]
    runtime = runtime_library(cache_root() / "sanitized", extra_flags=flags)
    if renamed:
        rows = "".join(f"{old} {new}\n" for old, new in renamed.items())
        with filelock.FileLock(runtime.parent / "lock"):
            (runtime.parent / RENAMED).write_text(rows)
    return runtime


def first_libraries(name: str) -> str:
    """The sanitizer's library, and the one whose functions it has to find when it starts."""
    found = [subprocess.check_output(["g++", f"-print-file-name={each}"], text=True) for each in (name, "libstdc++.so")]
    return " ".join(str(Path(each.strip()).resolve()) for each in found)


def reports(sanitizer: Sanitizer, folder: Path, tests: list[str], left_out: str) -> list[str]:
    """Runs these tests, but those with a mark, in a process of their own; what was reported. Fails if a test did."""
    options = {name: f"{given}:log_path={folder / 'report'}" for name, given in sanitizer.options.items()}
    one_thread = {"OPENBLAS_NUM_THREADS": "1"}
    environment = os.environ | one_thread | options | {RUNTIME: str(sanitized_runtime(sanitizer))}
    pytest_ = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "-m",
        f"not {left_out}",
        *tests,
    ]
    program = ["env", f"LD_PRELOAD={first_libraries(sanitizer.library)}", *pytest_]
    done = subprocess.run(program, env=environment, cwd=HERE.parents[1], capture_output=True, text=True, timeout=600)
    found = [path.read_text(errors="replace") for path in sorted(folder.glob("report*"))]
    assert found or done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return found


@pytest.fixture
def reported(kept, tmp_path) -> Callable[..., list[str]]:
    """What a sanitizer reports of test modules. Nothing is reported once, until they or the grader change."""

    def ask(sanitizer: Sanitizer, left_out: str, *modules: str) -> list[str]:
        tests = [str(HERE / f"test_{module}.py") for module in modules]
        files = [file.read_bytes() for file in sorted(HERE.rglob("*")) if file.suffix in (".py", ".cu")]
        key = ["sanitized", sanitizer.library, *sanitizer.flags, left_out, *modules, *files]
        return kept(key, lambda: reports(sanitizer, tmp_path, tests, left_out), lambda said: not said)

    return ask


def test_addresses_and_undefined_behaviour(reported):
    modules = ("warp", "atomics", "groups", "host", "races", "recording", "executors")
    assert reported(ADDRESS, "gpu", *modules) == []


def test_what_executors_share(reported):
    assert reported(THREAD, "gpu", "executors") == []
