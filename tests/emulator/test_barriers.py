"""Barriers and threads that have returned: who returns early has arrived; who leaves a barrier out, or leaves its loop
before the others, is named.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

PROTOTYPE = "void f(const float* x, float* z, int n, cudaStream_t stream)"
KERNEL = """
__global__ void k(const float* x, float* z, int n) {{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    {body}
}}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{ k<<<1, 256, 0, stream>>>(x, z, n); }}
"""


def notes(run_kernel, body: str):
    """z[0], and the notes about barriers; fails if there is an error."""
    source = KERNEL.format(body=body)
    outputs, case = run_kernel(source, PROTOTYPE, x=np.ones(256, np.float32), z=np.zeros(256, np.float32), n=200)
    assert [found.message for found in case.findings if found.severity == "error"] == []
    return outputs["z"][0], [found for found in case.findings if found.kind.startswith("barrier_")]


LEFT_OUT = {
    "a_tree": """
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) {
            s[t] += s[t + d];
            __syncthreads();  // barrier
        }
    }
    if (t == 0) z[0] = s[0];""",
    "a_tree_with_while": """
    int d = 128;
    while (d > 0) {
        if (t < d) {
            s[t] = s[t] + s[t + d];
            __syncthreads();  // barrier
        }
        d >>= 1;
    }
    if (t == 0) z[0] = s[0];""",
    "a_whole_loop": """
    if (t < 64) {
        for (int i = 0; i < 4; ++i) {
            s[t] *= 4;
            __syncthreads();  // barrier
        }
    }
    z[t] = s[t];""",
}


@pytest.mark.parametrize("name", long_tail(LEFT_OUT, every=6))
def test_a_barrier_that_ended_threads_leave_out_is_named(run_kernel, name):
    z, (note,) = notes(run_kernel, LEFT_OUT[name])
    source = KERNEL.format(body=LEFT_OUT[name]).split("\n")
    assert z == 256 and note.severity == "note" and "// barrier" in source[note.line - 1]
    assert f"never comes to the __syncthreads() of line {note.line}, and the others get on only because" in note.message


@pytest.mark.parametrize(
    "body",
    long_tail(
        [
            "if (t >= n) return;\n    s[t] = x[t];\n    __syncthreads();\n    z[t] = s[n - 1 - t];",
            "if (t >= n) { z[t] = 3; return; }\n    s[t] = x[t];\n    __syncthreads();\n    z[t] = s[n - 1 - t];",
            "if (t < 64 || t > 130) return;\n    __syncthreads();\n    z[t] = s[194 - t];",
            "if (n > 0) {\n        if (t >= n) return;\n        __syncthreads();\n        z[t] = s[n - 1 - t];\n    }",
            "for (int i = 0; i < 8; ++i) {\n        if (t >= 256 - 32 * i) return;\n        __syncthreads();\n    }",
            "for (int i = 0; i < 8; ++i) {\n        __syncthreads();\n        if (t >= 256 - 32 * i) return;\n    }",
            "for (int d = 128; d > 0; d /= 2) {\n        if (t < d) s[t] += s[t + d];\n        __syncthreads();\n    }",
            "if (t == 0) z[0] = s[5];",
            "if (t < 64) {\n        for (int i = 0; i < 4; ++i) { s[t] += 1; __syncthreads(); }\n    }",
            "if (t >= 64) { z[t] = s[t]; return; }\n    for (int i = 0; i < 4; ++i) { s[t] += 1; __syncthreads(); }\n"
            "    z[t] = s[t];",
        ],
        every=12,
    ),
)
def test_who_returns_early_has_arrived(run_kernel, body):
    assert notes(run_kernel, body)[1] == []


ROUNDS = {  # what leaves the loop, and after how many rounds thread 0 does
    "at_its_head": (3, "for (int i = 0; i < (t < 16 ? 3 : 4); ++i) {{ s[t] += 1; {barrier} }}"),
    "by_whole_warps": (1, "for (int i = 0; i <= t / 32; ++i) {{ s[t] += 1; {barrier} }}\n    z[t] = s[t];"),
    "by_a_flag": (
        2,
        "int left = 2 + t / 64;\n    while (left) {{\n        --left;\n        {barrier}\n    }}\n    z[t] = 0;",
    ),
    "by_break": (1, "for (int i = 0;; ++i) {{ if (i > t % 2) break; {barrier} }}\n    if (t < n) z[t] = 1;"),
    "at_its_end": (1, "int i = 0;\n    do {{\n        s[t] += 1;\n        {barrier}\n    }} while (i++ < t / 32);"),
    "a_stride": (7, "for (int i = t - 60; i < 1500 - 100; i += 200) {{ s[t] += i; {barrier} s[t] -= i; {barrier} }}"),
}


@pytest.mark.parametrize("name", long_tail(ROUNDS, every=4))
def test_a_loop_that_threads_leave_after_unequal_rounds_is_named(run_kernel, name):
    rounds, body = ROUNDS[name]
    body = body.format(barrier="__syncthreads();")
    _, found = notes(run_kernel, body)
    (note,) = [each for each in found if each.kind == "barrier_rounds"]
    told = f"after {rounds} round{'s' if rounds > 1 else ''} and returns"
    assert note.severity == "note" and "__syncthreads" in KERNEL.format(body=body).split("\n")[note.line - 1]
    assert told in note.message and f"the loop around the __syncthreads() of line {note.line}" in note.message


RETURNS = """
for (int i = 0;; ++i) {
    __syncthreads();
    if (i == t / 32) return;
}

