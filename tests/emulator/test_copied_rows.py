"""Copies and memsets of many short rows (cudaMemcpy2D) in a graded file."""

from __future__ import annotations

import time

import numpy as np
import pytest

ROWS = 40_000
CLEAR = "cudaMemset2DAsync(z, 8, 0, 4, n, stream);"
COPY = "cudaMemcpy2DAsync(z, 8, x, 8, 4, n, cudaMemcpyDeviceToDevice, stream);"


@pytest.fixture
def rows(run_kernel):
    def run(body: str):
        prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
        source = f'extern "C" {prototype} {{ {body} }}'
        x = np.arange(2 * ROWS, dtype=np.float32)
        z, case = run_kernel(source, prototype, x=x, z=np.full(2 * ROWS, -1, np.float32), n=ROWS)
        return z["z"], case

    return run


def test_many_short_rows_are_one_look_at_the_outputs(rows):
    start = time.monotonic()
    z, case = rows(CLEAR + COPY)
    assert time.monotonic() - start < 20 and not case.findings  # all outputs are looked at once, not for each row
    assert (z[::2] == np.arange(0, 2 * ROWS, 2)).all()


def test_rows_that_lie_behind_each_other_are_one_copy(rows):
    z, case = rows("cudaMemcpy2DAsync(z, 4, x, 4, 4, n, cudaMemcpyDeviceToDevice, stream);")
    assert (z[:ROWS] == np.arange(ROWS)).all() and not case.findings
    _, case = rows("cudaMemcpy2DAsync(z, 4, x, 4, 4, 3 * n, cudaMemcpyDeviceToDevice, stream);")
    assert [finding.kind for finding in case.findings] == ["out_of_bounds"]


def test_host_code_still_cannot_reach_the_memory_behind_it(rows):
    _, case = rows(COPY + " z[0] = 1;")
    assert [finding.kind for finding in case.findings] == ["host_access"]
