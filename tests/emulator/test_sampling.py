"""Sampled launches: sizes of a GPU, of which a few blocks run. Every number here is worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from grader.course.prototype import parse_prototype
from grader.devices.emulator.sampled import ToSample, sample

SOURCE = """
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#define ENTRY(name) extern "C" void name(const float* x, float* z, int n, cudaStream_t stream)

__global__ void copy_kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i];
}
ENTRY(copy) { copy_kernel<<<n / 256, 256, 0, stream>>>(x, z, n); }

__global__ void rows_kernel(const float* x, float* z, int n) {   // a thread adds up 32 floats that lie side by side
    int row = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 32; ++k) sum += x[row * 32 + k];
    z[row] = sum;
}
ENTRY(rows) { rows_kernel<<<n / 1024, 32, 0, stream>>>(x, z, n); }

__global__ void same_kernel(const float* x, float* z, int n) { z[blockIdx.x * 32 + threadIdx.x] = x[threadIdx.x]; }
ENTRY(same) { same_kernel<<<n / 32, 32, 0, stream>>>(x, z, n); }

template <int kWidth> __global__ void tile_kernel(const float* x, float* z, int n) {
    __shared__ float tile[32][kWidth];
    for (int k = 0; k < 32; ++k) tile[k][threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 32; ++k) sum += tile[threadIdx.x][k];
    z[blockIdx.x * 32 + threadIdx.x] = sum;
}
ENTRY(tile) { tile_kernel<32><<<n / 32, 32, 0, stream>>>(x, z, n); }
ENTRY(padded) { tile_kernel<33><<<n / 32, 32, 0, stream>>>(x, z, n); }

__global__ void count_kernel(const float* x, float* z, int n) { atomicAdd(&z[blockIdx.x % n], x[threadIdx.x]); }
ENTRY(one_word) { count_kernel<<<1 << 20, 64, 0, stream>>>(x, z, 1); }

__global__ void beyond_kernel(float* z, int n) { z[n + threadIdx.x] = 0; }
ENTRY(beyond) { beyond_kernel<<<1, 32, 0, stream>>>(z, n); }

ENTRY(by_card) {
    int count = 0;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    float* scratch;
    cudaMallocAsync(&scratch, size_t(20) << 30, stream);
    cudaMemsetAsync(scratch, 0, size_t(20) << 30, stream);
    for (int k = 0; k < 3; ++k) copy_kernel<<<count, 256, 0, stream>>>(x, z, n);
    cudaFreeAsync(scratch, stream);
}

__device__ __noinline__ float add_up(const float* own, int n) {
    float sum = 0;
    for (int k = 0; k < 40; ++k) sum += own[k * n % 40];
    return sum;
}
__global__ void arrays_kernel(const float* x, float* z, int n) {   // 40 words that have an address
    float own[40];
    for (int k = 0; k < 40; ++k) own[k] = x[k];
    z[threadIdx.x] = add_up(own, n);
}
ENTRY(arrays) { arrays_kernel<<<1, 32, 0, stream>>>(x, z, n); }

template <int kAhead> __global__ void copies_kernel(const float* x, float* z) {   // of 8 rows, so many ahead
    __shared__ float rows[2][32];
    const int lane = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < kAhead; ++k) __pipeline_memcpy_async(&rows[k][lane], &x[k * 32 + lane], 4);
    __pipeline_commit();
    for (int k = 0; k < 8; ++k) {
        const int next = k + kAhead;
        if (next < 8) __pipeline_memcpy_async(&rows[next % 2][lane], &x[next * 32 + lane], 4);
        __pipeline_commit();
        __pipeline_wait_prior(kAhead);
        sum += rows[k % 2][lane];
    }
    z[lane] = sum;
}
__global__ void tensor_kernel(const float* x, float* z) {   // 4 products of 16 x 16 by 16 x 8
    const unsigned* w = reinterpret_cast<const unsigned*>(x);
    float c[4] = {};
    for (int k = 0; k < 4; ++k)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]));
    z[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}
