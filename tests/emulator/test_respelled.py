"""What g++ takes in another spelling than nvcc: it does in the emulator what it says, on the file's own lines."""

from __future__ import annotations

import numpy as np

SOURCE = """
extern __device__ int n;
extern __constant__ float w[2];
constexpr int warpSize = 32;
struct A { int a, b; };
struct B { A in; int c; };
struct P { float a, b; };
__global__ void nothing(P p) {}
__global__ void k(float* z, __device__ const float* x) {
#line 77 "other.cu"
    B both = {.in.b = 5, .c = 2};
    if (threadIdx.x == 0) { n += 3; z[0] = n + w[1] + both.in.b + both.in.a + both.c + warpSize + x[0]; }
}
extern "C" void f(const float* x, float* z, cudaStream_t stream) {
    float v[2] = {1, 2};
    cudaMemcpyToSymbol(w, v, sizeof v);
    nothing<<<1, 1, 0, stream>>>({1.f, 2.f});
    k<<<1, 32, 0, stream>>>(z, x);
}
"""
PROTOTYPE = "void f(const float* x, float* z, cudaStream_t stream)"


def run(run_kernel, source: str):
    return run_kernel(source, PROTOTYPE, checked=True, x=np.ones(4, np.float32), z=np.zeros(1, np.float32))


def test_it_works(run_kernel):
    outputs, case = run(run_kernel, SOURCE)
    assert case.findings == [] and outputs["z"] == 3 + 2 + 5 + 0 + 2 + 32 + 1


def test_what_is_wrong_is_told_on_its_own_line(run_kernel):
    _, case = run(run_kernel, SOURCE.replace("w[1]", "w[x[1] > 0 ? 2 : 1]"))
    (finding,) = [each for each in case.findings if each.severity == "error"]
    assert (finding.kind, finding.line) == ("out_of_bounds", SOURCE[: SOURCE.index("w[1]")].count("\n") + 1)
    assert "w has 2 elements" in finding.message


DESIGNATED = """
__device__ int table[] = {[3] = 8,
                                [0] = 1, -1};
__global__ void k(float* z, const float* x) {
    int off[4] = {[2] = 4,
                  [0] = 1, 5};
    float w[3] = {[1] = 2.f * 3.f, 5, [0] = -1.5f};
    z[0] = off[2] + 10 * off[0] + 100 * off[1] + 1000 * off[3] + table[3] + table[1] + table[2] + w[0] + w[1] + w[2];
    z[table[3] - 8] += x[threadIdx.x];
}
extern "C" void f(const float* x, float* z, cudaStream_t stream) { k<<<1, 1, 0, stream>>>(z, x); }
"""


def test_elements_named_by_their_index_may_stand_in_any_order(run_kernel):
    outputs, case = run(run_kernel, DESIGNATED)
    assert case.findings == [] and outputs["z"] == 4 + 10 + 500 + 0 + 8 - 1 + 0 - 1.5 + 6 + 5 + 1
    _, case = run(run_kernel, DESIGNATED.replace("x[threadIdx.x]", "x[4]"))
    assert [each.line for each in case.findings if each.severity == "error"] == [9]
