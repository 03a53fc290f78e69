"""Threads that take two locks: in different orders they wait for each other for ever, as on a GPU; else they do not."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.shared import long_tail

KERNEL = """
__device__ bool take(unsigned* l) {{ return {take}; }}
__device__ void give(unsigned* l) {{ __threadfence(); atomicExch(l, 0u); }}
__global__ void k(unsigned* z, unsigned* m, unsigned n) {{
    if (threadIdx.x) return;
    const unsigned a = blockIdx.x % n, b = (blockIdx.x + 1) % n;
    {body}
}}
extern "C" void run(unsigned* z, unsigned* m, int blocks, cudaStream_t stream) {{
    cudaMemsetAsync(z, 0, 8 * sizeof(unsigned), stream);
    cudaMemsetAsync(m, 0, 8 * sizeof(unsigned), stream);
    k<<<blocks, 32, 0, stream>>>(z, m, 4);
}}
"""
PROTOTYPE = "void run(unsigned* z, unsigned* m, int blocks, cudaStream_t stream)"
SWAPS = ("atomicCAS(l, 0u, 1u) == 0", "atomicExch(l, 1u) == 0")
BOTH = "__threadfence(); z[a]++; z[b]++; give(m + b); give(m + a);"
IN_ONE_ORDER = "const unsigned f = a < b ? a : b; while (!take(m + f)) ; while (!take(m + a + b - f)) ;" + BOTH
RIGHT = [
    IN_ONE_ORDER,
    "while (!take(m + 7)) ; while (!take(m + a)) ; while (!take(m + b)) ;" + BOTH + "give(m + 7);",
    "for (bool done = false; !done;) { if (!take(m + a)) continue;"
    " if (take(m + b)) { __threadfence(); z[a]++; z[b]++; give(m + b); done = true; } give(m + a); }",
    "while (!take(m + a)) ; __threadfence(); z[a]++; give(m + a); while (!take(m + b)) ; __threadfence(); z[b]++;"
    " give(m + b);",
]
IN_TWO_ORDERS = "while (!take(m + a)) ; while (!take(m + b)) ;" + BOTH


def _run(run_kernel, body: str, take: str, blocks: int, executors: int):
    values = {"z": np.zeros(8, np.uint32), "m": np.zeros(8, np.uint32), "blocks": blocks}
    text = KERNEL.format(take=take, body=body)
    outputs, case = run_kernel(text, PROTOTYPE, threads=executors, mapped=True, **values)
    return outputs["z"], [found.message for found in case.findings if found.severity == "error"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("take", "blocks", "executors"), long_tail(list(product(SWAPS, (4, 50), (1, 2))), every=8, slow=8)
)
def test_two_locks_in_two_orders_are_a_deadlock(run_kernel, take, blocks, executors):
    _, said = _run(run_kernel, IN_TWO_ORDERS, take, blocks, executors)
    assert len(said) == 1 and "waits in the loop in line 2 for a lock while it has another one" in said[0], said


@pytest.mark.parametrize(
    ("body", "take", "blocks", "executors"), long_tail(list(product(RIGHT, SWAPS, (50, 300), (1, 2))), every=8, slow=4)
)
def test_locks_that_cannot_meet_crosswise_are_none(run_kernel, take, body, blocks, executors):
    added, said = _run(run_kernel, body, take, blocks, executors)
    assert said == [] and added.sum() == 2 * blocks
