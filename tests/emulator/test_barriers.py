"""Barriers and threads that have returned: who returns early has arrived; who leaves a barrier out, or leaves its loop
before the others, is named.
"""

from __future__ import annotations

import numpy as np
import pytest

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
    prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
    source = KERNEL.format(body=body)
    outputs, case = run_kernel(source, prototype, x=np.ones(256, np.float32), z=np.zeros(256, np.float32), n=200)
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
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_barrier_that_ended_threads_leave_out_is_named(run_kernel, name):
    z, (note,) = notes(run_kernel, LEFT_OUT[name])
    source = KERNEL.format(body=LEFT_OUT[name]).split("\n")
    assert z == 256 and note.severity == "note" and "// barrier" in source[note.line - 1]
    assert f"never comes to the __syncthreads() of line {note.line}, and the others get on only because" in note.message


@pytest.mark.parametrize(
    "body",
    [
        "if (t >= n) return;\n    s[t] = x[t];\n    __syncthreads();\n    z[t] = s[n - 1 - t];",
        "if (t >= n) { z[t] = 3; return; }\n    s[t] = x[t];\n    __syncthreads();\n    z[t] = s[n - 1 - t];",
        "if (t < 64 || t > 130) return;\n    __syncthreads();\n    z[t] = s[194 - t];",
        "if (n > 0) {\n        if (t >= n) return;\n        __syncthreads();\n        z[t] = s[n - 1 - t];\n    }",
        "for (int i = 0; i < 8; ++i) {\n        if (t >= 256 - 32 * i) return;\n        __syncthreads();\n    }",
        "for (int i = 0; i < 8; ++i) {\n        __syncthreads();\n        if (t >= 256 - 32 * i) return;\n    }",
        "for (int d = 128; d > 0; d /= 2) {\n        if (t < d) s[t] += s[t + d];\n        __syncthreads();\n    }",
        "if (t == 0) z[0] = s[5];",
    ],
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


@pytest.mark.parametrize("name", ROUNDS)
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


@pytest.mark.parametrize("body", RETURNS.strip().split("\n\n"))
def test_who_returns_in_a_loop_has_arrived(run_kernel, body):
    assert notes(run_kernel, body)[1] == []
