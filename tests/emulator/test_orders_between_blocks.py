"""What hands data on between blocks: orders and scopes that are named, libcu++'s barrier, and waits that never end."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

# Each block adds its number to what the block before it has handed on.
CHAIN = """
#include <cuda/atomic>
using Ref = cuda::atomic_ref<unsigned, cuda::thread_scope_{scope}>;
__global__ void chain(unsigned* z, unsigned* flags) {{
    if (blockIdx.x > 0) {{ {wait} }}
    z[blockIdx.x] = blockIdx.x + (blockIdx.x > 0 ? z[blockIdx.x - 1] : 0);
    {tell}
}}
extern "C" void run(unsigned* z, unsigned* flags, int n, cudaStream_t stream) {{
    cudaMemsetAsync(flags, 0, n * sizeof(unsigned), stream);
    chain<<<n, 1, 0, stream>>>(z, flags);
}}
"""
PROTOTYPE = "void run(unsigned* z, unsigned* flags, int n, cudaStream_t stream)"
N = 40
FENCE = "cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);"


def loads(order: str) -> str:
    return f"while (!Ref(flags[blockIdx.x - 1]).load(cuda::memory_order_{order})) {{}}"


def stores(order: str) -> str:
    return f"Ref(flags[blockIdx.x]).store(1, cuda::memory_order_{order});"


def ptx_loads(order: str) -> str:
    asm = f'asm volatile("ld.{order}.global.u32 %0, [%1];" : "=r"(flag) : "l"(flags + blockIdx.x - 1) : "memory");'
    return f"for (unsigned flag = 0; !flag;) {asm}"


def ptx_stores(order: str) -> str:
    return f'asm volatile("st.{order}.global.u32 [%0], %1;" :: "l"(flags + blockIdx.x), "r"(1) : "memory");'


RIGHT = {
    "acquire and release": ("device", loads("acquire"), stores("release")),
    "sequentially consistent": ("system", loads("seq_cst"), stores("seq_cst")),
    "relaxed, with fences": ("device", loads("relaxed") + FENCE, FENCE + stores("relaxed")),
    "waits to be notified": (
        "device",
        "Ref(flags[blockIdx.x - 1]).wait(0, cuda::memory_order_acquire);",
        stores("release") + "Ref(flags[blockIdx.x]).notify_all();",
    ),
    "CUDA's own atomics": (
        "device",
        "while (!atomicAdd(flags + blockIdx.x - 1, 0u)) {}",
        "__threadfence(); atomicExch(flags + blockIdx.x, 1u);",
    ),
    "PTX": ("device", ptx_loads("acquire.gpu"), ptx_stores("release.gpu")),
}
WRONG = {
    "a relaxed load": ("device", loads("relaxed"), stores("release")),
    "a relaxed store": ("device", loads("acquire"), stores("relaxed")),
    "a scope of one block": ("block", loads("acquire"), stores("release")),
    "atomics of one block": (
        "device",
        "while (!atomicAdd_block(flags + blockIdx.x - 1, 0u)) {}",
        "__threadfence(); atomicExch_block(flags + blockIdx.x, 1u);",
    ),
    "PTX: a relaxed load": ("device", ptx_loads("relaxed.gpu"), ptx_stores("release.gpu")),
    "PTX: a release for one block": ("device", ptx_loads("acquire.gpu"), ptx_stores("release.cta")),
    "PTX: an acquire for one block": ("device", ptx_loads("acquire.cta"), ptx_stores("release.gpu")),
}


def run_chain(run_kernel, scope: str, wait: str, tell: str):
    source = CHAIN.format(scope=scope, wait=wait, tell=tell)
    return run_kernel(
        source, PROTOTYPE, threads=2, mapped=True, z=np.zeros(N, np.uint32), flags=np.zeros(N, np.uint32), n=N
    )


@pytest.mark.parametrize("name", long_tail(list(RIGHT), every=6))
def test_a_chain_is_in_order(run_kernel, name):
    outputs, case = run_chain(run_kernel, *RIGHT[name])
    assert not case.findings
    assert outputs["z"].tolist() == np.cumsum(np.arange(N)).tolist()


@pytest.mark.parametrize("name", long_tail(list(WRONG), every=6))
def test_an_order_or_a_scope_is_too_weak(run_kernel, name):
    _, case = run_chain(run_kernel, *WRONG[name])
    assert {found.kind for found in case.findings} == {"race"}
    assert any("z[0]" in found.message for found in case.findings)


# A lock that all blocks take, one after another: what orders its words is the lock itself.
LOCK_OF_A_BLOCK = """
__global__ void add(unsigned* z, unsigned* lock) {
    while (atomicCAS_block(lock, 0u, 1u)) {}
    __threadfence();
    z[0] += 1;
    __threadfence();
    atomicExch_block(lock, 0u);
}
extern "C" void run(unsigned* z, unsigned* flags, int n, cudaStream_t stream) {
    cudaMemsetAsync(z, 0, n * sizeof(unsigned), stream);
    cudaMemsetAsync(flags, 0, n * sizeof(unsigned), stream);
    add<<<n, 1, 0, stream>>>(z, flags);
}
"""


def test_a_lock_of_block_scope_keeps_no_other_block_out(run_kernel):
    arrays = {"z": np.zeros(N, np.uint32), "flags": np.zeros(N, np.uint32)}
    _, case = run_kernel(LOCK_OF_A_BLOCK, PROTOTYPE, threads=2, mapped=True, n=N, **arrays)
    messages = [found.message for found in case.findings if found.kind == "race"]
    assert any("z[0]" in message for message in messages) and any("flags[0]" in message for message in messages)


# `expected` arrivals end a phase of a barrier in global memory, or of a counter that is asked every so often.
BARRIERS = """
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_device>;
__global__ void begin(unsigned* flags, int expected) { init(reinterpret_cast<Barrier*>(flags), expected); }
__global__ void meet(unsigned* z, unsigned* flags, int n) {
    z[blockIdx.x] = blockIdx.x;
    reinterpret_cast<Barrier*>(flags)->arrive_and_wait();
    const unsigned next = z[(blockIdx.x + 1) % n];
    reinterpret_cast<Barrier*>(flags)->arrive_and_wait();
    z[blockIdx.x] = next;
}
__global__ void rest(unsigned* flags, int expected) {
    atomicAdd(flags, 1u);
    while (atomicAdd(flags, 0u) < expected) __nanosleep(100);
}
extern "C" void run(unsigned* z, unsigned* flags, int n, cudaStream_t stream) {
    begin<<<1, 1, 0, stream>>>(flags, n);
    meet<<<n, 1, 0, stream>>>(z, flags, n);
}
extern "C" void run_one_short(unsigned* z, unsigned* flags, int n, cudaStream_t stream) {
    begin<<<1, 1, 0, stream>>>(flags, n + 1);
    meet<<<n, 1, 0, stream>>>(z, flags, n);
}
extern "C" void run_too_few(unsigned* z, unsigned* flags, int n, cudaStream_t stream) {
    cudaMemsetAsync(flags, 0, n * sizeof(unsigned), stream);
    rest<<<n, 1, 0, stream>>>(flags, n + 1);
}
"""
ALL = [PROTOTYPE, *(PROTOTYPE.replace("run", f"run_{name}") for name in ("too_few", "one_short"))]


def run_barriers(run_kernel, prototype: str, threads: int):
    arrays = {"z": np.zeros(N, np.uint32), "flags": np.zeros(N, np.uint32)}
    return run_kernel(BARRIERS, prototype, among=ALL, threads=threads, mapped=True, n=N, **arrays)


def test_blocks_meet_at_a_barrier_of_the_device(run_kernel):
    outputs, case = run_barriers(run_kernel, ALL[0], threads=2)
    assert not case.findings
    assert outputs["z"].tolist() == [*range(1, N), 0]


@pytest.mark.slow
@pytest.mark.parametrize("threads", long_tail([16, 1], every=4))
def test_blocks_that_sleep_between_their_looks_wait_for_nothing(run_kernel, threads):
    """It takes as long, whatever the executors: each would wait for all others' turns."""
    _, case = run_barriers(run_kernel, ALL[1], threads)
    (found,) = [found for found in case.findings if found.severity == "error"]
    assert "for a value that no thread writes: all blocks that are not done wait" in found.message


