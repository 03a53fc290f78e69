"""__ldg and ld.global.nc read through a cache that stores of the same launch do not reach."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

SOURCE = """
#include <cooperative_groups.h>
__device__ unsigned came;
__device__ float part[64];
__device__ float by_ptx(const float* from) {{
    float value;
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(from));
    return value;
}}
__global__ void k(const float* x, float* z) {{
    const int t = threadIdx.x, i = blockIdx.x * 32 + t;
    {body}
}}
{more}
extern "C" void run(const float* x, float* z, cudaStream_t stream) {{
    void* arguments[] = {{&x, &z}};
    cudaLaunchCooperativeKernel((void*)k, dim3(2), dim3(32), arguments, 0, stream);
    {then}
}}
"""
IN_A_BLOCK = "part[i] = x[i]; __syncthreads(); z[i] = {};"
OF_ALL = "part[i] = x[i]; cooperative_groups::this_grid().sync(); z[i] = {};"
LAST = """
    part[i] = x[i];
    __threadfence();
    __syncthreads();
    __shared__ bool is_last;
    if (t == 0) is_last = atomicInc(&came, 1) == 1;
    __syncthreads();
    if (is_last) z[t] = {}, z[32 + t] = x[t];
"""
WRONG = {
    "what the thread has written": "z[i] = x[i]; __syncwarp(); z[i] = __ldg(z + i) + 1;",
    "what another one has": IN_A_BLOCK.format("__ldg(part + (i ^ 1))"),
    "by PTX": IN_A_BLOCK.format("by_ptx(part + (i ^ 1))"),
    "a vector": IN_A_BLOCK.format("__ldg((const float4*)part + i / 4).y"),
    "behind grid.sync()": OF_ALL.format("__ldg(part + 63 - i)"),
    "in the last block": LAST.format("__ldg(part + t) + __ldg(part + 32 + t)"),
}
RIGHT = {
    "inputs": "z[i] = __ldg(x + i) + by_ptx(x + 63 - i);",
    "read before it is written": "const float v = __ldg(part + i); part[i] = v + x[i]; z[i] = v;",
    "a neighbour's word": "part[i & ~1] = x[i & ~1]; z[i] = __ldg(part + (i | 1));",
    "around the cache": IN_A_BLOCK.format("__ldcg(part + (i ^ 1))"),
    "plainly, behind grid.sync()": OF_ALL.format("part[63 - i]"),
    "plainly, in the last block": LAST.format("part[t] + part[32 + t]"),
}
NEXT = "__global__ void next(float* z) { z[threadIdx.x] = __ldg(part + threadIdx.x); }"


def races(run_kernel, body: str, more: str = "", then: str = "") -> list[str]:
    x = np.arange(64, dtype=np.float32)
    source = SOURCE.format(body=body, more=more, then=then)
    _, case = run_kernel(source, "void run(const float* x, float* z, cudaStream_t stream)", x=x, z=np.zeros_like(x))
    errors = [each for each in case.findings if each.severity == "error"]
    assert {each.kind for each in errors} <= {"race"}
    return [each.message for each in errors]


@pytest.mark.parametrize("what", long_tail(list(WRONG), every=4))
def test_a_read_of_what_the_launch_has_written(run_kernel, what):
    (told,) = races(run_kernel, WRONG[what])
    assert "through the read-only cache (__ldg, ld.global.nc)" in told and "read it without __ldg" in told


@pytest.mark.parametrize("what", long_tail(list(RIGHT), every=4))
def test_what_is_right(run_kernel, what):
    assert races(run_kernel, RIGHT[what]) == []


def test_the_next_launch_may(run_kernel):
    assert races(run_kernel, "part[i] = x[i]; z[i] = 0;", NEXT, "next<<<1, 64, 0, stream>>>(z);") == []