for (int i = 0;; ++i) {
    s[t] += 1;
    __syncthreads();
    if (i == t / 32) { z[t] = s[t]; return; }
}

for (int i = 0; i < 9; ++i) {
    __syncthreads();
    if (i == t / 32) { z[t] = s[t]; return; }
}

for (int i = 0; i < 9; ++i) {
    if (i > t / 32) { z[t] = s[t]; return; }
    __syncthreads();
}

for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 3; ++j) __syncthreads();
    if (t > 200 - i) return;
}

for (int i = 0; i < 4; ++i) __syncthreads();
if (t > 200) return;
for (int i = 0; i < 4; ++i) __syncthreads();
"""


@pytest.mark.parametrize("body", long_tail(RETURNS.strip().split("\n\n"), every=6))
def test_who_returns_in_a_loop_has_arrived(run_kernel, body):
    assert notes(run_kernel, body)[1] == []


# Cases of n: two places of which the first threads wait at one, and the others at the other.
PLACES = """
__device__ void step(float* s, int t) { s[t] += 1; __syncthreads(); }  // step
__device__ __noinline__ void far(float* s, int t) { s[t] += 1; __syncthreads(); s[t] += 1; }  // far
__device__ __noinline__ void further(float* s, int t) { far(s, t); s[t] *= 2; }  // further
template <int kSize> __device__ __noinline__ void sized(float* s, int t) { s[t] += kSize; __syncthreads(); }  // sized
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    s[t] = x[t];
    auto both = [&](int i) { s[t] += i; __syncthreads(); };  // lambda
    if (n == 1) { if (t < 32) { s[t] += 1; __syncthreads(); } else { s[t] += 2; __syncthreads(); } }  // in one line
    if (n == 2) {
        if (t < 96) step(s, t);  // case 2
        else step(s, t);  // or 2
    }
    if (n == 3) {
        if (t % 64 < 32) far(s, t);  // case 3
        else far(s, t);  // or 3
    }
    if (n == 4) {
        if (t < 32) far(s, t);  // case 4
        else further(s, t);
    }
    if (n == 5) {
        if (t < 32) sized<1>(s, t);
        else sized<2>(s, t);
    }
    if (n == 6) {
        if (t != 7) both(1);  // case 6
        else both(2);  // or 6
    }
    if (n == 7) {
        if (t < 32) z[t] = __syncthreads_count(t < 7);  // case 7
        else z[t] = __syncthreads_or(t < 7);  // or 7
    }
    if (n == 8) {
        if (t % 2) asm volatile("bar.sync 0;");  // or 8
        else asm volatile("bar.sync 0;");  // case 8
    }
    if (n == 9) { if (t < 32) far(s, t); else far(s, t); }
    z[t] = s[t];
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 256, 0, stream>>>(x, z, n); }
"""
# The marks of the two lines that are told, of the barriers themselves or of the calls that lead there, and who waits.
TOLD = {
    1: ("in one line", "in one line", "threads 0 to 31", "threads 32 to 255"),
    2: ("case 2", "or 2", "threads 0 to 95", "threads 96 to 255"),
    3: ("case 3", "or 3", "threads 0 to 31, 64 to 95, 128 to 159, and others", "threads 32 to 63, 96"),
    4: ("case 4", "further", "threads 0 to 31", "threads 32 to 255"),
    5: ("sized", "sized", "threads 0 to 31", "threads 32 to 255"),
    6: ("case 6", "or 6", "threads 0 to 6 and 8 to 255", "thread 7 waits"),
    7: ("case 7", "or 7", "threads 0 to 31", "threads 32 to 255"),
    8: ("case 8", "or 8", "threads 0, 2, 4, and others", "threads 1, 3, 5, and others"),
    9: ("far", "far", "threads 0 to 31", "threads 32 to 255"),
}


def findings(run_kernel, source: str, n: int):
    x, z = np.ones(256, np.float32), np.zeros(256, np.float32)
    return run_kernel(source, PROTOTYPE, x=x, z=z, n=n)[1].findings


@pytest.mark.parametrize("case", long_tail(TOLD, every=4))
def test_two_places_that_threads_wait_at_are_told_with_their_lines(run_kernel, case):
    first, second, some, others = TOLD[case]
    found = next(each for each in findings(run_kernel, PLACES, case) if each.severity == "error")
    lines = {text.rpartition("// ")[2]: number for number, text in enumerate(PLACES.split("\n"), start=1)}
    assert found.kind == "barrier_divergence" and f"line {lines[first]}" in found.message
    assert ("another one of that line" if first == second else f"line {lines[second]}") in found.message
    assert some in found.message and others in found.message


ONE_PLACE = """
__device__ void step(float* s, int t) { s[t] += 1; __syncthreads(); }
__device__ __noinline__ void far(float* s, int t) { s[t] += 1; __syncthreads(); s[t] += 1; }
template <int kSize> __device__ __noinline__ void sized(float* s, int t) { s[t] += kSize; __syncthreads(); }
template <int... kSizes> __device__ void all(float* s, int t) { (sized<kSizes>(s, t), ...); }
__device__ __noinline__ void round_about(float* s, int t, int left) {
    if (left == 0) return;
    s[t] += 1;
    __syncthreads();
    round_about(s, t, left - 1);
    s[t] += 1;
}
__device__ void at_the_start(float* s, int t, int n) {
    if (t >= n) return;
    s[t] += 1;
    __syncthreads();
}
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    s[t] = x[t];
    auto both = [&](auto i) { s[t] += i; __syncthreads(); };
    void (*pointed)(float*, int) = n % 2 ? far : sized<3>;
    pointed(s, t);
    if (n > 3) { step(s, t); } else step(s, t);
    if (blockIdx.x == 0) far(s, t); else far(s, t);
    both(1), both(2.0f);
    all<1, 2, 3>(s, t);
    round_about(s, t, 3);
