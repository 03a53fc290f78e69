"""`ladder run`: right programs with more of CUDA's libraries print what a GPU prints, and nothing is found in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faces.test_run_tells import run
from tests.shared import long_tail

ZIPPED = """
#include <cstdio>
#include <vector>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/mismatch.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
struct Square { __host__ __device__ int operator()(int x) const { return x * x; } };
struct Odd { __host__ __device__ bool operator()(int x) const { return x % 2; } };
int main() {
    const int k[] = {3, 1, 2}, v[] = {30, 10, 20};
    thrust::device_vector<int> dk(k, k + 3), dv(v, v + 3), other(v, v + 3);
    const auto first = thrust::make_zip_iterator(thrust::make_tuple(dk.begin(), dv.begin()));
    thrust::sort(first, first + 3);
    thrust::host_vector<int> h(3);
    const auto squares = thrust::make_transform_iterator(dv.begin(), Square());
    thrust::copy(squares, squares + 3, h.begin());
    const long place = thrust::mismatch(dv.begin(), dv.end(), other.begin()).first - dv.begin();
    thrust::transform_if(dv.begin(), dv.end(), dk.begin(), other.begin(), Square(), Odd());
    printf("%d %d %d ", (int)dk[0], (int)dv[0], (int)dv[2]);
    printf("%d %d %ld %d %d ", h[0], h[2], place, (int)other[1], (int)other[2]);
    printf("%d %d", thrust::max(2, 3), thrust::min(2, 3));
}
"""

NUMERIC = """
#include <cstdio>
#include <cuda/std/array>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/numeric>
#include <cuda/stream_ref>
__global__ void k(int* z) {
    cuda::std::array<int, 8> a, b{};
    cuda::std::iota(a.begin(), a.end(), 3);
    z[0] = cuda::std::accumulate(a.begin(), a.end(), 0);
    z[1] = cuda::std::inner_product(a.begin(), a.end(), a.begin(), 0);
    cuda::std::exclusive_scan(a.begin(), a.end(), b.begin(), 0);
    z[2] = b[3];
    cuda::std::inclusive_scan(a.begin(), a.end(), a.begin());
    z[3] = a[7] + cuda::std::midpoint(2, 8) + cuda::std::gcd(12, 18);
    z[4] = cuda::std::sqrt(16.f) + cuda::std::abs(cuda::std::complex<float>(3, 4));
}
void start(cuda::stream_ref stream, int* z) { k<<<1, 1, 0, stream.get()>>>(z); }
int main() {
    int* z;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocManaged(&z, 20);
    start(stream, z);
    cuda::stream_ref(stream).wait();
    printf("%d %d %d %d %d", z[0], z[1], z[2], z[3], z[4]);
    cudaFree(z);
    cudaStreamDestroy(stream);
}
"""

POOLS = """
#include <cstdio>
#include <cstdint>
int main() {
    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    uint64_t threshold = UINT64_MAX, used = 0, high = 0;
    int reuse = 0;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
    cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse);
    float* x;
    cudaMallocAsync(&x, 4096, 0);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
    printf("%d ", used >= 4096);
    cudaFreeAsync(x, 0);
    cudaStreamSynchronize(0);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high);
    printf("%d %d", (int)used, high >= 4096);
}
"""

THREADS = """
#include <cstdio>
#include <thread>
#include <vector>
__global__ void add(float* x) { x[threadIdx.x] += 1; }
void work() {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    for (int round = 0; round < 20; ++round) {
        float *x, h[32];
        cudaMallocAsync(&x, sizeof h, s);
        cudaMemsetAsync(x, 0, sizeof h, s);
        add<<<1, 32, 0, s>>>(x);
        cudaMemcpyAsync(h, x, sizeof h, cudaMemcpyDeviceToHost, s), cudaFreeAsync(x, s);
        cudaStreamSynchronize(s);
    }
    cudaStreamDestroy(s);
}
int main() {
    std::vector<std::thread> all;
    for (int i = 0; i < 4; ++i) all.emplace_back(work);
    for (auto& each : all) each.join();
    printf("done");
}
"""
PACKED = """
#include <cstdio>
#pragma pack(push, 1)
struct Header { char kind; int n; float scale; };
#pragma pack(pop)
struct Flags { unsigned low : 3, high : 5; int plain; };
struct Pair { int a, b; };
struct __attribute__((packed)) Both { char c; Pair pair; };
__global__ void k(int* z, int n, float scale, unsigned bits, int plain, Pair p) {
    if (threadIdx.x < n) z[threadIdx.x] = int(scale * threadIdx.x) + bits + plain + p.a + p.b;
}
int main() {
    Header h{'a', 20, 1.5f}, *to = &h; Flags f{5, 17, 3}; Both b{'c', {1, 2}};
    int* d; cudaMalloc(&d, 128);
    cudaMemset(d, 0, 128);
    k<<<1, 32>>>(d, h.n, to->scale, f.high, f.plain, b.pair);
    k<<<1, 32>>>(d, (*to).n, (&h)->scale, f.low, f.plain, b.pair);
    int z[32]; cudaMemcpy(z, d, 128, cudaMemcpyDeviceToHost);
    printf("%d %d %d\\n", z[0], z[19], z[20]);
    cudaFree(d);
}
"""
PROGRAMS = {
    "pools": (POOLS, "1 0 1"),
    "zipped": (ZIPPED, "1 10 30 100 900 0 10 900 3 2"),
    "numeric": (NUMERIC, "52 380 12 63 9"),
    "threads": (THREADS, "done"),
    "packed": (PACKED, "11 39 0"),
}


@pytest.mark.parametrize("name", long_tail(list(PROGRAMS), every=8))
def test_a_right_program_prints_what_a_gpu_prints(tmp_path: Path, name: str):
    text, prints = PROGRAMS[name]
    told = run(tmp_path, text)
    assert told.startswith(prints) and "no findings" in told


TRIANGLES = """
#include <cstdio>
#include <vector>
#include <cublas_v2.h>
float* up(const std::vector<float>& v) {
    float* p;
    cudaMalloc(&p, v.size() * sizeof(float));
    cudaMemcpy(p, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
    return p;
}
void show(const char* name, const float* d, int n) {
    std::vector<float> h(n);
    cudaMemcpy(h.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%s:", name);
    for (float v : h) printf(" %g", v);
    puts("");
}
int main() {
    cublasHandle_t h;
    cublasCreate(&h);
    const auto left = CUBLAS_SIDE_LEFT, right = CUBLAS_SIDE_RIGHT;
    const auto lower = CUBLAS_FILL_MODE_LOWER, upper = CUBLAS_FILL_MODE_UPPER;
    const auto n = CUBLAS_OP_N, t = CUBLAS_OP_T;
    const auto any = CUBLAS_DIAG_NON_UNIT;
    float one = 1, two = 2, zero = 0;
    const std::vector<float> lows{2, 1, 3, 0, 4, 5, 0, 0, 6};
    float *a = up(lows), *l = up(lows), *b = up({2, 5, 14, 4, 6, 20}), *c = up(std::vector<float>(9, 1));
    float *x = up({1, 2, 3}), *y = up({1, 1, 1});
    cublasStrsm(h, left, lower, n, any, 3, 2, &one, a, 3, b, 3), show("trsm", b, 6);
    cublasStrmm(h, left, lower, n, any, 3, 2, &one, a, 3, b, 3, b, 3), show("trmm", b, 6);
    cublasSsyrk(h, upper, n, 3, 2, &two, b, 3, &one, c, 3), show("syrk", c, 9);
    cublasSsymm(h, left, upper, 3, 2, &one, c, 3, b, 3, &zero, a, 3), show("symm", a, 6);
    cublasSsymv(h, upper, 3, &one, c, 3, x, 1, &one, y, 1), show("symv", y, 3);
    cublasStrsv(h, lower, t, any, 3, l, 3, x, 1), show("trsv", x, 3);
    cublasStrmv(h, lower, n, CUBLAS_DIAG_UNIT, 3, l, 3, x, 1), show("trmv", x, 3);
    cublasSdgmm(h, right, 3, 2, b, 3, y, 1, b, 3), show("dgmm", b, 6);
    cublasSsyr2k(h, lower, n, 3, 2, &one, x, 3, x, 3, &zero, c, 3);
    cublasDestroy(h);
}
"""
OF_TRIANGLES = """
trsm: 1 1 1 2 1 1.5 trmm: 2 5 14 4 6 20 syrk: 41 1 1 69 123 1 217 381 1193 symm: 3465 6087 19041 4918 8634 27014
symv: 831 1459 4559 trsv: -0.1875 -0.125 0.5 trmv: -0.1875 -0.3125 -0.6875 dgmm: 1662 4155 11634 5836 8754 29180
"""


@pytest.mark.whole
def test_cublas_s_triangles_are_solved_and_multiplied(tmp_path: Path):
    """The last call reads more of x than there is, and is told."""
    told = run(tmp_path, TRIANGLES)
    assert told.startswith(" ".join(OF_TRIANGLES.split())) and "1 finding" in told and "p.cu" in told
