"""`volatile` is no synchronisation: data that only it protects races, flags that are looked at do not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

PROTOTYPE = "void f(const int* x, int* z, cudaStream_t stream)"
ENTRY = """
__device__ int scratch[4096];
extern "C" void f(const int* x, int* z, cudaStream_t stream) {{
    void* s; cudaGetSymbolAddress(&s, scratch); cudaMemsetAsync(s, 0, sizeof scratch, stream);
    k<<<{grid}, {block}, 0, stream>>>(x, z, scratch);
}}
"""


def run(run_kernel, kernel: str, grid: int, block: int):
    """z, and the races: messages by the pair of lines."""
    source = kernel + ENTRY.format(grid=grid, block=block)
    outputs, case = run_kernel(source, PROTOTYPE, x=np.ones(1024, np.int32), z=np.zeros(1024, np.int32))
    errors = [found for found in case.findings if found.severity == "error"]
    assert {found.kind for found in errors} <= {"race", "uninitialized_read"}, errors
    return outputs["z"], [found for found in errors if found.kind == "race"]


def line_of(text: str, kernel: str) -> int:
    (line,) = [number for number, line in enumerate(kernel.split("\n"), 1) if text in line]
    return line


# ---- within a warp ----

STEPS = "".join(f"    s[t] += s[t + {distance}];  // {distance}\n" for distance in (32, 16, 8, 4, 2, 1))
LOOP = "    for (int d = 32; d > 0; d /= 2) s[t] += s[t + d];\n"
BRANCHES = "".join(f"    if (kThreads >= {2 * d}) s[t] = s[t] + s[t + {d}];\n" for d in (32, 16, 8, 4, 2, 1))
REDUCE = """
template <int kThreads, class T> __device__ void reduce(volatile T* s, int t) {{
{steps}}}
__global__ void k(const int* x, int* z, int* scratch) {{
    {memory}
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 32) reduce<64>(s, t);
    if (t == 0) z[0] = s[0];
}}"""
MEMORIES = ["__shared__ int s[64];", "__shared__ float s[64];", "volatile int* s = scratch;"]


@pytest.mark.parametrize("steps", long_tail([STEPS, LOOP, BRANCHES], every=4), ids=["unrolled", "loop", "branches"])
@pytest.mark.parametrize("memory", MEMORIES, ids=["int", "float", "global"])
def test_lanes_in_lock_step_are_a_race(run_kernel, steps, memory):
    z, races = run(run_kernel, REDUCE.format(steps=steps, memory=memory), 1, 64)
    assert z[0] != 64 and races
    assert (
        "type __syncwarp() between reading and writing and after each step, or use __shfl_down_sync" in races[0].message
    )


@pytest.mark.parametrize("qualifier", ["volatile ", ""])
def test_lanes_that_meet_are_not(run_kernel, qualifier):
    steps = "".join(
        f"    {{ int v = s[t] + s[t + {d}]; __syncwarp(); s[t] = v; __syncwarp(); }}\n" for d in (32, 16, 8, 4, 2, 1)
    )
    kernel = REDUCE.format(steps=steps, memory=MEMORIES[0]).replace("volatile T", f"{qualifier}T")
    z, races = run(run_kernel, kernel, 1, 64)
    assert z[0] == 64 and races == []
    half_way = kernel.replace("s[t] = v; __syncwarp();", "s[t] = v;")
    assert run(run_kernel, half_way, 1, 64)[1] != []


def test_warps_that_share_volatile_data_need_a_barrier(run_kernel):
    kernel = """