#pragma unroll
    for (int i = 0; i < 3; ++i) { step(s, t); far(s, t); }
    far(s, t), far(s, t);
    for (int i = t < 32 ? 0 : 1; i < (t < 32 ? 3 : 4); ++i) { if (i == 0) s[t] += 5; __syncthreads(); }
    for (int i = 0; __syncthreads_count(i + t < 3); ++i) s[t] += i;
    while (__syncthreads_or(s[t] < 60)) { s[t] += 1; if (n > 0) { __syncthreads(); } }
    if (t < 128) { asm volatile("bar.sync 1, 128;"); } else { asm volatile("bar.sync 2, 128;"); }
    if (t < 128) { asm volatile("bar.sync 0;"); }
    else { asm volatile("bar.sync 0;"); }
    if (t % 32 < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000);
    cooperative_groups::this_thread_block().sync();
    cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block()).sync();
    z[t] = s[t];
    at_the_start(s, t, n);
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<2, 256, 0, stream>>>(x, z, n); }
"""


def test_the_first_barriers_of_a_kernel_that_some_leave_out_are_named(run_kernel):
    source = KERNEL.format(body=LEFT_OUT["a_whole_loop"]).replace("    __syncthreads();\n", "", 1)
    (note,) = findings(run_kernel, source, 200)
    assert note.kind == "barrier_passed_by" and "// barrier" in source.split("\n")[note.line - 1]


@pytest.mark.parametrize("n", [100, 101])
def test_threads_that_come_to_one_place_by_any_way(run_kernel, n):
    found = findings(run_kernel, f"#include <cooperative_groups.h>\n{ONE_PLACE}", n)
    assert [each.message for each in found if each.kind != "race"] == []


@pytest.mark.parametrize(("threads", "is_enough"), [(32, False), (64, False), (128, True)])
def test_a_barrier_of_fewer_threads_than_come_lets_the_first_of_them_go(run_kernel, threads, is_enough):
    source = f"""
__global__ void k(const float* x, float* z, int n) {{
    __shared__ float s[128];
    s[threadIdx.x] = x[threadIdx.x];
    asm volatile("bar.sync 1, {threads};" ::: "memory");
    z[threadIdx.x] = s[127 - threadIdx.x];
}}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{ k<<<1, 128, 0, stream>>>(x, z, n); }}
"""
    assert [found.kind for found in findings(run_kernel, source, 128)] == ([] if is_enough else ["race"])


# How 128 threads meet by named barriers, what each then reads of another one, and whether that is a race.
GROUPS = {
    "two groups at one barrier": ("bar.sync 1, 64;", "t ^ 32", True),
    "a barrier for each group": ("bar.sync %0, 64;", "t ^ 32", False),
    "each warp alone": ("bar.sync 1, 32;", "t ^ 1", False),
    "all at one": ("bar.sync 1, 128;", "127 - t", False),
}


@pytest.mark.parametrize("name", list(GROUPS))
def test_which_threads_meet_where_two_groups_wait_for_one_named_barrier_is_up_to_chance(run_kernel, name):
    barrier, other, races = GROUPS[name]
    operands = ' :: "r"(1 + t / 64) : "memory"' if "%0" in barrier else ' ::: "memory"'
    source = f"""
__global__ void k(float* z) {{
    __shared__ float s[128];
    const int t = threadIdx.x;
    s[t] = t;
    asm volatile("{barrier}"{operands});
    z[t] = s[{other}];
}}
extern "C" void f(float* z, cudaStream_t stream) {{ k<<<1, 128, 0, stream>>>(z); }}"""
    _, case = run_kernel(source, "void f(float* z, cudaStream_t stream)", z=np.zeros(128, np.float32))
    assert [found.kind for found in case.findings] == ["race"] * races, case.findings
