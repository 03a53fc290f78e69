"""What nvcc says of a kernel file, where there is no GPU to run it: with the flags of our own GPU build."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from grader.devices.build import diagnostics
from grader.devices.build.diagnostics import Message
from grader.devices.build.lexer import lex
from grader.devices.build.line_numbers import with_own_numbers
from grader.devices.build.refused import refusal
from grader.devices.cuda.compile import CudaRecipe
from grader.devices.cuda.toolkit import INSTALL, cuda_home
from grader.devices.evidence import Diagnostic

ARCHITECTURE = "90a"  # what the course was measured on
MOST_SECONDS = 120


def nvcc_flags(architecture: str = ARCHITECTURE) -> list[str]:
    """All of a GPU build: torch's, and our own recipe's."""
    from torch.utils.cpp_extension import COMMON_NVCC_FLAGS

    return [*COMMON_NVCC_FLAGS, "--compiler-options", "-fPIC", *CudaRecipe("", architecture).flags, "-c"]


def missing_nvcc() -> str | None:
    """One sentence if there is no nvcc."""
    return None if cuda_home() else f"there is no nvcc here to ask: {INSTALL}, or set CUDA_HOME"


def refusals(source: str) -> list[Diagnostic]:
    """Why nvcc would not compile this text; empty if it does. To be asked where `missing_nvcc` says None."""
    home = cuda_home()
    assert home
    if found := refusal(source, lex(source), emulated=False):
        return diagnostics.on_own_lines([Message(*found)], source, [])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "kernel.cu")
        file.write_text(with_own_numbers(source))
        command = [str(home / "bin" / "nvcc"), *nvcc_flags(), file.name, "-o", "kernel.o"]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            return [Diagnostic(f"nvcc took more than {MOST_SECONDS} s and was stopped")]
    if done.returncode == 0:
        return []
    output = done.stdout + done.stderr
    messages = diagnostics.parse_compiler_output(output, file.name) or [Message(output.strip().partition("\n")[0])]
    return diagnostics.on_own_lines(messages, source, source.split("\n"))
