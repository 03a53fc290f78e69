"""`ladder run`: a missing `;` is told where it belongs, and a name that is nearly one of CUDA's with that name."""

from __future__ import annotations

import pytest

from grader.devices.build.names import of_cuda
from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """#include <cstdio>
__global__ void k(float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) a[i] = 1;
}
int main() {
    float* a;
    cudaMalloc(&a, 128);
    k<<<1, 32>>>(a, 32);
    cudaDeviceSynchronize();
    cudaFree(a);
}
"""
SLIPS = [
    ("threadIdx.x;", "threadIdx.x", "p.cu:3: a `;` is missing"),
    ("float* a;\n", "float* a\n", "p.cu:8: a `;` is missing"),
    ("blockIdx.x *", "blockidx.x *", "p.cu:3: 'blockidx' was not declared in this scope; did you mean 'blockIdx'?"),
    ("cudaDeviceSynchronize", "cudaDeviceSynchronise", "p.cu:11: 'cudaDeviceSynchronise' was not declared in this"),
    ("i < n)", "i < m)", "p.cu:5: 'm' was not declared in this scope if"),
]


@pytest.mark.parametrize(("right", "wrong", "told"), long_tail(SLIPS, every=4))
def test_a_slip_is_told_at_its_line_and_once(tmp_path, right, wrong, told):
    (tmp_path / "p.cu").write_text(PROGRAM.replace(right, wrong))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert said.count(told) == 1 and "cannot be built" in said, said


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("cudamalloc", "cudaMalloc"),
        ("__shlf_down_sync", "__shfl_down_sync"),
        ("atomicadd", "atomicAdd"),
        ("cudaMemcpyHosttoDevice", "cudaMemcpyHostToDevice"),
        ("width", ""),
        ("my_block", ""),
        ("atomics", ""),
        ("memory", ""),
    ],
)
def test_a_name_is_taken_for_cudas_only_if_nearly_all_its_letters_are(name, meant):
    assert of_cuda(name) == meant
