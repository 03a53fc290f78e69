"""A race in a line that writes one element and reads another of the same array is told to read first, or elsewhere."""

from __future__ import annotations

import pytest

from grader.devices.emulator.reading import Reading
from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """__global__ void scan(int* x) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        SCAN
        __syncthreads();
    }
    x[t] = s[t];
}
__global__ void smooth(int* x, const int* y) {
    int i = threadIdx.x;
    if (i > 0 && i < 63) x[i] = (FROM[i - 1] + FROM[i + 1]) / 2;
}
int main() {
    int *x, *y;
    cudaMallocManaged(&x, 64 * sizeof(int));
    cudaMallocManaged(&y, 64 * sizeof(int));
    for (int i = 0; i < 64; ++i) x[i] = y[i] = i;
    scan<<<1, 64>>>(x);
    smooth<<<1, 64>>>(x, y);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(y);
}
"""
READS_FIRST = "int before = t >= d ? s[t - d] : 0; __syncthreads(); s[t] += before;"
TOLD = [
    ("if (t >= d) s[t] += s[t - d];", "y", "read into a variable first, type __syncthreads(), and then write"),
    (READS_FIRST, "x", "read one array and write another"),
    (READS_FIRST, "y", ""),
]


@pytest.mark.slow
@pytest.mark.parametrize(("scan", "array", "told"), long_tail(TOLD, every=4))
def test_what_mends_such_a_race_is_told(tmp_path, scan, array, told):
    (tmp_path / "p.cu").write_text(PROGRAM.replace("SCAN", scan).replace("FROM", array))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert told in said and ("data race" in said if told else "no findings in 2 kernels" in said), said


@pytest.mark.parametrize(
    ("text", "reads", "in_loop"),
    [
        ("for (;;) { s[t] += s[t - d]; __syncthreads(); }", True, True),
        ("for (;;) { if (a) { s[t] = s[t + 1]; } } __syncthreads();", True, False),
        ("while (n) s[0] += s[0] + x[i];", False, False),
        ("do { if (a[i] == a[i + 1]) x[i] = a[2]; __syncwarp(); } while (n);", False, False),
        ("s[t] = x; y = s[t + 1];", False, False),
    ],
)
def test_a_line_is_read_word_by_word(text, reads, in_loop):
    reading = Reading(text)
    assert (reading.reads_neighbours(1), reading.barrier_in_loop(1)) == (reads, in_loop)


ROUNDS = """__global__ void sort(int* v, int n) {
    const int i = threadIdx.x;
    for (int p = 0; p < n; ++p) {
        const int a = 2 * i + (p & 1);
        if (a + 1 < n && v[a] > v[a + 1]) { const int t = v[a]; v[a] = v[a + 1]; v[a + 1] = t; }
        BEHIND
    }
}
int main() {
    int *v, h[16] = {5, 3, 8, 1};
    cudaMalloc(&v, 64), cudaMemcpy(v, h, 64, cudaMemcpyHostToDevice);
    sort<<<1, 8>>>(v, 16);
    cudaDeviceSynchronize(), cudaFree(v);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("behind", ["", "__syncthreads();"])
def test_rounds_of_one_block_need_a_barrier(tmp_path, behind):
    (tmp_path / "p.cu").write_text(ROUNDS.replace("BEHIND", behind))
    said = " ".join(run_ladder(tmp_path, "run", "p.cu").stderr.split())
    assert ("type __syncthreads() at the end of each round, outside of any `if`" in said) == (not behind), said
    assert ("no findings" in said) == bool(behind), said
