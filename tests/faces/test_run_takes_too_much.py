"""`ladder run` tells without `--notes` of calls that a GPU's stack does not hold, and of what a loop does not free."""

from __future__ import annotations

import re

import pytest

from tests.warm import run_ladder

PROGRAM = """
#include <cstdio>
#include <vector>
__device__ int sum(const int* x, int n) {
    int own[8];
    for (int i = 0; i < 8; ++i) own[i] = x[(n + i) % 64];
    const int rest = n ? sum(x, n - 1) : 0;
    return own[rest & 7] + rest;
}
__global__ void k(const int* x, int* z, int n) { z[threadIdx.x] = sum(x, n); }
int main() {
    int* x;
    cudaMalloc(&x, 256);
    cudaMemset(x, 0, 256);
    SETUP
    std::vector<int*> kept;
    for (int i = 0; i < 5; ++i) {
        int* z;
        cudaMalloc(&z, 128);
        kept.push_back(z);
    }
    for (int i = 0; i < 5; ++i) {
        int* z;
        cudaMalloc(&z, 128);
        k<<<1, 32>>>(x, z, DEPTH);
        FREE
    }
    for (int* z : kept) k<<<1, 32>>>(x, z, 5);
    cudaDeviceSynchronize();
}
"""
_WHERE = r"note t\.cu:\d+ in kernel k thread \(0, 0, 0\) of block \(0, 0, 0\)"
DEEP = _WHERE + " calls itself in line 7, 201 calls deep: a GPU gives each thread a stack of 1,024 bytes"
LEAK = r"note t\.cu:24 128 bytes from the allocation in line 24 are never freed, and each round of its loop takes"


EVENTS = r"note t\.cu:26 the event that line 26 creates is never destroyed, and each round of its loop makes another"
STREAMS = EVENTS.replace("event", "stream")
ARRAY = "cudaEvent_t all[9]; for (auto& each : all) cudaEventCreate(&each);"  # no launches in between: it is kept
MADE = "cudaFree(z); cudaEvent_t e; cudaEventCreate(&e); cudaStream_t s; cudaStreamCreate(&s);"


def run(folder, **parts):
    text = PROGRAM
    for name, part in parts.items():
        text = text.replace(name, part)
    (folder / "t.cu").write_text(text)
    done = run_ladder(folder, "run", "t.cu", "--no-counters")
    return " ".join((done.stdout + done.stderr).split())


def test_what_a_loop_makes_and_never_destroys_is_told(tmp_path):
    said = run(tmp_path, SETUP="", DEPTH="2", FREE=MADE)
    assert re.search(EVENTS, said) and re.search(STREAMS, said) and "no findings" in said, said


@pytest.mark.slow
def test_what_is_made_for_good_or_destroyed_is_not(tmp_path):
    said = run(tmp_path, SETUP=ARRAY, DEPTH="2", FREE=f"{MADE} cudaEventDestroy(e); cudaStreamDestroy(s);")
    assert "no findings" in said and "note" not in said.replace("--notes", ""), said


def test_what_is_too_much_is_told(tmp_path):
    said = run(tmp_path, SETUP="", DEPTH="200", FREE="")
    assert re.search(DEEP, said) and re.search(LEAK, said) and "no findings" in said, said


@pytest.mark.slow
def test_what_a_gpu_has_been_asked_for_is_not(tmp_path):
    said = run(tmp_path, SETUP="cudaDeviceSetLimit(cudaLimitStackSize, 1 << 16);", DEPTH="1000", FREE="cudaFree(z);")
    assert "no findings" in said and "note" not in said.replace("--notes", ""), said
