"""Barriers that let threads go on before all have come that use an array, and lanes that disagree on a mask."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

PROTOTYPE = "void f(float* z, cudaStream_t stream)"
THREADS = 256

EXCHANGE = """
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
__global__ void k(float* z) {
    __shared__ float s[256];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, COUNT);
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    MEET;
    z[threadIdx.x] = s[OTHER];
}
extern "C" void f(float* z, cudaStream_t stream) { k<<<1, 256, 0, stream>>>(z); }
"""
ALL, WARP = "255 - threadIdx.x", "threadIdx.x ^ 31"
EXCHANGES = {
    # how they meet, whose element each reads, and what is said of too few
    "cuda_barrier": ("bar.arrive_and_wait()", 256, ALL, ""),
    "cuda_barrier_for_half": ("bar.arrive_and_wait()", 128, ALL, "waits for 128 of the block's 256 threads"),
    "named": ("__barrier_sync_count(1, 256)", 1, ALL, ""),
    "named_for_half": ("__barrier_sync_count(1, 128)", 1, ALL, "waits for 128 of the block's 256 threads"),
    "ptx_for_a_warp": ('asm volatile("bar.sync 1, 32;")', 1, ALL, "waits for 32 of the block's 256 threads"),
    "tile_of_warp": ("cg::tiled_partition<32>(cg::this_thread_block()).sync()", 1, WARP, ""),
    "tile_too_small": (
        "cg::tiled_partition<16>(cg::this_thread_block()).sync()",
        1,
        WARP,
        "waits for 16 of a warp's 32 threads",
    ),
    "tile_of_two_warps": (
        "cg::tiled_partition<64>(cg::this_thread_block()).sync()",
        1,
        ALL,
        "waits for 64 of the block's 256 threads",
    ),
}


@pytest.mark.parametrize("name", long_tail(EXCHANGES, every=4))
def test_a_barrier_for_too_few_is_told_with_its_number(run_kernel, name):
    meet, count, other, said = EXCHANGES[name]
    source = EXCHANGE.replace("COUNT", str(count)).replace("MEET", meet).replace("OTHER", other)
    _, case = run_kernel(source, PROTOTYPE, z=np.zeros(THREADS, np.float32))
    told = [each.message for each in case.findings]
    assert bool(told) == bool(said), told
    if said:
        line = source[: source.index(meet)].count("\n") + 1
        assert all(f"the barrier of line {line} {said}" in each for each in told), told


MASKS = """
__global__ void k(float* z) {
    float v = threadIdx.x;
    unsigned lane = threadIdx.x;
    SHUFFLES
    z[threadIdx.x] = v;
}
extern "C" void f(float* z, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(z); }
"""
APART = "v += __shfl_xor_sync(lane < 16 ? 0x0000ffff : 0xffff0000, v, 1);"
SHRINKING = """for (int by = 16; by; by /= 2)
        if (lane < 2 * by) v += __shfl_down_sync(~0u >> (32 - 2 * by), v, by);"""


@pytest.mark.parametrize("shuffles", [APART, SHRINKING])
def test_masks_that_name_other_lanes_at_other_times_are_right(run_kernel, shuffles):
    _, case = run_kernel(MASKS.replace("SHUFFLES", shuffles), PROTOTYPE, z=np.zeros(32, np.float32))
    assert not [each for each in case.findings if each.kind != "shuffle_source"], case.findings


@pytest.mark.parametrize(
    "shuffles, severity",
    [
        ("v += __shfl_xor_sync(lane < 16 ? 0x0000ffff : 0xfffffff0, v, 1);", "note"),
        ("v += lane % 2 ? __shfl_xor_sync(0xffffffff, v, 2) : __shfl_xor_sync(0x55555555, v, 2);", "note"),
        ("v += __shfl_xor_sync(lane < 16 ? 0xffffffff : 0xffff8000, v, 1);", "error"),
    ],
)
def test_lanes_that_name_each_other_with_other_masks_are_told(run_kernel, shuffles, severity):
    _, case = run_kernel(MASKS.replace("SHUFFLES", shuffles), PROTOTYPE, z=np.zeros(32, np.float32))
    told = [each for each in case.findings if "must call it with that same mask" in each.message]
    assert told and told[0].severity == severity, case.findings
