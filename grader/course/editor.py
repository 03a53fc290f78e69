"""What an editor needs to know of kernel files: .clangd, which clangd reads, and through it most editors.

clangd is told to take them as CUDA, and gets the emulator's headers: a CUDA toolkit is not needed, and one that is
there is not read. The headers' path differs from machine to machine, so the file is written where it is used.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from grader.course import files

NAME = ".clangd"
MARK = "# Written by ladder, and renewed when a lesson is started. Without this line the file is yours."
INCLUDE = Path(__file__).parents[1] / "devices" / "emulator" / "include"
FIRST_HEADER = "ladder_editor.h"
# nvcc's C++ and the emulator's compute capability. The third line is for versions that refuse printf in a kernel.
LANGUAGE = (
    *("-xcuda", "-std=c++17", "--cuda-gpu-arch=sm_75", "-nocudainc", "-nocudalib"),
    *("--no-cuda-version-check", "-Wno-unknown-cuda-version"),  # for a toolkit that is newer than clang
    *("-Xclang", "-fcuda-allow-variadic-functions"),
)
FLAGS = (*LANGUAGE, "--cuda-host-only")  # the host's view, in which kernels are checked, too
# A call from the wrong side is shown by two diagnostics. The one that is kept names every call; the other one names
# std::vector's operator new in host code, before clangd 22.
DIAGNOSTICS = (
    "Diagnostics:",
    "  UnusedIncludes: None  # cuda_runtime.h holds nothing itself, and is right all the same",
    "  Suppress: [ref_bad_target]  # of std::vector in host code, by mistake",
)


def clangd_file() -> str:
    """The text of .clangd on this machine, for the .cu and .cuh files below its folder."""
    flags = [*FLAGS, f"-I{INCLUDE}", f"-include{INCLUDE / FIRST_HEADER}"]
    lines = ["If:", r"  PathMatch: '.*\.cuh?'", "CompileFlags:", "  Add:"]
    lines += [f"    - {json.dumps(flag)}" for flag in flags]
    return "\n".join([MARK, *lines, *DIAGNOSTICS, ""])


def write(file: Path) -> None:
    """Writes or renews a .clangd. One that was not written here stays as it is. Raises OSError."""
    text = clangd_file()
    old = file.read_text(errors="replace") if file.exists() else MARK
    if old != text and old.startswith(MARK):
        file.parent.mkdir(exist_ok=True)
        files.replace(file, text.encode())


def prepare(root: Path) -> None:
    """Sees to it that editors know the kernels of work/: by the course's own .clangd, or by one in work/."""
    own = root / NAME
    with contextlib.suppress(OSError):  # a lesson starts without it, too
        write(own if own.exists() else root / "work" / NAME)
