"""The machine code that nvcc makes of a kernel file, where nvcc and nvdisasm are installed; no GPU is needed.

They run while the emulator builds, in the worker's sandbox.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.devices.build.lexer import lex
from grader.devices.build.syntax import Stream
from grader.devices.cuda.toolkit import cuda_home, find_tool

Json = dict[str, Any]

MOST_SECONDS = 20  # a learner waits for it
CODE, SAID = "kernel.sass", "kernel.said"

# /*0240*/  @!P0 BRA `(.L_x_0) ;  /* 0x0000000400f48947 */ and, in the next row, the upper half of its encoding
_INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;\s*/\* 0x([0-9a-f]{16}) \*/")
_UPPER = re.compile(r"^\s*/\* 0x([0-9a-f]{16}) \*/")
_MARK = "//## File"
_LINE = re.compile(r'"([^"]*)", line (\d+)')
_LABEL = re.compile(r"^([.$\w]+):$")
_TARGET = re.compile(r"`\(([.$\w]+)\)")
_SECTION = re.compile(r"^\s*\.section\s+\.text\.(\S+?),")
_ENTRY = re.compile(r"Compiling entry function '(\w+)'")
_STACK = re.compile(r"(\d+) bytes stack frame")
_USED = re.compile(r"Used (\d+) registers")


def tools() -> tuple[Path, Path] | None:
    """nvcc's toolkit and nvdisasm; None where one is missing."""
    home, disassembler = cuda_home(), find_tool("nvdisasm")
    return (home, disassembler) if home and disassembler else None


@dataclass
class MachineCode:
    """A kernel file on its way through both tools, in a folder of its own within `folder`.

    After `finish`, `kernels` has each kernel by its demangled name: its "registers", the bytes of its "stack", and its
    "instructions" as rows of grader.model.flow.Instruction. It is empty where a tool is missing or fails.
    """

    source: str
    filename: str
    architecture: str  # "90a"
    folder: Path
    most_seconds: float = MOST_SECONDS
    kernels: dict[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tools = tools()
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def needed(self) -> list[Path]:
        """What the tools are and read."""
        return [self._tools[0], self._tools[1].parent] if self._tools else []

    @property
    def _place(self) -> Path:
        return self.folder / "machine_code"

    def begin(self) -> None:
        """Starts nvcc, and nvdisasm behind it."""
        if not self._tools:
            return
        from grader.devices.cuda.compile import CudaRecipe

        home, disassembler = self._tools
        self._place.mkdir(exist_ok=True)
        (self._place / "text.cu").write_text(f'#line 1 "{self.filename}"\n{self.source}')
        flags = ["--expt-relaxed-constexpr", *CudaRecipe("", self.architecture).flags]  # torch's own, and ours
        compile_ = [str(home / "bin" / "nvcc"), *flags, "-cubin", "-Xptxas", "-v", "text.cu", "-o", "kernel.cubin"]
        script = f'disassembler=$1; shift; "$@" 2> {SAID} && exec "$disassembler" -gi -c -hex kernel.cubin > {CODE}'
        command = ["sh", "-c", script, "sh", str(disassembler), *compile_]
        quiet = subprocess.DEVNULL
        self._running = subprocess.Popen(command, cwd=self._place, stdin=quiet, stdout=quiet, stderr=quiet,
                                         process_group=0)  # fmt: skip

    def finish(self) -> None:
        """Waits for them, and reads what they made."""
        if not self._running:
            return
        try:
            if self._running.wait(self.most_seconds):
                return
            said, code = ((self._place / name).read_text(errors="replace") for name in (SAID, CODE))
            kernels = kernels_in(code, self.filename, asm_lines(self.source))
            names = _demangled(list(kernels))
        except (OSError, subprocess.SubprocessError):
            with suppress(ProcessLookupError):
                os.killpg(self._running.pid, signal.SIGKILL)
            return
        used = resources_in(said)
        self.kernels = {names[name]: {**used[name], "instructions": kernels[name]} for name in kernels if name in used}


def _demangled(names: Sequence[str]) -> dict[str, str]:
    """As binutils write them, without what a function returns: `tile<4>(float const*, int)`."""
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, timeout=20, check=True)
    return {name: full.removeprefix("void ") for name, full in zip(names, done.stdout.splitlines(), strict=True)}


def resources_in(said: str) -> dict[str, Json]:
    """What ptxas says of each kernel: registers of a thread, and bytes of its stack."""
    found: dict[str, Json] = {}
    name = ""
    for row in said.splitlines():
        if entry := _ENTRY.search(row):
            name = entry[1]
            found[name] = {"registers": 0, "stack": 0}
        elif name and (stack := _STACK.search(row)):
            found[name]["stack"] = int(stack[1])
        elif name and (used := _USED.search(row)):
            found[name]["registers"] = int(used[1])
            name = ""
    return found


def asm_lines(source: str) -> dict[int, int]:
    """Where an `asm` of several lines begins, by its further lines: nvcc names one of these, the emulator the first."""
    stream = Stream(lex(source).code, [], [])
    found: dict[int, int] = {}
    for index, token in enumerate(stream.tokens):
        if token.text in ("asm", "__asm__", "__asm"):
            opening = next(at for at in range(index + 1, len(stream.tokens) + 1) if not stream.is_word(at))
            closing = stream.closing(opening)
            last = stream.tokens[closing].line if closing else token.line
            found |= dict.fromkeys(range(token.line + 1, last + 1), token.line)
    return found


def kernels_in(code: str, filename: str, begins: Mapping[int, int] | None = None) -> dict[str, list[list[Any]]]:
    """nvdisasm's text as rows of grader.model.flow.Instruction, by the kernel's mangled name; `begins` as asm_lines."""
    kernels: dict[str, list[list[Any]]] = {}
    labels: dict[str, int] = {}
    rows: list[list[Any]] = []
    wanted: list[tuple[list[Any], str]] = []
    line, fresh = 0, True
    for row in code.splitlines():
        if section := _SECTION.match(row):
            rows = kernels[section[1]] = []
            line = 0
        elif _MARK in row:
            # The innermost place comes first, and behind it, or in the next row, where that was inlined: the first one
            # in the learner's file.
            places = _LINE.findall(row)
            line = next((int(number) for file, number in places if Path(file).name == filename), 0) if fresh else line
            fresh = line == 0
        elif label := _LABEL.match(row.strip()):
            labels[label[1]] = len(rows)
        elif found := _INSTRUCTION.match(row):
            fresh = True
            rows.append([(begins or {}).get(line, line), found[1], 0, NO_BARRIER, NO_BARRIER, 0, -1])
            if aim := _TARGET.search(found[1]):
                wanted.append((rows[-1], aim[1]))
        elif rows and (upper := _UPPER.match(row)):
            rows[-1][2:6] = control(int(upper[1], 16))
    for place, aim_ in wanted:
        place[6] = labels.get(aim_, -1)
    return kernels


NO_BARRIER = 7


def control(upper: int) -> list[int]:
    """Of an instruction's upper half: clocks to stall, the barriers that it sets (result, operands), those it awaits.

    Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking" (2018), section 2.1.
    """
    return [upper >> 41 & 15, upper >> 46 & 7, upper >> 49 & 7, upper >> 52 & 63]
