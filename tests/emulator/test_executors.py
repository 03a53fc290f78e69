"""OS threads share the blocks of a launch: with one, two or three of them everything comes out the same."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from tests.emulator.conftest import RUNTIME
from tests.shared import long_tail

KERNELS = Path(__file__).parents[2] / "kernels"
BLOCKS, THREADS = 32, 64
N = BLOCKS * THREADS  # as many as it takes for a launch to be worth more than one

LAUNCH = f"""
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{
    k<<<{BLOCKS}, {THREADS}, 0, stream>>>(x, z, n);
}}
"""

# What the executors of one launch have in common, a kernel each.
SHARING = {
    "each_element_once": """
__global__ void k(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = 2 * x[i];
}""",
    "tickets_and_a_float_sum": """
__device__ unsigned tickets;
__global__ void k(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) tickets = 0, z[n - 1] = 0;
    atomicAdd(&z[n - 1], 1.0f / (1 + i));
    if (threadIdx.x == 0) z[blockIdx.x] = atomicAdd(&tickets, 1u);
}""",
    "releases_in_shared_memory": """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[64];
    __shared__ int written;
    if (threadIdx.x == 0) written = 0;
    __syncthreads();
    s[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __threadfence_block();
    if (atomicAdd(&written, 1) != 63) return;
    __threadfence_block();
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += s[i];
    z[blockIdx.x] = sum;
}""",
    "the_last_block_adds_up": """
__device__ unsigned done;
__device__ float parts[32];
__global__ void k(const float* x, float* z, int n) {
    if (threadIdx.x != 0) return;
    parts[blockIdx.x] = x[blockIdx.x];
    __threadfence();
    if (atomicInc(&done, 31) != 31) return;
    __threadfence();
    float sum = 0;
    for (int i = 0; i < 32; ++i) sum += parts[i];
    z[0] = sum;
}""",
    "each_block_waits_for_the_one_before": """
__device__ volatile int seen[32];
__global__ void k(const float* x, float* z, int n) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x > 0) while (seen[blockIdx.x - 1] == 0) {}
    __threadfence();
    z[blockIdx.x] = x[blockIdx.x] + (blockIdx.x > 0 ? z[blockIdx.x - 1] : 0);
    __threadfence();
    seen[blockIdx.x] = 1;
    if (blockIdx.x == 31) for (int b = 0; b < 32; ++b) seen[b] = 0;
}""",
    "all_blocks_write_the_same": """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    z[threadIdx.x] = s[63 - threadIdx.x];
}""",
    "blocks_print": """
