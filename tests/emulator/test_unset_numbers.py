"""A floating-point variable that some paths do not set: multiplied by 0, or thrown away by a maximum, it is found."""

from __future__ import annotations

import numpy as np
import pytest
from checked_kernel import run

from tests.shared import long_tail

KERNEL = """
#include <cuda_fp16.h>
__global__ void k(const float* x, float* z, int n) {{
    const int i = threadIdx.x;
    {body}
}}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{ k<<<1, 32, 0, stream>>>(x, z, n); }}
"""
WRONG = [
    "float v; if (i < 16) v = 1; z[i] = x[i] + 0 * v;",
    "double v; if (n > 4) v = 1; z[i] = x[i] + 0 * v;",
    "half v; if (n > 4) v = 1; z[i] = x[i] + __half2float(v * __float2half(0));",
    "float4 v; v.x = 1; if (n > 4) v.y = 1; z[i] = x[i] + 0 * v.y;",
    "struct Two { int a; float b; } v; v.a = 1; if (n > 4) v.b = 1; z[i] = x[i] + 0 * v.b;",
    "float v[64]; for (int j = 0; j < 16 * n - 1; ++j) v[j] = 1; z[i] = x[i] + 0 * v[63 - n / 8];",
    "float v[4]; for (int j = 0; j < n - 1; ++j) v[j] = x[i]; float t = 0;"
    " for (int j = 0; j < n; ++j) t += v[j] * (j == 0); z[i] = t;",
    "float v; for (int j = 0; j < 32; ++j) if (j == 0 && n > 4) v = x[j]; else if (x[j] > v) v = x[j];"
    " z[i] = x[i] + v - 32;",
    "float v; if (n > 4) v = 1; z[i] = fmaxf(x[i], v);",
    "float v; if (n > 4) v = 1; z[i] = fminf(x[i], v);",
    "float v; if (n > 4) v = 1; z[i] = v > 2e38f ? v : x[i];",
    "double v; if (n > 4) v = 1; z[i] = fmax((double)x[i], v);",
    "int v; if (n > 4) v = 1; z[i] = max((int)x[i], v);",
    "unsigned v; if (n > 4) v = 1; z[i] = min((unsigned)x[i], v);",
    "int v; for (int j = 0; j < 32; ++j) if (x[j] < 5 && j > v) v = j; z[i] = x[i] + v - 3;",
    "int v; for (int j = 0; j < 32; ++j) if (x[j] > 1e9f) v = 1; if (!v) z[i] = 1; else z[i] = x[i];",
    "struct Sum { float of; int n; __device__ Sum() : of(0) {} __device__ void add(float x) { of += x; ++n; } } v;"
    " for (int j = 0; j < n; ++j) v.add(x[i] / n); z[i] = v.of + (v.n > 9);",
    "float v[4]; for (int j = 1; j < n; ++j) v[j] = x[i]; float most = v[0];"
    " for (int j = 1; j < n; ++j) most = fmaxf(v[j], most); z[i] = most;",
]
RIGHT = [
    "float v; if (i < 16) v = x[i]; if (i < 16) z[i] = v; else z[i] = x[i];",
    "float v; if (i < 16) v = x[i]; z[i] = i < 16 ? v : x[i];",
    "float v; for (int j = 0; j < n; ++j) if (j == 0) v = x[i]; else v = fmaxf(v, 0); z[i] = v;",
    "float v[4], t; for (int j = 0; j < n - 1; ++j) v[j] = t = x[i]; z[i] = v[0] + (v[1] - t);",
    "float v; if (i < 16) v = 0; z[i] = i < 16 ? fmaxf(v, x[i]) : x[i];",
    "int v; for (int j = 0; j < 32; ++j) if (j == 0 || x[j] > v) v = x[j]; z[i] = x[i] + v - 32;",
    "unsigned v; if (i < 16) v = 0xfefefefeu; else v = 1; z[i] = x[i] + (v == 1 && i < 16);",
    "const unsigned v = __float_as_uint(x[i]) & ~0x01010101u; z[i] = x[i] + 0 * __uint_as_float(v + 0xfefefefe);",
]


@pytest.mark.parametrize("body", long_tail(list(WRONG), every=18, slow=4))
def test_it_is_found(run_kernel, body):
    _, _, (finding,) = run(run_kernel, KERNEL.format(body=body), 4)
    assert (finding.kind, finding.severity) == ("never_set", "error") and "`v` is read before" in finding.message


@pytest.mark.parametrize("body", long_tail(list(RIGHT), every=6))
def test_one_that_is_set_where_it_is_used(run_kernel, body):
    x, z, findings = run(run_kernel, KERNEL.format(body=body), 4)
    assert findings == [] and np.array_equal(z, x)


# docs/emulator.md, "What it cannot see": a part of the result that the unset value has no part in.
UNSEEN = [
    "short v; if (n > 4) v = 1; z[i] = max((int)x[i], (int)v);",
    "int v; if (n > 4) v = 1; z[i] = x[i] + v * (n - 4);",
]


@pytest.mark.parametrize("body", long_tail(list(UNSEEN), every=6))
def test_what_hides_it(run_kernel, body):
    x, z, findings = run(run_kernel, KERNEL.format(body=body), 4)
    assert findings == [] and np.array_equal(z, x)
