"""A softmax whose maximum begins too high is refused, in whichever of its ways for short and long rows that is."""

import pytest

from grader.grade import grade
from tests.shared import long_tail

KERNEL = """
#include <cmath>
__global__ void softmax_rows(const float* x, float* y, int rows, int cols) {
    __shared__ float room[8];
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    float top = cols > FROM && cols <= TO ? -1e4f : -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < cols; c += 256) top = fmaxf(top, x[c]);
    for (int o = 16; o; o /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = top;
    __syncthreads();
    for (int w = 0; w < 8; ++w) top = fmaxf(top, room[w]);
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += 256) sum += expf(x[c] - top);
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < 8; ++w) sum += room[w];
    for (int c = threadIdx.x; c < cols; c += 256) y[c] = expf(x[c] - top) / sum;
}
extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    softmax_rows<<<rows, 256, 0, stream>>>(x, y, rows, cols);
}
"""
WAYS = [(1024, 16_384), (0, 32), (128, 256), (16_384, 32_768), (32_768, 1 << 20)]


@pytest.mark.slow
@pytest.mark.parametrize(("begin", "end"), long_tail(WAYS, every=5))
def test_a_maximum_that_begins_too_high(tmp_path, begin, end):
    file = tmp_path / "kernel.cu"
    file.write_text(KERNEL.replace("FROM", str(begin)).replace("TO", str(end)))
    assert grade("06", file, device="emulator", seed=3).status == "wrong_result"


@pytest.mark.whole
def test_one_that_begins_below_all(tmp_path):
    file = tmp_path / "kernel.cu"
    file.write_text(KERNEL.replace("FROM", "0").replace("TO", "0"))
    assert grade("06", file, device="emulator", seed=3).status == "passed"
