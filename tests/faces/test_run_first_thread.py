"""`ladder run` notes where all threads store what only the first one has of cub's BlockReduce or WarpReduce."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.devices.emulator.first_thread import all_store_the_first_threads
from tests.warm import run_ladder

PROGRAM = """#include <cub/cub.cuh>
__global__ void k(float* x, float* z) {
    using R = cub::BlockReduce<float, 128>;
    __shared__ typename R::TempStorage t;
    __shared__ cub::WarpReduce<float>::TempStorage w[4];
    __shared__ float all;
    const int i = threadIdx.x;
    BODY
}
int main() {
    float* x;
    cudaMalloc(&x, 1024), cudaMemset(x, 0, 1024);
    k<<<1, 128>>>(x, x + 128);
    cudaDeviceSynchronize(), cudaFree(x);
}
"""
SUM = "float s = R(t).Sum(x[i]);"
WRONG = [
    f"{SUM} x[i] /= s;",
    f"{SUM} x[i] = x[i] / s;",
    f"{SUM} const float mean = s / 128; __syncthreads(); z[i] = x[i] - mean;",
    f"{SUM} float *to = z + i; if (i == 0) all = 1; *to = s;",
    f"{SUM} s = s / 2; float v = 1; v += s; z[i] = v;",
    "x[i] -= R(t).Reduce(x[i], cub::Max());",
    "const auto most = cub::BlockReduce<float, 128>(t).Reduce(x[i], cub::Max()); z[i] = most;",
    "float s = cub::WarpReduce<float>(w[i / 32]).Sum(x[i]); z[i] = s;",
    f"{SUM} atomicAdd(z, s);",
    f"for (int round = 0; round < 2; ++round) {{ {SUM} z[i] = s; __syncthreads(); }}",
]
RIGHT = [
    f"{SUM} if (i == 0) all = s; __syncthreads(); x[i] /= all;",
    f"{SUM} if (i == 0) {{ z[0] = s; }} z[i + 1] = x[i];",
    f"{SUM} if (i != 0) return; z[0] = s;",
    f"{SUM} if (i) {{ return; }} else z[1] = 2; z[0] = s;",
    f"for (int round = 0; round < 2; ++round) {{ {SUM} __syncthreads(); if (i) continue; z[round] = s; }}",
    f"{SUM} const float mean = s / 128; if (threadIdx.x == 0) z[0] = mean;",
    f"{SUM} if (i != 0) s = 0; z[i] = s;",
    f"{SUM} z[i] = i == 0 ? s : 0;",
    f"{SUM} i == 0 && (z[0] = s);",
    "float s = cub::WarpReduce<float>(w[i / 32]).Sum(x[i]); s = __shfl_sync(~0u, s, 0); z[i] = s;",
    "float s = cub::WarpReduce<float>(w[i / 32]).Sum(x[i]); const float v = __shfl_sync(~0u, s, 0); z[i] = v;",
    f"{SUM} if (i == 0) all = s; __syncthreads(); s = all; z[i] = s;",
    f"if (i < 128) {{ {SUM} if (!i) z[0] = s; }} z[i] = x[i];",
    f"{SUM} s = 0; z[i] = s;",
    f"{SUM} // z[i] = s;",
]


def said(body: str) -> list[str]:
    return [text for _, line, text in all_store_the_first_threads([PROGRAM.replace("BODY", body)]) if line == 8]


@pytest.mark.parametrize("body", WRONG)
def test_what_all_threads_store_of_it_is_told(body):
    (text,) = said(body)
    assert ("lane 0 has what WarpReduce" if "WarpReduce" in body else "thread 0 has what BlockReduce") in text


@pytest.mark.parametrize("body", RIGHT)
def test_what_the_first_thread_hands_on_is_not(body):
    assert said(body) == []


@pytest.mark.slow
def test_a_program_is_told_without_asking_for_notes(tmp_path: Path):
    (tmp_path / "p.cu").write_text(PROGRAM.replace("BODY", WRONG[0]))
    done = run_ladder(tmp_path, "run", "p.cu")
    assert "only thread 0 has what BlockReduce gives" in " ".join((done.stdout + done.stderr).split())
