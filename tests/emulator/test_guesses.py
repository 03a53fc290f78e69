"""What is read of a word before it is changed: a guess that an atomic confirms, or a ticket that two may draw."""

from __future__ import annotations

import numpy as np
import pytest

from grader.devices.emulator.flags import flag_reads
from tests.shared import long_tail

# A maximum of floats; `m` is what all threads of all blocks come to.
MAXIMUM = """
__device__ void maximum(float* m, float value) {{
    int *word = (int*)m, seen, old;
    {body}
}}
__global__ void k(const float* x, float* z) {{ maximum(z, x[blockIdx.x * blockDim.x + threadIdx.x]); }}
extern "C" void run(const float* x, float* z, int n, cudaStream_t stream) {{
    cudaMemsetAsync(z, 0, sizeof(float), stream);
    k<<<n / 64, 64, 0, stream>>>(x, z);
}}
"""
PROTOTYPE = "void run(const float* x, float* z, int n, cudaStream_t stream)"
LOOP = """while (value > __int_as_float(old)) {
        seen = old;
        old = atomicCAS(word, seen, __float_as_int(value));
        if (old == seen) break;
    }"""
GUESSES = {
    "volatile": f"old = *(volatile int*)word; {LOOP}",
    "plain": f"old = *word; {LOOP}",
    "first the loop's end": """old = *word;
    do {
        seen = old;
        if (__int_as_float(seen) >= value) return;
        old = atomicCAS(word, seen, __float_as_int(value));
    } while (seen != old);""",
    "each time": """do {
        old = *(volatile int*)word;
        if (__int_as_float(old) >= value) return;
    } while (atomicCAS(word, old, __float_as_int(value)) != old);""",
    "an atomic maximum": "if (__int_as_float(*word) < value) atomicMax(word, __float_as_int(value));",
}
WRONG = {
    "no atomic": "if (*m < value) *m = value;",
    "an atomic that does not look": "if (*m < value) atomicExch(m, value);",
}


def run(run_kernel, body: str):
    x = np.random.default_rng(0).random(20 * 64, np.float32)
    outputs, case = run_kernel(MAXIMUM.format(body=body), PROTOTYPE, threads=2, mapped=True, x=x, z=x[:1], n=len(x))
    return outputs["z"][0] == x.max(), {found.kind for found in case.findings if found.severity == "error"}


@pytest.mark.parametrize("name", long_tail(list(GUESSES), every=6))
def test_a_guess_that_an_atomic_confirms_is_no_race(run_kernel, name):
    assert run(run_kernel, GUESSES[name]) == (True, set())


@pytest.mark.parametrize("name", long_tail(list(WRONG), every=6))
def test_a_guess_that_nothing_confirms_is_a_race(run_kernel, name):
    assert run(run_kernel, WRONG[name])[1] == {"race"}


TICKETS = """
__global__ void k(unsigned* z, unsigned* s) {{
    volatile unsigned* next = s;
    {draw}
    if (ticket == gridDim.x - 1) z[0] = 5;
}}
extern "C" void run(unsigned* z, unsigned* s, int n, cudaStream_t stream) {{
    cudaMemsetAsync(s, 0, sizeof(unsigned), stream);
    k<<<n, 1, 0, stream>>>(z, s);
}}
"""
DRAWS = {
    "a volatile ticket": ("const unsigned ticket = *next; *next = ticket + 1;", {"race"}),
    "one step": ("const unsigned ticket = (*next)++;", {"race"}),
    "an atomic": ("const unsigned ticket = atomicAdd(s, 1u);", set()),
    "each in its turn": (
        "unsigned ticket; do ticket = *next; while (ticket != blockIdx.x); *next = ticket + 1;",
        set(),
    ),
}


@pytest.mark.parametrize("name", long_tail(list(DRAWS), every=6))
def test_two_blocks_may_draw_one_volatile_ticket(run_kernel, name):
    draw, kinds = DRAWS[name]
    prototype = "void run(unsigned* z, unsigned* s, int n, cudaStream_t stream)"
    arrays = {"z": np.zeros(1, np.uint32), "s": np.zeros(1, np.uint32)}
    _, case = run_kernel(TICKETS.format(draw=draw), prototype, threads=2, mapped=True, n=40, **arrays)
    assert {found.kind for found in case.findings if found.severity == "error"} == kinds


def test_a_value_that_is_handed_on_before_it_is_asked_for_is_a_flag():
    """It is written to another word than it was read from."""
    rows = [
        "mov (%rbx),%ebp",
        "call 1010 <__tsan_volatile_write4@plt>",
        "mov %ebp,(%r12)",
        "test %ebp,%ebp",
        "je 100 <k>",
    ]
    for place, flags in (("(%r12)", [0x104]), ("(%rbx)", [])):
        texts = ["call 1010 <__tsan_volatile_read4@plt>", *(row.replace("(%r12)", place) for row in rows)]
        assert flag_reads((0x100 + 4 * at, *text.split(" ", 1)) for at, text in enumerate(texts)) == flags
