"""More blocks wait for each other than a GPU holds at once: a note says so, for there they would wait for ever."""

from __future__ import annotations

import numpy as np
import pytest

KERNEL = """
__device__ unsigned arrived;
__global__ void all_meet(float* z) {
    extern __shared__ float more[];
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1u);
        while (atomicAdd(&arrived, 0u) < gridDim.x) {}
        z[blockIdx.x] = 1;
    }
}
__global__ void each_waits_for_the_one_before(float* z) {
    extern __shared__ float more[];
    if (threadIdx.x == 0) {
        while (atomicAdd(&arrived, 0u) != blockIdx.x) {}
        z[blockIdx.x] = 1;
        __threadfence();
        atomicAdd(&arrived, 1u);
    }
}
extern "C" void run(float* z, int blocks, int size, int shared, int chain, cudaStream_t stream) {
    const auto kernel = chain ? each_waits_for_the_one_before : all_meet;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    unsigned none = 0;
    cudaMemcpyToSymbolAsync(arrived, &none, sizeof none, 0, cudaMemcpyHostToDevice, stream);
    kernel<<<blocks, size, shared, stream>>>(z);
}
"""
PROTOTYPE = "void run(float* z, int blocks, int size, int shared, int chain, cudaStream_t stream)"


def notes(run_kernel, blocks: int, size: int, shared: int = 0, chain: int = 0) -> list[str]:
    values = {"z": np.zeros(blocks, np.float32), "blocks": blocks, "size": size, "shared": shared, "chain": chain}
    outputs, case = run_kernel(KERNEL, PROTOTYPE, **values)
    assert outputs["z"].tolist() == [1] * blocks
    assert [found.message for found in case.findings if found.severity == "error"] == []
    return [found.message for found in case.findings if found.kind == "crowd"]


# What 132 multiprocessors hold: 2,048 threads and 228 KB of shared memory each, of which a block takes 1 KB itself.
@pytest.mark.parametrize(
    ("size", "shared", "room"),
    [pytest.param(1024, 0, 264, marks=pytest.mark.slow), (32, 113 * 1024, 264), (32, 114 * 1024, 132)],
)
def test_blocks_that_a_gpu_cannot_hold_at_once(run_kernel, size, shared, room):
    assert notes(run_kernel, room, size, shared) == []
    (note,) = notes(run_kernel, room + 1, size, shared)
    assert f"an H200 has room for {room} at once, {room // 132} on each of 132 multiprocessors" in note


def test_who_waits_for_earlier_blocks_alone_needs_no_room(run_kernel):
    assert notes(run_kernel, 300, 32, 114 * 1024, chain=1) == []
