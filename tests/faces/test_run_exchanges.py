"""In a program indices are held against their arrays: between an exchange and the next call there may be a branch."""

from __future__ import annotations

import pytest

from tests.faces.test_run_takes import run
from tests.shared import long_tail

PROGRAM = r"""
struct alignas(16) Slot { unsigned long long key, value; };
__device__ Slot slots[64];
__global__ void put(Slot* out, int* sum) {
    __shared__ Slot mine[32];
    __shared__ int count[32];
    atomicExch(&mine[threadIdx.x], Slot{threadIdx.x, 1});
    OLD atomicExch(&count[threadIdx.x], 1);
    __syncthreads();
    atomicExch(&out[threadIdx.x], mine[31 - threadIdx.x]);
    atomicExch(&slots[threadIdx.x], Slot{1, 2});
    atomicAdd(sum, count[threadIdx.x]);
}
int main() {
    Slot* out;
    int *sum, found;
    cudaMalloc(&out, 32 * sizeof(Slot));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    put<<<1, 32>>>(out, sum);
    cudaMemcpy(&found, sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(out);
    cudaFree(sum);
    return found != 32;
}
"""


@pytest.mark.parametrize(("old", "is_right"), long_tail([("", True), ("out[0].key =", False)], every=4))
def test_an_exchange_may_be_what_sets_an_element(tmp_path, old, is_right):
    said = run(tmp_path, "put.cu", PROGRAM.replace("OLD", old))
    assert ("no findings in 1 kernel" in said) == is_right and ("uninitialised read" in said) != is_right, said
