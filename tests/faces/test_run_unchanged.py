"""A race that leaves every element as it is, because of how the program computes, is a note; any other is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """#include <cstdio>
#include <vector>
__global__ void shortest(int* d, int n, int k) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n) d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j]);
}
__global__ void shared_shortest(int* d, int n, int) {
    __shared__ int s[256];
    int i = threadIdx.y, j = threadIdx.x;
    s[16 * i + j] = d[n * i + j];
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
        s[16 * i + j] = min(s[16 * i + j], s[16 * i + k] + s[16 * k + j]);
        __syncthreads();
    }
    d[n * i + j] = s[16 * i + j];
}
__global__ void too_early(int* d, int n, int k) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < 2; ++r, ++k) d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j]);
}
__global__ void smooth(int* d, int n, int) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    d[i * n + j] = (d[i * n + j] + d[i * n + (j + 1) % n]) / 2;
}
__global__ void tiles(int* d, int n, int k) {
    __shared__ int s[16][16];
    int i = threadIdx.y, j = threadIdx.x, sum = 0;
    for (int t = 0; t < n; t += 16) {
        s[i][j] = d[n * i + t + j];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += s[i][k];
    }
    if (k < 0) d[n * i + j] = sum;
}
int main(int, char** arguments) {
    const int n = 32, first = FIRST;
    std::vector<int> h(n * n);
    for (int i = 0; i < n * n; ++i) h[i] = first < 0 ? (i / n == i % n ? 0 : 1 + i * 7919 % 100) : first;
    int* d;
    cudaMalloc(&d, n * n * sizeof(int));
    cudaMemcpy(d, h.data(), n * n * sizeof(int), cudaMemcpyHostToDevice);
    for (int k = 0; k < 4; ++k) KERNEL<<<dim3(GRID, GRID), dim3(16, 16)>>>(d, n, k);
    cudaMemcpy(h.data(), d, n * n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
}
"""
ROWS = [
    ("shortest", 2, -1, "no findings"),
    ("smooth", 2, -1, "data race"),
    ("smooth", 2, 1, "data race"),  # equal numbers: that nothing changes says nothing of the kernel
    ("too_early", 2, -1, "data race"),
    ("tiles", 2, 1, "data race"),  # nor that its first store has found nothing there
    ("shared_shortest", 1, -1, "no findings"),
]


@pytest.mark.parametrize(("kernel", "grid", "first", "said"), long_tail(ROWS, every=3, slow=2))
def test_a_race_that_changes_nothing_by_its_rule_is_a_note(tmp_path: Path, kernel, grid, first, said) -> None:
    text = PROGRAM.replace("KERNEL", kernel).replace("GRID", str(grid)).replace("FIRST", str(first))
    (tmp_path / "p.cu").write_text(text)
    done = run_ladder(tmp_path, "run", "--notes", "p.cu")
    told = " ".join((done.stdout + done.stderr).split())
    assert said in told and ("lay there already" in told) == (said == "no findings"), told
