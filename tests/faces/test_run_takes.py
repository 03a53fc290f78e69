"""`ladder run`: right programs are taken, and what is wrong beside them is told."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from grader.report.program import RACE_FIRST
from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAMS = Path(__file__).with_name("programs")


def run(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    done = run_ladder(folder, "run", name)
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.slow
def test_seldom_ways_of_right_programs_are_taken(tmp_path):
    said = run(tmp_path, "taken.cu", (PROGRAMS / "taken.cu").read_text())
    assert said.startswith("1 60 11, 2 0 3 6 5 2 1 0, 1 -5 _Z4fillPfi 113 "), said
    assert "no findings in 2 kernels" in said


@pytest.mark.parametrize(
    "behind",
    long_tail(
        [
            "cudaMemset(p, 0, 4);",  # the null pointer is used
            "return 1;",
            "write<<<1, 1>>>(p); cudaDeviceSynchronize();",
        ],
        every=6,
    ),
)
def test_memory_that_is_missed_is_told(tmp_path, behind):
    kernel = "__global__ void write(int* p) { p[0] = 1; }\n"
    said = run(tmp_path, "much.cu", f"{kernel}int main() {{ int* p; cudaMalloc(&p, 1ull << 40); {behind} }}\n")
    assert "out of memory much.cu:2" in said and "the emulated GPU has 4 GB of memory" in said


OBJECT = """
struct Total {
    float sum;
    int count;
    __device__ Total() : sum(0) {}
    __device__ void add(int v) { atomicAdd(&count, v); }
};
__global__ void k(float* z) {
    __shared__ Total total;
    if (threadIdx.x == 0) total.count = 0, SET;
    BARRIER;
    total.add(1);
    __syncthreads();
    z[threadIdx.x] = total.sum + total.count;
}
int main() {
    float* z;
    cudaMallocManaged(&z, 32 * sizeof(float));
    k<<<2, 32>>>(z);
    cudaDeviceSynchronize();
    printf("%g\\n", z[31]);
    cudaFree(z);
}
"""


@pytest.mark.parametrize(
    ("set_", "barrier", "told"),
    long_tail(
        [
            ("total.sum = 2", "__syncthreads()", "34 "),
            ("total.sum = 2", "", "data race object.cu:6 in kernel k"),
            ("total.count = 0", "__syncthreads()", "reads total[0] before anything was written there"),
            ("(&total.sum)[9] = 2", "__syncthreads()", "writes total[9], past its end"),
        ],
        every=6,
        slow=2,
    ),
)
def test_no_thread_runs_the_constructor_of_a_shared_object(tmp_path, set_, barrier, told):
    said = run(tmp_path, "object.cu", OBJECT.replace("SET", set_).replace("BARRIER", barrier))
    assert told in said and ("no findings" in said) == (told == "34 "), said


MEETING = """
#include <cuda_awbarrier_primitives.h>
#include <cuda/std/atomic>
__device__ cuda::std::atomic_flag lock;
__device__ int held;
__global__ void k(int* z) {
    __shared__ __mbarrier_t meeting;
    __shared__ int s[64];
    if (threadIdx.x == 0) __mbarrier_init(&meeting, blockDim.x);
    __syncthreads();
    for (int round = 0; round < 3; ++round) {
        s[threadIdx.x] = threadIdx.x + round;
        __mbarrier_token_t token = __mbarrier_arrive(&meeting);
        MEET;
        z[threadIdx.x] = s[63 - threadIdx.x];
        __barrier_sync(0);
    }
    if (threadIdx.x == 0) {
        while (lock.test_and_set(cuda::std::memory_order_acquire)) {}
        z[0] += ++held;
        lock.clear(cuda::std::memory_order_release);
    }
}
int main() {
    int* z;
    cudaMallocManaged(&z, 64 * sizeof(int));
    k<<<1, 64>>>(z);
    cudaDeviceSynchronize();
    printf("%d\\n", z[0]);
    cudaFree(z);
}
"""


@pytest.mark.parametrize(
    ("meet", "told"),
    long_tail(
        [
            ("while (!__mbarrier_test_wait(&meeting, token)) {}", "no findings"),
            ("while (!__mbarrier_try_wait(&meeting, token, 100)) {}", "no findings"),
            ("(void)token", "uninitialised read meeting.cu:15"),
        ],
        every=6,
    ),
)
def test_barriers_by_the_names_of_c_and_flags_order_what_they_should(tmp_path, meet, told):
    said = run(tmp_path, "meeting.cu", MEETING.replace("MEET;", meet + ";"))
    assert told in said and said.startswith("66 ") == (told == "no findings"), said


def test_the_namespace_of_the_emulator_may_be_a_name_of_the_programs(tmp_path):
    kernel = "__global__ void k(int* p, int v) { *p = v; }\n"
    main = (
        "int main() { int* p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p, ladder); cudaDeviceSynchronize(); return *p; }\n"
    )
    said = run(tmp_path, "ladder.cu", f"int ladder = 0;\n{kernel}{main}")
    assert "no findings in 1 kernel" in said, said


CLOCK = r"""
#include <cstdio>
#include <x86intrin.h>
static unsigned long long now() {
    unsigned low, high;
    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    return (unsigned long long)high << 32 | low;
}
#define DEVICE __device__ __forceinline__
DEVICE unsigned as_shared(const void* p) {
    unsigned a;
    asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(p));
    return a;
}
__global__ void k(unsigned* z) {
    __shared__ unsigned lanes[32];
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lanes[threadIdx.x]));
    asm volatile("again: ld.shared.u32 %0, [%1];" : "=r"(z[threadIdx.x]) : "r"(as_shared(lanes + threadIdx.x)));
}
int main() {
    const unsigned long long begin = now();
    unsigned* z;
    cudaMallocManaged(&z, 32 * sizeof(unsigned));
    k<<<1, 32>>>(z);
    asm volatile("pause" ::: "memory");
    _mm_pause();
    cudaDeviceSynchronize();
    printf("%u %d\n", z[31], begin < now() && begin < __rdtsc());
}
"""


@pytest.mark.slow
def test_a_program_may_have_assembly_for_its_host(tmp_path):
    if platform.machine() != "x86_64":
        pytest.skip("it is another machine's")
    said = run(tmp_path, "clock.cu", CLOCK)
    assert said.startswith("31 1 ") and "no findings in 1 kernel" in said, said


@pytest.mark.whole
def test_assembly_for_the_host_in_a_kernel_is_refused(tmp_path):
    said = run(tmp_path, "clock.cu", CLOCK.replace("mov.u32 %0, %%laneid;", "rdtsc"))
    assert "no findings" not in said and "rdtsc" in said and "clock.cu:17" in said, said


def test_a_race_is_told_before_what_is_read_too_early_for_want_of_the_same_barrier(tmp_path):
    said = run(
        tmp_path,
        "early.cu",
        """
