"""Page-locked memory in a graded file: host code may not touch what an asynchronous copy still reads or writes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

SOURCE = """
#include <cstring>
__global__ void add(const float* x, float* z, const int* n) {{ if (threadIdx.x < *n) z[threadIdx.x] = x[threadIdx.x]; }}
extern "C" void run(const float* x, float* z, int n, cudaStream_t stream) {{
    int *h, *d;
    cudaMallocHost(&h, 8);
    cudaMalloc(&d, 4);
    h[0] = n, h[1] = 1;
    cudaMemcpyAsync(d, h, 4, cudaMemcpyHostToDevice, stream);
    {then}
    add<<<1, 32, 0, stream>>>(x, z, d);
    cudaStreamSynchronize(stream);
    cudaFree(d);
    cudaFreeHost(h);
}}
"""
WRONG = {
    "written": ("h[0] = 0;", "host code writes element 0 of", "which the work of line 9 reads"),
    "written by memset": ("memset(h, 0, 8);", "host code writes element 0 of", "which the work of line 9 reads"),
    "read": (
        "cudaMemcpyAsync(h, d, 4, cudaMemcpyDeviceToHost, stream); if (h[0] < n) return;",
        "host code reads element 0 of",
        "which the work of line 10 writes",
    ),
}
RIGHT = {
    "behind the copy": "cudaStreamSynchronize(stream); h[0] = 0;",
    "behind an event": (
        "cudaEvent_t e; cudaEventCreate(&e); cudaEventRecord(e, stream); cudaEventSynchronize(e); cudaEventDestroy(e); "
        "h[0] = 0;"
    ),
    "beside it": "h[1] = 0;",
    "only read": "if (h[0] < n) return;",
    "copied by a call that waits": "cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost); if (h[0] < n) return;",
}


def errors(run_kernel, then: str) -> list[str]:
    x = np.arange(32, dtype=np.float32)
    prototype = "void run(const float* x, float* z, int n, cudaStream_t stream)"
    _, case = run_kernel(SOURCE.format(then=then), prototype, x=x, z=np.zeros_like(x), n=32)
    return [each.message for each in case.findings if each.severity == "error" and each.kind == "race"]


@pytest.mark.parametrize("what", long_tail(WRONG, every=2))
def test_host_code_that_does_not_wait_for_the_copy_races_with_it(run_kernel, what):
    then, *parts = WRONG[what]
    (said,) = errors(run_kernel, then)
    assert all(part in said for part in parts)


@pytest.mark.parametrize("what", long_tail(RIGHT, every=3))
def test_who_waits_or_leaves_it_alone_is_right(run_kernel, what):
    assert errors(run_kernel, RIGHT[what]) == []
