"""`ladder run`: launches that touch so much memory that their races are looked for before they are over."""

from __future__ import annotations

import pytest

from tests.warm import run_ladder

PROGRAM = """
#include <cstdio>
__global__ void total(const int* x, unsigned* sum, int n) {
    unsigned own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += x[i];
    if (own) atomicAdd(sum, own);
}
int main() {
    const int n = 3 << 20;
    int *h, *x;
    unsigned* sum;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&h, n * sizeof(int));
    cudaMalloc(&x, n * sizeof(int));
    cudaMallocManaged(&sum, sizeof *sum);
    *sum = 0;
    for (int i = 0; i < n; ++i) h[i] = 1;
    cudaMemcpyAsync(x, h, n * sizeof(int), cudaMemcpyHostToDevice, s);
    total<<<512, 64, 0, s>>>(x, sum, n);
    cudaStreamSynchronize(s);
    printf("%u\\n", *sum);
}
"""


@pytest.mark.slow
def test_what_a_stream_has_copied_is_there_for_a_kernel_on_it_that_reads_much(tmp_path):
    (tmp_path / "t.cu").write_text(PROGRAM)
    done = run_ladder(tmp_path, "run", "t.cu", "--no-counters")
    assert "3145728\n" in done.stdout and "no findings in 1 kernel" in done.stderr, done.stdout + done.stderr
