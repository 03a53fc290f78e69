"""Targets' ratios are those of the task's own buffers: what a kernel does neatly beside its task improves none."""

from __future__ import annotations

import numpy as np
import pytest

from grader.judge.targets import METRICS, measure

N = 4096
# `slow` is what is to be hidden: a single thread copies floats, half of its warp's time with other lanes than lane 0.
SOURCE = r"""
#include <cuda_runtime.h>

__device__ float4 variable[1 << 14];
__constant__ float table[32];

__global__ void slow(const float* x, float* z, int n) {
    for (int i = 0; i < n; ++i) z[i] = x[i];
}
__global__ void neat(float4* scratch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) scratch[i] = make_float4(i, i, i, i);
}
__global__ void read(const float4* scratch, float4* other, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) other[i] = scratch[i];
}
__global__ void in_a_variable() {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    variable[i] = make_float4(i, i, i, i);
    float4 v = variable[i];
    v.x += 1;
    variable[i] = v;
}
__global__ void in_shared_memory() {
    __shared__ float tile[256];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int k = 0; k < 64; ++k) tile[threadIdx.x] += k;
}
__global__ void in_constant_memory(float* scratch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 32; ++k) sum += table[k];
    scratch[i] = sum;
}
__global__ void empty() {}
__global__ void touches_one(const float* x, float* scratch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i == 0 ? x[0] : 1.0f;
    for (int k = 0; k < 100; ++k) v = v * 0.5f + k;
    scratch[i] = v;
}
// All lanes but one follow a pointer into scratch, in the same instruction that copies the task's element.
__global__ void one_lane_in_32(const float* x, float* z, float* scratch, int n) {
    bool mine = threadIdx.x == 0;
    for (int i = 0; i < n; ++i) {
        const float* from = mine ? x + i : scratch + threadIdx.x;
        float* to = mine ? z + i : scratch + threadIdx.x;
        *to = *from;
    }
}
__global__ void zeros(float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = 0;
}

template <class Decoy> void beside(const float* x, float* z, int n, cudaStream_t stream, Decoy decoy) {
    float4 *a, *b;
    cudaMalloc(&a, 16 << 14);
    cudaMalloc(&b, 16 << 14);
    cudaMemsetAsync(a, 0, 16 << 14, stream);
    decoy(a, b);
    slow<<<1, 1, 0, stream>>>(x, z, n);
    decoy(a, b);
    cudaFree(a);
    cudaFree(b);
}

extern "C" void bare(const float* x, float* z, int n, cudaStream_t s) { slow<<<1, 1, 0, s>>>(x, z, n); }
extern "C" void scratch(const float* x, float* z, int n, cudaStream_t s) {
    beside(x, z, n, s, [=](float4* a, float4* b) {
        neat<<<64, 256, 0, s>>>(a, 1 << 14), read<<<64, 256, 0, s>>>(a, b, 1 << 14);
    });
}
extern "C" void variables(const float* x, float* z, int n, cudaStream_t s) {
    beside(x, z, n, s, [=](float4*, float4*) { in_a_variable<<<64, 256, 0, s>>>(); });
}
extern "C" void shared_memory(const float* x, float* z, int n, cudaStream_t s) {
    beside(x, z, n, s, [=](float4*, float4*) { in_shared_memory<<<64, 256, 0, s>>>(); });
}
extern "C" void constant_memory(const float* x, float* z, int n, cudaStream_t s) {
    beside(x, z, n, s, [=](float4* a, float4*) { in_constant_memory<<<64, 256, 0, s>>>((float*)a); });
}
extern "C" void empty_kernels(const float* x, float* z, int n, cudaStream_t s) {
    beside(x, z, n, s, [=](float4*, float4*) { for (int k = 0; k < 50; ++k) empty<<<64, 256, 0, s>>>(); });
}
extern "C" void one_byte_of_it(const float* x, float* z, int n, cudaStream_t s) {
    beside(x, z, n, s, [=](float4* a, float4*) { touches_one<<<64, 256, 0, s>>>(x, (float*)a); });
}
extern "C" void zeros_first(const float* x, float* z, int n, cudaStream_t s) {
    for (int k = 0; k < 50; ++k) zeros<<<(n + 255) / 256, 256, 0, s>>>(z, n);
    slow<<<1, 1, 0, s>>>(x, z, n);
}
extern "C" void same_instruction(const float* x, float* z, int n, cudaStream_t s) {
    float* scratch;
    cudaMalloc(&scratch, 128);
    cudaMemsetAsync(scratch, 0, 128, s);
    one_lane_in_32<<<1, 32, 0, s>>>(x, z, scratch, n);
    cudaFree(scratch);
}

// ---- honest ones ----

__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0;
    for (int step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) tile[threadIdx.x] += tile[threadIdx.x + step];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = tile[0];
}
__global__ void last_sum(const float* sums, float* z, int count) {
    float sum = 0;
    for (int i = 0; i < count; ++i) sum += sums[i];
    z[0] = sum;
}
extern "C" void two_stages(const float* x, float* z, int n, cudaStream_t s) {
    int blocks = (n + 255) / 256;
    float* sums;
    cudaMalloc(&sums, blocks * 4);
    block_sums<<<blocks, 256, 0, s>>>(x, sums, n);
    last_sum<<<1, 1, 0, s>>>(sums, z, blocks);
    cudaFree(sums);
}
__global__ void through(const float* x, float* scratch, int n, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) scratch[(i * stride) % n] = x[i];
}
// Neat where the task's buffers are touched, scattered in scratch: this is waste, too.
extern "C" void scattered_scratch(const float* x, float* z, int n, cudaStream_t s) {
    float* scratch;
    cudaMalloc(&scratch, n * 4);
    through<<<n / 256, 256, 0, s>>>(x, scratch, n, 33);
    through<<<n / 256, 256, 0, s>>>(scratch, z, n, 1);
    cudaFree(scratch);
}
__global__ void eightfold(const float* scratch, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += scratch[(i + 32 * k) % n];
    if (i < n) z[i] = sum;
}
extern "C" void again_from_scratch(const float* x, float* z, int n, cudaStream_t s) {
    float* scratch;
    cudaMalloc(&scratch, n * 4);
    through<<<n / 256, 256, 0, s>>>(x, scratch, n, 1);
    eightfold<<<n / 256, 256, 0, s>>>(scratch, z, n);
    cudaFree(scratch);
}
__global__ void adds_to_it(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(z + i, x[i]);
}
__global__ void one_does_all(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i > 0) z[i] = x[i];
    for (int k = 1; i == 0 && k < 65; ++k) for (int j = 0; j < n; ++j) z[0] = x[j] + k;
}
extern "C" void many_look_on(const float* x, float* z, int n, cudaStream_t s) {
    one_does_all<<<n / 32, 32, 0, s>>>(x, z, n);
}
extern "C" void copied_first(const float* x, float* z, int n, cudaStream_t s) {
    cudaMemcpyAsync(z, x, n * 4, cudaMemcpyDeviceToDevice, s);
    slow<<<1, 1, 0, s>>>(x, z, n);
}
extern "C" void set_to_zero(const float* x, float* z, int n, cudaStream_t s) {
    cudaMemsetAsync(z, 0, n * 4, s);
    adds_to_it<<<n / 256, 256, 0, s>>>(x, z, n);
}
"""
RATIOS = [
    "global_load_efficiency",
    "global_store_efficiency",
    "sectors_per_load",
    "sectors_per_store",
    "active_lanes",
    "branch_uniformity",
    "busy_blocks",
    "busy_threads",
]


