"""`ladder run`: a launch that writes what it has read by a pointer that is `const` and `__restrict__`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """
#include <cstdio>
__global__ void scale(const float* __restrict__ in, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
__global__ void turned(const float* __restrict__ in, float* out) {
    float mine = in[threadIdx.x];
    __syncthreads();
    out[255 - threadIdx.x] = mine;
}
__global__ void plain(const float* in, float* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
__global__ void looked_up(const float* in, float* out) { out[threadIdx.x] = 2 * __ldg(&in[threadIdx.x]); }
int main() {
    const int n = 512;
    float *x, *y;
    cudaMalloc(&x, 4 * n), cudaMalloc(&y, 4 * n);
    cudaMemset(x, 0, 4 * n), cudaMemset(y, 0, 4 * n);
    LAUNCH;
    cudaDeviceSynchronize();
    cudaFree(x), cudaFree(y);
}
"""
RESTRICT = "take the `__restrict__` away, or use two arrays"
WRONG = {
    "scale<<<2, 256>>>(x, x, n)": ("it has read that in line 5 by a pointer that is `const`", RESTRICT),
    "scale<<<2, 256>>>(x, x, n); scale<<<2, 256>>>(x, y, n)": ("line 5 by a pointer that is `const`", RESTRICT),
    "turned<<<1, 256>>>(x, x)": ("has read that in line 8 by a pointer that is `const`", RESTRICT),
    "looked_up<<<1, 256>>>(x, x)": ("through the read-only cache", "read it without __ldg"),
}
RIGHT = [
    "scale<<<2, 256>>>(x, y, n)",
    "scale<<<1, 256>>>(x, x + 256, 256)",
    "plain<<<1, 256>>>(x, x)",
    "scale<<<1, 256>>>(x, y, 256); scale<<<1, 256>>>(y, x, 256)",
]


def run(folder: Path, launch: str) -> str:
    (folder / "t.cu").write_text(PROGRAM.replace("LAUNCH", launch))
    done = run_ladder(folder, "run", "t.cu")
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize("launch", long_tail(list(WRONG), every=4, slow=1))
def test_a_write_behind_a_read_that_promises_there_is_none_is_noted(launch: str, tmp_path: Path) -> None:
    said = run(tmp_path, launch)
    assert "no findings" in said and all(part in said for part in WRONG[launch]), said


@pytest.mark.parametrize("launch", long_tail(RIGHT, every=4, slow=1))
def test_two_arrays_and_pointers_that_promise_nothing_are_not(launch: str, tmp_path: Path) -> None:
    said = run(tmp_path, launch)
    assert "no findings" in said and "promises" not in said, said
