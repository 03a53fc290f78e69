"""Blocks that a barrier of the whole grid lets go on look at its word at once, before any of them changes it again."""

from __future__ import annotations

import numpy as np
import pytest

BLOCKS = 80
# Each block adds its left neighbour's number of the step before to its own. Without a barrier between the load and the
# store, it may be that of this step.
SOURCE = """
template <class Look> __device__ unsigned meet(unsigned* s, unsigned phase, Look look) {
    unsigned seen = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(s, 1u);
        while ((seen = look(s)) < phase * gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    return seen;
}
struct Added { __device__ unsigned operator()(unsigned* s) { return atomicAdd(s, 0u); } };
struct Kept { __device__ unsigned operator()(unsigned* s) { return atomicCAS(s, 0u, 0u); } };
struct Rests { __device__ unsigned operator()(unsigned* s) { __nanosleep(20); return atomicOr(s, 0u); } };
struct Loaded {
    __device__ unsigned operator()(unsigned* s) { return __nv_atomic_load_n(s, __NV_ATOMIC_ACQUIRE); }
};
template <class Look, bool twice> __global__ void steps(unsigned* z, unsigned* s) {
    const unsigned b = blockIdx.x;
    if (threadIdx.x == 0) z[b] = b;
    unsigned phase = 0, seen = meet(s, ++phase, Look{});
    for (int step = 0; step < 4; ++step) {
        unsigned left = 0;
        if (threadIdx.x == 0 && b > 0) left = z[b - 1];
        if (twice) meet(s, ++phase, Look{});
        if (threadIdx.x == 0) z[b] += left;
        seen = seen * 3 + meet(s, ++phase, Look{});
    }
    if (threadIdx.x == 0) z[gridDim.x + b] = seen;
}
"""
ENTRY = """
extern "C" void run_{look}_{twice}(unsigned* z, unsigned* s, int n, cudaStream_t stream) {{
    cudaMemsetAsync(s, 0, sizeof(unsigned), stream);
    steps<{look}, {twice}><<<n, 64, 0, stream>>>(z, s);
}}
"""
LOOKS = ["Added", "Kept", "Rests", "Loaded"]
SOURCE += "".join(ENTRY.format(look=look, twice=twice) for look in LOOKS for twice in ("true", "false"))


def facts(call, entry: str, threads: int) -> tuple:
    space = {"z": np.zeros(2 * BLOCKS, np.uint32), "s": np.zeros(1, np.uint32)}
    found = call(entry, n=BLOCKS, threads=threads, errors=True, mapped=True, **space)
    run = found.run
    return run.counters, run.lines, [each.message for each in run.findings], found["z"].tolist()


@pytest.mark.parametrize("look", LOOKS)
def test_blocks_that_meet_pass(call, look):
    z = np.arange(BLOCKS, dtype=np.uint32)
    for _ in range(4):
        z[1:] += z[:-1].copy()
    alone, *others = [facts(call, f"run_{look}_true", threads) for threads in (1, 2, 7)]
    assert alone[2] == [] and alone[3][:BLOCKS] == z.tolist()
    assert all(each == alone for each in others)


@pytest.mark.parametrize("look", LOOKS)
def test_a_number_of_the_same_step_is_a_race(call, look):
    alone, *others = [facts(call, f"run_{look}_false", threads) for threads in (1, 2, 7)]
    (message,) = alone[2]
    assert "reads z[0] in line 26 while thread (0, 0, 0) of block (0, 0, 0) writes it" in message
    assert all(each[2] == alone[2] for each in others)