@pytest.mark.slow
def test_a_barrier_of_the_device_says_how_many_have_come(run_kernel):
    _, case = run_barriers(run_kernel, ALL[2], threads=2)
    (found,) = [found for found in case.findings if found.severity == "error"]
    assert "has seen 40 of 41 arrivals" in found.message


# A flag that was handed on before grid.sync() orders nothing that is done behind it, where barriers are counted anew.
BEHIND_A_GRID_BARRIER = """
#include <cooperative_groups.h>
__global__ void meet(unsigned* z, unsigned* flags) {
    for (int i = 0; i < 5; ++i) __syncthreads();
    if (blockIdx.x == 0) __threadfence(), atomicExch(flags, 1u);
    else while (atomicAdd(flags, 0u) == 0) {}
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0) z[2] = 1;
    else z[blockIdx.x] = z[2];
}
extern "C" void run(unsigned* z, unsigned* flags, int n, cudaStream_t stream) {
    cudaMemsetAsync(z, 0, n * sizeof(unsigned), stream);
    cudaMemsetAsync(flags, 0, n * sizeof(unsigned), stream);
    void* arguments[] = {&z, &flags};
    cudaLaunchCooperativeKernel((void*)meet, dim3(2), dim3(1), arguments, 0, stream);
}
"""


def test_a_flag_orders_nothing_behind_the_next_grid_barrier(run_kernel):
    arrays = {"z": np.zeros(N, np.uint32), "flags": np.zeros(N, np.uint32)}
    _, case = run_kernel(BEHIND_A_GRID_BARRIER, PROTOTYPE, threads=2, mapped=True, n=N, **arrays)
    (race,) = [found.message for found in case.findings if found.severity == "error"]
    assert "z[2]" in race
