"""Sixteen bytes need a multiple of sixteen if they are a vector; a structure of two numbers lies wherever these may."""

from __future__ import annotations

import pytest
from checked_kernel import run

WHERE = {
    "shared": ("", "__shared__ Holder held[32];"),
    "global": ("__device__ Holder held[32];", ""),
    "local": ("", "Holder held[32];"),
}
PAIRS = """
struct Pair {{ double a, b; }};
struct Holder {{ double first; Pair pair; }};
__device__ __noinline__ void put(Pair* to, const Pair& from) {{ *to = from; }}
{outside}
__global__ void k(const float* x, float* z) {{
    {inside}
    const int i = threadIdx.x;
    put(&held[i].pair, Pair{{x[i], 1}});
    const Pair again = held[i].pair;
    z[i] = again.a + again.b;
}}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{ k<<<1, 32, 0, stream>>>(x, z); }}
"""
VECTORS = """
__global__ void k(const float* x, float* z) {
    __shared__ double held[3];
    if (threadIdx.x == 0) *reinterpret_cast<float4*>(held + 1) = *reinterpret_cast<const float4*>(x);
    __syncthreads();
    z[threadIdx.x] = held[1 + threadIdx.x % 2];
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z); }
"""


@pytest.mark.parametrize("where", WHERE)
def test_a_structure_of_two_numbers_lies_at_a_multiple_of_eight(run_kernel, where):
    outside, inside = WHERE[where]
    x, z, findings = run(run_kernel, PAIRS.format(outside=outside, inside=inside), 32)
    assert not findings and (z == x + 1).all()


def test_a_vector_does_not(run_kernel):
    _, _, findings = run(run_kernel, VECTORS, 32)
    assert [finding.kind for finding in findings] == ["misaligned"]
