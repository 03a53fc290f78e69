"""Counters against counts worked out by hand: each test says why its numbers are what they are.

One kernel a test, one warp or a few; `count` runs an entry point f(x, z, n) on n floats.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

SOURCE = r"""
#define ENTRY(name, kernel, grid, block)                                                           \
    extern "C" void name(const float* x, float* z, int n, cudaStream_t stream) {                   \
        kernel<<<grid, block, 0, stream>>>(x, z, n);                                               \
    }

__global__ void copy1_kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i];
}
ENTRY(copy1, copy1_kernel, (n + 127) / 128, 128)

__global__ void copy4_kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) reinterpret_cast<float4*>(z)[i] = reinterpret_cast<const float4*>(x)[i];
}
ENTRY(copy4, copy4_kernel, 1, 64)

__global__ void stride_kernel(const float* x, float* z, int n) { z[threadIdx.x] = x[threadIdx.x * 8]; }
ENTRY(stride, stride_kernel, 1, 32)

__global__ void broadcast_kernel(const float* x, float* z, int n) { z[threadIdx.x] = x[5]; }
ENTRY(broadcast, broadcast_kernel, 1, 32)

__global__ void misaligned_kernel(const float* x, float* z, int n) { z[threadIdx.x] = x[threadIdx.x + 1]; }
ENTRY(misaligned, misaligned_kernel, 1, 32)

__global__ void row_sum_kernel(const float* x, float* z, int n) {
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += x[threadIdx.x * 64 + i];
    z[threadIdx.x] = sum;
}
ENTRY(row_sum, row_sum_kernel, 1, 32)

__global__ void odd_block_kernel(const float* x, float* z, int n) {
    int i = threadIdx.y * blockDim.x + threadIdx.x;
    z[i] = x[i];
}
ENTRY(odd_block, odd_block_kernel, 1, dim3(5, 7))

