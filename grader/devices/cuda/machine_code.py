"""The machine code that nvcc makes of a kernel file, where nvcc and nvdisasm are installed; no GPU is needed.

They are started while the emulator builds, and read when that is done (`begin`, `read`).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.devices.cuda.toolkit import cuda_home, find_tool

Json = dict[str, Any]

MOST_SECONDS = 120
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
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores")
_USED = re.compile(r"Used (\d+) registers")


def tools() -> tuple[Path, Path] | None:
    """nvcc and nvdisasm; None where one is missing."""
    home, disassembler = cuda_home(), find_tool("nvdisasm")
    return (home / "bin" / "nvcc", disassembler) if home and disassembler else None


def begin(source: str, filename: str, architecture: str, folder: Path) -> subprocess.Popen[bytes] | None:
    """Starts both tools, one behind the other, on a file's text; `read` says what they found. None where one is missing."""
    from grader.devices.cuda.nvcc import nvcc_flags

    found = tools()
    if found is None:
        return None
    place = folder / "machine_code"
    place.mkdir(exist_ok=True)
    (place / "text.cu").write_text(f'#line 1 "{filename}"\n{source}')
    flags = [each for each in nvcc_flags(architecture) if each != "-c"]
    compile_ = [str(found[0]), *flags, "-cubin", "-Xptxas", "-v", "text.cu", "-o", "kernel.cubin"]
    disassemble = [str(found[1]), "-gi", "-c", "-hex", "kernel.cubin"]
    script = f'"$@" 2> {SAID} && exec {" ".join(map(_quoted, disassemble))} > {CODE}'
    quiet = subprocess.DEVNULL
    return subprocess.Popen(["sh", "-c", script, "sh", *compile_], cwd=place, stdin=quiet, stdout=quiet, stderr=quiet)


def read(running: subprocess.Popen[bytes], filename: str, folder: Path) -> dict[str, Json]:
    """Kernels by their demangled names, once the tools have ended; nothing if they failed. To be called once."""
    place = folder / "machine_code"
    try:
        if running.wait(MOST_SECONDS):
            return {}
        said, code = (place / SAID).read_text(errors="replace"), (place / CODE).read_text(errors="replace")
        kernels = kernels_in(code, filename)
        names = _demangled(list(kernels))
    except (OSError, subprocess.SubprocessError):
        running.kill()
        return {}
    used = resources_in(said)
    return {names[name]: {**used[name], "instructions": kernels[name]} for name in kernels if name in used}


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _demangled(names: Sequence[str]) -> dict[str, str]:
    """As binutils write them, without what a function returns: `tile<4>(float const*, int)`."""
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, timeout=20, check=True)
    return {name: full.removeprefix("void ") for name, full in zip(names, done.stdout.splitlines(), strict=True)}


def resources_in(said: str) -> dict[str, Json]:
    """What ptxas says of each kernel: registers of a thread, bytes of its stack and of what was spilled there."""
    found: dict[str, Json] = {}
    name = ""
    for row in said.splitlines():
        if entry := _ENTRY.search(row):
            name = entry[1]
            found[name] = {"registers": 0, "stack": 0, "spilled": 0}
        elif name and (stack := _STACK.search(row)):
            found[name] |= {"stack": int(stack[1]), "spilled": int(stack[2])}
        elif name and (used := _USED.search(row)):
            found[name]["registers"] = int(used[1])
            name = ""
    return found


def kernels_in(code: str, filename: str) -> dict[str, list[list[Any]]]:
    """nvdisasm's text as rows of grader.model.flow.Instruction, by the kernel's mangled name."""
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
            rows.append([line, found[1], 0, NO_BARRIER, NO_BARRIER, 0, -1])
            if aim := _TARGET.search(found[1]):
                wanted.append((rows[-1], aim[1]))
        elif rows and (upper := _UPPER.match(row)):
            rows[-1][2:6] = control(int(upper[1], 16))
    for place, aim_ in wanted:
        place[6] = labels.get(aim_, -1)
    return kernels


NO_BARRIER = 7


def control(upper: int) -> list[int]:
    """Of an instruction's upper 64 bits: clocks to stall, the barriers that it sets (result, operands), those it awaits.

    Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking" (2018), section 2.1.
    """
    return [upper >> 41 & 15, upper >> 46 & 7, upper >> 49 & 7, upper >> 52 & 63]
