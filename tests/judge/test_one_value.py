"""A histogram whose own counters are too small for what a block or a thread may count is wrong where all are alike."""

from __future__ import annotations

import pytest

from grader.course import catalog
from grader.grade import grade
from grader.judge.one_value import LEAST_ELEMENTS, MOST_ELEMENTS, many_alike

# Two counters of 16 bits in a word, as long as a block counts no more than they hold.
PACKED = """
__global__ void count(const unsigned char* x, unsigned* counts, int n) {
    __shared__ unsigned pairs[COPIES][128];
    unsigned* mine = pairs[threadIdx.x / 32 % COPIES];
    for (int i = threadIdx.x; i < COPIES * 128; i += blockDim.x) pairs[i / 128][i % 128] = 0;
    __syncthreads();
    const int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&mine[x[i] / 2], x[i] % 2 ? 65536u : 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        for (int copy = 0; copy < COPIES; ++copy)
            if (unsigned found = pairs[copy][i / 2] >> i % 2 * 16 & 0xffff) atomicAdd(&counts[i], found);
}
extern "C" void histogram(const unsigned char* x, unsigned* counts, int n, cudaStream_t stream) {
    cudaMemsetAsync(counts, 0, 256 * sizeof(unsigned), stream);
    count<<<BLOCKS, 256, 0, stream>>>(x, counts, n);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("blocks", "copies", "status"),
    [
        ("64", 1, "wrong_result"),
        ("(n - 1) / 65535 + 1", 1, "passed"),  # a block has no more than fit
        pytest.param("min((n - 1) / 1024 + 1, 250)", 1, "wrong_result", marks=pytest.mark.whole),
        pytest.param("(n - 1) / 32768 + 1", 1, "passed", marks=pytest.mark.whole),
    ],
)
def test_counters_that_are_too_small(tmp_path, blocks, copies, status):
    file = tmp_path / "kernel.cu"
    file.write_text(PACKED.replace("BLOCKS", blocks).replace("COPIES", str(copies)))
    found = grade("05", file, device="emulator", seed=2, tasks=["histogram"])
    assert found.status == status
    assert status == "passed" or "All elements are alike" in found.tasks[0].cases[-1].message


def test_the_case_is_of_tasks_that_count():
    tasks = catalog.find("05").lesson
    assert many_alike(tasks.task("sum"), 1) is None
    drawn = [many_alike(tasks.task("histogram"), seed) for seed in range(4)]
    assert all(LEAST_ELEMENTS < case.sizes["n"] <= MOST_ELEMENTS and 0 <= value < 256 for case, value in drawn)
    assert len({value for _, value in drawn}) > 1
