"""`ladder run`: cub's algorithms by keys, segments and neighbours, with what is worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faces.test_run_tells import run
from tests.shared import long_tail
from tests.warm import run_ladder

BLOCKS = """
#include <cstdio>
#include <cub/cub.cuh>
struct Less { template <class T> __device__ bool operator()(T a, T b) const { return a < b; } };
struct Minus { __device__ int operator()(int a, int b) const { return a - b; } };
struct Differ { __device__ bool operator()(int a, int b) const { return a != b; } };
struct Before { int sum; __device__ int operator()(int all) { const int old = sum; sum += all; return old; } };
template <cub::BlockHistogramAlgorithm how> __global__ void count(const unsigned char* x, unsigned* z) {
    using Histogram = cub::BlockHistogram<unsigned char, 64, 4, 256, how>;
    __shared__ typename Histogram::TempStorage storage;
    __shared__ unsigned bins[256];
    unsigned char mine[4];
    cub::LoadDirectStriped<64>(threadIdx.x, x, mine);
    Histogram(storage).Histogram(mine, bins);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 64) z[i] = bins[i];
}
__global__ void neighbours(const int* x, int* heads, int* steps, int* sorted) {
    __shared__ cub::BlockDiscontinuity<int, 64>::TempStorage first;
    __shared__ cub::BlockAdjacentDifference<int, 64>::TempStorage second;
    __shared__ cub::BlockMergeSort<int, 64, 2>::TempStorage third;
    int mine[2], is[2];
    cub::LoadDirectBlocked(threadIdx.x, x, mine);
    cub::BlockDiscontinuity<int, 64>(first).FlagHeads(is, mine, Differ());
    cub::StoreDirectBlocked(threadIdx.x, heads, is);
    cub::BlockAdjacentDifference<int, 64>(second).SubtractLeft(mine, is, Minus());
    cub::StoreDirectBlocked(threadIdx.x, steps, is);
    cub::BlockMergeSort<int, 64, 2>(third).Sort(mine, Less());
    cub::StoreDirectBlocked(threadIdx.x, sorted, mine);
}
__global__ void scans(int* x, int n) {
    using Scan = cub::BlockScan<int, 64>;
    __shared__ Scan::TempStorage storage;
    __shared__ cub::WarpScan<int>::TempStorage of_warps[2];
    Before before{100};
    for (int at = 0; at < n; at += 128) {
        int mine[2];
        cub::LoadDirectBlocked(threadIdx.x, x + at, mine);
        Scan(storage).InclusiveSum(mine, mine, before);
        __syncthreads();
        cub::StoreDirectBlocked(threadIdx.x, x + at, mine);
    }
    int sum, all;
    cub::WarpScan<int>(of_warps[threadIdx.x / 32]).ExclusiveSum(1, sum, all);
    if (threadIdx.x == 37) printf("%d %d ", sum, all);
}
int main() {
    unsigned char* bytes;
    unsigned* bins;
    int *x, *z;
    cudaMallocManaged(&bytes, 256), cudaMallocManaged(&bins, 1024);
    cudaMallocManaged(&x, 1024), cudaMallocManaged(&z, 1536);
    for (int i = 0; i < 256; ++i) bytes[i] = i / 3, x[i] = 200 - i / 5;
    count<cub::BLOCK_HISTO_ATOMIC><<<1, 64>>>(bytes, bins);
    cudaDeviceSynchronize();
    printf("%u %u %u ", bins[0], bins[85], bins[200]);
    count<cub::BLOCK_HISTO_SORT><<<1, 64>>>(bytes, bins);
    neighbours<<<1, 64>>>(x, z, z + 128, z + 256);
    cudaDeviceSynchronize();
    printf("%u %d%d%d %d %d %d %d ", bins[7], z[0], z[4], z[5], z[128], z[133], z[256], z[383]);
    scans<<<1, 64>>>(x, 256);
    cudaDeviceSynchronize();
    printf("%d %d", x[0], x[255] - x[254]);
}
"""

OF_DEVICE = """
#include <climits>
#include <cstdio>
#include <vector>
#include <cub/cub.cuh>
struct Least { __device__ int operator()(int a, int b) const { return a < b ? a : b; } };
template <class T> T* up(const std::vector<T>& v) {
    T* p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}
