"""`ladder run`: a call that has failed unseen, and blocks that an H200 would never begin, are told without --notes."""

from __future__ import annotations

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """#include <cstdio>
__device__ int flag;
__global__ void k(int* z) {
    if (threadIdx.x == 0) {
        if (blockIdx.x == gridDim.x - 1) atomicExch(&flag, 1);
        else while (atomicAdd(&flag, 0) == 0) ;
    }
    z[blockIdx.x] = 1;
}
int main() {
    int* z;
    cudaMalloc(&z, 8000 * sizeof(int));
    CALL
    k<<<BLOCKS, 64>>>(z);
    cudaDeviceSynchronize();
    cudaFree(z);
}
"""
LARGE = "cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000)"
FAILED = "p.cu:13 this call failed (cudaErrorInvalidValue), and nothing has asked"
ROWS = [
    (f"{LARGE};", 4, FAILED),
    (f'if ({LARGE} != cudaSuccess) printf("so be it\\n");', 4, ""),
    (f"{LARGE}; z[0] = 1;", 4, ""),  # the finding comes first
    ("cudaDeviceEnablePeerAccess(0, 0);", 4, ""),
    ("", 5000, "an H200 has room for 4,224 at once"),
    ("", 4000, ""),
    (f"if (true)\n    (void){LARGE};", 4, "p.cu:14 this call failed"),
]


@pytest.mark.parametrize(("call", "blocks", "told"), long_tail(ROWS, every=8))
def test_what_a_program_does_not_look_at_is_told(tmp_path, call, blocks, told):
    (tmp_path / "p.cu").write_text(PROGRAM.replace("CALL", call).replace("BLOCKS", str(blocks)))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert (told in said) if told else ("nothing has asked" not in said and "an H200 has room" not in said), said
