"""A few blocks of a case that has more work than blocks which go round do in one round."""

from __future__ import annotations

import pytest

from grader.grade import grade
from tests.shared import long_tail

# 2,048 blocks at most: no checked case has as many rows.
SOFTMAX = """
__global__ void part(const float* x, float* y, int cols) {{
    for (int c = threadIdx.x; c < cols; c += 64) y[(size_t)blockIdx.x * cols + c] = x[(size_t)blockIdx.x * cols + c];
}}
__device__ float largest(float v) {{
    for (int half = 16; half; half /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, half));
    return v;
}}
__device__ float total(float v) {{
    for (int half = 16; half; half /= 2) v += __shfl_xor_sync(~0u, v, half);
    return v;
}}
__device__ unsigned rounds;
__global__ void all(const float* x, float* y, int rows, int cols) {{
    const int lane = threadIdx.x;
    float sum = 0;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {{
        const float* from = x + (size_t)row * cols;
        {first}
        float most = -INFINITY;
        for (int c = lane; c < cols; c += 32) most = fmaxf(most, from[c]);
        most = largest(most);
        for (int c = lane; c < cols; c += 32) sum += expf(from[c] - most);
        sum = total(sum);
        for (int c = lane; c < cols; c += 32) y[(size_t)row * cols + c] = expf(from[c] - most) / sum;
    }}
}}
extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int n, cudaStream_t stream) {{
    {before}
    all<<<rows < 2048 ? rows : 2048, 32, 0, stream>>>(x, y, rows, cols);
}}
"""
COPY = "part<<<rows, 64, 0, stream>>>(x, y, cols);"


@pytest.fixture
def graded(tmp_path):
    def grade_it(first: str, before: str = ""):
        file = tmp_path / "kernel.cu"
        file.write_text(SOFTMAX.format(first=first, before=before))
        return grade("06", file, device="emulator", seed=1)

    return grade_it


@pytest.mark.slow
def test_what_only_the_second_round_gets_wrong(graded):
    found = graded("")
    assert (found.status, found.stars) == ("wrong_result", 0)
    case = found.tasks[0].cases[-1]
    assert case.name.startswith("rows=66001") and "a few blocks run" in case.message
    assert case.details["index"][0] >= 2048, "the first round is right"
    assert all(other.status == "passed" for other in found.tasks[0].cases[:-1])


@pytest.mark.parametrize(
    ("first", "before"),
    long_tail(
        [
            ("sum = 0;", ""),
            ("sum = 0;", COPY),  # what it leaves where no block of the second launch runs
            ("sum = 0; if (lane == 0) atomicAdd(&rounds, 1);", ""),
            ("sum = 0;", "cudaMemsetAsync(y, 0, sizeof(float) * rows * cols, stream);"),
        ],
        every=4,
    ),
)
def test_what_is_right(graded, first, before):
    found = graded(first, before)
    assert found.status == "passed", found.tasks[0].cases[-1].message
    assert not any(case.name.startswith("rows=66001") for case in found.tasks[0].cases)
