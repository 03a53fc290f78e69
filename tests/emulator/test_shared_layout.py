"""A vector in a shared array that nvcc puts behind one of odd length is misaligned, and nothing else is.

Where nvcc puts them: by the addresses in the machine code that nvcc 13.0 makes for sm_75 and sm_80.
"""

from __future__ import annotations

import pytest
from checked_kernel import run

from tests.shared import long_tail

SOURCE = """
#include <cuda_pipeline.h>
#define ALIGNED __align__(16)
struct Three {{ char c[3]; }};
{outside}
template <int N> __global__ void k(const float* x, float* z) {{
    {declared}
    const int i = threadIdx.x;
    if (i < 3) ((volatile char*)a)[i] = 0;
    for (int j = i; j < 32 * 16; j += 32) ((volatile char*)b)[j] = 0;
    __syncthreads();
    {use}
    z[i] = x[i] + ((volatile char*)a)[1];
}}
__global__ void other(float* z) {{ __shared__ char c[37]; c[threadIdx.x] = 1; z[threadIdx.x] = 1; }}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{
    other<<<1, 32, 0, stream>>>(z);
    k<3><<<1, 32, 0, stream>>>(x, z);
}}
"""
FLOAT4, INT = "float4 v = ((float4*)b)[i]; z[i] = v.x;", "z[i] = ((int*)b)[i];"
BEHIND = "__shared__ float a[3]; __shared__ float b[128];"
ROWS = [
    (BEHIND, FLOAT4, 12),
    ("__shared__ float a[4]; __shared__ float b[128];", FLOAT4, None),
    ("__shared__ char b[512]; __shared__ char a[3];", FLOAT4, None),
    ("__shared__ char a[3], b[512];", INT, None),  # not looked at
    ("__shared__ char a[N]; __shared__ char b[512];", INT, 3),
    ("__shared__ char a[N]; __shared__ double b[64];", INT, None),
    ("__shared__ Three a[2]; __shared__ unsigned char b[512];", INT, 6),
    ("__shared__ float a[3]; __shared__ __align__(16) float b[128];", FLOAT4, None),
    ("__shared__ float a[3]; alignas(16) __shared__ float b[128];", FLOAT4, None),
    ("__shared__ float a[3]; __shared__ ALIGNED float b[128];", FLOAT4, None),
    ("__shared__ float a[3]; __shared__ ALIGNED float b[128]; __shared__ int d; if (N > 9) d = 1;", FLOAT4, None),
    ("__shared__ float a[3]; __shared__ double2 d; if (N > 9) d.x = 1; __shared__ float b[128];", FLOAT4, None),
    ("__shared__ float a[3]; __shared__ float d; if (threadIdx.x == 0) d = 1; __shared__ float b[128];", FLOAT4, None),
    ("__shared__ float d[1]; __shared__ float a[4]; __shared__ float b[128];", FLOAT4, None),  # d may be left out
    ("__shared__ float a[33][33]; __shared__ float b[32][33];", "((float4*)b)[i] = float4{};", 4356),
    ("__shared__ char a[3]; extern __shared__ char e[]; __shared__ float4 b[32];", FLOAT4, None),
    (BEHIND, "__pipeline_memcpy_async(b + 4 * i, x, 16); __pipeline_commit(); __pipeline_wait_prior(0);", 12),
    (BEHIND, "atomicAdd((unsigned long long*)b + i, 1ull);", 12),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "use", "bytes_before"), long_tail(ROWS, every=18, slow=4))
def test_a_shared_array_lies_right_behind_the_one_before_it(run_kernel, declared, use, bytes_before):
    _, _, findings = run(run_kernel, SOURCE.format(declared=declared, use=use, outside=""), 32)
    assert [finding.kind for finding in findings] == ["misaligned"] * (bytes_before is not None)
    if findings:
        assert f"nvcc puts b {bytes_before:,} bytes into the block's shared memory" in findings[0].message


def test_what_other_functions_declare_may_come_first(run_kernel):
    outside = "__device__ int g() { __shared__ int s[5]; s[threadIdx.x % 5] = 1; return s[0]; }"
    source = SOURCE.format(declared=BEHIND, use=FLOAT4, outside=outside)
    assert not run(run_kernel, source, 32)[2]
