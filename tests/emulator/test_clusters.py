"""Graded kernels whose blocks form clusters: their results are the same on any number of cores."""

from __future__ import annotations

import numpy as np
import pytest

BLOCKS, THREADS = 24, 64
SOURCE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Each block's sum goes to the cluster's first one, whose sum each block then reads.
constexpr int kHigh = 2;
#define CLUSTER(wide) __cluster_dims__(wide, kHigh)
#define KERNEL(name) __global__ void __launch_bounds__(64) CLUSTER(1 + 1) name
KERNEL(share)(const float* x, float* z, int last) {
    __shared__ float own[64], total;
    cg::cluster_group cluster = cg::this_cluster();
    const int block = blockIdx.y * gridDim.x + blockIdx.x;
    own[threadIdx.x] = x[block * 64 + threadIdx.x];
    if (threadIdx.x == 0) total = 0;
    cluster.sync();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < 64; ++i) sum += own[i];
        atomicAdd(cluster.map_shared_rank(&total, 0), sum);  // remote
    }
    cluster.sync();
    z[block * 64 + threadIdx.x] = *cluster.map_shared_rank(&total, 0) + cluster.block_rank();
    if (last) cluster.sync();
}
extern "C" void right(const float* x, float* z, cudaStream_t stream) { share<<<dim3(6, 4), 64, 0, stream>>>(x, z, 1); }
extern "C" void ended(const float* x, float* z, cudaStream_t stream) { share<<<dim3(6, 4), 64, 0, stream>>>(x, z, 0); }
extern "C" void no_multiple(const float* x, float* z, cudaStream_t stream) {
    share<<<dim3(6, 3), 64, 0, stream>>>(x, z, 1);
}
extern "C" void too_large(const float* x, float* z, cudaStream_t stream) {
    share<<<dim3(6, 4), 96, 0, stream>>>(x, z, 1);
}
"""
PROTOTYPE = "void {}(const float* x, float* z, cudaStream_t stream)"
ALL = [PROTOTYPE.format(name) for name in ("right", "ended", "no_multiple", "too_large")]


def expected(x: np.ndarray) -> np.ndarray:
    sums = x.reshape(4, 6, THREADS).sum(axis=2)
    row, column = np.divmod(np.arange(BLOCKS), 6)
    clusters = sums.reshape(2, 2, 3, 2).sum(axis=(1, 3))
    return clusters[row // 2, column // 2] + row % 2 * 2 + column % 2


@pytest.mark.parametrize("threads", [1, 4])
def test_blocks_share_a_sum(run_kernel, threads):
    x = np.arange(BLOCKS * THREADS, dtype=np.float32) % 7
    outputs, run = run_kernel(SOURCE, ALL[0], among=ALL, x=x, z=np.zeros_like(x), threads=threads)
    assert [finding.message for finding in run.findings] == []
    assert outputs["z"].reshape(BLOCKS, THREADS)[:, 5].tolist() == expected(x).tolist()


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("ended", "of block (0, 0, 0), which may have ended by then"),
        ("no_multiple", "the grid has 3 blocks in y"),
        ("too_large", "the block has 96 threads, its __launch_bounds__ allow 64"),
    ],
)
def test_what_is_wrong_is_told(run_kernel, entry, told):
    x = np.ones(BLOCKS * THREADS, np.float32)
    _, run = run_kernel(SOURCE, PROTOTYPE.format(entry), among=ALL, x=x, z=np.zeros_like(x))
    (finding,) = run.findings
    assert told in finding.message and finding.severity == "error"