__global__ void k(float* z) {
    __shared__ float s[64];
    s[threadIdx.x] = threadIdx.x;
    z[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
    float* z;
    cudaMalloc(&z, 64 * sizeof(float));
    k<<<1, 64>>>(z);
    cudaFree(z);
}
""",
    )
    race, early = said.index("data race early.cu"), said.index("uninitialised read early.cu:5")
    assert race < early and "__syncthreads() is missing between line 4 and line 5" in said
    assert RACE_FIRST in said and "not zeroed" not in said, "no second cause is sought for the same mistake"


@pytest.mark.slow
def test_memory_that_an_atomic_adds_to_must_be_set_first(tmp_path):
    text = """
__global__ void count(int* total) { atomicAdd(total, 1); }
int main() {
    struct { int* total; } sums;
    cudaMalloc(&sums.total, sizeof(int));
    SET;
    count<<<1, 64>>>(sums.total);
    cudaFree(sums.total);
}
"""
    said = run(tmp_path, "count.cu", text.replace("SET", ""))
    assert "cudaMalloc gives memory that holds anything" in said and "`cudaMemset(sums.total, 0, bytes)`" in said, said
    assert "no findings" in run(tmp_path, "set.cu", text.replace("SET", "cudaMemset(sums.total, 0, sizeof(int))"))


@pytest.mark.slow
def test_each_header_may_have_variables_of_the_gpu(tmp_path):
    (tmp_path / "a.cuh").write_text("#pragma once\n__constant__ float first[4] = {1, 2, 3, 4};\n__device__ int met;\n")
    (tmp_path / "b.cuh").write_text("__constant__ float second[] = {1, 2};\n__device__ const int third[2] = {5};\n")
    text = """
#include <cstdio>
#include "a.cuh"
#include "b.cuh"
__constant__ float fourth[2] = {1, 2};
__global__ void sum(float* x) {
    met = 1;
    *x = first[threadIdx.x] + second[threadIdx.x] + third[0] + fourth[PAST];
}
int main() {
    float *x, h;
    cudaMalloc(&x, sizeof h);
    sum<<<1, 1>>>(x);
    cudaMemcpy(&h, x, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\\n", h);
    cudaFree(x);
}
"""
    assert (said := run(tmp_path, "t.cu", text.replace("PAST", "1"))).startswith("9 ") and "no findings" in said, said
    said = run(tmp_path, "t.cu", text.replace("PAST", "threadIdx.x + 2"))
    assert "reads fourth[2], past its end" in said, said


SYMBOLS = """#include <cstdio>
__device__ int counts[4];
__global__ void add() { counts[threadIdx.x] += threadIdx.x; }
int main() {
    const int first[4] = {1, 2, 3, 4};
    int last[4];
    cudaMemcpyToSymbolAsync(counts, first, sizeof first);
    add<<<1, 4>>>();
    cudaMemcpyFromSymbolAsync(last, counts, sizeof last);
    cudaDeviceSynchronize();
    printf("%d %d\\n", last[0], last[3]);
}
"""


def test_copies_of_symbols_need_no_offset_kind_or_stream(tmp_path):
    (tmp_path / "p.cu").write_text(SYMBOLS)
    done = run_ladder(tmp_path, "run", "p.cu")
    assert done.stdout.startswith("1 7\n") and "no findings" in done.stdout + done.stderr, done.stderr
