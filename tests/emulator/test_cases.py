"""Variables that are declared behind a `case`, which nvcc only warns of."""

from __future__ import annotations

import numpy as np
import pytest
from checked_kernel import THREADS, run

from tests.shared import long_tail

ENTRY = """
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""
BODIES = {
    "behind each label": (
        "case 0: float a = x[i]; z[i] = a; break; case 1: float b[2] = {x[i], 1}; z[i] = b[0] + b[1]; break; "
        "default: const float c = x[i]; z[i] = c + 2;",
        lambda x: [x[i] + i % 3 for i in range(THREADS)],
    ),
    "it goes on below": (
        "case 0: case 1: float a(x[i]), b = a; z[i] += b; case 5: z[i] += 1; break; default: z[i] = -1;",
        lambda x: [x[i] + 1 if i % 3 < 2 else -1 for i in range(THREADS)],
    ),
    "one switch in another": (
        "case 0: int j = i % 2; switch (j) { case 1: float a = 1; z[i] = a; break; default: float b = 2; z[i] = b; } "
        "break; "
        "default: z[i] = 3;",
        lambda x: [(1 if i % 2 else 2) if i % 3 == 0 else 3 for i in range(THREADS)],
    ),
    "types of all kinds": (
        "case 0: unsigned long long a = 1, *p = &a; auto* q = p; z[i] = *q; break; "
        "case 1: Two<int> t{4, 5}; const Two<int>& u = t; z[i] = u.b; break; default: ns::Number n = 6; z[i] = n;",
        lambda x: [(1, 5, 6)[i % 3] for i in range(THREADS)],
    ),
    "a later label uses it": (
        "case 0: float a = x[i]; const float *p = &a; Two<int> t = {4, 5}; z[i] = *p + t.a; break; "
        "case 1: a = 2; p = x + i; z[i] = a + *p; break; default: t.b = 6, z[i] = t.b;",
        lambda x: [(x[i] + 4, x[i] + 2, 6)[i % 3] for i in range(THREADS)],
    ),
    "a part that only some builds have": (
        "case 0: z[i] = 1; break;\n#if 1\ncase 1: { float a = 2; z[i] = a; break; }\n#endif\ndefault: z[i] = 3;",
        lambda x: [1 + i % 3 for i in range(THREADS)],
    ),
}
KERNEL = """
template <class T> struct Two { T a, b; };
namespace ns { using Number = float; }
__global__ void k(const float* x, float* z, int n) {
    const int i = threadIdx.x;
    z[i] = 0;
    switch (i % 3) {
        BODY
    }
}
"""


@pytest.mark.parametrize("name", long_tail(list(BODIES), every=6))
def test_it_is_built_and_right(run_kernel, name):
    body, expected = BODIES[name]
    x, z, findings = run(run_kernel, KERNEL.replace("BODY", body) + ENTRY, n=0)
    assert findings == []
    assert np.array_equal(z, np.array(expected(x), np.float32))
