"""`ladder run`: kernels that launch kernels (dynamic parallelism)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """
#include <cstdio>
__global__ void child(int* x, int from, int n) {
    int i = threadIdx.x;
    if (i < n) x[from + i] = 10 * x[from + i] + i;
}
__global__ void parent(int* x) {
    x[threadIdx.x + blockIdx.x * blockDim.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        child<<<1, COUNT, 0, s>>>(x, blockIdx.x * blockDim.x, COUNT);
        if (cudaGetLastError() != cudaSuccess) printf("failed");
        cudaStreamDestroy(s);
    }
}
template <int last> __global__ void again(int depth) {
    printf("%d.%d ", depth, blockIdx.x);
    if (depth < last) again<last><<<2, 1>>>(depth + 1);
}
__global__ void ends() { printf("end "); }
__global__ void first() {
    ends<<<1, 1, 0, cudaStreamTailLaunch>>>();
    again<1><<<1, 1>>>(0);
}
int main() {
    int *x, h[8];
    cudaMalloc(&x, sizeof h);
    parent<<<2, 4>>>(x);
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    for (int each : h) printf("%d ", each);
    first<<<1, 1>>>();
    cudaDeviceSynchronize();
    cudaFree(x);
}
"""


def run(folder: Path, text: str) -> str:
    (folder / "t.cu").write_text(text)
    done = run_ladder(folder, "run", "t.cu")
    return " ".join((done.stdout + done.stderr).split())


def test_what_a_kernel_launches_runs_behind_it_in_the_order_of_its_threads(tmp_path):
    said = run(tmp_path, PROGRAM.replace("COUNT", "4"))
    assert said.startswith("0 1 2 3 10 11 12 13 0.0 1.0 1.1 end ") and "no findings in 6 kernels" in said, said


def test_a_kernel_that_another_one_calls_is_refused(tmp_path):
    said = run(tmp_path, PROGRAM.replace("ends<<<1, 1, 0, cudaStreamTailLaunch>>>()", "ends()").replace("COUNT", "4"))
    assert said.startswith("t.cu:24: `ends` is a kernel: write `__device__` instead of `__global__` in line 22"), said


@pytest.mark.slow
def test_and_what_is_wrong_in_it_is_told(tmp_path):
    said = run(tmp_path, PROGRAM.replace("COUNT", "5"))
    assert "out of bounds t.cu:5 in kernel child thread (4, 0, 0) of block (0, 0, 0) reads element 8 of x" in said, said
    said = run(tmp_path, PROGRAM.replace("COUNT", "2048"))
    assert (
        said.startswith("failedfailed")
        and "1. launch failed t.cu:13 in kernel child" in said
        and "the block has 2048 threads" in said
    ), said


RACES = """
#include <cstdio>
__device__ unsigned arrived;
__global__ void put(int* x, int value) { x[0] = value; }
__global__ void sum(const int* x, int n, int* to) { for (int i = 0; i < n; ++i) to[0] += x[i]; }
__global__ void in_order(int* x) {
    x[threadIdx.x] = threadIdx.x;
    __syncwarp();
    if (threadIdx.x == 0) {
        sum<<<1, 1>>>(x, 32, x + 32);
        put<<<1, 1>>>(x, 1);
        put<<<1, 1, 0, cudaStreamTailLaunch>>>(x + 32, 2);
    }
}
__global__ void by_last_block(int* x) {
    if (threadIdx.x > 0) return;
    x[blockIdx.x] = blockIdx.x;
    FENCE
    if (atomicAdd(&arrived, 1) == gridDim.x - 1) sum<<<1, 1>>>(x, gridDim.x, x + 40);
}
__global__ void halves(int* x, int n) {
    for (int i = 0; i < n; ++i) ++x[i];
    if (n > 1) halves<<<1, 1, 0, cudaStreamFireAndForget>>>(x, n / 2);
    if (n > 1) halves<<<1, 1, 0, cudaStreamFireAndForget>>>(x + n / 2, n / 2);
}
__global__ void parent(int* x) { BODY }
int main() {
    int* x;
    cudaMalloc(&x, 256 * sizeof(int));
    cudaMemset(x, 0, 256 * sizeof(int));
    in_order<<<1, 32>>>(x);
    by_last_block<<<8, 32>>>(x + 64);
    halves<<<1, 1>>>(x + 128, 16);
    parent<<<2, 96>>>(x);
    cudaDeviceSynchronize();
}
"""
BODIES = [
    ("", "no findings"),
    ("if (threadIdx.x + blockIdx.x == 0) { put<<<1, 1>>>(x, 1); x[1] = x[0]; }", "the kernel that launches it read"),
    ("if (threadIdx.x + blockIdx.x == 0) { halves<<<1, 1>>>(x, 4); x[9] = x[0]; }", "the kernel that launches it read"),
    ("x[threadIdx.x] = 0; if (threadIdx.x == 64) put<<<1, 1>>>(x, 1);", "which the kernel that launches it writes"),
    ("if (threadIdx.x == 0) put<<<1, 1>>>(x, 1);", "which what line 26 launches writes, in any order"),
    ("if (threadIdx.x + blockIdx.x == 0) { halves<<<1, 1>>>(x, 4); put<<<1, 1>>>(x, 1); }", "no findings"),
    ("if (threadIdx.x + blockIdx.x == 0) { halves<<<1, 1>>>(x, 4); put<<<1, 1, 0, cudaStreamFireAndForget>>>(x, 1); }",
     "which what line 23 launches writes, in any order"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), long_tail(BODIES, every=4))
def test_what_runs_beside_what_a_kernel_launches_is_a_race(tmp_path, body, expected):
    said = run(tmp_path, RACES.replace("BODY", body).replace("FENCE", "__threadfence();"))
    assert expected in said, said


def test_what_other_blocks_have_not_handed_on_is_a_race(tmp_path):
    said = run(tmp_path, RACES.replace("BODY", "").replace("FENCE", ""))
    assert (
        "reads element 64 of x (cudaMalloc in line 29), which the kernel that launches it writes in line 17" in said
    ), said


BY_KERNELS = """
#include <cstdio>
struct Line { int count; int* points; };
__global__ void add(const int* from, int* to) { to[threadIdx.x] += from[threadIdx.x]; }
__global__ void free_all(Line* lines) { cudaFree(lines[threadIdx.x].points); }
__global__ void make(Line* lines, const int* table, int* sums) {
    __shared__ cudaStream_t stream;
    Line& own = lines[threadIdx.x];
    if (cudaMalloc((void**)&own.points, 4 * sizeof(int)) != cudaSuccess) return;
    if (threadIdx.x == 0) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    __syncthreads();
    cudaEvent_t done;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaMemcpyAsync(own.points, table, SIZE * sizeof(int), cudaMemcpyDeviceToDevice, stream);
    cudaMemsetAsync(own.points, 0, sizeof(int), stream);
    cudaEventRecord(done, stream);
    cudaStreamWaitEvent(stream, done, 0);
    add<<<1, 4, 0, stream>>>(own.points, sums);
    cudaEventDestroy(done);
    FREE
}
int main() {
    int table[4] = {1, 2, 3, 4}, *t, *s, sums[4];
    Line* lines;
    cudaMalloc(&t, sizeof table);
    cudaMalloc(&s, sizeof table);
    cudaMalloc(&lines, 2 * sizeof(Line));
    cudaMemset(s, 0, sizeof table);
    cudaMemcpy(t, table, sizeof table, cudaMemcpyHostToDevice);
    make<<<1, 2>>>(lines, t, s);
    free_all<<<1, 2>>>(lines);
    cudaMemcpy(sums, s, sizeof sums, cudaMemcpyDeviceToHost);
    for (int each : sums) printf("%d ", each);
    cudaFree(t), cudaFree(s), cudaFree(lines);
}
"""


def test_kernels_ask_for_memory_and_have_copies_done_behind_them(tmp_path):
    said = run(tmp_path, BY_KERNELS.replace("SIZE", "4").replace("FREE", ""))
    assert said.startswith("0 4 6 8 ") and "no findings in 3 kernels" in said, said


@pytest.mark.slow
def test_what_is_wrong_in_these_copies_is_told(tmp_path):
    said = run(tmp_path, BY_KERNELS.replace("SIZE", "5").replace("FREE", ""))
    assert "1. out of bounds t.cu:14 a copy or memset of 20 bytes leaves t" in said, said
    said = run(tmp_path, BY_KERNELS.replace("SIZE", "4").replace("FREE", "cudaFree(own.points);"))
    told = "1. out of bounds t.cu:14 what a kernel copies or sets in this line comes when the kernel has ended, and the"
    assert f"{told} kernel has freed the memory from the kernel's cudaMalloc in line 9 by then" in said, said
    told = "t.cu:34 cudaFree of memory that a kernel has allocated: only a kernel can give that back"
    host = BY_KERNELS.replace(
        "cudaFree(lines)", "cudaMemcpy(&t, &lines->points, 8, cudaMemcpyDeviceToHost), cudaFree(t)"
    )
    assert told in (said := run(tmp_path, host.replace("SIZE", "4").replace("FREE", "").replace("free_all<", "// "))), (
        said
    )
