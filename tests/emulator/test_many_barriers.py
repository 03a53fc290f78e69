"""A tree with a cuda::barrier for each level, and a cuda::atomic in shared memory whose first access is a store."""

from __future__ import annotations

import numpy as np
import pytest

THREADS, BLOCKS = 256, 400
SOURCE = """
#include <cuda/barrier>
#include <cuda/atomic>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
template <bool waits> __device__ void sum(const float* x, float* z) {
    constexpr int levels = 9;
    __shared__ float s[256];
    __shared__ Barrier barriers[levels];
    if (threadIdx.x < levels) init(&barriers[threadIdx.x], blockDim.x);
    __syncthreads();
    s[threadIdx.x] = x[threadIdx.x] + blockIdx.x;
    barriers[0].arrive_and_wait();
    int level = 1;
    for (int d = blockDim.x / 2; d > 0; d /= 2, ++level) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        if (waits || d != 64) barriers[level].arrive_and_wait();
        else (void)barriers[level].arrive();
    }
    if (threadIdx.x == 0) z[blockIdx.x] = s[0];
}
__global__ void tree(const float* x, float* z) { sum<true>(x, z); }
__global__ void unwaited(const float* x, float* z) { sum<false>(x, z); }
extern "C" void run_tree(const float* x, float* z, int n, cudaStream_t stream) { tree<<<n, 256, 0, stream>>>(x, z); }
extern "C" void run_unwaited(const float* x, float* z, int n, cudaStream_t stream) {
    unwaited<<<n, 256, 0, stream>>>(x, z);
}
template <bool stores> __device__ void count(int* z) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> c;
    if (stores && threadIdx.x == 0) c.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    c.fetch_add(1, cuda::memory_order_relaxed);  // counts
    __syncthreads();
    if (threadIdx.x == 0) z[blockIdx.x] = c.load();
}
__global__ void stored(int* z) { count<true>(z); }
__global__ void unstored(int* z) { count<false>(z); }
extern "C" void run_stored(int* z, cudaStream_t stream) { stored<<<2, 64, 0, stream>>>(z); }
extern "C" void run_unstored(int* z, cudaStream_t stream) { unstored<<<2, 64, 0, stream>>>(z); }
"""
X = np.arange(THREADS, dtype=np.float32)


@pytest.mark.slow
def test_a_tree_with_a_barrier_for_each_level_comes_to_its_end(call):
    z = call("run_tree", x=X, z=np.zeros(BLOCKS, np.float32), n=BLOCKS)["z"]
    assert np.array_equal(z, X.sum() + THREADS * np.arange(BLOCKS, dtype=np.float32))


def test_a_level_that_is_not_waited_for_is_a_race(call):
    findings = call("run_unwaited", x=X, z=np.zeros(2, np.float32), n=2, errors=True).run.findings
    assert "race" in [each.kind for each in findings if each.severity == "error"]


def test_an_atomic_store_reads_nothing(call):
    assert call("run_stored", z=np.zeros(2, np.int32))["z"].tolist() == [64, 64]


def test_what_nothing_has_stored_is_uninitialised_to_an_atomic(call):
    findings = call("run_unstored", z=np.zeros(2, np.int32), errors=True).run.findings
    line = next(number for number, text in enumerate(SOURCE.splitlines(), 1) if "// counts" in text)
    assert [(each.kind, each.line) for each in findings if each.severity == "error"] == [("uninitialized_read", line)]
