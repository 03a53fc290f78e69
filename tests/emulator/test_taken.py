"""What the front end takes as nvcc does (tests/language) has the same results in a run."""

from __future__ import annotations

import numpy as np
import pytest

SOURCE = """
#include <array>
#include <cuda/std/cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <memory>
#include <optional>
#include <utility>
constexpr int table[] = {1, 2, 3};
constexpr int operator""of(unsigned long long n) { return 10 * n; }

template <int N> __global__ void taken_kernel(int* z) {
    auto element = [](int i) { return table[i]; };
    constexpr int known = element(2);
    z[0] = element(1);
    z[1] = known;
    z[2] = element(N) + 4of;
}
extern "C" void taken(int* z, cudaStream_t stream) {
    int* memory = nullptr;
    cudaMalloc(&memory, 3 * sizeof(int));
    std::unique_ptr<int, decltype(&cudaFree)> owner(memory, &cudaFree);
    taken_kernel<0><<<1, 1, 0, stream>>>(owner.get());
    cudaMemcpyAsync(z, memory, 3 * sizeof(int), cudaMemcpyDeviceToDevice, stream);
    cudaStreamSynchronize(stream);
}

__global__ void loaded_kernel(const __nv_bfloat162* pairs, const half* numbers, const float4* fours, float* z) {
    const __nv_bfloat162 pair = __ldcg(pairs + 1);
    z[0] = __low2float(pair);
    z[1] = __high2float(__ldg(pairs));
    z[2] = __half2float(__ldcs(numbers + 2));
    z[3] = __ldg(fours + 1).w;
}
extern "C" void loaded(const float* pairs, const float* numbers, const float* fours, float* z, cudaStream_t stream) {
    loaded_kernel<<<1, 1, 0, stream>>>(reinterpret_cast<const __nv_bfloat162*>(pairs),
        reinterpret_cast<const half*>(numbers), reinterpret_cast<const float4*>(fours), z);
}

__global__ void between_kernel(float* z) {
    for (int i = 0; i < 3; ++i) z[i] = cuda::std::lerp(-1e8f, 1.0f, 0.5f * i);
}
extern "C" void between(float* z, cudaStream_t stream) { between_kernel<<<1, 1, 0, stream>>>(z); }

struct Owner {   // stands for its memory, which its end frees
    float* memory;
    explicit Owner(int n) { cudaMalloc(&memory, n * sizeof(float)); }
    ~Owner() { cudaFree(memory); }
    operator float*() const { return memory; }
};
struct Once : Owner {
    using Owner::Owner;
    Once(const Once&) = delete;
};
struct Counted {   // a kernel's parameter that says how it is copied
    float value;
    __host__ __device__ Counted(float v) : value(v) {}
    __host__ __device__ Counted(const Counted& other) : value(other.value) {}
};
__global__ void owned_kernel(float* a, float* b, Counted c) { a[threadIdx.x] = b[threadIdx.x] = c.value + threadIdx.x; }
__global__ void added_kernel(const float* a, const float* b, float* z) {
    z[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
extern "C" void owned(float* z, cudaStream_t stream) {
    Owner a(4);
    const Once b(4);
    owned_kernel<<<1, 4, 0, stream>>>(a, b, Counted(3));
    added_kernel<<<1, 4, 0, stream>>>(a, b, z);
    cudaStreamSynchronize(stream);
}
__global__ void guided_kernel(int* z) {
    std::array numbers{1, 2, 3};
    inline int local = numbers[1];
    __shared__ alignas(double) int tile[2], other[2];
    tile[0] = local;
    static constexpr std::array<int, 3> table = {7, 8, 9};
    const clock_t before = clock();
    z[1] = table[threadIdx.x + 2];
    z[0] = tile[0] + numbers.size() + (clock() > before);
}
__global__ void compared_kernel(const half* x, const __nv_bfloat16* y, const __nv_fp8_e4m3* q, int* z) {
    z[0] = __hgt(x[0], x[1]) + 2 * __hle(y[0], y[1]) + 4 * __hisnan(x[0]);
    z[1] = __half2int_rn(x[1]) + 10 * __half2int_ru(x[0]) + 100 * __bfloat162int_rz(y[1]);
    z[2] = float(q[0]) < 0;
    z[3] = __nv_fp8_e4m3(__half2float(x[1])).__x;
}
extern "C" void compared(const int* x, const int* y, const int* q, int* z, cudaStream_t stream) {
    compared_kernel<<<1, 1, 0, stream>>>((const half*)x, (const __nv_bfloat16*)y, (const __nv_fp8_e4m3*)q, z);
}
__global__ void maybe_kernel(std::optional<float> a, std::pair<double, int> b, float* z) {
    z[0] = a.value_or(0) + b.first + b.second;
}
extern "C" void maybe(float* z, cudaStream_t stream) {
    maybe_kernel<<<1, 1, 0, stream>>>(1.5f, std::make_pair(2.0f, short(3)), z);
    maybe_kernel<<<1, 1, 0, stream>>>(std::nullopt, {2, 3}, z + 1);
}
extern "C" void guided(int* z, cudaStream_t stream) { guided_kernel<<<1, 1, 0, stream>>>(z); }
"""


@pytest.mark.slow
def test_lerp_begins_and_ends_where_it_is_told(call):
    assert call("between", z=np.zeros(3, np.float32))["z"].tolist() == [-1e8, -5e7, 1]


@pytest.mark.slow
def test_loads_of_cudas_own_types(call):
    pairs = np.array([1, 2, 3, 4], np.float32).view(np.uint32) >> 16  # as bfloat16
    outputs = call(
        "loaded",
        pairs=pairs.astype(np.uint16).view(np.float32),
        numbers=np.array([1, 2, 3, 4], np.float16).view(np.float32),
        fours=np.arange(8, dtype=np.float32),
        z=np.zeros(4, np.float32),
    )
    assert outputs["z"].tolist() == [3, 2, 3, 7]


def test_lambdas_with_constants_own_literals_and_cuda_free_as_a_deleter(call):
    for _ in range(2):  # what the first call left would be a leak in the second
        assert call("taken", z=np.zeros(3, np.int32))["z"].tolist() == [2, 3, 41]


def test_an_object_that_owns_memory_is_not_copied_by_a_launch(call):
    for _ in range(2):
        assert call("owned", z=np.zeros(4, np.float32))["z"].tolist() == [6, 8, 10, 12]


def test_an_array_by_its_guide_and_words_that_say_nothing(call):
    assert call("guided", z=np.zeros(2, np.int32))["z"].tolist() == [6, 9]


def test_comparisons_and_conversions_of_what_lies_in_memory(call):
    x = np.array([2.5, 1.5], np.float16).view(np.int32)
    y = (np.array([2, 3], np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.int32)
    outputs = call("compared", x=x, y=y, q=np.array([0xB8], np.int32), z=np.zeros(4, np.int32))
    assert outputs["z"].tolist() == [3, 2 + 30 + 300, 1, 0x3C]


def test_a_parameter_that_a_template_constructor_makes_from_the_argument(call):
    assert call("maybe", z=np.zeros(2, np.float32))["z"].tolist() == [6.5, 5]
