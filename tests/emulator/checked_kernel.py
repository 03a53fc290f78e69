"""Runs a small kernel on the checking build, too."""

from __future__ import annotations

import numpy as np

PROTOTYPE = "void f(const float* x, float* z, int n, cudaStream_t stream)"
THREADS = 32


def run(run_kernel, source: str, n: int):
    """x (1 to THREADS), what f has left in z, and the findings."""
    x = np.arange(1, THREADS + 1, dtype=np.float32)
    outputs, case = run_kernel(source, PROTOTYPE, x=x, z=np.zeros_like(x), n=n, checked=True)
    return x, outputs["z"], case.findings
