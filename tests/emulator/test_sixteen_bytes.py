"""Sixteen bytes need a multiple of sixteen if they are a vector; a structure of two numbers lies wherever these may."""

from __future__ import annotations

import pytest
from checked_kernel import run

from tests.shared import long_tail

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
# g++ knows where these lie, and tells of some as of single floats.
VECTORS = """
__global__ void k(const float* x, float* z) {{
    __shared__ float held[32 * 4 + 8];
    for (int i = threadIdx.x; i < 32 * 4 + 8; i += 32) held[i] = x[i % 32];
    __syncthreads();
    {line}
}}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{ k<<<1, 32, 0, stream>>>(x, z); }}
"""
READS = "{type} v = reinterpret_cast<{type}*>(held + {first})[threadIdx.x]; z[threadIdx.x] = v.x + v.y;"
WRITES = "reinterpret_cast<{type}*>(held + {first})[threadIdx.x] = {{}}; __syncthreads(); z[threadIdx.x] = held[9];"


@pytest.mark.parametrize("where", WHERE)
def test_a_structure_of_two_numbers_lies_at_a_multiple_of_eight(run_kernel, where):
    outside, inside = WHERE[where]
    x, z, findings = run(run_kernel, PAIRS.format(outside=outside, inside=inside), 32)
    assert not findings and (z == x + 1).all()


@pytest.mark.parametrize("line", long_tail([READS, WRITES], every=2))
@pytest.mark.parametrize(
    ("type", "first", "is_misaligned"),
    [("float4", 1, True), ("float4", 2, True), ("float4", 3, True), ("float4", 4, False), ("int2", 1, True),
     ("int2", 2, False), ("float3", 1, False)],
)  # fmt: skip
def test_a_vector_lies_at_a_multiple_of_its_size(run_kernel, line, type, first, is_misaligned):
    _, _, findings = run(run_kernel, VECTORS.format(line=line.format(type=type, first=first)), 32)
    assert [finding.kind for finding in findings] == ["misaligned"] * is_misaligned
    assert not findings or line != WRITES or " writes " in findings[0].message
