"""Thread block clusters: blocks that wait for each other and touch each other's shared memory, right and wrong."""

from __future__ import annotations

import pytest

from tests.faces.test_run_takes import run
from tests.shared import long_tail
from tests.warm import run_ladder

# A ring in two dimensions whose blocks write into the next one's memory, the guide's histogram, a letter with a flag,
# a barrier in two parts, and the same as PTX and by the functions below cooperative groups.
RIGHT = r"""
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
namespace cg = cooperative_groups;
template <int X, int Y> __global__ void __cluster_dims__(X, Y) __launch_bounds__(64) ring(int* out) {
    __shared__ int box[2][64];
    auto cluster = cg::this_cluster();
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    box[0][threadIdx.x] = 100 * (blockIdx.y * gridDim.x + blockIdx.x) + threadIdx.x;
    cluster.sync();
    for (int round = 0; round < 3; ++round) {
        cluster.map_shared_rank(box[(round + 1) % 2], next)[threadIdx.x] = box[round % 2][threadIdx.x];
        cluster.barrier_arrive();
        cluster.barrier_wait();
    }
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x] = box[1][threadIdx.x];
}
__global__ void histogram(const int* x, int n, int own, int* bins) {
    extern __shared__ int part[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < own; i += blockDim.x) part[i] = 0;
    cluster.sync();
    for (int i = cg::this_grid().thread_rank(); i < n; i += gridDim.x * blockDim.x)
        atomicAdd(cluster.map_shared_rank(part, x[i] / own) + x[i] % own, 1);
    cluster.sync();
    for (int i = threadIdx.x; i < own; i += blockDim.x) atomicAdd(&bins[cluster.block_rank() * own + i], part[i]);
}
__global__ void __cluster_dims__(2, 1, 1) letter(int* out) {
    __shared__ int data[32], ready;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) ready = 0;
    cluster.sync();
    if (cluster.block_rank() == 1) {
        cluster.map_shared_rank(data, 0)[threadIdx.x] = blockIdx.x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) atomicExch(cluster.map_shared_rank(&ready, 0), 1);
    } else {
        if (threadIdx.x == 0) while (atomicAdd(&ready, 0) == 0) {}
        __threadfence();
        __syncthreads();
        out[blockIdx.x] = data[5];
    }
    cluster.sync();
}
__device__ uint32_t mapped(const void* shared, uint32_t rank) {
    uint32_t address;
    const auto own = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(own), "r"(rank));
    return address;
}
__global__ void __cluster_dims__(4) ptx(int* out) {
    __shared__ int s;
    int v;
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) s = blockIdx.x;
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(mapped(&s, rank ^ 1)) : "memory");
    v += 10 * *(int*)__cluster_map_shared_rank(&s, __clusterRelativeBlockRank() ^ 2) + 1000 * __clusterIdx().x;
    __cluster_barrier_arrive();
    if (threadIdx.x == 0) out[blockIdx.x] = v + 100000 * __clusterSizeInBlocks();
    __cluster_barrier_wait();
}
int main() {
    int *x, *y, bad = 0;
    cudaMallocManaged(&x, 4096 * sizeof(int));
    cudaMallocManaged(&y, 4096 * sizeof(int));
    ring<2, 2><<<dim3(4, 2), 64>>>(y);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    for (int b = 0; b < 8; ++b) {
        const int rank = b / 4 * 2 + b % 2, from = (rank + 1) % 4;
        bad += y[64 * b + 7] != 100 * (from / 2 * 4 + b % 4 / 2 * 2 + from % 2) + 7;
    }
    for (int i = 0; i < 4096; ++i) x[i] = i * 7 % 64, y[i] = 0;
    cudaLaunchAttribute size[1];
    size[0].id = cudaLaunchAttributeClusterDimension;
    size[0].val.clusterDim = {4, 1, 1};
    cudaLaunchConfig_t config = {8, 64, 16 * sizeof(int), 0, size, 1};
    bad += cudaLaunchKernelEx(&config, histogram, (const int*)x, 4096, 16, y) != cudaSuccess;
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; ++i) bad += y[i] != 64;
    letter<<<4, 32>>>(y);
    cudaDeviceSynchronize();
    bad += y[0] != 1 || y[2] != 3;
    ptx<<<8, 32>>>(y);
    cudaDeviceSynchronize();
    bad += y[0] != 400021 || y[7] != 401056;
    printf("bad: %d\n", bad);
    cudaFree(x);
    cudaFree(y);
}
"""


def test_blocks_of_a_cluster_share_their_memory(tmp_path):
    said = run(tmp_path, "clusters.cu", RIGHT)
    assert "bad: 0 " in said and "no findings in 4 kernels" in said, said


# A sum over a cluster: each block's goes to the first one's, which needs them all.
SUM = r"""
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(4) sum(const int* x, int* y) {
    __shared__ int part[128];
    auto cluster = cg::this_cluster();
    part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    READY
    int total = 0;
    for (int rank = 0; rank < RANKS; ++rank) total += cluster.map_shared_rank(part, rank)[threadIdx.x];
    DONE
    y[blockIdx.x * blockDim.x + threadIdx.x] = total;
}
int main() {
    int *x, *y;
    cudaMallocManaged(&x, 4096);
    cudaMallocManaged(&y, 4096);
    for (int i = 0; i < 512; ++i) x[i] = 1;
    sum<<<GRID, 64>>>(x, y);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s %d\n", cudaGetErrorName(error), y[70]);
    cudaFree(x);
    cudaFree(y);
}
"""
READY, DONE = "cluster.sync();", "cluster.sync();"
LATE = "cluster.barrier_arrive(); part[threadIdx.x] += 1; cluster.barrier_wait();"
EARLY = "cluster.map_shared_rank(part + 64, cluster.block_rank() ^ 1)[threadIdx.x] = 1; cluster.sync();"
TOO_FAR = "cluster.map_shared_rank(part, 1)[threadIdx.x + 65] += 1; cluster.sync();"


