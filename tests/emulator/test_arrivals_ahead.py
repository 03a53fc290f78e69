"""Threads that only arrive at a barrier may be phases ahead: what they do then is not ordered before those who wait."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

KERNEL = """
#include <cuda/barrier>
__global__ void k(int* z, int rounds) {{
    __shared__ int s[2][32];
    __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
    const int t = threadIdx.x, lane = t % 32;
    if (t == 0) init(&full, {arrivals}), init(&empty, 64);
    __syncthreads();
    for (int i = 0; i < rounds; ++i) {{
        int* const part = s[i % {parts}];
        if (t < 32) {{
            {before}
            part[lane] = i + lane;
            {full}
        }} else {{
            {wait}
            z[i * 32 + lane] = part[lane];
            {empty}
        }}
    }}
}}
extern "C" void run(int* z, int rounds, cudaStream_t stream) {{ k<<<1, 64, 0, stream>>>(z, rounds); }}
"""
PROTOTYPE = "void run(int* z, int rounds, cudaStream_t stream)"
NAMED = {
    "full": 'asm volatile("bar.arrive %0, 64;" :: "r"(1 + i % {parts}) : "memory");',
    "wait": 'asm volatile("bar.sync %0, 64;" :: "r"(1 + i % {parts}) : "memory");',
}
FREE = {
    "before": 'if (i >= {parts}) asm volatile("bar.sync %0, 64;" :: "r"(3 + i % {parts}) : "memory");',
    "empty": 'if (i + {parts} < rounds) asm volatile("bar.arrive %0, 64;" :: "r"(3 + i % {parts}) : "memory");',
}
OBJECTS = {"full": "(void)full.arrive();", "wait": "full.arrive_and_wait();"}
ROWS = [
    (1, NAMED, False),
    (1, NAMED | FREE, True),
    (2, NAMED, False),
    (2, NAMED | FREE, True),
    (1, OBJECTS | {"empty": "(void)empty.arrive();", "before": "if (i) empty.arrive_and_wait();"}, True),
]


@pytest.mark.parametrize("rounds", [3, 20])
@pytest.mark.parametrize(("parts", "how", "is_right"), long_tail(ROWS, every=1))
def test_what_is_written_ahead_is_a_race(run_kernel, rounds, parts, how, is_right):
    lines = {"before": "", "empty": ""} | {name: text.replace("{parts}", str(parts)) for name, text in how.items()}
    text = KERNEL.format(parts=parts, arrivals=64, **lines)
    values = {"z": np.zeros(32 * rounds, np.int32), "rounds": rounds}
    outputs, case = run_kernel(text, PROTOTYPE, **values)
    kinds = {found.kind for found in case.findings if found.severity == "error"}
    assert kinds == (set() if is_right else {"race"})
    if is_right:
        assert (outputs["z"].reshape(rounds, 32) == np.arange(rounds)[:, None] + np.arange(32)).all()


RETURNS = """
__global__ void k(int* z, int rounds) {
    __shared__ int s[8][64];
    const int t = threadIdx.x;
    if (t < 64) {
        for (int i = 0; i < rounds; ++i) {
            s[i][t] = i + t;
            asm volatile("bar.arrive %0, 128;" :: "r"(1 + i) : "memory");
        }
    } else {
        for (int i = 0; i < rounds; ++i) {
            asm volatile("bar.sync %0, 128;" :: "r"(1 + i) : "memory");
            z[i * 64 + t - 64] = s[i][127 - t];
        }
    }
}
extern "C" void run(int* z, int rounds, cudaStream_t stream) { k<<<1, 128, 0, stream>>>(z, rounds); }
"""


@pytest.mark.parametrize("rounds", [1, 2, 8])
def test_those_that_have_arrived_and_returned_count_once(run_kernel, rounds):
    outputs, case = run_kernel(RETURNS, PROTOTYPE, z=np.zeros(64 * rounds, np.int32), rounds=rounds)
    assert not [found for found in case.findings if found.severity == "error"]
    expected = np.arange(rounds)[:, None] + np.arange(63, -1, -1)
    assert (outputs["z"] == expected.ravel()).all()


def test_those_that_have_returned_without_arriving_are_not_waited_for(run_kernel):
    text = RETURNS.replace(
        "for (int i = 0; i < rounds; ++i) {\n            s",
        "if (t < 32) for (int i = 0; i < rounds; ++i) {\n            s",
        1,
    )
    text = text.replace("s[i][127 - t]", "s[i][(127 - t) % 32]")
    _, case = run_kernel(text, PROTOTYPE, z=np.zeros(128, np.int32), rounds=2)
    assert not [found for found in case.findings if found.severity == "error"]
