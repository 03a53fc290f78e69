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


BINS = r"""
__global__ void most(const int* x, int* out) {
    __shared__ int best[4];
    const int t = threadIdx.x, b = t & 3;
    if (t < 4) best[t] = 0;
    __syncthreads();
    int old = best[b];
    UPDATE
    __syncthreads();
    if (t < 4) out[t] = best[t];
}
int main() {
    int values[128], *x, *out;
    for (int i = 0; i < 128; ++i) values[i] = i * 37 % 101;
    cudaMalloc(&x, sizeof values);
    cudaMalloc(&out, 4 * sizeof(int));
    cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
    most<<<1, 128>>>(x, out);
    cudaMemcpy(values, out, 4 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(out);
}
"""
UPDATES = [
    ("while (x[t] > old) { int seen = atomicCAS(&best[b], old, x[t]); if (seen == old) break; old = seen; }", ""),
    ("for (int seen; x[t] > old && (seen = atomicCAS(&best[b], old, x[t])) != old;) old = seen;", ""),
    ("atomicCAS(&best[b], old, old + x[t]);", "this update is lost"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("update", "told"), UPDATES)
def test_an_element_is_known_again_behind_the_check_of_its_index(tmp_path, update, told):
    said = run(tmp_path, "most.cu", BINS.replace("UPDATE", update))
    assert told in said if told else "no findings in 1 kernel" in said, said
