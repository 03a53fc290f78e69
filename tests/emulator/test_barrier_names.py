"""A barrier that not all threads come to is called what the line calls it."""

from __future__ import annotations

import pytest

from grader.devices.emulator.reading import Reading
from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* z) {
    cg::thread_block block = cg::this_thread_block();
    if (threadIdx.x < 32)
        BARRIER;
    else
        BARRIER;
    z[threadIdx.x] = block.thread_rank();
}
int main() {
    int* z;
    cudaMalloc(&z, 64 * sizeof(int));
    k<<<1, 64>>>(z);
    cudaDeviceSynchronize();
    cudaFree(z);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("barrier", long_tail(["block.sync()", "__syncthreads()"], every=8))
def test_a_divergent_barrier_has_its_name(tmp_path, barrier):
    (tmp_path / "p.cu").write_text(PROGRAM.replace("BARRIER", barrier))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert f"wait at the {barrier} of line 6 while" in said, said


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("cg::this_cluster().sync();", "__syncthreads()"),  # no name of one word
        ("cluster.sync();", "cluster.sync()"),
        ("cg::sync(block);", "cg::sync()"),
        ("if (warp.sync(), n) __syncthreads();", "__syncthreads()"),
        ("helper(s);", "__syncthreads()"),
    ],
)
def test_what_a_line_calls_its_barrier(text, name):
    assert Reading(text).barrier_of(1) == name
