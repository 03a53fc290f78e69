"""A shuffle's width, and a tile's size: 1, 2, 4, 8, 16 or 32, or what comes out is undefined."""

from __future__ import annotations

import pytest
from checked_kernel import run

from tests.shared import long_tail

KERNEL = """
#include <cooperative_groups.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
__global__ void k(const float* x, float* z, int n) {{
    float v = x[threadIdx.x];
    z[threadIdx.x] = v;
    {line}
}}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{ k<<<1, 32, 0, stream>>>(x, z, n); }}
"""
SHUFFLES = {
    "__shfl_sync": "v += __shfl_sync(~0u, v, 0, n);",
    "__shfl_up_sync": "v += __shfl_up_sync(~0u, __float2half(v), 1, n) > __half(0);",
    "__shfl_down_sync": "v += __shfl_down_sync(~0u, (double)v, 1, n);",
    "__shfl_xor_sync": "v += __shfl_xor_sync(~0u, 1ll, 1, n);",
}
TILES = [
    "v += cg::tiled_partition(cg::this_thread_block(), n).thread_rank();",
    "v += cg::tiled_partition(cg::coalesced_threads(), n).thread_rank();",
]


@pytest.mark.parametrize("width", long_tail([1, 8, 32], every=4))
@pytest.mark.parametrize("line", long_tail([*SHUFFLES.values(), *TILES], every=6, slow=3))
def test_a_width_of_a_power_of_two(run_kernel, line, width):
    x, z, findings = run(run_kernel, KERNEL.format(line=line), width)
    assert not findings and (z == x).all()


@pytest.mark.parametrize("width", long_tail([0, 12, 33, 64, -32], every=4))
@pytest.mark.parametrize("name", long_tail(list(SHUFFLES), every=6, slow=3))
def test_another_width(run_kernel, name, width):
    _, _, (finding,) = run(run_kernel, KERNEL.format(line=SHUFFLES[name]), width)
    assert (finding.kind, finding.line) == ("trap", 8)
    assert f"{name} has a width of {width}, which leaves its result undefined" in finding.message


@pytest.mark.parametrize("line", long_tail(list(TILES), every=6))
def test_another_size_of_a_tile(run_kernel, line):
    _, _, (finding,) = run(run_kernel, KERNEL.format(line=line), 12)
    assert (finding.kind, finding.line) == ("trap", 8) and "tiles of 1, 2, 4, 8, 16 or 32 threads" in finding.message
