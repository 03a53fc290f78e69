"""What is read of a library is what binutils read."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from grader.devices.build.elf import Elf, in_words
from grader.devices.build.recipe import STRICT_LINK
from grader.devices.cache import cache_root
from grader.devices.emulator.compile import emulator_recipe
from grader.devices.emulator.library import link_flags, runtime_library
from grader.devices.emulator.linking import FIRST, link_command
from grader.devices.emulator.translate import translate

SOURCE = """
#include <cmath>
#include <cstdio>
__constant__ float factors[4];
__device__ int counter;
template <class F> __global__ void apply(float* z, F f) {
    __shared__ float tile[32];
    tile[threadIdx.x] = f(factors[threadIdx.x % 4]);
    __syncthreads();
    z[threadIdx.x] = sqrtf(tile[31 - threadIdx.x]);
    if (threadIdx.x == 0) printf("%d\\n", atomicAdd(&counter, 1));
}
extern "C" void f(float* z, cudaStream_t stream) {
    float (*root)(float) = sqrtf;
    float* const room = new float[static_cast<int>(root(4))];
    apply<<<1, 32, 0, stream>>>(z, [](auto x) { return x * 2; });
    if (!*room) throw 1;
    delete[] room;
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Path:
    recipe = emulator_recipe(translate(SOURCE, "kernel.cu"), "kernel.cu", cache_root())
    return recipe.run(tmp_path_factory.mktemp("elf") / "build")


def rows(*command: str | Path) -> list[list[str]]:
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [row.split() for row in said.splitlines()]


def test_symbols_and_their_names_in_words(library):
    elf = Elf(library)
    said = subprocess.run(["objdump", "-tC", library], check=True, capture_output=True, text=True).stdout
    table = re.findall(r"^([0-9a-f]{16}) .{6}[ FO] (\.\S+)\t([0-9a-f]{16}) +(?:\.hidden )?(.+)$", said, re.MULTILINE)
    theirs = [(int(value, 16), section, int(size, 16), name) for value, section, size, name in table]
    names = in_words([each.name for each in elf.symbols])
    ours = [(each.value, each.section, each.bytes, name) for each, name in zip(elf.symbols, names, strict=True)]
    assert [each for each in ours if each[1].startswith(".")] == theirs
    assert in_words([]) == []
    assert any("apply<f::{lambda(auto:1)#" in name for *_, name in ours)  # g++ 12 calls it the second, g++ 13 the first


def test_what_others_must_define(library):
    theirs = [row[7] for row in rows("readelf", "--dyn-syms", "-W", library) if len(row) > 7 and row[6] == "UND"]
    ours = [each.versioned for each in Elf(library).undefined()]
    assert ours == theirs and "__cxa_throw@CXXABI_1.3" in ours and "__wrap_printf" in ours


def test_whose_address_is_taken(library):
    table = [row for row in rows("readelf", "-rW", library) if len(row) > 4 and re.fullmatch("[0-9a-f]{16}", row[0])]
    theirs = [row[4] for row in table if row[2].endswith(("_64", "_ABS64", "_GLOB_DAT"))]
    assert [each.versioned for each, _ in Elf(library).addressed()] == theirs
    held = [row[4].partition("@")[0] for row in table if not row[2].endswith(("_SLO", "_SLOT"))]
    assert list(Elf(library).pointed_to()) == held and "counter" in held


def test_sections(library):
    table = [row for row in rows("objdump", "-h", library) if len(row) == 7 and row[0].isdigit()]
    theirs = {row[1]: (int(row[3], 16), int(row[2], 16)) for row in table}
    ours = {each.name: (each.address, each.bytes) for each in Elf(library).sections}
    assert ours.items() >= theirs.items() and {".text", ".rodata", ".tbss"} <= theirs.keys()


def test_a_kernel_is_linked_with_few_names_and_what_needs_others_with_all(library):
    """Both ways come to the same; the file above needs no others, the last one does."""
    runtime = runtime_library(cache_root())
    first = ["g++", "-shared", "main.o", "-o", "first.so", *link_flags(runtime), *STRICT_LINK, *FIRST]
    subprocess.run(first, cwd=library.parent, check=True)
    assert (library.parent / "first.so").read_bytes() == library.read_bytes()
    command = ["readelf", "-dW", library]
    assert "[libstdc++.so.6]" in subprocess.run(command, check=True, capture_output=True, text=True).stdout
    others = library.with_name("others.cpp")
    others.write_text("#include <iostream>\nvoid f() { std::cout << 1; }\n")
    subprocess.run(["g++", "-fPIC", "-c", others.name], cwd=library.parent, check=True)
    made = link_command("others.o", "others.so", link_flags(runtime))
    assert subprocess.run(made, cwd=library.parent, capture_output=True).returncode == 0
    needed = [each.name for each in Elf(library.with_name("others.so")).undefined()]
    assert "_ZSt4cout" in needed
