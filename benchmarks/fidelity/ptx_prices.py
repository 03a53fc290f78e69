"""What scalar instructions of inline PTX cost, from the machine code that nvcc makes of each; no GPU is needed.

    python3 -m benchmarks.fidelity.ptx_prices      renews grader/devices/emulator/ptx_prices.py (a minute, for nvcc)

Each instruction that scalar_statements.py lists gets a kernel of its own. Counted are special functions, and additions
and multiplications of floats and of doubles, on the way that ordinary numbers go; loads and stores have none of them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.fidelity.cases import ROOT
from benchmarks.fidelity.scalar_ptx import statement
from benchmarks.fidelity.scalar_statements import Statement, statements
from docs import blocks
from grader.devices.cuda.machine_code import kernels_in, tools
from grader.model.flow import Instruction, end_of

LIST = ROOT / "grader" / "devices" / "emulator" / "ptx_prices.py"
ARCHITECTURE = "sm_90a"
FLOATS = {"FADD": 1, "FMUL": 1, "FFMA": 2, "HADD2": 1, "HMUL2": 1, "HFMA2": 2}
DOUBLES = {"DADD": 1, "DMUL": 1, "DFMA": 2}

Price = tuple[int, int, int]  # special functions, operations on floats, on doubles


def named() -> dict[str, Statement]:
    """Every instruction, by its name as it is written: `ex2.approx.ftz.f32`."""
    found = {}
    for each in statements():
        if each.text.count(";") == 1 and (name := re.match(r"[a-z][\w.:]*", each.text)):
            found.setdefault(name[0], each)
    return found


def source(some: Sequence[Statement]) -> str:
    """A kernel of each: x and z, as in scalar_ptx.py."""
    kernels = (
        f'extern "C" __global__ void k{number}(const unsigned long long* x, unsigned long long* z) {{\n'
        f"    int i = threadIdx.x; {statement('i', each, 'i')}\n}}\n"
        for number, each in enumerate(some)
    )
    return "".join(kernels)


def disassembled(text: str) -> Mapping[str, Sequence[Instruction]]:
    """nvcc's machine code of a text, by kernel."""
    found = tools()
    if found is None:
        sys.exit("nvcc or nvdisasm is missing: type `pip install 'kernel-ladder[cuda]'`")
    home, disassembler = found
    with tempfile.TemporaryDirectory() as folder:
        file, cubin = Path(folder) / "some.cu", Path(folder) / "some.cubin"
        file.write_text(text)
        nvcc = [str(home / "bin" / "nvcc"), "-std=c++17", f"-arch={ARCHITECTURE}", "-lineinfo", "-cubin"]
        subprocess.run([*nvcc, str(file), "-o", str(cubin)], check=True)
        command = [str(disassembler), "-gi", "-c", "-hex", str(cubin)]
        code = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rows = kernels_in(code, file.name)
    return {name: [Instruction(*row) for row in each] for name, each in rows.items()}


def price_of(code: Sequence[Instruction]) -> Price:
    """Of one kernel: what stands behind its end is for unusual numbers."""
    names = [each.name for each in code[: end_of(code)] if "-RZ, RZ" not in each.text]  # so nvcc moves a constant
    floats, doubles = (sum(cost.get(name, 0) for name in names) for cost in (FLOATS, DOUBLES))
    return sum(name == "MUFU" for name in names), floats, doubles


def prices() -> Iterator[tuple[str, Price]]:
    every = named()
    code = disassembled(source([*every.values()]))
    for number, name in enumerate(every):
        yield name, price_of(code[f"k{number}"])


def renewed(text: str, found: Iterable[tuple[str, Price]]) -> str:
    """The module with the list made anew: instructions of one price stand together, what has none is left out."""
    alike: defaultdict[Price, list[str]] = defaultdict(list)
    for name, price in found:
        if any(price):
            alike[price].append(name)
    rows = []
    for price, names in sorted(alike.items()):
        rows += [f"    {price}: (\n", *(f'        "{name} "\n' for name in sorted(names)), "    ),\n"]
    return blocks.renewed(text, {"prices": "".join(["ALIKE: Mapping[Price, str] = {\n", *rows, "}\n"])})


def main() -> None:
    LIST.write_text(renewed(LIST.read_text(), prices()))


if __name__ == "__main__":
    main()