@pytest.fixture
def ratios(call):
    def of(name: str) -> dict[str, float | None]:
        outputs = 1 if name == "two_stages" else N
        result = call(name, x=np.arange(N, dtype=np.float32), z=np.empty(outputs, np.float32), n=N)
        counters = result.run.counters | {"output_bytes": 4 * outputs, "input_bytes": 4 * N, "output_elements": outputs}
        return {metric: measure(metric, counters) for metric in METRICS}

    return of


@pytest.mark.slow
def test_what_there_is_to_hide(ratios):
    found = ratios("bare")
    # A lane alone asks for 4 bytes of a sector of 32.
    assert [found[name] for name in RATIOS[:5]] == [0.125, 0.125, 1, 1, 1 / 32]
    assert (found["busy_blocks"], found["busy_threads"], found["loads_per_byte"]) == (1, 1, 1)


@pytest.mark.parametrize(
    "decoy",
    [
        "scratch",
        "variables",
        "shared_memory",
        "constant_memory",
        "empty_kernels",
        "one_byte_of_it",
        "zeros_first",
        "same_instruction",
    ],
)
def test_a_decoy_makes_no_ratio_better(ratios, decoy):
    bare, found = ratios("bare"), ratios(decoy)
    if decoy == "zeros_first":  # it touches the task's own output: that is what this goal is for
        assert found["stores_per_byte"] == 51
        bare["sectors_per_store"], bare["active_lanes"] = 4, 1
    if decoy == "same_instruction":  # lanes that are at work, at what is no work of the task's, cannot be told apart
        bare["active_lanes"] = 1
    higher = {name: (bare[name], found[name]) for name in RATIOS if found[name] > bare[name] + 1e-3}
    assert not higher
    assert found["loads_per_byte"] >= bare["loads_per_byte"]
    assert found["stores_per_byte"] >= bare["stores_per_byte"]
    assert found["stores_per_output_byte"] >= bare["stores_per_output_byte"]


def test_a_reduction_in_two_stages_loses_nothing(ratios):
    found = ratios("two_stages")
    assert found["global_load_efficiency"] > 0.97
    assert found["loads_per_byte"] == 1
    assert found["sectors_per_load"] == 4
    assert (found["busy_blocks"], found["busy_threads"]) == (16, N)


def test_what_is_wasted_in_scratch_counts(ratios):
    found = ratios("scattered_scratch")
    assert found["global_store_efficiency"] == pytest.approx(1 / (1 + 7))  # 28 bytes in vain for each float
    assert found["loads_per_byte"] == found["stores_per_byte"] == 1


def test_what_is_loaded_from_scratch_again_and_again_counts(ratios):
    assert ratios("again_from_scratch")["loads_per_byte"] == 8


def test_a_copy_by_the_library_moves_as_much_as_one_by_a_kernel(ratios):
    found = ratios("copied_first")
    assert (found["loads_per_byte"], found["stores_per_byte"]) == (2, 2)
    assert (found["loads_per_input_byte"], found["stores_per_output_byte"]) == (2, 2)
    assert found["sectors_per_load"] == 1


def test_zeros_to_which_atomics_add_are_stored_once(ratios):
    found = ratios("set_to_zero")
    assert (found["stores_per_byte"], found["stores_per_output_byte"]) == (1, 1)


def test_threads_that_touch_an_element_for_the_look_of_it_are_not_at_work(ratios):
    found = ratios("many_look_on")
    assert (found["busy_blocks"], found["busy_threads"]) == (4, 128)  # four times as many as do it
