"""Volatile looks that a thread takes for others of its block, and those by which it decides to overwrite a word."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

ENTRY = """
__device__ int words[256], flags[64];
{kernel}
extern "C" void f(const int* x, int* z, cudaStream_t stream) {{
    void* place;
    cudaGetSymbolAddress(&place, words), cudaMemsetAsync(place, 0, sizeof words, stream);
    cudaGetSymbolAddress(&place, flags), cudaMemsetAsync(place, 0, sizeof flags, stream);
    k<<<4, 64, {shared}, stream>>>(x, z);
}}
"""
PROTOTYPE = "void f(const int* x, int* z, cudaStream_t stream)"


def races(run_kernel, kernel: str, shared: int = 0) -> list[str]:
    x = np.random.default_rng(3).integers(1, 1000, 256).astype(np.int32)
    source = ENTRY.format(kernel=kernel, shared=shared)
    _, case = run_kernel(source, PROTOTYPE, x=x, z=np.zeros_like(x), threads=2, mapped=True)
    errors = [found for found in case.findings if found.severity == "error"]
    assert {found.kind for found in errors} <= {"race"}, errors
    return [found.message for found in errors]


# ---- thread 0 looks, and all threads of its block go by what it has found ----

HANDED = """
__global__ void k(const int* x, int* z) {{
    const int t = threadIdx.x;
    {memory}
    if (blockIdx.x == 0) {{
        words[t] = x[t];
        {fence}
        __syncthreads();
        if (t == 0) *(volatile int*)flags = 5;
        return;
    }}
    {look}
    z[64 * blockIdx.x + t] = words[t];
}}"""
LOOKS = {
    "until it is set": (
        "__shared__ int seen;",
        "do { __syncthreads(); if (t == 0) seen = *(volatile int*)flags; __syncthreads(); } while (!seen);",
    ),
    "once": (
        "__shared__ int seen;",
        "if (t == 0) seen = *(volatile int*)flags; __syncthreads(); if (seen < 5) return;",
    ),
    "an answer": (
        "__shared__ bool seen[4];",
        "do { __syncthreads(); if (t == 0) seen[3] = *(volatile int*)flags == 5; __syncthreads(); } while (!seen[3]);",
    ),
    "of each warp": (
        "__shared__ bool seen[2]; const int w = t / 32;",
        "do { __syncwarp(); if (t % 32 == 0) seen[w] = *(volatile int*)flags; __syncwarp(); } while (!seen[w]);",
    ),
    "in dynamic memory": (
        "extern __shared__ int seen[];",
        "do { __syncthreads(); if (t == 0) seen[1] = *(volatile int*)flags; __syncthreads(); } while (seen[1] != 5);",
    ),
    "in a structure": (
        "__shared__ struct { int other, seen; } state;",
        "do { __syncthreads(); if (t == 0) state.seen = *(volatile int*)flags; __syncthreads(); } while (!state.seen);",
    ),
    "read as volatile": (
        "__shared__ volatile int seen;",
        "do { __syncthreads(); if (t == 0) seen = *(volatile int*)flags; __syncthreads(); } while (!seen);",
    ),
}


@pytest.mark.parametrize("look", long_tail(list(LOOKS), every=6))
def test_what_a_thread_has_seen_for_its_block(run_kernel, look):
    memory, code = LOOKS[look]
    assert races(run_kernel, HANDED.format(memory=memory, look=code, fence="__threadfence();"), 64) == []


@pytest.mark.parametrize("look", ["until it is set", "of each warp"])
def test_the_fence_is_needed_all_the_same(run_kernel, look):
    memory, code = LOOKS[look]
    found = races(run_kernel, HANDED.format(memory=memory, look=code, fence=""), 64)
    assert found and all("words[0]" in message for message in found)


DATA = {  # volatile or not: what is read is no flag
    "copied": "s[t] = v[t]; __syncthreads(); z[64 * blockIdx.x + t] = s[63 - t];",
    "their greatest": """
    s[t] = v[t];
    for (int d = 32; d > 0; d /= 2) {
        __syncthreads();
        if (t < d && s[t + d] > s[t]) s[t] = s[t + d];
    }
    if (t == 0) z[blockIdx.x] = s[0];""",
    "a sum of two": "if (t == 0) s[0] = v[0] + v[1]; __syncthreads(); z[64 * blockIdx.x + t] = s[0];",
}


@pytest.mark.parametrize("use", long_tail(list(DATA), every=6))
def test_data_in_shared_memory_is_no_flag(run_kernel, use):
    kernel = """
