"""What a program asks of CUDA once holds for all later calls: more shared memory for a kernel."""

from __future__ import annotations

import pytest

from grader.grade import grade

KERNEL = """
__global__ void add(const float* x, const float* y, float* z, int n) {
    extern __shared__ float mine[];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        mine[threadIdx.x] = x[i];
        z[i] = mine[threadIdx.x] + y[i];
    }
}
constexpr int kBytes = 60 << 10;
static cudaError_t more() { return cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes); }
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    int blocks = (n - 1) / 256 + 1;
    ASK
    add<<<blocks, 256, kBytes, stream>>>(x, y, z, n);
}
"""
FIT = "cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, kBytes); blocks *= 16;"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ask", "status"),
    [
        ("static const cudaError_t once = more(); (void)once;", "passed"),
        ("static bool is_set; if (!is_set) more(); is_set = true;" + FIT, "passed"),
        ("if (n > 1000) more();", "launch_error"),
    ],
)
def test_what_a_static_variable_has_asked_for(tmp_path, ask, status):
    file = tmp_path / "kernel.cu"
    file.write_text(KERNEL.replace("ASK", ask))
    assert grade("01", file, device="emulator", seed=3).status == status
