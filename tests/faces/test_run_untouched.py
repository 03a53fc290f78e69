"""`ladder run`: launches of too few threads, which leave elements as host code has set them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = Path(__file__).with_name("programs") / "untouched.cu"


@pytest.mark.slow
def test_elements_that_a_launch_leaves_out_are_told_and_no_others(tmp_path):
    text = PROGRAM.read_text()
    rows = enumerate(text.split("\n"), start=1)
    wrong = {number: said for number, row in rows if (said := row.partition("  // wrong: ")[2])}
    (tmp_path / "untouched.cu").write_text(text)
    done = run_ladder(tmp_path, "run", "untouched.cu", "--json")
    notes = [each for each in json.loads(done.stdout)["notes"] if each["kind"] == "untouched"]
    assert sorted(each["line"] for each in notes) == sorted(wrong), notes
    assert not [each for each in notes if wrong[each["line"]] not in each["message"]], notes


CONSTANT = """
#include <cstdio>
DECLARED
__global__ void k(float* z) { z[threadIdx.x] = c[threadIdx.x]; }
int main(int argc, char** argv) {
    float h[16] = {1, 2}, *z;
    cudaMalloc(&z, sizeof h);
    SET;
    k<<<1, 16>>>(z);
    cudaMemcpy(h, z, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\\n", h[9]);
    cudaFree(z);
}
"""
ZEROS = "note p.cu:4 `c` is all zeros, for nothing sets this __constant__ variable: write `cudaMemcpyToSymbol(c, values"
LATE = "`c` is all zeros here, for line 8 sets this __constant__ variable only behind the launch, and no later launch"
PLAIN = "__constant__ float c[16];"
CONSTANTS = [
    (PLAIN, ";", ZEROS),
    ("__constant__ float b, c[16], d;", "cudaMemcpyToSymbol(b, h, 4)", ZEROS),
    (PLAIN, "cudaMemcpyToSymbol(c, h, sizeof h)", ""),
    (PLAIN, "cudaMemcpyToSymbol(c, h + 2, 16, 8)", ""),  # zeros, at their end
    (PLAIN, "if (argc > 1) cudaMemcpyToSymbol(c, h, sizeof h)", ""),
    (PLAIN, "void* p; cudaGetSymbolAddress(&p, c); cudaMemset(p, 0, sizeof h)", ""),
    (PLAIN, "k<<<1, 16>>>(z); cudaMemcpyToSymbol(c, h, sizeof h)", ""),  # zeros first
    (PLAIN, "k<<<1, 16>>>(z); cudaMemcpyToSymbol(c, h, sizeof h); return 0", LATE),
    ("__constant__ float c[16] = {0};", ";", ""),
    ("__constant__ float c[16]{};", ";", ""),
    ("__constant__ float c[16] = {3};", ";", ""),
]


@pytest.mark.parametrize(("declared", "set_", "told"), long_tail(CONSTANTS, every=7))
def test_a_constant_that_nothing_sets_is_told_where_a_kernel_reads_it(tmp_path, declared, set_, told):
    (tmp_path / "p.cu").write_text(CONSTANT.replace("DECLARED", declared).replace("SET", set_))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert "no findings" in said and (told in said if told else "note" not in said), said