ENTRY(tensor) { tensor_kernel<<<1, 32, 0, stream>>>(x, z); }
#define PRODUCT(form, letter, c)                                                                              \\
    asm volatile("mma.sync.aligned." form " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"            \\
                 : "+" letter(c[0]), "+" letter(c[1]), "+" letter(c[2]), "+" letter(c[3])                     \\
                 : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]));
__global__ void rates_kernel(const unsigned* w, float* z) {   // one product of each kind of numbers
    float c[4] = {};
    int i[4] = {};
    double d[2] = {};
    PRODUCT("m16n8k8.row.col.f32.tf32.tf32.f32", "f", c)
    PRODUCT("m16n8k32.row.col.s32.s8.s8.s32", "r", i)
    PRODUCT("m16n8k32.row.col.f32.e4m3.e4m3.f32", "f", c)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(d[0]), "+d"(d[1]) : "d"(d[0]), "d"(d[1]));
    z[threadIdx.x] = c[0] + i[0] + d[0];
}
ENTRY(rates) { rates_kernel<<<1, 32, 0, stream>>>(reinterpret_cast<const unsigned*>(x), z); }
ENTRY(copies) {
    copies_kernel<0><<<1, 32, 0, stream>>>(x, z);
    copies_kernel<1><<<2, 32, 0, stream>>>(x, z);
}

__global__ void long_kernel(const float* x, float* z) {   // 8 warps, which load rows together; all read all of a row
    __shared__ float row[256];
    float sum = 0;
    for (int k = 0; k < 64; ++k) {
        row[threadIdx.x] = x[k * 256 + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += row[(threadIdx.x + i) % 256] * x[i];
        __syncthreads();
    }
    z[threadIdx.x] = sum;
}
ENTRY(long_block) { long_kernel<<<1, 256, 0, stream>>>(x, z); }
__global__ void own_kernel(const float* x, float* z) {   // no warp waits for another: each adds up columns of its own
    float sum = 0;
    for (int k = 0; k < 1024; ++k) sum += x[k * 256 + threadIdx.x];
    z[threadIdx.x] = sum;
}
ENTRY(own_columns) { own_kernel<<<1, 256, 0, stream>>>(x, z); }
__global__ void roles_kernel(const float* x, float* z) {   // one warp loads for all
    __shared__ float row[256];
    float sum = 0;
    for (int k = 0; k < 64; ++k) {
        for (int i = threadIdx.x; threadIdx.x < 32 && i < 256; i += 32) row[i] = x[k * 256 + i];
        __syncthreads();
        sum += row[threadIdx.x];
        __syncthreads();
    }
    z[threadIdx.x] = sum;
}
ENTRY(roles) { roles_kernel<<<1, 256, 0, stream>>>(x, z); }
__global__ void first_kernel(const float* x, float* z) {   // one warp loads for all, which takes it few steps
    __shared__ float4 row[32];
    float sum = 0;
    for (int k = 0; k < 64; ++k) {
        if (threadIdx.x < 32) row[threadIdx.x] = ((const float4*)x)[k * 32 + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += row[(threadIdx.x + i) % 32].x;
        __syncthreads();
    }
    z[threadIdx.x] = sum;
}
ENTRY(first_loads) { first_kernel<<<1, 256, 0, stream>>>(x, z); }
__global__ void ring_kernel(const float* x, float* z) {   // each warp waits for the one before it, round by round
    __shared__ volatile int rounds[8];
    const int warp = threadIdx.x / 32;
    rounds[warp] = warp == 7;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 64; ++k) {
        while (rounds[(warp + 7) % 8] < k + (warp == 0)) {}
        for (int i = 0; i < 16; ++i) sum += x[i];
        __syncwarp();
        if (threadIdx.x % 32 == 0) rounds[warp] = k + 1 + (warp == 7);
        __syncwarp();
    }
    z[threadIdx.x] = sum;
}
ENTRY(ring) { ring_kernel<<<1, 256, 0, stream>>>(x, z); }

__global__ void inline_kernel(const float* x, float* z) {
    float v = x[threadIdx.x];
    for (int k = 0; k < 4; ++k) {
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v));
        asm volatile("{ .reg .f32 t; add.f32 t, %0, %1; fma.rn.f32 %0, t, t, %1; }" : "+f"(v) : "f"(1.0f));
    }
    z[threadIdx.x] = v;
}
ENTRY(inline_ptx) { inline_kernel<<<1, 32, 0, stream>>>(x, z); }