#include <cstdio>
__global__ void k(const float* x, float* z, int n) {
    if (threadIdx.x % 32 == 0) printf("block %d\\n", blockIdx.x);
}""",
}

# The same behind a counter that begins at 0 in each call.
COUNTED = LAUNCH.replace(
    "    k<<<", "    void* p;\n    cudaGetSymbolAddress(&p, counter);\n    cudaMemsetAsync(p, 0, 4, stream);\n    k<<<"
)

# 32 tiles for 32 blocks, each of which takes one after another.
TILES = """
__device__ unsigned counter;
__global__ void k(const float* x, float* z, int n) {
    __shared__ unsigned tile;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(&counter, 1u);
        __syncthreads();
        const unsigned t = tile;
        __syncthreads();
        if (t >= n / 64) return;
        float sum = 0;
        for (int i = 0; i < 4; ++i) sum += x[t * 64 + (threadIdx.x + i) % 64];
        z[t * 64 + threadIdx.x] = sum - sum + blockIdx.x;
    }
}"""

# Block 20 fails wherever it is. Block 7 fails by its second ticket: that of the others of its round are given before.
FAILS = """
__device__ unsigned counter;
__global__ void k(const float* x, float* z, int n) {
    if (blockIdx.x == 20) z[n + 5] = 1;
    if (threadIdx.x == 0) atomicAdd(&counter, 1u);
    float sum = 0;
    for (int i = 0; i < 40; ++i) sum += x[i];
    z[blockIdx.x * 64 + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x > 0) return;
    const unsigned second = atomicAdd(&counter, 1u);
    if (blockIdx.x == 7) z[n + second] = 1;
}"""


def facts(run) -> list:
    return [run.counters, run.lines, run.kernels, [finding.message for finding in run.findings]]


def assert_the_same_on_more_executors(run_kernel, source: str, prototype: str, **values) -> None:
    (outputs, case), *others = [run_kernel(source, prototype, threads=n, **values) for n in (1, 2, 3)]
    for their_outputs, their_case in others:
        assert facts(their_case) == facts(case)
        for name, output in outputs.items():
            assert np.array_equal(output.view(np.uint32), their_outputs[name].view(np.uint32))


@pytest.mark.parametrize("name", long_tail(list(SHARING), every=6))
def test_what_executors_share(run_kernel, capfd, name):
    x = np.random.default_rng(0).standard_normal(N).astype(np.float32)
    prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
    assert_the_same_on_more_executors(run_kernel, SHARING[name] + LAUNCH, prototype, x=x, z=np.zeros_like(x), n=N)
    if name == "blocks_print":
        assert capfd.readouterr().out == "".join(f"block {b}\n" * 2 for b in range(BLOCKS)) * 3


@pytest.mark.parametrize("rung", long_tail(["04_*/3_*.cu", "05_*/sum/2_*.cu"], every=4))
def test_a_rung(run_kernel, rung):
    source = next(KERNELS.glob(rung)).read_text()
    prototypes = re.findall(r'^extern "C" (void \w+\([^)]*\))', source, re.MULTILINE)
    rng = np.random.default_rng(1)
    if rung.startswith("04"):
        values = {name: rng.standard_normal((100, 100)).astype(np.float32) for name in "abc"} | dict.fromkeys(
            "mnk", 100
        )
    else:
        values = {"x": rng.standard_normal(5000).astype(np.float32), "out": np.zeros(1, np.float32), "n": 5000}
    assert_the_same_on_more_executors(run_kernel, source, prototypes[0], among=prototypes, **values)


@pytest.mark.slow
def test_blocks_take_turns_at_a_counter(run_kernel):
    prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
    for threads in (1, 3):
        x = np.ones(N, np.float32)
        outputs, _ = run_kernel(TILES + COUNTED, prototype, threads=threads, x=x, z=np.zeros_like(x), n=N)
        assert np.array_equal(outputs["z"][::THREADS], np.arange(BLOCKS))


# Each word is read by the block before the one that writes it; every third, from block 2's on, by the first block, too.
MANY_RACES = """
__global__ void k(const float* x, float* z, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[i];
    float sum = z[(i + blockDim.x) % n];
    if (blockIdx.x == 0) for (int j = 128 + 3 * i; j < n; j += 3 * blockDim.x) sum += z[j];
    if (sum < -1e9f) z[i] = sum;
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {
    cudaMemsetAsync(z, 0, n * sizeof(float), stream);
    k<<<n / 64, 64, 0, stream>>>(x, z, n);
}"""


def test_races_at_more_words_than_one_executor_looks_at(run_kernel):
    prototype, n = "void f(const float* x, float* z, int n, cudaStream_t stream)", 64 * 300
    values = {"x": np.ones(n, np.float32), "z": np.zeros(n, np.float32), "n": n}
    _, case = run_kernel(MANY_RACES, prototype, threads=1, **values)
    _, on_five = run_kernel(MANY_RACES, prototype, threads=5, **values)
    assert facts(on_five) == facts(case)
    times = [re.search(r"blocks run in no order.*\(([\d,]+) times\)$", finding.message)[1] for finding in case.findings]
    assert times == ["19,200", "6,358"]


# Work before an atomic is done beside other blocks, so all threads come to theirs before the block has its turn.
OTHERS_FIRST = """
#include <cstdio>
__device__ unsigned counter;
__global__ void k(const float* x, float* z, int n) {
    if (threadIdx.x == 0) atomicAdd(&counter, 1u);
    if (threadIdx.x < 2 || threadIdx.x == 40) printf("%d\\n", threadIdx.x);
}"""
# Two threads of each warp wait for the turn at different places, and what the others have done is not replayed yet.
TWO_PLACES = """
__device__ unsigned counter;
__global__ void k(const float* x, float* z, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (lane == 0) {
        atomicAdd(&counter, 1u);
    } else {
        z[i] = x[i];
        if (lane == 1) atomicAdd(&counter, 1u);
        z[i] += 1;
    }
}"""


@pytest.mark.slow
def test_the_turn_comes_last(run_kernel, capfd):
    prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
    x = np.ones(N, np.float32)
    assert_the_same_on_more_executors(run_kernel, OTHERS_FIRST + COUNTED, prototype, x=x, z=np.zeros_like(x), n=N)
    assert capfd.readouterr().out.startswith("1\n40\n0\n1\n40\n0\n")


@pytest.mark.slow
def test_threads_that_wait_for_the_turn_at_different_places(run_kernel):
    prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
    values = {"x": np.ones(N, np.float32), "z": np.zeros(N, np.float32), "n": N}
    assert_the_same_on_more_executors(run_kernel, TWO_PLACES + COUNTED, prototype, **values)
    outputs, case = run_kernel(TWO_PLACES + COUNTED, prototype, **values)
    assert np.all(outputs["z"].reshape(-1, 32)[:, 1:] == 2)
    warps = N // 32
    for name in ("global_atomic_requests", "global_load_requests", "global_store_requests"):
        assert case.counters[name] == 2 * warps
    assert case.counters["global_store_threads"] == 2 * 31 * warps


# Even blocks use one array and odd ones another. Block 0 sleeps before any block has touched the second one.
WAITS = """
__device__ unsigned counter;
__global__ void k(const float* x, float* z, int n) {
    __shared__ float even[64], odd[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x % 2 == 0) even[threadIdx.x] = x[i];
    if (blockIdx.x == 0 && threadIdx.x == 0) while (atomicAdd(&counter, 0u) < gridDim.x / 2) {}
    __syncthreads();
    if (blockIdx.x % 2) odd[threadIdx.x] = 2 * x[i];
    __syncthreads();
    z[i] = blockIdx.x % 2 ? odd[threadIdx.x] : even[threadIdx.x];
    if (blockIdx.x % 2 && threadIdx.x == 0) atomicAdd(&counter, 1u);
}"""


def test_shared_arrays_of_blocks_that_sleep(run_kernel):
    prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
    values = {"x": np.arange(N, dtype=np.float32), "z": np.zeros(N, np.float32), "n": N}
    assert_the_same_on_more_executors(run_kernel, WAITS + COUNTED, prototype, **values)
    outputs, _ = run_kernel(WAITS + COUNTED, prototype, threads=1, **values)
    odd = np.arange(N) // THREADS % 2
    assert np.array_equal(outputs["z"], (1 + odd) * values["x"])


@pytest.mark.slow
def test_another_blocks_shared_array_is_not_set(run_kernel):
    prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
    source = WAITS.replace("blockIdx.x % 2 ? odd[", "blockIdx.x == 0 || blockIdx.x % 2 ? odd[") + COUNTED
    values = {"x": np.ones(N, np.float32), "z": np.zeros(N, np.float32), "n": N}
    for threads in (1, 2):
        _, case = run_kernel(source, prototype, threads=threads, **values)
        (message,) = [found.message for found in case.findings if found.kind == "uninitialized_read"]
        assert "of block (0, 0, 0) reads odd[0]" in message and "(64 times)" in message


@pytest.mark.slow
def test_what_is_told_of_blocks_that_fail(run_kernel):
    prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
    x = np.ones(N, np.float32)
    told = []
    for threads in (1, 2, 3, 3):
        _, case = run_kernel(FAILS + COUNTED, prototype, threads=threads, x=x, z=np.zeros_like(x), n=N)
        told.append([found.message for found in case.findings if found.severity == "error"])
    assert "of block (7, 0, 0) writes z[" in told[0][0]
    assert all(each == told[0] for each in told)


WAITS_IN_LARGE_BLOCKS = """
__global__ void k(const float* x, float* z, unsigned* arrived) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (atomicAdd(arrived, 0u) < gridDim.x) {}
    }
    __syncthreads();
    z[i] = 2 * x[i];
}
extern "C" void f(const float* x, float* z, unsigned* arrived, int size, int n, cudaStream_t stream) {
    cudaMemsetAsync(arrived, 0, sizeof *arrived, stream);
    k<<<n / size, size, 0, stream>>>(x, z, arrived);
}
"""


@pytest.mark.whole
@pytest.mark.skipif(RUNTIME in os.environ, reason="a sanitizer has mappings of its own")
def test_large_blocks_on_many_executors_keep_to_the_mappings_that_a_process_may_have(run_kernel):
    """Each stack is two: those of 40 executors, each with two blocks of 1,024 threads, would be 164,000 of 65,530."""
    prototype = "void f(const float* x, float* z, unsigned* arrived, int size, int n, cudaStream_t stream)"
    x = np.arange(56 * 1024, dtype=np.float32)
    given = {"x": x, "z": np.zeros_like(x), "arrived": np.zeros(1, np.uint32), "n": len(x)}
    for size in (1024, 512):
        outputs, case = run_kernel(WAITS_IN_LARGE_BLOCKS, prototype, threads=40, size=size, **given)
        assert case.findings == [] and np.all(outputs["z"] == 2 * x)
