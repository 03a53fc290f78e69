"""A read before the guard is out of bounds, whatever becomes of its value: nvcc may keep the load where it stands."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

LAUNCH = """
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<2, 32, 0, stream>>>(x, z, n); }
"""
BODIES = {
    "in_a_branch": "float p = x[i];\n    if (i < n) z[i] = 2 * p;",
    "before_a_return": "float p = x[i];\n    if (i >= n) return;\n    z[i] = 2 * p;",
    "by_a_choice": "float p = x[i];\n    z[i < n ? i : 0] = i < n ? 2 * p : 0;",
    "in_one_of_two_branches": "float p = x[i];\n    if (i >= n) return;\n    if (i % 2) z[i] = p; else z[i] = 2 * p;",
    "into_a_loop": "float p = x[i];\n    for (int j = i; j < n; j += 64) z[j] = p;",
    "into_shared_memory": "__shared__ float s[32];\n    float p = x[i];\n    if (i < n) s[threadIdx.x] = p;",
    "of_four": "float4 p = ((const float4*)x)[i];\n    if (4 * i < n) z[i] = p.x + p.w;",
}


def run(run_kernel, body: str):
    head = "__global__ void k(const float* x, float* z, int n) {\n    int i = blockIdx.x * 32 + threadIdx.x;\n    "
    kernel = f"{head}{body}\n}}"
    prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
    _, case = run_kernel(kernel + LAUNCH, prototype, x=np.ones(40, np.float32), z=np.zeros(64, np.float32), n=40)
    return [(found.kind, found.details["array"]) for found in case.findings if found.severity == "error"]


@pytest.mark.parametrize("name", long_tail(BODIES, every=4))
def test_a_read_before_the_guard_is_out_of_bounds(run_kernel, name):
    assert run(run_kernel, BODIES[name])[:1] == [("out_of_bounds", "x")]


@pytest.mark.parametrize(
    "body",
    long_tail(
        [
            "if (i < n) z[i] = 2 * x[i];",
            "float p = i < n ? x[i] : 0;\n    if (i < n) z[i] = 2 * p;",
            "float p = 0;\n    if (i < n) p = x[i];\n    if (i < n) z[i] = p;",
            "float p = x[i < n ? i : n - 1];\n    if (i < n) z[i] = p;",
            "if (i < n && x[i] > 0) z[i] = 1;",
        ],
        every=4,
    ),
)
def test_a_read_behind_the_guard_is_not(run_kernel, body):
    assert run(run_kernel, body) == []
