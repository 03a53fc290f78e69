"""Python and the C++ runtime give the same number to the same kind, and one declaration is enough for both."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from grader.devices.emulator import kinds
from grader.devices.emulator.library import HERE
from tests.shared import long_tail

SHARED = {
    "Space": ("include/ladder/abi.h", kinds.SPACES),
    "Event": ("runtime/trace.h", kinds.EVENTS),
    "Kind": ("runtime/recorder.h", kinds.STEPS),
    "SymbolKind": ("runtime/memory.h", kinds.SYMBOLS),
}


def numbers_in_cxx(enumeration: str, header: Path, names: tuple[str, ...], folder: Path) -> list[int]:
    """The compiler's numbers of these names. It must know them all, and no others: a `switch` over them is complete."""
    values = [f"{enumeration}::{''.join(part.title() for part in name.split('_'))}" for name in names]
    program = folder / "numbers.cpp"
    program.write_text(f"""
#include <cstdio>
#include "{header}"
using namespace ladder;
int number_of({enumeration} value) {{
    switch (value) {{ {" ".join(f"case {value}: return static_cast<int>(value);" for value in values)} }}
    return -1;
}}
const {enumeration} all[] = {{{", ".join(values)}}};
int main() {{
    for (const auto value : all) std::printf("%d ", number_of(value));
}}
""")
    command = ["g++", "-std=c++20", "-Werror=switch", str(program), "-o", str(folder / "numbers")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [int(word) for word in subprocess.check_output([folder / "numbers"], text=True).split()]


@pytest.mark.parametrize("enumeration", long_tail(SHARED, every=4))
def test_both_sides_agree(enumeration, tmp_path):
    header, names = SHARED[enumeration]
    assert numbers_in_cxx(enumeration, HERE / header, names, tmp_path) == list(range(len(names)))


@pytest.mark.parametrize("enumeration", long_tail(SHARED, every=4))
def test_a_new_value_is_declared_once(enumeration, tmp_path):
    header, names = SHARED[enumeration]
    for part in ("include", "runtime"):
        shutil.copytree(HERE / part, tmp_path / part)
    changed = tmp_path / header
    text, count = re.subn(
        rf"(enum class {enumeration}\b[^{{;]*{{\s*\w+,)", r"\1 QuiteNew,  // an explanation, {}\n", changed.read_text()
    )
    assert count == 1
    changed.write_text(text)
    now = kinds.names_of(enumeration, changed)
    assert now == (names[0], "quite_new", *names[1:])
    assert numbers_in_cxx(enumeration, changed, now, tmp_path) == list(range(len(now)))


@pytest.mark.parametrize(
    "text", ["enum class Other { A };", "enum class Space : int { A = 3, B };", "enum class Space;"]
)
def test_an_enumeration_that_cannot_be_read(text, tmp_path):
    header = tmp_path / "kinds.h"
    header.write_text(text)
    with pytest.raises(ValueError, match=r"kinds\.h declares no `enum class Space` that counts from 0"):
        kinds.names_of("Space", header)


KERNEL = """
__constant__ float factor[32];
__device__ int calls;
__global__ void __launch_bounds__(32) k(const float* x, float* z) {
    __shared__ float s[32];
    s[threadIdx.x] = x[threadIdx.x] * factor[threadIdx.x];
    atomicAdd(&calls, 1);
    z[threadIdx.x] = s[threadIdx.x];
}
extern "C" void f(const float* x, float* z, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z); }
"""


def test_symbols_and_sites_by_their_names(run_kernel):
    prototype = "void f(const float* x, float* z, cudaStream_t stream)"
    x = np.ones(32, np.float32)
    _, run = run_kernel(KERNEL, prototype, x=x, z=x.copy())
    symbols = run_kernel.session(KERNEL, (prototype,), None, True).build.code.symbols
    kinds_of = {symbol.name.rpartition("::")[2]: symbol.kind for symbol in symbols if symbol.kind != "function"}
    expected = {"s": "shared_array", "calls": "named_variable", "factor": "constant"}
    expected |= {"ladder_bound": "launch_bound", "ladder_blocks": "launch_blocks"}
    assert expected.items() <= kinds_of.items() and "function" in {symbol.kind for symbol in symbols}
    counted = ("global_load_requests", "global_store_requests", "shared_load_requests", "shared_store_requests")
    assert [run.counters[name] for name in counted] == [1, 1, 1, 1]
    assert (run.counters["constant_requests"], run.counters["global_atomic_requests"]) == (1, 1)
