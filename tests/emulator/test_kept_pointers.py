"""Pointers to shared memory and to local variables that outlive them, in memory that other blocks and kernels see."""

from __future__ import annotations

import numpy as np
import pytest

PROTOTYPE = "void f(float* z, cudaStream_t stream)"
SOURCE = """
__device__ float* kept[64];
__device__ float turned(float v) {
    __shared__ float t[32];
    t[threadIdx.x] = v;
    __syncthreads();
    return t[31 - threadIdx.x];
}
template <int N> __global__ void first(float* z) {
    __shared__ float s[N];
    float v = threadIdx.x;
    float* p = s;
    p[threadIdx.x] = v;
    if (threadIdx.x == 0) kept[blockIdx.x] = KEPT;
    __syncthreads();
    z[blockIdx.x * 32 + threadIdx.x] = turned(p[threadIdx.x]) + v;
}
__global__ void second(float* z, int of) {
    __shared__ float s[32];
    s[threadIdx.x] = turned(threadIdx.x);
    __syncthreads();
    z[threadIdx.x] = s[threadIdx.x] + (of < 0 ? 0 : kept[of][threadIdx.x]);
}
extern "C" void f(float* z, cudaStream_t stream) {
    first<32><<<64, 32, 0, stream>>>(z);
    second<<<1, 32, 0, stream>>>(z, OF);
    first<64><<<64, 32, 0, stream>>>(z);
    second<<<1, 32, 0, stream>>>(z, OF);
}
"""


def found(run_kernel, kept: str, of: int):
    source = SOURCE.replace("KEPT", kept).replace("OF", str(of))
    _, case = run_kernel(source, PROTOTYPE, z=np.zeros(2048, np.float32))
    return [(each.kind, each.kernel, each.message) for each in case.findings]


@pytest.mark.parametrize("kept", ["s", "z + 32 * blockIdx.x"])
def test_kernels_whose_arrays_have_one_name_do_not_meet(run_kernel, kept):
    assert not found(run_kernel, kept, of=-1 if kept == "s" else 7)


@pytest.mark.parametrize("of", [0, 21, 63])
def test_shared_memory_of_a_kernel_that_is_over(run_kernel, of):
    ((kind, kernel, told),) = found(run_kernel, "s", of)
    assert (kind, kernel) == ("out_of_bounds", "second") and "shared memory of another" in told


def test_a_local_variable_of_a_thread_that_has_ended(run_kernel):
    ((kind, kernel, told),) = found(run_kernel, "&v", of=0)  # what is told hangs on what has become of its stack
    assert kernel == "second" and kind != "race", told
