"""`ladder run`: memory of malloc or new that host code copies to the device although nothing has set it."""

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
__global__ void add(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}
__global__ void values(const Pair* p, float* y) { Pair q = p[threadIdx.x]; y[threadIdx.x] += q.value + q.count; }
int main() {
    const int n = 1000, bytes = n * sizeof(float);
    float *x, *y;
    Pair* p;
    cudaMalloc(&x, bytes), cudaMalloc(&y, bytes), cudaMalloc(&p, 32 * sizeof(Pair));
    cudaMemset(y, 0, bytes);
    std::vector<float> zeros(n);
    BEFORE;
    add<<<4, 256>>>(x, y, n);
    cudaMemcpy(zeros.data(), y, bytes, cudaMemcpyDeviceToHost);
    printf("%f\\n", zeros[3]);
    cudaFree(x), cudaFree(y), cudaFree(p);
}
"""
MALLOC = "float* h = (float*)malloc(bytes); "
COPY = "; cudaMemcpy(x, h, bytes, cudaMemcpyHostToDevice); "
WRONG = {
    "never": MALLOC + COPY,
    "new": "float* h = new float[n]" + COPY,
    "half": MALLOC + "memset(h, 0, n)" + COPY,  # n bytes of 4 n
    "last": MALLOC + "for (int i = 0; i < n - 1; ++i) h[i] = 1" + COPY,
    "first": MALLOC + "for (int i = 4; i < n; ++i) h[i] = 1" + COPY,
    "asynchronous": MALLOC + "cudaMemcpyAsync(x, h, bytes, cudaMemcpyHostToDevice)",
    "large": "float* h = (float*)malloc(1 << 22)" + COPY,  # which has pages of its own
    "another": MALLOC + "float* g = (float*)malloc(bytes); std::fill(g, g + n, 1.f)" + COPY,
}
RIGHT = {
    "set": MALLOC + "for (int i = 0; i < n; ++i) h[i] = i" + COPY,
    "zero": MALLOC + "memset(h, 0, bytes)" + COPY,
    "calloc": "float* h = (float*)calloc(n, 4)" + COPY,
    "realloc": "float* h = (float*)realloc(malloc(100), bytes)" + COPY,  # of which nothing is known
    "value": "float* h = new float[n]()" + COPY,
    "vector": "std::vector<float> v(n, 1.f); float* h = v.data()" + COPY,
    "copied": MALLOC + "memcpy(h, zeros.data(), bytes)" + COPY,
    "from the device": MALLOC + "cudaMemcpy(h, y, bytes, cudaMemcpyDeviceToHost)" + COPY,
    "replaced": MALLOC + COPY + "cudaMemset(x, 0, bytes)",
    "copied again": MALLOC + COPY + "std::fill(h, h + n, 1.f)" + COPY,
    "an output": MALLOC + "cudaMemset(x, 0, bytes); cudaMemcpy(y, h, bytes, cudaMemcpyHostToDevice);"
    " cudaMemset(y, 0, bytes)",
    "padding": "Pair* q = (Pair*)malloc(32 * sizeof(Pair)); for (int i = 0; i < 32; ++i) q[i].value = q[i].count = 2;"
    " cudaMemcpy(p, q, 32 * sizeof(Pair), cudaMemcpyHostToDevice); values<<<1, 32>>>(p, y); cudaMemset(x, 0, bytes)",
    "freed": "free(malloc(bytes)); float* h = (float*)malloc(bytes); for (int i = 0; i < n; ++i) h[i] = i" + COPY,
}


def said_of(folder: Path, before: str) -> str:
    (folder / "t.cu").write_text(PROGRAM.replace("BEFORE", before))
    done = run_ladder(folder, "run", "t.cu")
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize("name", long_tail(list(WRONG), every=8))
def test_host_memory_that_nothing_has_set_is_told_where_a_kernel_reads_it(name: str, tmp_path: Path) -> None:
    said = said_of(tmp_path, WRONG[name])
    assert "1. uninitialised read t.cu:11 in kernel add" in said and "1 finding in" in said, said
    assert "the copy in line 21 has brought it from host memory that nothing has set" in said, said


@pytest.mark.parametrize("name", long_tail(list(RIGHT), every=8, slow=6))
def test_what_host_code_has_set_or_no_kernel_reads_is_right(name: str, tmp_path: Path) -> None:
    assert "no findings" in (said := said_of(tmp_path, RIGHT[name])), said


REGISTERS = """
__global__ void busy(const float* x, float* y, int rounds) {
    float a = x[threadIdx.x], b = 1.5f;
    for (int i = 0; i < rounds; ++i) {
        a = fmaf(a, b, 0.5f);
        b = fmaf(b, a, 0.25f);
    }
    y[threadIdx.x] = a + b;
}
int main() {
    float *x, *y;
    cudaMalloc(&x, 128);
    cudaMalloc(&y, 128);
    busy<<<1, 32>>>(x, y, 2'000'000);
    cudaDeviceSynchronize();
    cudaFree(x), cudaFree(y);
}
"""


@pytest.mark.slow
def test_a_long_loop_in_registers_ends_though_what_it_began_with_was_never_set(tmp_path: Path) -> None:
    (tmp_path / "busy.cu").write_text(REGISTERS)
    done = run_ladder(tmp_path, "run", "busy.cu")
    said = done.stdout + done.stderr
    assert "1 finding in 1 kernel" in said and "uninitialised read" in said and "leave the loop" not in said, said
