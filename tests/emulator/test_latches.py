"""libcu++'s latch and semaphores of device scope: who waits, what they order, and what is told if none comes."""

from __future__ import annotations

import numpy as np
import pytest

SOURCE = """
#include <cuda/latch>
#include <cuda/semaphore>
using Latch = cuda::latch<cuda::thread_scope_device>;
using Slots = cuda::counting_semaphore<cuda::thread_scope_device>;
using Mutex = cuda::binary_semaphore<cuda::thread_scope_device>;
__device__ Latch& latch(unsigned long long* s) { return *reinterpret_cast<Latch*>(s); }
__device__ Mutex& mutex(unsigned long long* s) { return *reinterpret_cast<Mutex*>(s + 1); }
__device__ Slots& slots(unsigned long long* s) { return *reinterpret_cast<Slots*>(s + 2); }
__global__ void begin(unsigned long long* s, int expected) {
    new (&latch(s)) Latch(expected);
    new (&mutex(s)) Mutex(1);
    new (&slots(s)) Slots(3);
    s[3] = s[4] = 0;
}
__global__ void all_meet(unsigned* z, unsigned long long* s) {
    z[blockIdx.x] = blockIdx.x;
    latch(s).arrive_and_wait();
    const unsigned next = z[(blockIdx.x + 1) % gridDim.x];
    mutex(s).acquire();
    s[3] += next;
    mutex(s).release();
}
__global__ void at_most_three(unsigned* z, unsigned long long* s) {
    slots(s).acquire();
    const unsigned long long inside = atomicAdd(s + 3, 1ull);
    if (inside >= 3) atomicAdd(s + 4, 1ull);
    z[blockIdx.x] = 1;
    atomicAdd(s + 3, ~0ull);
    slots(s).release();
}
"""
KERNELS = {"all_meet": "n", "at_most_three": "n", "too_few": "n + 1"}
ENTRY = """
extern "C" void run_{name}(unsigned* z, unsigned long long* s, int n, cudaStream_t stream) {{
    begin<<<1, 1, 0, stream>>>(s, {expected});
    {kernel}<<<n, 1, 0, stream>>>(z, s);
}}
"""
SOURCE += "".join(
    ENTRY.format(name=name, expected=expected, kernel="all_meet" if name == "too_few" else name)
    for name, expected in KERNELS.items()
)
N = 100


def run(call, name: str, errors: bool = False):
    return call(
        f"run_{name}", z=np.zeros(N, np.uint32), s=np.zeros(8, np.uint64), n=N, threads=2, mapped=True, errors=errors
    )


def test_all_blocks_meet_at_a_latch_and_take_turns_at_a_mutex(call):
    found = run(call, "all_meet")
    assert found["z"].tolist() == list(range(N)) and found["s"][3] == sum(range(N))


def test_a_semaphore_lets_in_as_many_as_it_counts(call):
    found = run(call, "at_most_three")
    assert found["z"].tolist() == [1] * N and found["s"][[3, 4]].tolist() == [0, 0]


@pytest.mark.slow
def test_a_latch_that_waits_for_one_more(call):
    (found,) = [found for found in run(call, "too_few", errors=True).run.findings if found.severity == "error"]
    assert "for a value that no thread writes: all blocks that are not done wait" in found.message
