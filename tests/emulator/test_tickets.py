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
TEXTS = {name: f"void {name}(const float* x, float* z, int n, cudaStream_t stream)" for name in ("tickets", "last")}


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


def test_a_ticket_of_each_block_stays_its_own(sampled):
    run = sampled("last", 256_000)
    (launch,) = run.sample["launches"]
    assert launch["counts"]["global_store_requests"] == len(launch["ran"]) * 8
