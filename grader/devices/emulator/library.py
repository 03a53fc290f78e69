"""The emulator's runtime as a library that g++ makes once, and the flags of what is built against it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import filelock

from grader.devices.build.recipe import contents, program_identity
from grader.devices.emulator.first_lines import OF_PROGRAMS, PRECOMPILED
from grader.devices.emulator.linking import FEW, make_few_names
from grader.devices.emulator.outside import WRAPPED, WRAPPED_ON_THE_HOST

HERE = Path(__file__).parent
RUNTIMES_KEPT, RUNTIME_KEPT_SECONDS = 4, 86400.0  # the newest, and those that were used in this time
MOST_PARTS = 4
# The runtime calls its own functions directly: no other library takes their place.
RUNTIME_FLAGS = ["-std=c++20", "-O2", "-g1", "-fPIC", "-pthread", "-fno-semantic-interposition"]
RUNTIME_LINK_FLAGS = ["-shared", "-Wl,-Bsymbolic-functions"]

# -fsanitize=thread and trace-pc insert the callbacks; the learner's library is linked without them, to our own.
# -fno-tree-sra keeps a float4 access one access, -fno-tree-sink a load before the guard that follows it;
# -fno-reorder-blocks keeps basic blocks in source order (replay needs it) and -fno-thread-jumps from being copied
# (lanes in two copies of a line would not meet); -fno-gnu-unique keeps two builds of one template from sharing their
# statics; -fcheck-new and the three after it, for new may give null in a kernel, and what is freed there is looked at;
# inlining is as eager as nvcc's; the next two, for Ubuntu's g++ would call __printf_chk for printf, and
# __stack_chk_fail where a function has a local array; the last, for g++ would leave out the launch of a kernel that
# only writes through a pointer for which it gets nullptr.
COMPILE_FLAGS = [
    "-std=c++17", "-O1", "-gdwarf-4", "-fno-var-tracking", "-w", "-fsanitize=thread", "-fsanitize-coverage=trace-pc",
    "--param", "tsan-distinguish-volatile=1",
    "-fno-tree-sra", "-fno-tree-sink", "-fno-reorder-blocks", "-fno-thread-jumps", "-fno-gnu-unique",
    "-fno-builtin-printf", "-fcheck-new", "-fno-allocation-dce", "-fno-builtin-malloc", "-fno-builtin-free",
    "-finline-functions", "-finline-small-functions", "-findirect-inlining", "-fno-semantic-interposition",
    "-U_FORTIFY_SOURCE", "-fno-stack-protector", "-fno-ipa-modref",
]  # fmt: skip


def include_folder() -> Path:
    """Where the emulator's cuda_runtime.h and its kin lie."""
    return HERE / "include"


def library_folder() -> Path:
    """Where the headers lie that a whole program has besides, and a graded file has not."""
    return HERE / "libraries"


def compile_flags(runtime: Path) -> list[str]:
    """g++'s flags for a translated kernel file that will be linked with the runtime library at this path."""
    return [*COMPILE_FLAGS, f"-I{runtime.parent}", f"-I{include_folder()}"]


def link_flags(runtime: Path) -> list[str]:
    """g++'s flags to link it with the runtime library at this path."""
    wraps = [f"-Wl,--wrap={name}" for name in (*WRAPPED, *WRAPPED_ON_THE_HOST)]
    return [*wraps, f"-L{runtime.parent}", f"-l:{runtime.name}", f"-Wl,-rpath,{runtime.parent}", "-Wl,-z,defs", "-lm"]


def runtime_library(cache: Path, compiler: str = "g++", extra_flags: Sequence[str] = ()) -> Path:
    """The runtime, compiled once per content, flags and version of the compiler. Raises OSError or CalledProcessError.

    `extra_flags` are the compiler's for the runtime alone: such a one is for tests, and builds against it read the
    headers as they are.
    """
    flags = [*RUNTIME_FLAGS, *extra_flags]
    folder = cache / f"runtime-{_identity(compiler, flags)}"
    library = folder / "libladder_emulator.so"
    if library.exists():
        with suppress(OSError):  # a cache that may only be read
            os.utime(folder)
        return library
    folder.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(folder / "lock"):
        if not library.exists():
            with suppress(OSError, subprocess.CalledProcessError):  # links do without
                make_few_names(folder, compiler)
            if not extra_flags:
                _compile_headers(library, compiler)
            _compile_runtime(_sources(), library, [compiler, *flags])
            _remove_old_runtimes(cache)
    return library


