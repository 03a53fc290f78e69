"""Which lane holds which element of mma.m16n8k16's fragments: the tables that the emulator computes with."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from grader.course.catalog import UsageError
from grader.devices.build.toolchain import missing_compiler

INCLUDE = Path(__file__).with_name("include")
SHAPES = {"a": (16, 16), "b": (16, 8), "c": (16, 8)}  # rows and columns, of numbers of 16, 16 and 32 bits
LANES = 32
PRINT = """\
#include <cstdio>
#include "ladder/fragments.h"
int main() {
    auto print = [](ladder::InMatrix at) { std::printf("%d %d\\n", at.row, at.column); };
    for (int lane = 0; lane < 32; ++lane) for (int e = 0; e < 8; ++e) print(ladder::place_in_a(2, lane, e));
    for (int lane = 0; lane < 32; ++lane) for (int e = 0; e < 4; ++e) print(ladder::place_in_b(2, lane, e));
    for (int lane = 0; lane < 32; ++lane) for (int e = 0; e < 4; ++e) print(ladder::place_in_c(lane, e));
}
"""


@functools.cache
def places() -> dict[str, np.ndarray]:
    """By fragment, "a", "b" and "c": (rows, columns, 2) with each element's lane, and its number among that lane's.

    Of a and b, two neighbours share a register. They are read from include/ladder/fragments.h, which g++ compiles.
    Raises UsageError where there is no g++.
    """
    if missing := missing_compiler():
        raise UsageError(missing)
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "print.cpp"), Path(folder, "print")
        source.write_text(PRINT)
        subprocess.run(["g++", "-std=c++20", f"-I{INCLUDE}", source, "-o", program], check=True)
        said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    rest = np.array(said.split(), dtype=int).reshape(-1, 2)
    found = {}
    for name, (rows, columns) in SHAPES.items():
        mine, rest = rest[: rows * columns], rest[rows * columns :]
        table = np.full((rows, columns, 2), -1)
        table[mine[:, 0], mine[:, 1]] = np.stack(np.divmod(np.arange(len(mine)), len(mine) // LANES), axis=1)
        found[name] = table
    return found
