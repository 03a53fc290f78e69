"""Elements that are named by their index, with others left out, which are 0: of locals, tables and constants."""

from __future__ import annotations

import numpy as np

SOURCE = """
struct Pair { int x, y; };
__device__ int table[4] = {[2] = 1};
__constant__ int constants[5] = {[1] = 7, 2, [4] = 9};
__global__ void work(int* z) {
    const int i = threadIdx.x;
    Pair pairs[3] = {[1] = {1, 2}, {3, 4}};
    int rows[2][2] = {[1] = {[1] = 5}};
    constexpr int weights[4] = {[1] = 1, [3] = 2};
    z[i] = pairs[i % 3].y + 10 * rows[i / 2 % 2][i % 2] + 100 * weights[i % 4];
    z[i] += 1000 * table[i % 4] + 10000 * constants[i];
}
__global__ void beyond(int* z) { z[threadIdx.x] = constants[threadIdx.x + 1]; }
extern "C" void run_work(int* z, cudaStream_t stream) { work<<<1, 5, 0, stream>>>(z); }
extern "C" void run_beyond(int* z, cudaStream_t stream) { beyond<<<1, 5, 0, stream>>>(z); }
"""


def test_what_is_left_out_is_zero(call):
    assert call("run_work", z=np.zeros(5, np.int32))["z"].tolist() == [0, 70102, 21004, 250, 90002]


def test_an_index_past_them_is_told(call):
    (finding,) = call("run_beyond", z=np.zeros(5, np.int32), errors=True).run.findings
    assert finding.kind == "out_of_bounds" and "constants" in finding.message
