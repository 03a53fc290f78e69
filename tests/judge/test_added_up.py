"""What a few blocks of the timed case have added to a sum or a histogram, held against what they have loaded."""

from __future__ import annotations

import pytest

from grader.course import catalog
from grader.grade import grade
from grader.judge.added_up import is_count, is_sum
from tests.shared import ROOT, long_tail

SUM = ROOT / "kernels/05_atomics/sum/5_many_elements.cu"
HISTOGRAM = ROOT / "kernels/05_atomics/histogram/4_lane_columns.cu"
LARGE = "n > 1u << 27"
WRONG = [
    (SUM, "atomicAdd(out, sum)", f"atomicAdd(out, {LARGE} ? 0.5f * sum : sum)", "is 0.5 times what it should be"),
    (HISTOGRAM, "&counts[bin]", f"&counts[{LARGE} ? bin / 2 : bin]", "counts[0] is 2 times what it should be"),
    (HISTOGRAM, "bin], total)", f"bin], {LARGE} ? total - total / 8 : total)", "the sum of counts is 0.8"),
    (SUM, "(v.x + v.y) + (v.z + v.w)", f"{LARGE} ? 3 * v.x : (v.x + v.y) + (v.z + v.w)", "is 0.75 times"),
    (SUM, "atomicAdd(out, sum)", f"atomicAdd(out, {LARGE} ? 1.03f * sum : sum)", "is 1.03 times what it should be"),
]
HEAD = """
__device__ float total(float v) {
    __shared__ float sums[8];
    for (int half = 16; half; half /= 2) v += __shfl_xor_sync(~0u, v, half);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < 8 ? sums[threadIdx.x] : 0;
    for (int half = 4; half; half /= 2) v += __shfl_xor_sync(~0u, v, half);
    __syncthreads();
    return v;
}
__device__ float share(const float* x, int n) {
    float v = 0;
    for (long i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v += x[i];
    return total(v);
}
"""
BEGIN = 'extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {'
ATOMIC = "__global__ void add(const float* x, float* out, int n) { float v = share(x, n); if (!threadIdx.x) ADD; }"
LAUNCH = "cudaMemsetAsync(out, 0, 4, stream); add<<<BLOCKS, 256, 0, stream>>>(x, out, n); }"
CLUSTERS = """
#include <cooperative_groups.h>
__global__ void __cluster_dims__(4, 1, 1) add(const float* x, float* out, int n) {
    __shared__ float mine;
    auto cluster = cooperative_groups::this_cluster();
    float v = share(x, n);
    if (threadIdx.x == 0) mine = v;
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        for (int r = 1; r < 4; ++r) v += *cluster.map_shared_rank(&mine, r);
        atomicAdd(out, v);
    }
    cluster.sync();
}"""
RIGHT = {
    "one round": ATOMIC.replace("ADD", "atomicAdd(out, v)") + BEGIN + LAUNCH.replace("BLOCKS", "(n - 1) / 256 + 1"),
    "many rounds": ATOMIC.replace("ADD", "atomicAdd(out, v)") + BEGIN + LAUNCH.replace("BLOCKS", "1056"),
    "sums of blocks": """
        __global__ void add(const float* x, float* part, int n) {
            float v = share(x, n); if (!threadIdx.x) part[blockIdx.x] = v;
        }
        __global__ void last(const float* part, float* out, int n) {
            float v = 0; for (int i = threadIdx.x; i < n; i += 256) v += part[i];
            v = total(v); if (!threadIdx.x) *out = v;
        }""" + BEGIN + """
        float* part; int blocks = min((n - 1) / 2048 + 1, 4096);
        cudaMallocAsync(&part, 4 * blocks, stream);
        add<<<blocks, 256, 0, stream>>>(x, part, n); last<<<1, 256, 0, stream>>>(part, out, blocks);
        cudaFreeAsync(part, stream); }""",
    "the last block": """
        __device__ float part[4096]; __device__ unsigned ticket;
        __global__ void add(const float* x, float* out, int n) {
            __shared__ bool is_last;
            float v = share(x, n);
            if (!threadIdx.x) {
                part[blockIdx.x] = v; __threadfence();
                is_last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
            }
            __syncthreads();
            if (!is_last) return;
            __threadfence();
            v = 0; for (int i = threadIdx.x; i < gridDim.x; i += 256) v += ((volatile float*)part)[i];
            v = total(v); if (!threadIdx.x) *out = v;
        }""" + BEGIN + """ add<<<min((n - 1) / 2048 + 1, 4096), 256, 0, stream>>>(x, out, n); }""",
    "by clusters": CLUSTERS + BEGIN + """ cudaMemsetAsync(out, 0, 4, stream);
        add<<<((n - 1) / 2048 + 4) / 4 * 4, 256, 0, stream>>>(x, out, n); }""",
    "set to zero by a kernel": ATOMIC.replace("ADD", "atomicAdd(out, v)")
    + "__global__ void zero(float* out) { *out = 0; }"
    + BEGIN
    + "zero<<<1, 1, 0, stream>>>(out); add<<<(n - 1) / 2048 + 1, 256, 0, stream>>>(x, out, n); }",
    "by the first element": ATOMIC.replace("ADD", "atomicAdd(out, v - (blockIdx.x ? 0 : x[0]))")
    + BEGIN
    + "cudaMemcpyAsync(out, x, 4, cudaMemcpyDeviceToDevice, stream);"
    + "add<<<(n - 1) / 2048 + 1, 256, 0, stream>>>(x, out, n); }",
}  # fmt: skip


