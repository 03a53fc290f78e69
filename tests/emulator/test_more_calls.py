"""Small cases once more behind larger ones, and a larger case in another order of blocks: what a GPU shows one day."""

from __future__ import annotations

import pytest

from grader.grade import grade
from tests.shared import long_tail

SUM = """
__device__ float parts[64];
__global__ void part(const float* x, int n) {
    __shared__ float warps[8];
    float s = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) s += x[i];
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        s = 0;
        for (int w = 0; w < 8; ++w) s += warps[w];
        parts[blockIdx.x] = s;
    }
}
__global__ void combine(float* out, int count) {
    float s = 0;
    for (int k = threadIdx.x; k < count; k += 32) s += parts[k];
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x == 0) out[0] = s;
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    int blocks = min((n + 1023) / 1024, 64);
    part<<<blocks, 256, 0, stream>>>(x, n);
    combine<<<1, 32, 0, stream>>>(out, COUNT);
}
"""


def graded(tmp_path, text: str):
    file = tmp_path / "kernel.cu"
    file.write_text(text)
    return grade("05", file, device="emulator", seed=4).tasks[0]


COUNTS = [
    ("n > 64 ? blocks : 64", "is called behind larger ones"),
    ("64", "whatever earlier ones have done"),
    ("blocks", ""),
]


@pytest.mark.parametrize(("count", "said"), long_tail(COUNTS, every=3))
def test_what_a_larger_case_has_left(tmp_path, count, said):
    found = graded(tmp_path, SUM.replace("COUNT", count))
    assert found.status == ("wrong_result" if said else "passed")
    assert said in found.cases[-1].message


SWAPPED = """
__device__ unsigned total;
__device__ unsigned done;
__global__ void add(const float* x, float* out, int n) {
    float s = 0;
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += gridDim.x * 1024) s += x[i];
    __shared__ float warps[32];
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x) return;
    for (int w = 1; w < 32; ++w) s += warps[w];
    volatile __shared__ unsigned want;   // so that no rule on the code alone sees that a swap may fail
    unsigned seen = *(volatile unsigned*)&total;
    do {
        want = seen;
        seen = atomicCAS(&total, want, __float_as_uint(__uint_as_float(want) + s));
    } while (AGAIN);
    __threadfence();
    if (atomicInc(&done, gridDim.x - 1) == gridDim.x - 1) out[0] = __uint_as_float(atomicExch(&total, 0u));
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    add<<<min((n + 16383) / 16384, 64), 1024, 0, stream>>>(x, out, n);
}
"""


@pytest.mark.parametrize("again", ["false", pytest.param("seen != want", marks=pytest.mark.slow)])
def test_a_swap_that_fails_where_only_a_large_case_has_several_blocks(tmp_path, again):
    found = graded(tmp_path, SWAPPED.replace("AGAIN", again))
    if again == "false":
        assert found.status == "wrong_result"
        assert any("if the last block begins first" in case.message for case in found.cases)
    else:
        assert found.status == "passed"
