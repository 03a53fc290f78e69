"""Barriers and threads that have returned: who returns early has arrived, who leaves a barrier out is named."""

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
    return outputs["z"][0], [found for found in case.findings if found.kind == "barrier_passed_by"]


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