def test_which_tasks_add_up():
    tasks = [task for lesson in catalog.entries(ROOT) for task in lesson.lesson.tasks if not lesson.puzzles]
    assert [task.name for task in tasks if is_sum(task)] == ["sum"]
    assert [task.name for task in tasks if is_count(task)] == ["histogram"]


@pytest.mark.parametrize("file, right, wrong, says", long_tail(WRONG, every=100, slow=2))
def test_what_is_added_wrong_at_the_timed_size(file, right, wrong, says, tmp_path):
    text = file.read_text()
    assert right in text
    (tmp_path / "kernel.cu").write_text(text.replace(right, wrong))
    found = grade("05", tmp_path / "kernel.cu", device="emulator", seed=1, tasks=[file.parent.name])
    assert (found.status, found.stars) == ("wrong_result", 0)
    assert says in found.tasks[0].cases[-1].message, found.tasks[0].cases[-1].message


LONG = "many rounds"


@pytest.mark.slow
@pytest.mark.parametrize(
    "what",
    [
        *long_tail([each for each in RIGHT if each != LONG], every=100, slow=3),
        pytest.param(LONG, marks=pytest.mark.whole),
    ],
)
def test_what_is_right(what, tmp_path):
    (tmp_path / "kernel.cu").write_text(HEAD + RIGHT[what])
    found = grade("05", tmp_path / "kernel.cu", device="emulator", seed=1, tasks=["sum"])
    assert found.status == "passed", [case.message for case in found.tasks[0].cases if case.message]


# ---- tensor cores, whose products a sample does not work out ----

BY_FRAGMENTS = """
#include <mma.h>
using namespace nvcuda;
__global__ void add(const float* x, float* out, int n) {
    __shared__ __nv_bfloat16 ones[256], part[256];
    __shared__ float sums[256];
    const int t = threadIdx.x;
    for (int i = t; i < 256; i += 32) ones[i] = 1.0f;
    float rest = 0;
    for (int i = blockIdx.x * 256 + t; i < n && i < blockIdx.x * 256 + 256; i += 32) rest += x[i];
    for (int i = t; i < 256; i += 32) part[i] = i < 32 && i % 16 == 0 ? 1.0f : 0.0f;
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::load_matrix_sync(a, ones, 16);
    wmma::load_matrix_sync(b, part, 16);
    wmma::fill_fragment(c, 0.0f);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(sums, c, 16, wmma::mem_row_major);
    for (int half = 16; half; half /= 2) rest += __shfl_xor_sync(~0u, rest, half);
    if (t == 0) atomicAdd(out, rest * sums[0] / 2);
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 4, stream);
    add<<<(n - 1) / 256 + 1, 32, 0, stream>>>(x, out, n);
}
"""


@pytest.mark.slow
def test_a_sum_by_tensor_cores_is_right(tmp_path):
    (tmp_path / "kernel.cu").write_text(BY_FRAGMENTS)
    found = grade("05", tmp_path / "kernel.cu", device="emulator", seed=1, tasks=["sum"])
    assert found.status == "passed", [case.message for case in found.tasks[0].cases if case.message]


@pytest.mark.slow
def test_a_product_by_tensor_cores_is_right():
    kernel = ROOT / "kernels/09_tensor_cores/matmul_bf16/1_wmma.cu"
    assert grade("09", kernel, device="emulator", seed=1).status == "passed"
