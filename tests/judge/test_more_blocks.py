"""What holds no more blocks or elements than eight or sixteen bits count is wrong where there are more."""

from __future__ import annotations

import pytest

from grader.grade import grade
from grader.judge.more_blocks import EIGHT_BITS, SIXTEEN_BITS, narrow_types
from tests.shared import ROOT, long_tail

ADD = """
__global__ void add(const float* x, const float* y, float* z, int n) {
    INDEX
    if (i < n) z[i] = x[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / THREADS + 1, THREADS, 0, stream>>>(x, y, z, n);
}
"""
WRONG = [
    ("unsigned char b = blockIdx.x; int i = b * blockDim.x + threadIdx.x;", 1024),
    ("unsigned short b = blockIdx.x; int i = b * blockDim.x + threadIdx.x;", 256),
    ("int i = (blockIdx.x & 0xffff) * blockDim.x + threadIdx.x;", 256),
    ("struct { unsigned block : 12; } at{blockIdx.x}; int i = at.block * blockDim.x + threadIdx.x;", 256),
    ("int i = (float)blockIdx.x * blockDim.x + threadIdx.x;", 256),
]
RIGHT = [
    ("unsigned short t = threadIdx.x; int i = blockIdx.x * blockDim.x + t;", 256),
    ("int i = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;", 256),
]


def graded(tmp_path, lesson: str, text: str):
    file = tmp_path / "kernel.cu"
    file.write_text(text)
    return grade(lesson, file, device="emulator", seed=4)


@pytest.mark.parametrize(("index", "threads"), long_tail(WRONG, every=9))
def test_an_index_with_too_few_bits(tmp_path, index, threads):
    found = graded(tmp_path, "01", ADD.replace("INDEX", index).replace("THREADS", str(threads)))
    assert (found.status, found.stars) == ("not_written", 0)
    assert all(case.status == "passed" for case in found.tasks[0].cases[:-1])


@pytest.mark.whole
@pytest.mark.parametrize(("index", "threads"), RIGHT)
def test_what_is_narrow_and_right(tmp_path, index, threads):
    found = graded(tmp_path, "01", ADD.replace("INDEX", index).replace("THREADS", str(threads)))
    assert (found.status, found.stars) == ("passed", 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("type_", "status"),
    long_tail([("unsigned char", "not_written"), ("char", "out_of_bounds"), ("unsigned short", "passed")], every=2),
)
def test_blocks_of_rows_and_of_columns(tmp_path, type_, status):
    kernel = (ROOT / "kernels/04_tiled_matmul/3_shared_tile.cu").read_text()
    kernel = kernel.replace("int row = blockIdx.x / across", f"{type_} down = blockIdx.x / across; int row = down")
    assert graded(tmp_path, "04", kernel).status == status


@pytest.mark.slow
def test_rows_that_a_short_does_not_count(tmp_path):
    kernel = (ROOT / "kernels/06_online_softmax/1_three_passes.cu").read_text()
    found = graded(tmp_path, "06", kernel.replace("int row =", "short row ="))
    assert found.status == "out_of_bounds"


# A row takes a block of 256 threads so long that 66,000 rows do not end in time.
ROWS = """
#include <cstdint>
__device__ unsigned next_row;
__device__ float of_all(float v, float (*op)(float, float)) {
    __shared__ float kept[8];
    for (int o = 16; o > 0; o /= 2) v = op(v, __shfl_xor_sync(~0u, v, o));
    if (threadIdx.x % 32 == 0) kept[threadIdx.x / 32] = v;
    __syncthreads();
    v = kept[threadIdx.x % 8];
    for (int o = 4; o > 0; o /= 2) v = op(v, __shfl_xor_sync(~0u, v, o));
    __syncthreads();
    return v;
}
__device__ float greater(float a, float b) { return fmaxf(a, b); }
__device__ float sum(float a, float b) { return a + b; }
__global__ void softmax_of_row(const float* x, float* y, int rows, int cols) {
    ROW
    const int64_t begin = (int64_t)row * cols;
    float most = -INFINITY, all = 0;
    for (int c = threadIdx.x; c < cols; c += 256) most = greater(most, x[begin + c]);
    most = of_all(most, greater);
    for (int c = threadIdx.x; c < cols; c += 256) all += expf(x[begin + c] - most);
    all = of_all(all, sum);
    for (int c = threadIdx.x; c < cols; c += 256) y[begin + c] = expf(x[begin + c] - most) / all;
}
extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len, cudaStream_t s) {
    void* drawn; cudaGetSymbolAddress(&drawn, next_row);
    cudaMemsetAsync(drawn, 0, sizeof next_row, s);
    softmax_of_row<<<rows, 256, 0, s>>>(x, y, rows, cols);
}
"""
BACKWARDS = "const int row = rows - 1 - blockIdx.x;"
TICKET = "__shared__ int row; if (threadIdx.x == 0) row = atomicAdd(&next_row, 1u); __syncthreads();"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "status"),
    [
        ("const unsigned short row = blockIdx.x;", "not_written"),
        (TICKET + " const unsigned short bits = 1;", "passed"),
        pytest.param("const int row = blockIdx.x; const unsigned short bits = 1;", "passed", marks=pytest.mark.whole),
        pytest.param(BACKWARDS + " const unsigned short bits = 1;", "passed", marks=pytest.mark.whole),
    ],
)
def test_rows_that_take_too_long_for_all_of_them(tmp_path, row, status):
    found = graded(tmp_path, "06", ROWS.replace("ROW", row))
    assert found.status == status
    if status != "passed":
        assert "from number 65,536 on write the elements of the first ones again" in found.tasks[0].cases[-1].message


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("unsigned char b = blockIdx.x;", [EIGHT_BITS]),
        ("i = (short)(b * 256);", [EIGHT_BITS, SIXTEEN_BITS]),
        ("i = static_cast<std::uint16_t>(b);", [EIGHT_BITS, SIXTEEN_BITS]),
        ("__device__ int at(unsigned short b, int t);", [EIGHT_BITS, SIXTEEN_BITS]),
        ("struct At { unsigned block : 12; };", [EIGHT_BITS, SIXTEEN_BITS]),
        ("const unsigned char* x; __shared__ unsigned char tile[64]; uchar4 v; // short n", []),
    ],
)
def test_which_types_are_narrow(text, counts):
    assert narrow_types(text) == counts
