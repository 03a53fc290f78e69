"""`ladder run`: host code that looks at what a copy has brought although nothing had written it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>
struct Pair { double value; int count; };
__global__ void even(float* y, int n) { int i = 2 * threadIdx.x; if (i < n) y[i] = 1; }
__global__ void pairs(Pair* p) { p[threadIdx.x].value = 2, p[threadIdx.x].count = 3; }
int main() {
    const int n = 64;
    float *y, *pinned, plain[n], sum = 0;
    Pair *p;
    cudaMalloc(&y, n * sizeof(float)), cudaMalloc(&p, 8 * sizeof(Pair)), cudaMallocHost(&pinned, n * sizeof(float));
    std::vector<float> h(n);
    std::vector<Pair> q(8);
    even<<<1, 32>>>(y, n);
    pairs<<<1, 8>>>(p);
    cudaMemcpy(h.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(q.data(), p, 8 * sizeof(Pair), cudaMemcpyDeviceToHost);
    LOOKS;
    printf("%f\\n", sum + plain[0] + pinned[0]);
    cudaFree(y), cudaFree(p), cudaFreeHost(pinned);
}
"""
WRONG = [
    "sum = h[1]",
    "for (float value : h) sum += value",
    "cudaMemcpy(pinned, y, 256, cudaMemcpyDeviceToHost); sum = pinned[63]",
    "cudaMemcpyAsync(pinned, y, 256, cudaMemcpyDeviceToHost); cudaDeviceSynchronize(); sum = pinned[1]",
    "cudaMemcpy2D(plain, 8, y, 16, 8, 16, cudaMemcpyDeviceToHost); sum = plain[1]",
    "h[1] = 2; sum = h[3]",
    "if (h[1] == 1) sum = 1",
]
RIGHT = [
    "for (int i = 0; i < n; i += 2) sum += h[i];"
    " for (Pair each : q) sum += each.value + each.count;"  # and the gap between two of them
    " std::vector<float> copy = h; std::vector<Pair> pairs = q; sum += pairs[1].count;"
    " memcpy(plain, h.data(), sizeof plain)",
    "h[1] = 2; sum = h[1]; std::fill(h.begin(), h.end(), -1.f); sum += h[3];"
    " memset(h.data(), -1, n * sizeof(float)); sum += h[5]",
    "cudaMemset(y, 0, 256); cudaMemcpy(h.data(), y, 256, cudaMemcpyDeviceToHost); sum = h[1]",
    "std::sort(h.begin(), h.begin() + 1); h = std::vector<float>(n, 3); sum = h[1]",
]


def run(folder: Path, looks: str) -> str:
    (folder / "t.cu").write_text(PROGRAM.replace("LOOKS", looks))
    done = run_ladder(folder, "run", "t.cu")
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize("looks", long_tail(WRONG, every=8))
def test_who_looks_at_what_nothing_has_written_is_told(tmp_path, looks):
    said = run(tmp_path, looks)
    assert "1. uninitialised read t.cu:22 host code reads element " in said, said
    assert "of y (cudaMalloc in line 15), as the copy in line 2" in said and "1 finding in 2 kernels" in said, said


@pytest.mark.parametrize("looks", long_tail(RIGHT, every=8))
def test_what_host_code_leaves_alone_or_has_set_since_is_not(tmp_path, looks):
    assert "no findings" in (said := run(tmp_path, looks)), said