__global__ void shared_stride_kernel(const float* x, float* z, int n) {
    __shared__ float tile[32 * 32];
    for (int i = 0; i < 32; ++i) tile[i * 32 + threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    z[threadIdx.x] = tile[threadIdx.x * STRIDE];
}
ENTRY(shared_stride, shared_stride_kernel, 1, 32)

__global__ void shared_wide_kernel(const float* x, float* z, int n) {
    __shared__ __align__(16) float tile[128];
    reinterpret_cast<float4*>(tile)[threadIdx.x] = reinterpret_cast<const float4*>(x)[threadIdx.x];
    __syncwarp();
    float2 pair = reinterpret_cast<const float2*>(tile)[threadIdx.x];
    z[threadIdx.x] = pair.x + pair.y;
}
ENTRY(shared_wide, shared_wide_kernel, 1, 32)

__global__ void branches_kernel(const float* x, float* z, int n) {
    if (threadIdx.x % 2 == 0)
        z[threadIdx.x] = x[threadIdx.x] + 1;
    else
        z[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x + 32] * 3;
}
ENTRY(branches, branches_kernel, 1, 32)

__global__ void one_address_kernel(const float* x, float* z, int n) {
    __shared__ int count[4];
    if (threadIdx.x < 4) count[threadIdx.x] = 0;
    z[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&count[threadIdx.x % 4], 1);
    atomicAdd(&z[0], x[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x < 4) atomicAdd(&z[1 + threadIdx.x], (float)count[threadIdx.x]);
}
ENTRY(one_address, one_address_kernel, 1, 64)

__global__ void trips_kernel(const float* x, float* z, int n) {
    float sum = 0;
    for (unsigned i = 0; i <= threadIdx.x; ++i) sum += x[i];
    z[threadIdx.x] = sum;
}
ENTRY(trips, trips_kernel, 1, 32)

__global__ void twice_kernel(const float* x, float* z, int n) { z[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x ^ 1]; }
extern "C" void scratch(const float* x, float* z, int n, cudaStream_t stream) {
    float* memory;
    cudaMalloc(&memory, 1000);
    twice_kernel<<<1, 32, 100, stream>>>(x, z, n);
    twice_kernel<<<2, 32, 0, stream>>>(x, z, n);
    cudaFree(memory);
}
"""


@pytest.fixture
def count(run_kernel):
    def run(name: str, n: int, stride: int = 1):
        x = np.arange(1, max(n, 2048) + 1, dtype=np.float32)
        source = SOURCE.replace("STRIDE", str(stride))
        prototype = f"void {name}(const float* x, float* z, int n, cudaStream_t stream)"
        _, case = run_kernel(source, prototype, x=x, z=np.empty(2048, np.float32), n=n)
        return case.counters

    return run


def pick(counters: dict, *names: str) -> list[int]:
    return [counters[name] for name in names]


def test_a_coalesced_copy(count):
    counters = count("copy1", 100)
    # 100 floats: 3 full warps and one of 4 lanes; 4 sectors a full warp, 4 floats are half a sector.
    assert pick(counters, "global_load_requests", "global_load_sectors", "global_load_bytes") == [4, 13, 400]
    assert pick(counters, "global_store_requests", "global_store_sectors", "global_store_bytes") == [4, 13, 400]
    assert pick(counters, "global_load_distinct_bytes", "global_store_distinct_bytes") == [400, 400]
    assert pick(counters, "threads_launched", "busy_threads", "busy_blocks", "launches") == [128, 100, 1, 1]


def test_vector_width(count):
    counters = count("copy4", 256)
    # 64 lanes of 16 bytes: two requests of 512 bytes, 16 sectors each.
    assert pick(counters, "global_load_requests", "global_load_sectors", "global_load_bytes") == [2, 32, 1024]
    assert pick(counters, "global_store_requests", "global_store_sectors") == [2, 32]


def test_a_stride_of_a_sector(count):
    counters = count("stride", 256)
    assert pick(counters, "global_load_requests", "global_load_sectors", "global_load_bytes") == [1, 32, 128]


def test_a_broadcast_is_one_sector(count):
    counters = count("broadcast", 32)
    assert pick(counters, "global_load_requests", "global_load_sectors") == [1, 1]
    assert pick(counters, "global_load_bytes", "global_load_useful_bytes", "global_load_distinct_bytes") == [128, 4, 4]


def test_one_element_off_costs_one_sector(count):
    assert pick(count("misaligned", 33), "global_load_requests", "global_load_sectors") == [1, 5]


def test_a_thread_a_row(count):
    # Each of 4 loads touches 32 rows: 32 sectors a request. The 4 floats of a row lie in one sector.
    counters = count("row_sum", 2048)
    assert pick(counters, "global_load_requests", "global_load_sectors", "global_load_bytes") == [4, 128, 512]


def test_a_block_of_35_threads(count):
    # Warps are filled in x, then y: 32 lanes and 3.
    counters = count("odd_block", 35)
    assert pick(counters, "global_load_requests", "global_load_sectors", "global_store_sectors") == [2, 5, 5]


@pytest.mark.parametrize("stride", long_tail([1, 2, 4, 8, 16, 32], every=4))
def test_bank_conflicts_of_a_stride(count, stride):
    # 32 lanes `stride` words apart fall into 32 / stride banks: `stride` wavefronts. 32 stores without conflicts.
    counters = count("shared_stride", 32, stride)
    assert pick(counters, "shared_load_wavefronts", "shared_load_bank_conflicts") == [stride, stride - 1]
    assert pick(counters, "shared_store_wavefronts", "shared_store_bank_conflicts") == [32, 0]


@pytest.mark.parametrize("stride", long_tail([3, 5, 31], every=4))
def test_odd_strides_have_no_conflicts(count, stride):
    assert count("shared_stride", 32, stride)["shared_load_wavefronts"] == 1


def test_wide_shared_accesses_run_in_phases(count):
    # 16 bytes a lane: quarters of the warp, 4 wavefronts at best; 8 bytes a lane: halves, 2.
    counters = count("shared_wide", 128)
    assert pick(counters, "shared_store_requests", "shared_store_wavefronts", "shared_store_bank_conflicts") == [
        1,
        4,
        0,
    ]
    assert pick(counters, "shared_load_requests", "shared_load_wavefronts", "shared_load_bank_conflicts") == [1, 2, 0]


def test_both_paths_of_a_divergent_branch(count):
    # Even lanes load once, odd lanes twice, each path stores: half of the lanes each time.
    counters = count("branches", 64)
    assert pick(counters, "global_load_requests", "global_store_requests") == [3, 2]
    assert pick(counters, "global_load_bytes", "global_store_bytes") == [16 * 3 * 4, 128]
    assert counters["divergent_branches"] == 1
    assert counters["thread_instructions"] < 32 * counters["warp_instructions"]


def test_uniform_flow_keeps_all_lanes_active(count):
    counters = count("copy1", 128)
    assert counters["thread_instructions"] == 32 * counters["warp_instructions"]
    assert counters["divergent_branches"] == 0


def test_trip_counts_that_differ(count):
    # Lane i runs i + 1 times: 32 requests, with 32, 31, ... 1 active lanes, all at one address.
    counters = count("trips", 32)
    assert pick(counters, "global_load_requests", "global_load_sectors") == [32, 32]
    assert counters["global_load_bytes"] == 4 * 32 * 33 // 2
    assert counters["divergent_branches"] == 31  # each round but the last sends one lane out


def test_atomics_and_their_multiplicity(count):
    counters = count("one_address", 64)
    # Two warps each; 32 lanes on one global address, 8 on each of 4 shared ones; then 4 lanes of the first warp.
    assert pick(counters, "global_atomic_requests", "global_atomic_threads") == [3, 68]
    assert counters["global_atomic_sectors"] == 32 + 32 + 1  # 32 lanes on one address take 32 turns
    assert pick(counters, "global_atomic_max_multiplicity", "shared_atomic_max_multiplicity") == [32, 8]
    assert pick(counters, "shared_atomic_requests", "shared_atomic_threads") == [2, 64]
    assert counters["barriers"] == 2


def test_what_the_launcher_did(count):
    counters = count("scratch", 32)
    assert pick(counters, "launches", "blocks_launched", "threads_launched") == [2, 3, 96]
    assert pick(counters, "device_bytes_allocated", "device_bytes_peak", "max_shared_bytes") == [1000, 1000, 100]


def test_counters_do_not_depend_on_the_number_of_threads(run_kernel):
    x = np.arange(40000, dtype=np.float32)
    prototype = "void copy1(const float* x, float* z, int n, cudaStream_t stream)"
    runs = [
        run_kernel(SOURCE.replace("STRIDE", "1"), prototype, threads=threads, x=x, z=np.empty_like(x), n=40000)[1]
        for threads in (1, 2, 2)
    ]
    assert runs[0].counters == runs[1].counters == runs[2].counters
    assert runs[0].lines == runs[1].lines == runs[2].lines
