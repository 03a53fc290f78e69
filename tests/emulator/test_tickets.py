"""Of a sampled launch few blocks run: tickets that the others would draw are drawn for them (runtime/tickets.cpp)."""

from __future__ import annotations

import numpy as np
import pytest

from grader.course.prototype import parse_prototype
from grader.devices.emulator.sampled import ToSample, sample
from tests.emulator.test_sampling import Tile

SOURCE = """
#define ENTRY(name) extern "C" void name(const float* x, float* z, int n, cudaStream_t stream)

__device__ unsigned next_tile;
__global__ void tickets_kernel(const float* x, float* z, int n) {
    __shared__ unsigned tile;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) tile = atomicAdd(&next_tile, 1u);
        __syncthreads();
        if (tile >= n / 256) return;
        z[tile * 256 + threadIdx.x] = x[threadIdx.x];
    }
}
__global__ void tickets_from_zero() { next_tile = 0; }
ENTRY(tickets) { tickets_from_zero<<<1, 1, 0, stream>>>(); tickets_kernel<<<1000, 256, 0, stream>>>(x, z, n); }

__global__ void from_host_kernel(const float* x, float* z, int n, unsigned* next) {
    for (unsigned tile = 0;;) {   // each warp draws its own, from memory that host code has set
        if (threadIdx.x % 32 == 0) tile = atomicAdd(next, 1u);
        tile = __shfl_sync(0xffffffffu, tile, 0);
        if (tile >= n / 32) return;
        z[tile * 32 + threadIdx.x % 32] = x[threadIdx.x];
    }
}
ENTRY(from_host) {
    unsigned* next;
    cudaMallocAsync(&next, sizeof *next, stream);
    cudaMemsetAsync(next, 0, sizeof *next, stream);
    from_host_kernel<<<1000, 256, 0, stream>>>(x, z, n, next);
    cudaFreeAsync(next, stream);
}

__global__ void long_kernel(const float* x, float* z, int n) {   // thinned before its second ticket
    __shared__ unsigned tile;
    while (true) {
        if (threadIdx.x == 0) tile = atomicAdd(&next_tile, 1u);
        __syncthreads();
        if (tile >= n / 256) return;
        float sum = 0;
        for (int k = 0; k < 20000; ++k) sum += x[threadIdx.x];
        z[tile * 256 + threadIdx.x] = sum;
        __syncthreads();
    }
}
ENTRY(long_tiles) { tickets_from_zero<<<1, 1, 0, stream>>>(); long_kernel<<<1000, 256, 0, stream>>>(x, z, n); }

__device__ unsigned ended;
__global__ void last_kernel(const float* x, float* z, int n) {
    __shared__ bool is_last;
    z[blockIdx.x * 256 + threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x == 0) is_last = atomicAdd(&ended, 1u) == gridDim.x - 1;
    __syncthreads();
    if (is_last) z[threadIdx.x] = x[threadIdx.x];
}
ENTRY(last) { last_kernel<<<1000, 256, 0, stream>>>(x, z, n); }
"""
NAMES = ("tickets", "last", "from_host", "long_tiles")
TEXTS = {name: f"void {name}(const float* x, float* z, int n, cudaStream_t stream)" for name in NAMES}


@pytest.fixture
def sampled(run_kernel):
    """sampled(name, n) is the CaseRun of an entry point whose buffers have n floats each."""
    session = run_kernel.session(SOURCE, tuple(TEXTS.values()), 2, True)

    def run(name: str, n: int):
        sizes = {"x": 4 * n, "z": 4 * n}
        what = ToSample([sizes], multiprocessors=132, l1_bytes=256 << 10)
        tiles = {"x": Tile(np.ones(5000, np.float32))}
        return sample(session, name, parse_prototype(TEXTS[name]), tiles, sizes, {"n": n}, what)

    return run


def test_a_block_draws_its_share_of_the_tickets(sampled):
    """1,000 blocks have 1,000,000 tiles: each comes for a thousand, and not the few that run for all."""
    run = sampled("tickets", 256_000_000)
    assert not run.findings
    launch = run.sample["launches"][1]
    tiles = launch["counts"]["global_store_requests"] / 8
    assert len(launch["ran"]) * 980 <= tiles <= len(launch["ran"]) * 1020


@pytest.mark.slow
def test_a_warp_draws_its_share_of_the_tickets(sampled):
    """1,000 blocks of 8 warps have 8,000,000 tiles: each warp comes for a thousand."""
    run = sampled("from_host", 256_000_000)
    assert not run.findings
    (launch,) = run.sample["launches"]
    assert launch["counts"]["global_store_requests"] / 8 == pytest.approx(1000 * len(launch["ran"]), rel=0.02)


def test_the_warp_that_draws_goes_on_for_the_others(sampled):
    run = sampled("long_tiles", 1_024_000)
    assert not run.findings
    assert run.sample["thins"]
    launch = run.sample["launches"][1]
    assert launch["counts"]["global_store_requests"] / 8 == pytest.approx(4, abs=1)


def test_a_ticket_of_each_block_stays_its_own(sampled):
    run = sampled("last", 256_000)
    (launch,) = run.sample["launches"]
    assert launch["counts"]["global_store_requests"] == len(launch["ran"]) * 8