void show(const int* d, int n) {
    std::vector<int> h(n);
    cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int v : h) printf("%d ", v);
}
#define TWICE(...) { void* t = nullptr; std::size_t b = 0; __VA_ARGS__; cudaMalloc(&t, b); __VA_ARGS__; cudaFree(t); }
int main() {
    const int n = 9;
    int *x = up<int>({8, 6, 7, 5, 3, 0, 9, 9, 5}), *keys = up<int>({0, 0, 1, 1, 1, 2, 2, 2, 3});
    int *at = up<int>({0, 1, 2, 3, 4, 5, 6, 7, 8}), *ends = up<int>({0, 3, 3, 9}), *z, *w, *many;
    cudaMalloc(&z, 36), cudaMalloc(&w, 36), cudaMalloc(&many, 4);
    TWICE(cub::DeviceScan::InclusiveSumByKey(t, b, keys, x, z, n)) show(z, n);
    TWICE(cub::DeviceScan::ExclusiveSumByKey(t, b, keys, x, z, n)) show(z, n);
    TWICE(cub::DeviceReduce::ReduceByKey(t, b, keys, w, x, z, many, Least(), n)) show(z, 4), show(many, 1);
    TWICE(cub::DeviceRunLengthEncode::NonTrivialRuns(t, b, keys, w, z, many, n)) show(w, 3), show(z, 3), show(many, 1);
    TWICE(cub::DeviceSegmentedRadixSort::SortKeysDescending(t, b, x, z, n, 3, ends, ends + 1)) show(z, n);
    TWICE(cub::DeviceSegmentedSort::SortPairs(t, b, x, w, at, z, n, 3, ends, ends + 1)) show(z, n);
    TWICE(cub::DeviceAdjacentDifference::SubtractLeftCopy(t, b, x, z, n)) show(z, n);
}
"""
FOUND = """
8 14 7 12 15 0 9 18 5  0 8 0 7 12 0 0 9 0  6 3 0 5 4  0 2 5 2 3 3 3  8 7 6 9 9 5 5 3 0  1 2 0 5 4 3 8 6 7
8 -2 1 -2 -2 -3 9 0 -4
"""

CHECKED = """
#include <cstdio>
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/reduce.h>
template <class It> struct strided {
    using diff = typename thrust::iterator_difference<It>::type;
    struct step { diff by; __host__ __device__ diff operator()(const diff& i) const { return by * i; } };
    using Count = thrust::counting_iterator<diff>;
    using At = thrust::transform_iterator<step, Count>;
    using iterator = thrust::permutation_iterator<It, At>;
};
int main() {
    thrust::device_vector<int> v(8);
    for (int i = 0; i < 8; ++i) v[i] = i;
    using S = strided<thrust::device_vector<int>::iterator>;
    S::iterator b(v.begin(), S::At(S::Count(0), S::step{2}));
    thrust::iterator_value<thrust::device_vector<int>::iterator>::type sum = thrust::reduce(b, b + 4);
    int h, *out;
    void* t = nullptr;
    std::size_t bytes = 0;
    CubDebugExit(cudaMalloc(&out, 4));
    CubDebugExit(cub::DeviceReduce::Sum(t, bytes, v.begin(), out, 8));
    CubDebugExit(cudaMalloc(&t, bytes));
    CubDebugExit(cub::DeviceReduce::Sum(t, bytes, v.begin(), out, 8));
    if (CubDebug(cudaMemcpy(&h, out, 4, cudaMemcpyDeviceToHost))) return 3;
    printf("%d %d\\n", sum, h);
    cudaFree(t), cudaFree(out);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "prints"),
    long_tail(
        [(BLOCKS, "3 1 0 3 101 200 -1 175 200 5 32 300 149"), (OF_DEVICE, FOUND), (CHECKED, "12 28")], every=100, slow=2
    ),
    ids=["blocks", "device", "checked"],
)
def test_cub_s_algorithms_by_keys_segments_and_neighbours(tmp_path: Path, text: str, prints: str):
    told = run(tmp_path, text)
    assert told.startswith(" ".join(prints.split())) and "no findings" in told


