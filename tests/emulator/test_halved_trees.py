"""A tree that halves a block which is no power of 2 is told, and what looks like it is not."""

from __future__ import annotations

import pytest

from grader.devices.emulator.halved_trees import halved_trees
from tests.shared import long_tail

TEXT = """
#define BLOCK 96
__global__ void sum(const float* x, float* z) {
    extern __shared__ float s[];
    const int t = threadIdx.x;
    s[t] = x[t]; // for (int k = blockDim.x / 2; k > 0; k /= 2) s[t] += s[t + k];
    __syncthreads();
    LOOP
    if (t == 0) *z = s[0];
}
"""
STEP = "{ if (t < k) s[t] += s[t + k]; __syncthreads(); }"
TREES = [
    f"for (int k = blockDim.x / 2; k > 0; k >>= 1) {STEP}",
    f"for (unsigned int k = blockDim.x >> 1; k >= 1; k /= 2) {STEP}",
    f"for (int k = BLOCK / 2; k > 0; k = k / 2) {STEP}",
    "for (int k = blockDim.x / 2; k != 0; k /= 2) { if (t < k) s[t] = fmaxf(s[t], s[t + k]); __syncthreads(); }",
    "int k = blockDim.x / 2; while (k != 0) { if (t < k) s[t] += s[t + k]; __syncthreads(); k /= 2; }",
]
OTHERS = [
    "for (int k = 64; k > 0; k >>= 1) { if (t < k && t + k < 96) s[t] += s[t + k]; __syncthreads(); }",
    "for (int k = blockDim.x / 2; k > 0; k >>= 1) { if (k % 2) odd(); if (t < k) s[t] += s[t + k]; }",
    "for (int k = blockDim.x / 2; k > 0; k >>= 1) { z[k] = 1; }",
    "for (int k = blockDim.x; k > 1; k = (k + 1) / 2) { if (t < k / 2) s[t] += s[t + (k + 1) / 2]; }",
    f"for (int k = HALF / 2; k > 0; k >>= 1) {STEP}",
]


def told(loop: str, width: int, kernel: str = "sum") -> list[tuple[int, int, str]]:
    return list(halved_trees(["", TEXT.replace("LOOP", loop)], [{"kernel": kernel, "block": [width, 1, 1]}]))


@pytest.mark.parametrize("loop", long_tail(TREES, every=4))
def test_a_tree_in_a_block_that_is_no_power_of_two_is_told(loop):
    ((number, line, said),) = told(loop, 96)
    assert (number, line) == (2, 8) and "halves the 96 threads of a block" in said and "64 or 128 threads" in said
    assert told(loop, 96, "sum<float>") and not told(loop, 128) and not told(loop, 96, "other")


@pytest.mark.parametrize("loop", long_tail(OTHERS, every=4))
def test_what_is_no_such_tree_is_not(loop):
    assert not told(loop, 96)
