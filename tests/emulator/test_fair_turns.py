"""Blocks that ask again and again, and change a word each time: those that they wait for have turns all the same."""

from __future__ import annotations

import numpy as np
import pytest

from grader.devices.emulator.timeouts import never_ended
from tests.shared import long_tail

# The last block hands a number to all others.
KERNEL = """
__device__ void lock(unsigned* s) {{ while (atomicCAS(s + 1, 0u, 1u)) {{}} __threadfence(); }}
__device__ void unlock(unsigned* s) {{ __threadfence(); atomicExch(s + 1, 0u); }}
__global__ void k(unsigned* z, unsigned* s) {{
    __shared__ unsigned done;
    const unsigned last = gridDim.x - 1, t = threadIdx.x;
    if (blockIdx.x == last) {{
        if (t == 0) {{ z[last] = 5; lock(s); s[0] = 1; unlock(s); }}
        return;
    }}
    {asks}
    __syncthreads();
    if (t == 0) z[blockIdx.x] = z[last];
}}
extern "C" void run(unsigned* z, unsigned* s, int blocks, int size, cudaStream_t stream) {{
    cudaMemsetAsync(s, 0, 4 * sizeof(unsigned), stream);
    k<<<blocks, size, 0, stream>>>(z, s);
}}
"""
PROTOTYPE = "void run(unsigned* z, unsigned* s, int blocks, int size, cudaStream_t stream)"
ASKS = {
    "under a lock": "if (t == 0) for (unsigned d = 0; !d;) { lock(s); d = s[0]; unlock(s); }",
    "under a lock, between barriers": """
    for (;;) {
        if (t == 0) { lock(s); done = s[0]; unlock(s); }
        __syncthreads();
        if (done) break;
        __syncthreads();
    }""",
    "and counts how often": """
    if (t == 0) for (unsigned d = 0; !d;) {
        atomicAdd(s + 2, 1u);
        lock(s); d = s[0]; unlock(s);
    }""",
}


@pytest.mark.parametrize("executors", [1, 2])
@pytest.mark.parametrize(("blocks", "size"), [(2, 32), (8, 1), (100, 32)])
@pytest.mark.parametrize("asks", long_tail(list(ASKS), every=6))
def test_a_block_that_asks_lets_others_in(run_kernel, asks, blocks, size, executors):
    values = {"z": np.zeros(blocks, np.uint32), "s": np.zeros(4, np.uint32), "blocks": blocks, "size": size}
    outputs, case = run_kernel(KERNEL.format(asks=ASKS[asks]), PROTOTYPE, threads=executors, mapped=True, **values)
    assert [found.message for found in case.findings if found.severity == "error"] == []
    assert outputs["z"].tolist() == [5] * blocks


# Each block waits until the one before it in a chain has passed, whatever the order of their numbers.
CHAIN = """
{lock}
__global__ void k(unsigned* z, unsigned* s, int step) {{
    const unsigned n = gridDim.x, place = blockIdx.x * step % n;
    if (threadIdx.x) return;
    if (place > 0) for (unsigned d = 0; !d;) {{ lock(s); d = s[2 + place - 1]; unlock(s); }}
    z[place] = place == 0 ? 1 : z[place - 1] + 1;
    lock(s); s[2 + place] = 1; unlock(s);
}}
extern "C" void run(unsigned* z, unsigned* s, int blocks, int step, cudaStream_t stream) {{
    cudaMemsetAsync(s, 0, (blocks + 2) * sizeof(unsigned), stream);
    k<<<blocks, 32, 0, stream>>>(z, s, step);
}}
"""
LOCKS = {
    "swap": """
__device__ void lock(unsigned* s) { while (atomicCAS(s, 0u, 1u)) {} __threadfence(); }
__device__ void unlock(unsigned* s) { __threadfence(); atomicExch(s, 0u); }""",
    "volatile": """
__device__ void lock(unsigned* s) { while (atomicExch(s, 1u)) {} __threadfence(); }
__device__ void unlock(unsigned* s) { __threadfence(); *(volatile unsigned*)s = 0; }""",
    "ticket": """
__device__ void take(unsigned* s, unsigned mine) { while (atomicAdd(s + 1, 0u) != mine) {} __threadfence(); }
__device__ void lock(unsigned* s) { take(s, atomicAdd(s, 1u)); }
__device__ void unlock(unsigned* s) { __threadfence(); atomicAdd(s + 1, 1u); }""",
}


@pytest.mark.parametrize("executors", [1, 2])
@pytest.mark.parametrize("step", long_tail([-1, 37], every=4, slow=1))
@pytest.mark.parametrize("lock", long_tail(list(LOCKS), every=6))
def test_a_chain_under_one_lock_comes_to_its_end(run_kernel, lock, step, executors):
    """Blocks that slept with the lock in their hands let all others come in vain: millions of atomics."""
    blocks = 150
    values = {"z": np.zeros(blocks, np.uint32), "s": np.zeros(blocks + 2, np.uint32), "blocks": blocks}
    prototype = PROTOTYPE.replace("size", "step")
    source = CHAIN.format(lock=LOCKS[lock])
    outputs, case = run_kernel(source, prototype, threads=executors, mapped=True, step=step % blocks, **values)
    assert [found.message for found in case.findings if found.severity == "error"] == []
    assert outputs["z"].tolist() == list(range(1, blocks + 1))
    assert case.counters["global_atomic_requests"] < 1_000_000


def test_a_kernel_of_another_stream_that_comes_later_is_named():
    fact = {"text": "waits streams", "loop": [3], "line": 3}
    said = never_ended(fact, "thread 0")
    assert "a kernel that is launched later, on another stream, does not run beside it here" in said