TEMPORARY = """
#include <cub/cub.cuh>
int main(int, char** arguments) {
    int *in, *out;
    void* t = nullptr;
    std::size_t bytes = 0;
    cudaMalloc(&in, 256), cudaMalloc(&out, 256), cudaMemset(in, 0, 256);
    cub::DeviceScan::ExclusiveSum(t, bytes, in, out, 64);
    switch (*arguments[1]) {
        case 'a': cudaMalloc(&t, bytes); break;
        case 'b': cudaMalloc(&t, bytes /= 2); break;
        case 'c': cudaMalloc(&t, bytes / 2); break;
        case 'd': cudaMalloc(&t, bytes), cudaFree(t); break;
        case 'e': t = malloc(bytes); break;
        case 'f': cudaMallocManaged(&t, bytes); break;
        case 'g': cudaMalloc(&t, 1 << 16), t = (char*)t + 256; break;
    }
    cub::DeviceScan::ExclusiveSum(t, bytes, in, out, 64);
}
"""
TOLD = {
    "a": "no findings",
    "b": "p.cu:18 cub is told that its temporary memory has 256 bytes, and this call needs 512",
    "c": "p.cu:18 cub's temporary memory has 256 bytes, and this call is told that it has 512",
    "d": "p.cu:18 cub's temporary memory was freed before this call",
    "e": "p.cu:18 cub's temporary memory is no memory of the GPU",
    "f": "no findings",
    "g": "no findings",
}


@pytest.mark.slow
def test_too_little_temporary_memory_is_told(tmp_path: Path):
    (tmp_path / "p.cu").write_text(TEMPORARY)
    for case, told in TOLD.items():
        done = run_ladder(tmp_path, "run", "p.cu", "--", case)
        said = " ".join((done.stdout + done.stderr).split())
        assert told in said, said


OF_SIZE = """
#include <cub/cub.cuh>
#include <cstdlib>
int main(int, char** arguments) {
    const int n = 100000, asked = atoi(arguments[2]);
    int *in, *out, *values;
    cudaMalloc(&in, 4 * n), cudaMalloc(&out, 4 * n), cudaMalloc(&values, 4 * n);
    cudaMemset(in, 0, 4 * n), cudaMemset(values, 0, 4 * n);
    void* t = nullptr;
    std::size_t bytes = 0;
    #define CALL(n) switch (*arguments[1]) {                                                          \\
        case 's': cub::DeviceScan::ExclusiveSum(t, bytes, in, out, n); break;                         \\
        case 'r': cub::DeviceReduce::Sum(t, bytes, in, out, n); break;                                \\
        case 'k': cub::DeviceRadixSort::SortKeys(t, bytes, in, out, n); break;                        \\
        case 'p': cub::DeviceRadixSort::SortPairs(t, bytes, in, out, values, values, n); break;       \\
        case 'u': cub::DeviceSelect::Unique(t, bytes, in, out, values, n); break;                     \\
        case 'o': if (t) cub::DeviceScan::InclusiveSum(t, bytes, in, out, n);                         \\
                  else cub::DeviceReduce::Sum(t, bytes, in, out, n);                                  \\
    }
    CALL(asked)
    cudaMalloc(&t, bytes);
    CALL(n)
    cudaFree(t), cudaFree(in), cudaFree(out), cudaFree(values);
}
"""


TOO_FEW = [("s 1000", "1,280"), ("k 1000", "400,640"), ("p 50000", "800,512"), ("u 10", "1,280"), ("o 100000", "1,280")]
ENOUGH = ["s 100000", "k 100000", "s 200000", "p 100001", "u 100000", "r 1000"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "needs"),
    long_tail(TOO_FEW, every=6, slow=6),
)
def test_temporary_memory_that_was_asked_for_fewer_elements_is_told(tmp_path: Path, asked: str, needs: str):
    (tmp_path / "p.cu").write_text(OF_SIZE)
    done = run_ladder(tmp_path, "run", "p.cu", "--no-counters", "--no-races", "--", *asked.split())
    said = " ".join((done.stdout + done.stderr).split())
    assert f"bytes, and this call needs {needs}, so it fails" in said and "1 finding" in said, said


@pytest.mark.slow
@pytest.mark.parametrize("asked", long_tail(ENOUGH, every=6, slow=6))
def test_temporary_memory_that_was_asked_for_as_many_is_enough(tmp_path: Path, asked: str):
    (tmp_path / "p.cu").write_text(OF_SIZE)
    done = run_ladder(tmp_path, "run", "p.cu", "--no-counters", "--no-races", "--", *asked.split())
    assert "no findings" in done.stderr, done.stdout + done.stderr