constexpr int kThreads = 256, kBlocks = 4;
template <int kWidth> struct Shape { static constexpr int kThreads = 32 * kWidth, kBlocks = 32 / kWidth; };
__global__ void __launch_bounds__(256) no_blocks(float* z) { z[threadIdx.x] = 1; }
__global__ void __launch_bounds__(256, 0) zero_blocks(float* z) { z[threadIdx.x] = 1; }
__launch_bounds__(256, 4) __global__ void four(float* z) { z[threadIdx.x] = 1; }
__global__ void __launch_bounds__(kThreads, kBlocks) constants(float* z) { z[threadIdx.x] = 1; }
__global__ void __launch_bounds__(2 * 128, (kBlocks > 3 && kThreads < 300) ? 1 << 2 : 1, 1) expression(float* z) {
    z[threadIdx.x] = 1;
}
__global__ void __launch_bounds__(1024, 8) beyond_all(float* z) { z[threadIdx.x] = 1; }
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks) of_template(float* z) { z[threadIdx.x] = 1; }
namespace other { __global__ void __launch_bounds__(256, 2) four(float* z) { z[threadIdx.x] = 1; } }
__global__ void __launch_bounds__(256, 3) four(float* z, int n) { z[threadIdx.x] = n; }
ENTRY(bounds) {
    no_blocks<<<1, 256, 0, stream>>>(z);
    zero_blocks<<<2, 256, 0, stream>>>(z);
    four<<<3, 256, 0, stream>>>(z);
    constants<<<4, 32, 0, stream>>>(z);   // registers are for the threads that it may have
    expression<<<5, 256, 0, stream>>>(z);
    beyond_all<<<6, 1024, 0, stream>>>(z);
    of_template<Shape<4>><<<7, 128, 0, stream>>>(z);
    of_template<Shape<8>><<<8, 128, 0, stream>>>(z);
    other::four<<<9, 256, 0, stream>>>(z);
    four<<<10, 256, 0, stream>>>(z, n);
    copy_kernel<<<11, 256, 0, stream>>>(x, z, n);
}
"""
NAMES = (
    "bounds",
    "inline_ptx",
    "long_block",
    "own_columns",
    "ring",
    "roles",
    "first_loads",
    "copies",
    "tensor",
    "rates",
    "copy",
    "rows",
    "same",
    "tile",
    "padded",
    "one_word",
    "beyond",
    "by_card",
    "arrays",
)
TEXTS = {name: f"void {name}(const float* x, float* z, int n, cudaStream_t stream)" for name in NAMES}


class Tile:
    """An example of an input, as a worker has it."""

    writable = False

    def __init__(self, values: np.ndarray):
        self.values, self.address, self.bytes = values, values.ctypes.data, values.nbytes


@pytest.fixture
def sampled(run_kernel):
    """sampled(name, n) is the CaseRun of an entry point whose buffers have n floats each."""
    session = run_kernel.session(SOURCE, tuple(TEXTS.values()), 2, True)
    ones = Tile(np.ones(5000, np.float32))

    def run(name: str, n: int, steps: int = 2_000_000):
        sizes = {"x": 4 * n, "z": 4 * n}
        what = ToSample([sizes], multiprocessors=132, l1_bytes=256 << 10, steps=steps)
        return sample(session, name, parse_prototype(TEXTS[name]), {"x": ones}, sizes, {"n": n}, what)

    return run


def only_launch(run):
    assert not run.findings
    (launch,) = run.sample["launches"]
    return launch, {region["name"]: region for region in launch["regions"]}, len(launch["ran"])


@pytest.mark.slow
def test_a_copy_of_four_gigabytes_takes_no_memory_and_few_blocks(sampled):
    n = 1 << 29
    launch, regions, ran = only_launch(sampled("copy", n))
    assert (launch["blocks"], launch["threads"], launch["resident"], ran) == (n // 256, 256, 8, 16)
    # Each of the 8 warps of a block asks once, for 32 floats in a row: a line of 4 sectors, all its own.
    assert launch["counts"]["global_load_requests"] == launch["counts"]["global_load_lines"] == 8 * ran
    assert launch["counts"]["global_load_sectors"] == launch["counts"]["global_store_sectors"] == 32 * ran
    assert regions["x"]["asked"] == regions["x"]["missed"] == 32 * launch["held"]
    assert regions["x"]["together"] == regions["x"]["alone"] == 32 * launch["neighbours"]
    assert (regions["x"]["loaded"], regions["z"]["stored"]) == (32 * ran, 32 * ran)


@pytest.mark.slow
def test_lines_stay_in_the_l1_cache_between_the_rounds_of_a_loop(sampled):
    launch, regions, ran = only_launch(sampled("rows", 1 << 24))
    # 32 lanes in 32 lines, 32 times: of each line 4 sectors are fetched, when the first of their 8 floats is wanted.
    assert launch["counts"]["global_load_lines"] == launch["counts"]["global_load_sectors"] == 32 * 32 * ran
    assert regions["x"]["asked"] == 1024 * launch["held"]
    assert regions["x"]["missed"] == 128 * launch["held"]
    assert {block["load_rounds"] for block in launch["ran"]} == {32}


def test_blocks_that_share_a_multiprocessor_share_its_cache(sampled):
    launch, regions, _ = only_launch(sampled("same", 1 << 24))
    assert launch["held"] > 4
    assert (regions["x"]["asked"], regions["x"]["missed"]) == (4 * launch["held"], 4)
    assert (regions["x"]["alone"], regions["x"]["together"]) == (4 * 4, 4)


def test_loads_of_a_row_of_shared_memory_are_joined_where_they_are_aligned(sampled):
    launch, _, ran = only_launch(sampled("tile", 1 << 20))
    # All lanes in one bank: 32 wavefronts a load. Of 16 bytes, 8 lanes at a time in 4 banks: 8 wavefronts, 4 times.
    assert launch["counts"]["shared_load_wavefronts"] == 32 * 32 * ran
    assert launch["counts"]["joined_load_requests"] == 8 * ran
    assert launch["counts"]["joined_load_wavefronts"] == 8 * 32 * ran
    padded, _, ran = only_launch(sampled("padded", 1 << 20))
    assert padded["counts"]["joined_load_requests"] == padded["counts"]["joined_load_wavefronts"] == 32 * ran
    assert padded["barriers"] == ran


def test_updates_of_one_word_are_told_from_those_of_many(sampled):
    launch, _, ran = only_launch(sampled("one_word", 4096))
    assert (launch["atomic_words"], launch["counts"]["global_atomic_lanes"]) == (1, 64 * ran)
    assert launch["counts"]["global_atomic_float_lanes"] == 64 * ran


def test_host_code_sees_the_card_and_its_memory(sampled):
    run = sampled("by_card", 1 << 20)
    launch, _, _ = only_launch(run)
    assert (launch["blocks"], launch["repeats"]) == (132, 3)
    assert (run.sample["sets"], run.sample["set_bytes"]) == (1, 20 << 30)


def test_a_thread_s_arrays_are_taken_for_registers(sampled):
    launch, _, _ = only_launch(sampled("arrays", 71))
    assert 40 <= launch["registers"] <= 60


def test_a_copy_is_waited_for_unless_the_warp_has_had_other_work_since(sampled):
    """Eight rows of 32 floats: each is waited for at once, or only the first, while the sum has none to add up."""
    launches = sampled("copies", 1024).sample["launches"]
    rounds = {launch["blocks"]: launch["ran"][0]["load_rounds"] for launch in launches}
    assert rounds == {1: 8, 2: 1}
    assert all(ran["copied"] == 8 * 32 * 4 for launch in launches for ran in launch["ran"])


def test_tensor_cores_are_told_from_what_carries_their_operands(sampled):
    counts = only_launch(sampled("tensor", 1024))[0]["counts"]
    assert (counts["tensor_instructions"], counts["tensor_operations"]) == (4, 4 * 2 * 16 * 8 * 16)
    assert counts["instructions"] < 80  # around each statement g++ has some twenty, for its ten operands


def test_tensor_cores_take_each_kind_of_numbers_at_its_own_rate(sampled):
    counts = only_launch(sampled("rates", 1024))[0]["counts"]
    half = 2 * 16 * 8 * 16  # operations of m16n8k16, which takes 1.508 clocks
    assert counts["tensor_operations"] == half / 2 + 2 * half + 2 * half + half / 8
    clocks = 1.509 + 1.509 + 2 * 3.191 + 4.006  # tf32, 8-bit integers, 8-bit floats, doubles
    assert counts["tensor_work"] == pytest.approx(half * clocks / 1.508)


def test_instructions_of_inline_ptx_have_their_prices(sampled):
    """Four rounds of a special function, an addition and a fused multiply-add."""
    counts = only_launch(sampled("inline_ptx", 1024))[0]["counts"]
    assert (counts["special"], counts["in_functions"], counts["doubles"]) == (4, 4 * 3, 0)


FEW = 8000  # steps, a fourth of which all warps of a block go


@pytest.mark.parametrize("name", ["long_block", "own_columns"])
def test_of_a_long_block_one_warp_goes_on_for_all(sampled, name):
    """What it does then counts eight times: as much as if all had."""
    (whole, all_regions, _), (thin, regions, ran) = (only_launch(sampled(name, 1 << 18, n)) for n in (2_000_000, FEW))
    assert (ran, whole["blocks"]) == (1, 1)
    assert thin["counts"] == whole["counts"] and thin["lines"] == whole["lines"]
    assert (thin["barriers"], thin["ran"][0]["steps"]) == (whole["barriers"], whole["ran"][0]["steps"])
    assert thin["ran"][0]["longest_warp"] == whole["ran"][0]["longest_warp"]
    assert regions["x"]["loaded"] == pytest.approx(all_regions["x"]["loaded"], rel=0.1)
    assert regions["z"]["stored"] == all_regions["z"]["stored"] == 32
    assert regions["x"]["asked"] < all_regions["x"]["asked"], "the cache saw all of them, and none stopped"


@pytest.mark.parametrize("name", ["roles", "first_loads", "ring"])
def test_no_warp_goes_on_for_others_that_do_different_work_or_that_it_waits_for(sampled, name):
    whole, thin = (only_launch(sampled(name, 1 << 16, steps))[0] for steps in (2_000_000, FEW))
    assert thin["counts"] == pytest.approx(whole["counts"], rel=0.02)  # a warp that waits asks more often or less
    assert thin["regions"] == whole["regions"]


def test_registers_are_those_that_the_launch_bounds_of_the_kernel_leave(sampled):
    """65,536 for all threads of the blocks that are asked for, in eights; 255 at most."""
    launches = sampled("bounds", 1024).sample["launches"]
    found = {launch["blocks"]: launch["allowed_registers"] for launch in launches}
    assert found == {1: 255, 2: 255, 3: 64, 4: 64, 5: 64, 6: 32, 7: 64, 8: 64, 9: 128, 10: 80, 11: 255}


def test_a_launch_that_fails_says_why_and_the_next_case_is_run_in_full(sampled, run_kernel):
    run = sampled("beyond", 1024)
    assert [finding.kind for finding in run.findings] == ["out_of_bounds"]
    x = np.arange(1024, dtype=np.float32)
    outputs, full = run_kernel(SOURCE, TEXTS["copy"], among=tuple(TEXTS.values()), threads=2, x=x, z=x, n=1024)
    assert full.sample is None and np.array_equal(outputs["z"], x)