@pytest.mark.parametrize(
    ("ready", "done", "ranks", "grid", "told"),
    long_tail(
        [
            (READY, DONE, "4", "8", "no findings in 1 kernel"),
            ("cluster.barrier_arrive(); cluster.barrier_wait();", DONE, "4", "8", "no findings in 1 kernel"),
            ("__syncthreads();", DONE, "4", "8", "a cluster.sync() is missing between line 8 and line 11"),
            (LATE, DONE, "4", "8", "nothing in between: move the access out of there"),
            (READY, "", "4", "8", "which may have ended by then, and its shared memory with it"),
            (READY, DONE, "5", "8", "map_shared_rank() asks for block 4, and the cluster has 4: the first is block 0"),
            (TOO_FAR, DONE, "4", "8", "part[128], past its end"),
            ("cluster.barrier_wait();", DONE, "4", "8", "barrier_wait() without a barrier_arrive() before it"),
            (
                READY,
                DONE,
                "4",
                "6",
                "the grid has 6 blocks in x, which is no multiple of the 4 that a cluster has there",
            ),
        ],
        every=16,
        slow=2,
    ),
)
def test_what_is_wrong_between_blocks_of_a_cluster_is_told(tmp_path, ready, done, ranks, grid, told):
    text = SUM
    for name, value in {"READY": ready, "DONE": done, "RANKS": ranks, "GRID": grid}.items():
        text = text.replace(name, value)
    said = run(tmp_path, "sum.cu", text)
    assert told in said, said
    assert "cudaSuccess 4 " in said or not told.startswith("no findings"), said


@pytest.mark.slow
def test_a_block_that_may_not_have_begun_is_worth_a_note(tmp_path):
    for ready, notes in ((EARLY, 1), ("cluster.sync(); " + EARLY, 0)):
        text = SUM.replace("READY", ready).replace("DONE", DONE).replace("RANKS", "4").replace("GRID", "8")
        (tmp_path / "sum.cu").write_text(text)
        done = run_ladder(tmp_path, "run", "--notes", "sum.cu")
        assert (done.stdout + done.stderr).count(
            "not have begun by then: a cluster.sync() belongs before line 9"
        ) == notes


LAUNCHES = r"""
#include <cooperative_groups.h>
#include <cstdio>
__global__ void __cluster_dims__(2) two(unsigned* x) { x[0] = 2; }
__global__ void some(unsigned* x) {
    if (blockIdx.x + threadIdx.x == 0) *x = cooperative_groups::this_cluster().num_blocks();
}
template <class K> void launch(K kernel, unsigned blocks, unsigned* x) {
    cudaLaunchAttribute size;
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim = {blocks, 1, 1};
    cudaLaunchConfig_t config = {16, 32, 0, 0, &size, 1};
    printf("%u: %s\n", blocks, cudaGetErrorName(cudaLaunchKernelEx(&config, kernel, x)));
}
int main() {
    unsigned *x, found;
    cudaMalloc(&x, sizeof *x);
    launch(two, 4, x);
    launch(some, 0, x);
    launch(some, 16, x);
    cudaFuncSetAttribute(some, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    launch(some, 16, x);
    cudaMemcpy(&found, x, sizeof found, cudaMemcpyDeviceToHost);
    cudaFuncAttributes its;
    cudaFuncGetAttributes(&its, two);
    printf("found %u, %d %d %d\n", found, its.clusterDimMustBeSet, its.requiredClusterWidth, its.requiredClusterDepth);
    cudaFree(x);
}
"""


@pytest.mark.slow
def test_launches_with_clusters_that_cuda_refuses(tmp_path):
    said = run(tmp_path, "launches.cu", LAUNCHES)
    refused = "".join(f"{blocks}: cudaErrorInvalidClusterSize " for blocks in (4, 0, 16))
    assert f"{refused}16: cudaSuccess found 16, 1 2 1 " in said, said
    assert "clusters of 4 x 1 x 1 blocks, and the kernel's __cluster_dims__ say 2 x 1 x 1" in said, said
    assert "a cluster has 16 blocks, at most 8 are allowed (cudaFuncSetAttribute with" in said, said


DECLARED = r"""
#include <cooperative_groups.h>
#include <cstdio>
__global__ void __cluster_dims__(2) k(int* x);
__global__ void HERE k(int* x) { *x = cooperative_groups::this_cluster().num_blocks(); }
int main() {
    int *x, found;
    cudaMalloc(&x, sizeof *x);
    k<<<2, 1>>>(x);
    cudaMemcpy(&found, x, sizeof found, cudaMemcpyDeviceToHost);
    printf("found %d\n", found);
    cudaFree(x);
}
"""


@pytest.mark.parametrize(
    ("here", "told"),
    long_tail(
        [
            ("__cluster_dims__(2)", "found 2 "),
            ("", "repeat __cluster_dims__ in the head of the kernel's body"),
        ],
        every=4,
    ),
)
def test_a_cluster_is_named_where_the_body_is(tmp_path, here, told):
    assert told in (said := run(tmp_path, "declared.cu", DECLARED.replace("HERE", here))), said
