"""The lanes of a warp that wait for a barrier which one of them ends go on together, as their requests show."""

from __future__ import annotations

import numpy as np
import pytest

SOURCE = r"""
#include <cooperative_groups.h>
#include <cuda/pipeline>
#define ENTRY(name) extern "C" void name(const float* x, float* z, cudaStream_t stream)

__global__ void __launch_bounds__(64) pipeline_kernel(const float* x, float* z) {   // all produce and consume
    __shared__ float rows[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const auto fetch = [&](int row) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, rows[row % 2], x + row * 64, sizeof rows[0], pipe);
        pipe.producer_commit();
    };
    fetch(0);
    for (int row = 0; row < 16; ++row) {
        if (row < 15) fetch(row + 1);
        pipe.consumer_wait();
        z[row * 64 + threadIdx.x] = 2 * rows[row % 2][63 - threadIdx.x];
        pipe.consumer_release();
    }
}
ENTRY(pipeline) { pipeline_kernel<<<1, 64, 0, stream>>>(x, z); }

__global__ void mbarrier_kernel(const float* x, float* z) {
    __shared__ float row[2][64];
    __shared__ unsigned long long barrier;
    const unsigned at = __cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at));
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
        row[k % 2][threadIdx.x] = x[k * 64 + threadIdx.x];
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
        asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra AGAIN; }"
                     ::"r"(at), "r"(k % 2) : "memory");
        z[k * 64 + threadIdx.x] = 2 * row[k % 2][63 - threadIdx.x];
    }
}
ENTRY(mbarrier) { mbarrier_kernel<<<1, 64, 0, stream>>>(x, z); }
"""


@pytest.mark.parametrize("entry", ["pipeline", "mbarrier"])
def test_the_lane_that_comes_last_does_not_run_ahead(run_kernel, entry):
    x = np.arange(1024, dtype=np.float32)
    prototype = f"void {entry}(const float* x, float* z, cudaStream_t stream)"
    outputs, case = run_kernel(SOURCE, prototype, x=x, z=np.zeros_like(x))
    assert not case.findings
    assert (outputs["z"].reshape(16, 64) == 2 * x.reshape(16, 64)[:, ::-1]).all()
    # 16 rows of two warps: a request each, but where a lane of the last rows has no one to wait for.
    assert 32 <= case.counters["global_store_requests"] <= 34
    assert 32 <= case.counters["global_load_requests"] <= 34