def runtime_content() -> str:
    """A hash of all that the runtime is made from."""
    runtime = HERE / "runtime"
    return contents((runtime, ".cpp"), (runtime, ".h"), (include_folder(), ".h"))


def _sources() -> list[Path]:
    return sorted((HERE / "runtime").rglob("*.cpp"))


def _identity(compiler: str, flags: Sequence[str]) -> str:
    all_flags = [*flags, *RUNTIME_LINK_FLAGS, *COMPILE_FLAGS, FEW]
    named = "\0".join([*program_identity(compiler), *all_flags, runtime_content()])
    return hashlib.sha256(named.encode()).hexdigest()[:16]


def _remove_old_runtimes(cache: Path) -> None:
    """Keeps the newest few, and what was used today: another checkout, or a kernel in the cache, may still use them."""
    runtimes = sorted(cache.glob("runtime-*"), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in runtimes[RUNTIMES_KEPT:]:
        if time.time() - folder.stat().st_mtime > RUNTIME_KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def folder_for_programs(runtime: Path) -> Path:
    """Where the first header of whole programs lies as g++ keeps it in memory; made by the first program's build.

    Raises CalledProcessError.
    """
    folder = runtime.with_name(f"programs-{contents((library_folder(), '.h'))[:16]}")
    if not (folder / f"{OF_PROGRAMS}.gch").exists():
        with suppress(OSError):  # a cache that may only be read: g++ reads the header as ever
            folder.mkdir(exist_ok=True)
            with filelock.FileLock(folder / "lock"):
                if not (folder / f"{OF_PROGRAMS}.gch").exists():
                    flags = [*compile_flags(runtime), f"-I{library_folder()}"]
                    _compile_header(library_folder() / OF_PROGRAMS, folder, ["g++", "-fPIC", *flags])
    return folder


def _compile_header(header: Path, folder: Path, compiler: Sequence[str]) -> None:
    """A header as g++ keeps it in memory: it need not be read again for each file.

    g++ prefers a NAME.gch to a NAME in a later folder, and reads the header as ever if that does not suit.
    """
    unfinished = folder / f"unfinished-{header.name}.gch"
    command = [*compiler, "-x", "c++-header", str(header), "-o", str(unfinished)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    unfinished.replace(folder / f"{header.name}.gch")


def _compile_headers(runtime: Path, compiler: str) -> None:
    command = [compiler, "-fPIC", *compile_flags(runtime)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(lambda name: _compile_header(include_folder() / name, runtime.parent, command), PRECOMPILED))


def _compile_runtime(sources: list[Path], library: Path, compiler: list[str]) -> None:
    """In a few parts of many files each, as nearly all of a file's time is its headers', and its templates'."""
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:

        def run(*arguments: str) -> None:
            subprocess.run([*compiler, *arguments], check=True, capture_output=True, text=True, cwd=folder)

        def compile_part(number: int, part: list[Path]) -> str:
            text = "".join(f'#include "{source}"\n' for source in part)
            Path(folder, f"{number}.cpp").write_text(text)
            run("-include", str(HERE / "runtime" / "machine.h"), "-c", f"{number}.cpp")
            return f"{number}.o"

        parts = _parts(sources)
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            objects = list(pool.map(compile_part, range(len(parts)), parts))
        run(*RUNTIME_LINK_FLAGS, *objects, "-o", library.name, f"-Wl,-soname,{library.name}")
        os.replace(Path(folder) / library.name, library)


def _parts(sources: list[Path]) -> list[list[Path]]:
    """The sources in parts of about the same size, two or four, as many as there are processors: what files share, g++
    compiles once for each part. Which files meet in one is the same on every machine, but for pairs of parts.
    """
    parts: list[list[Path]] = [[] for _ in range(MOST_PARTS)]
    for source in sorted(sources, key=lambda source: -source.stat().st_size):
        min(parts, key=lambda part: sum(each.stat().st_size for each in part)).append(source)
    if (os.cpu_count() or 1) < MOST_PARTS:
        parts = [first + second for first, second in zip(parts[::2], parts[1::2], strict=True)]
    return [sorted(part) for part in parts]