__global__ void k(const int* x, int* z, int* scratch) {
    __shared__ volatile int s[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    z[threadIdx.x] = s[63 - threadIdx.x];
}"""
    assert run(run_kernel, kernel, 1, 64)[1] == []
    _, races = run(run_kernel, kernel.replace("__syncthreads();", ""), 1, 64)
    assert "volatile orders nothing: type __syncthreads()" in races[0].message


# ---- between blocks: data, and the flag or ticket that hands it over ----

HAND_OVER = """
__global__ void k(const int* x, int* z, int* scratch) {{
    {data} int* data = scratch + 64;
    volatile int* flag = scratch;
    int b = blockIdx.x;
    if (threadIdx.x) return;
    int sum = x[b];
    if (b > 0) {{
        {wait};
        {behind}
        sum += data[b - 1];
    }}
    data[b] = sum;
    {fence}
    {set};
    z[b] = sum;
}}"""
FLAGS = {
    "volatile": ("while (flag[b - 1] == 0) {}", "flag[b] = 1"),
    "bits": ("int seen; do { seen = flag[b - 1]; } while ((seen & 4) == 0)", "flag[b] = 5"),
    "vote": ("int seen; do { seen = flag[b - 1]; } while (__any_sync(1, seen == 0))", "flag[b] = 1"),
    "atomic": ("while (atomicAdd(&scratch[b - 1], 0) == 0) {}", "atomicExch(&scratch[b], 1)"),
    "mixed": ("while (atomicAdd(&scratch[b - 1], 0) == 0) {}", "flag[b] = 1"),
}


@pytest.mark.parametrize("behind", long_tail(["", "__threadfence();"], every=8))
@pytest.mark.parametrize("flag", long_tail(FLAGS, every=4, slow=3))
@pytest.mark.parametrize("data", long_tail(["", "volatile"], every=4))
def test_data_needs_a_fence_before_its_flag(run_kernel, data, flag, behind):
    wait, set_ = FLAGS[flag]
    words = {"data": data, "wait": wait, "set": set_, "behind": behind}
    z, races = run(run_kernel, HAND_OVER.format(**words, fence="__threadfence();"), 20, 32)
    assert races == [] and z[:20].tolist() == list(range(1, 21))
    without = HAND_OVER.format(**words, fence="")
    _, races = run(run_kernel, without, 20, 32)
    assert [race.line for race in races] == [line_of("data[b - 1]", without)]
    assert ("__threadfence()" if data else "blocks run in no order") in races[0].message
    before = HAND_OVER.format(**words, fence="__threadfence();").replace("    data[b] = sum;\n", "")
    too_early = before.replace(f"{set_};\n", f"{set_};\n    data[b] = sum;\n")
    assert run(run_kernel, too_early, 20, 32)[1] != []


TICKET = """
__global__ void k(const int* x, int* z, int* scratch) {{
    {data} int* part = scratch + 1;
    __shared__ bool last;
    __shared__ int sum;
    int t = threadIdx.x, b = blockIdx.x;
    if (t == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[64 * b + t]);
    __syncthreads();
    if (t == 0) {{
        part[b] = sum;
        {fence}
        last = atomicAdd(scratch, 1) == gridDim.x - 1;
    }}
    __syncthreads();
    if (last && t == 0) {{
        int all = 0;
        for (int i = 0; i < gridDim.x; ++i) all += part[i];
        z[0] = all;
    }}
}}"""


@pytest.mark.parametrize("data", ["", "volatile"])
def test_the_last_block_needs_a_fence_before_the_ticket(run_kernel, data):
    z, races = run(run_kernel, TICKET.format(data=data, fence="__threadfence();"), 8, 64)
    assert z[0] == 512 and races == []
    without = TICKET.format(data=data, fence="")
    _, races = run(run_kernel, without, 8, 64)
    assert [race.line for race in races] == [line_of("part[i]", without)]


FENCES_BEFORE_A_BARRIER = """
__global__ void k(const int* x, int* z, int* scratch) {
    volatile int* flag = scratch;
    int b = blockIdx.x, t = threadIdx.x;
    if (b == 1) {
        if (t == 0) while (flag[0] == 0) {}
        __syncthreads();
        z[t] = scratch[64 + 63 - t];
        return;
    }
    __threadfence();  // too early for this write
    scratch[64 + t] = x[t];
    __threadfence();  // each its own
    __syncthreads();
    if (t == 0) __threadfence();  // one for all
    if (t == 0) flag[0] = 1;
}"""


def test_a_fence_serves_what_was_written_before_it(run_kernel):
    own, one = "    __threadfence();  // each its own\n", "    if (t == 0) __threadfence();  // one for all\n"
    for kept in (own, one):
        kernel = FENCES_BEFORE_A_BARRIER.replace(own if kept == one else one, "\n")
        assert run(run_kernel, kernel, 2, 64)[1] == [], kept
    without = FENCES_BEFORE_A_BARRIER.replace(own, "\n").replace(one, "\n")
    _, races = run(run_kernel, without, 2, 64)
    assert [race.line for race in races] == [line_of("63 - t", without)]


# ---- what is only looked at ----


def test_a_word_that_carries_its_own_value_needs_no_fence(run_kernel):
    kernel = """
__global__ void k(const int* x, int* z, int* scratch) {
    volatile unsigned long long* status = (unsigned long long*)scratch;
    unsigned sum = x[blockIdx.x];
    status[blockIdx.x] = 1ull << 32 | sum;
    for (int b = blockIdx.x - 1; b >= 0; --b) {
        unsigned long long seen;
        do { seen = status[b]; } while (seen >> 32 == 0);
        sum += (unsigned)seen;
        if (seen >> 32 == 2) break;
    }
    status[blockIdx.x] = 2ull << 32 | sum;
    z[blockIdx.x] = sum;
}"""
    z, races = run(run_kernel, kernel, 50, 1)
    assert z[:50].tolist() == list(range(1, 51)) and races == []


def test_a_flag_may_be_looked_at_once(run_kernel):
    kernel = """
__global__ void k(const int* x, int* z, int* scratch) {
    volatile int* done = scratch;
    if (done[0]) return;
    if (blockIdx.x == 3) done[0] = 1;
}"""
    assert run(run_kernel, kernel, 8, 32)[1] == []


# Each lane waits for the one before it, which may be of its own warp.
HANDED_ON = """
__global__ void k(const int* x, int* z, int* scratch) {{
    {memory}
    volatile int* ready = scratch;
    const int t = threadIdx.x;
    bool done = false;
    for (int round = 0; round < 100 && !done; ++round) {{
        if (t > 0 && ready[t - 1] == 0) continue;
        int before = 0;
        if (t > 0) {{ __threadfence(); before = data[t - 1]; }}
        {own}  // own
        data[t] = before + x[t];
        __threadfence();
        ready[t] = 1;
        done = true;
    }}
    if (t == blockDim.x - 1) z[0] = data[t];
}}"""
DATA = {"global": "volatile int* data = z + 512;", "shared": "__shared__ volatile int data[64];"}


def unset(run_kernel, memory: str, own: str) -> list[int]:
    """The lines that read what was never written, where each lane's own place is read in line `own`."""
    kernel = HANDED_ON.format(memory=DATA[memory], own=own)
    _, case = run_kernel(
        kernel + ENTRY.format(grid=1, block=64), PROTOTYPE, x=np.ones(1024, np.int32), z=np.zeros(1024, np.int32)
    )
    assert {each.kind for each in case.findings if each.severity == "error"} <= {"uninitialized_read"}, case.findings
    own_line = line_of("// own", kernel)
    return [each.line - own_line for each in case.findings if each.severity == "error"]


@pytest.mark.parametrize("memory", long_tail(list(DATA), every=4))
def test_what_another_lane_has_handed_on_is_initialised(run_kernel, memory):
    assert unset(run_kernel, memory, "") == []
    assert 0 in unset(run_kernel, memory, "before += data[t];")