__global__ void k(const int* x, int* z) {
    const int t = threadIdx.x;
    volatile int* v = words;
    __shared__ int s[64];
    if (blockIdx.x == 0) v[t] = x[t];
    else { USE }
}""".replace("USE", DATA[use])
    assert any("words[0]" in message for message in races(run_kernel, kernel))


# ---- a look, and a store into the same word ----

OVERWRITES = {
    "the greatest": "if (t == 0 && v[0] < mine) v[0] = mine;",
    "the least": "if (t == 0 && v[0] >= -mine) v[0] = -mine;",
    "of floats": "volatile float* r = (volatile float*)v; if (t == 0 && r[0] < (float)mine) r[0] = (float)mine;",
    "in a loop": "if (t == 0) for (int i = 0; i < 64; ++i) if (mine + i > v[0]) v[0] = mine + i;",
    "until it is greater": "if (t == 0) while (v[0] < mine) v[0] = mine;",
    "with its place": "if (t == 0 && v[0] < mine) { v[0] = mine; v[1 + blockIdx.x] = t; }",
    "by each thread": "if (v[0] < mine) v[0] = mine;",
    "in a function": "if (t == 0) raise(v, mine);",
}
EXCHANGES = {
    "behind a volatile look": "if (t == 0 && v[0] < mine) atomicExch(words, mine);",
    "behind an atomic look": """
    const int more = mine + 1000 * blockIdx.x;
    if (t == 0 && atomicAdd(words, 0) < more) atomicExch(words, more);""",
    "of an element": "int* w = words + (mine < 0); if (t == 0 && *(volatile int*)w <= mine) atomicExch(w, mine);",
    "by each thread": "if (atomicOr(words, 0) < mine) atomicExch(words, mine);",
    "in shared memory": """
    __shared__ int most;
    if (t == 0) most = 0;
    __syncthreads();
    if (atomicAdd(&most, 0) < mine) atomicExch(&most, mine);""",
}
RIGHT = {
    "an exchange of the same value": "if (v[0] < t + 1 - t) atomicExch(words, t + 1 - t);",
    "an exchange that hands on what it has found": """
    for (int value = mine; t == 0 && value > v[0];) value = atomicExch(words, value);""",
    "an exchange under a lock": """
    if (t == 0 && v[0] < mine) {
        while (atomicCAS(flags, 0, 1)) {}
        __threadfence();
        if (v[0] < mine) atomicExch(words, mine);
        __threadfence();
        atomicExch(flags, 0);
    }""",
    "a turn by exchanges": """
    if (t == 0) while (atomicAdd(words, 0) < (int)blockIdx.x) {}
    __threadfence();
    if (t == 0) atomicExch(words, blockIdx.x + 1);""",
    "one who exchanges": "if (t + blockIdx.x == 0 && atomicAdd(words, 0) < mine) atomicExch(words, mine);",
    "the same value": "if (v[0] < 1) v[0] = 1;",
    "the step that all are at": """
    for (int step = 1; step < 2 + (x[0] > 0); ++step) {
        if (t == 0 && v[0] < step) v[0] = step;
        __threadfence();
        if (t == 0) atomicAdd(flags + step, 1);
        if (t == 0) while (atomicAdd(flags + step, 0) < 4) {}
        __syncthreads();
    }""",
    "one writer": """
    if (blockIdx.x == 0 && t == 0) { if (v[0] < mine) v[0] = mine; }
    else if (t == 0 && v[0] > 5000) z[0] = 1;""",
    "a guess": "if (t == 0 && v[0] < mine) atomicMax((int*)v, mine);",
    "looks again under a lock": """
    if (t == 0 && v[0] < mine) {
        while (atomicCAS(flags, 0, 1)) {}
        __threadfence();
        if (v[0] < mine) v[0] = mine;
        __threadfence();
        atomicExch(flags, 0);
    }""",
    "a turn": "if (t == 0) { while (v[0] != blockIdx.x) {} __threadfence(); v[0] = blockIdx.x + 1; }",
    "a turn in order": "if (t == 0) { while (v[0] < (int)blockIdx.x) {} __threadfence(); v[0] = blockIdx.x + 1; }",
    "a turn, and sleeps": """
    if (t == 0) {
        for (int ns = 8; v[0] < (int)blockIdx.x;) { __nanosleep(ns); if (ns < 256) ns *= 2; }
        __threadfence();
        v[0] = blockIdx.x + 1;
    }""",
    "a turn, between other work": """
    for (bool done = t != 0; !done;)
        if (v[0] == blockIdx.x) { __threadfence(); v[0] = blockIdx.x + 1; done = true; }""",
    "a phase": """
    for (int phase = 1; phase < 4; ++phase) {
        if (t == 0 && blockIdx.x == 0) { __threadfence(); v[0] = phase; }
        if (t == 0) while (v[0] < phase) {}
        __syncthreads();
    }""",
}
MINE = """
__device__ __noinline__ void raise(volatile int* most, int mine) {{ if (*most < mine) *most = mine; }}
__global__ void k(const int* x, int* z) {{
    const int t = threadIdx.x;
    const int mine = x[64 * blockIdx.x + t];
    volatile int* v = words;
    {body}
    if (mine < 0) raise(v, 0);
}}"""


@pytest.mark.parametrize("name", long_tail(list(OVERWRITES), every=6))
def test_what_another_block_writes_in_between_is_lost(run_kernel, name):
    found = races(run_kernel, MINE.format(body=OVERWRITES[name]))
    assert any("words[0]" in message and "volatile orders nothing" in message for message in found)


@pytest.mark.parametrize("name", long_tail(list(EXCHANGES), every=4))
def test_what_another_thread_writes_before_an_exchange_is_lost(run_kernel, name):
    found = races(run_kernel, MINE.format(body=EXCHANGES[name]))
    assert found and all("between the look and this exchange is lost" in message for message in found)


@pytest.mark.parametrize("name", long_tail(list(RIGHT), every=6))
def test_a_look_that_loses_nothing(run_kernel, name):
    assert races(run_kernel, MINE.format(body=RIGHT[name])) == []


# ---- an exchange for what is calculated from the word ----

UPDATES = {
    "one more": "atomicExch(words, atomicAdd(words, 0) + 1);",
    "by the first thread": "if (t == 0) { const int old = atomicOr(words, 0); atomicExch(words, old + 5); }",
    "of floats": "float* f = (float*)words; const float old = atomicAdd(f, 0.0f); atomicExch(f, old + mine);",
    "a bin": "int* bins = words; const int old = atomicAdd(&bins[x[t] & 7], 0); atomicExch(&bins[x[t] & 7], old + 1);",
    "a load and a store": """
    cuda::atomic_ref<int, cuda::thread_scope_device> word(words[0]);
    word.store(word.load(cuda::memory_order_relaxed) + 1, cuda::memory_order_relaxed);""",
    "behind a swap that looks": "atomicExch(words, 3 * atomicCAS(words, 7, 7) - 1);",
    "in shared memory": """
    __shared__ int sum;
    if (t == 0) sum = 0;
    __syncthreads();
    const int old = atomicAdd(&sum, 0);
    atomicExch(&sum, old + mine);""",
    "with other work between": """
    const int old = atomicAdd(words, 0);
    z[64 * blockIdx.x + t] = mine;
    atomicExch(words, old + mine);""",
    "two calls in turn": """
    for (int i = 0; i < 3; ++i) {
        const int old = atomicAdd(words, 0);
        atomicExch(words, old + i);
    }""",
    "of what may be more": "const int old = atomicAdd(words, 0); atomicExch(words, min(old + mine, 1000));",
}
SWAPS = {
    "for one more": "const int old = *words; atomicCAS(words, old, old + 1);",
    "for one more, of some threads": "if (mine & 1) { const int old = *words; atomicCAS(words, old, old + 1); }",
    "behind a plain look": "const int old = *words; atomicCAS(words, old, old + mine);",
    "behind a volatile look": "const int old = v[0]; atomicCAS(words, old, old + mine);",
    "behind an atomic look": "const int old = atomicAdd(words, 0); atomicCAS(words, old, old + mine);",
    "of floats": """
    const int old = *words;
    atomicCAS(words, old, __float_as_int(__int_as_float(old) + mine));""",
    "of a bin": "int* bin = words + (x[t] & 7); const int old = *bin; atomicCAS(bin, old, old + mine);",
    "of a shared bin": """
    __shared__ int bins[8];
    if (t < 8) bins[t] = 0;
    __syncthreads();
    const int old = bins[x[t] % 8];
    atomicCAS(&bins[x[t] % 8], old, old + mine);""",
}
STEP = "const int old = atomicAdd(words, 0); if (old < mine) atomicCAS(words, old, old + 1);"
NO_UPDATES = {
    "a swap that is asked": "const int old = *words; if (atomicCAS(words, old, old + mine) == old) z[t] = 1;",
    "a swap until it is done": """
    for (int old = *words, seen = ~old; seen != old;) {
        seen = old;
        old = atomicCAS(words, seen, seen + mine);
    }""",
    "a swap for another value": "const int old = *words; atomicCAS(words, old, mine);",
    "a swap under a lock": """
    if (t == 0) {
        while (atomicCAS(flags, 0, 1)) {}
        __threadfence();
        const int old = atomicAdd(words, 0);
        atomicCAS(words, old, old + mine);
        __threadfence();
        atomicExch(flags, 0);
    }""",
    "a bit that is set": "atomicExch(words, atomicAdd(words, 0) | 1);",
    "the same": "atomicExch(words, atomicAdd(words, 0));",
    "a word of its own": "int* own = z + 64 * blockIdx.x + t; *own = t; atomicExch(own, atomicAdd(own, 0) + 1);",
    "a shared bin's neighbour": """
    __shared__ int bins[9];
    if (t < 9) bins[t] = 0;
    __syncthreads();
    const int old = bins[x[t] % 8];
    __syncthreads();
    atomicCAS(&bins[x[t] % 8 + 1], old, old + mine);""",
    "another word": "atomicExch(words + 1 + (mine & 1), atomicAdd(words, 0) + 1);",
    "one thread": "if (t + blockIdx.x == 0) for (int i = 0; i < 3; ++i) atomicExch(words, atomicAdd(words, 0) + 1);",
    "steps of a block": """
    for (int i = 0; i < 64 && blockIdx.x == 0; ++i) {
        if (i == t) atomicExch(words, atomicAdd(words, 0) + 1);
        __syncthreads();
    }""",
    "under a lock": """
    if (t == 0) {
        while (atomicCAS(flags, 0, 1)) {}
        __threadfence();
        atomicExch(words, atomicAdd(words, 0) + mine);
        __threadfence();
        atomicExch(flags, 0);
    }""",
    "a turn": """
    if (t == 0) {
        while (atomicAdd(words, 0) != blockIdx.x) {}
        atomicExch(words, atomicAdd(words, 0) + 1);
    }""",
    "a loop that tries again": """
    for (int old = atomicAdd(words, 0), seen; (seen = atomicCAS(words, old, old + mine)) != old; old = seen) {}""",
    "a new turn": "if (t == 0) { const int old = atomicAdd(words, 0); atomicExch(words, 5); z[blockIdx.x] = old + 1; }",
}


@pytest.mark.parametrize("name", long_tail(list(UPDATES), every=5))
def test_what_another_thread_adds_before_an_exchange_is_lost(run_kernel, name):
    found = races(run_kernel, "#include <cuda/atomic>\n" + MINE.format(body=UPDATES[name]))
    assert found and all("is lost: use one atomicAdd()" in message for message in found)


@pytest.mark.parametrize("name", long_tail(list(SWAPS), every=4))
def test_a_swap_that_nothing_asks_loses_its_own_update(run_kernel, name):
    found = races(run_kernel, MINE.format(body=SWAPS[name]))
    assert found and all("this update is lost: ask what atomicCAS() gives" in message for message in found)


def test_a_step_that_one_thread_may_make_for_all_is_a_note(run_kernel):
    assert races(run_kernel, MINE.format(body=STEP)) == []
    source = ENTRY.format(kernel=MINE.format(body=STEP), shared=0)
    x = np.full(256, 100, np.int32)
    _, case = run_kernel(source, PROTOTYPE, x=x, z=np.zeros_like(x), threads=2, mapped=True)
    assert {(found.kind, found.severity) for found in case.findings} == {("race", "note")}, case.findings
    assert all("unless one of them is enough" in found.message for found in case.findings)


@pytest.mark.parametrize("name", long_tail(list(NO_UPDATES), every=5))
def test_an_exchange_that_loses_nothing(run_kernel, name):
    assert races(run_kernel, MINE.format(body=NO_UPDATES[name])) == []
