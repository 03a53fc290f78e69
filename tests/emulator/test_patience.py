"""A kernel that never ends is given up early, with the place and the steps; one that only takes long is not."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.shared import long_tail

SOURCE = """
__global__ void stands(const float* x, float* z, int n) {
    for (int i = threadIdx.x; i < n; i + 32) z[i] = x[i];  // stands
}
extern "C" void run_stands(const float* x, float* z, int n, cudaStream_t stream) {
    stands<<<1, 32, 0, stream>>>(x, z, n);
}

__global__ void halves(const float* x, float* z, int n) {
    __shared__ float tile[64];
    tile[threadIdx.x] = x[threadIdx.x % n];
    for (int s = 32; s > 0; s >> 1) {  // halves
        __syncthreads();
        if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
    }
    if (threadIdx.x == 0) z[0] = tile[0];
}
extern "C" void run_halves(const float* x, float* z, int n, cudaStream_t stream) {
    halves<<<1, 64, 0, stream>>>(x, z, n);
}

__global__ void phases(const float* x, float* z, int n) {   // four barriers a round, with other work behind each
    __shared__ float tile[64];
    tile[threadIdx.x] = x[threadIdx.x % n];
    __syncthreads();
    while (tile[0] != -1) {  // phases
        __syncthreads();
        tile[threadIdx.x ^ 1] = 2;
        __syncthreads();
        if (tile[threadIdx.x] > 3) z[0] = 1;
        __syncthreads();
        tile[threadIdx.x ^ 2] = 2;
        __syncthreads();
    }
}
extern "C" void run_phases(const float* x, float* z, int n, cudaStream_t stream) {
    phases<<<1, 64, 0, stream>>>(x, z, n);
}

__global__ void grows(const float* x, float* z, int n) {
    unsigned k = 0;
    for (int i = threadIdx.x; i < n; ++k) z[i] = k + x[0];  // grows
}
extern "C" void run_grows(const float* x, float* z, int n, cudaStream_t stream) { grows<<<1, 1, 0, stream>>>(x, z, n); }

__global__ void waits(const float* x, float* z, int n) {
    volatile float* flag = z;
    if (blockIdx.x > 0) z[blockIdx.x] = x[0];
    while (flag[0] != 1.0f) {}  // waits
}
extern "C" void run_waits(const float* x, float* z, int n, cudaStream_t stream) {
    cudaMemsetAsync(z, 0, n * sizeof(float), stream);
    waits<<<3, 32, 0, stream>>>(x, z, n);
}

__global__ void nothing(const float* x, float* z, int n) {
    z[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x == 3) while (true) {}  // nothing
}
extern "C" void run_nothing(const float* x, float* z, int n, cudaStream_t stream) {
    nothing<<<3, 8, 0, stream>>>(x, z, n);
}

extern "C" void run_empty(const float* x, float* z, int n, cudaStream_t stream) {
    while (true) {}  // empty
}

extern "C" void run_host(const float* x, float* z, int n, cudaStream_t stream) {
    volatile int zero = 0;
    for (int i = 0; i < n; i += zero) {}  // host
}

// One thread: two passes over all elements, nothing is written before the end.
__global__ void alone(const float* x, float* z, int n) {
    float most = x[0], sum = 0;
    for (int i = 1; i < n; ++i) most = fmaxf(most, x[i]);
    for (int i = 0; i < n; ++i) sum += x[i] - most;
    z[0] = sum;
}
extern "C" void run_alone(const float* x, float* z, int n, cudaStream_t stream) { alone<<<1, 1, 0, stream>>>(x, z, n); }

// Arithmetic alone, of 8 million rounds.
__global__ void computes(const float* x, float* z, int n) {
    unsigned state = 1;
    for (int i = 0; i < 8000000; ++i) state = state * 1664525u + (state >> 3);
    z[0] = state;
}
extern "C" void run_computes(const float* x, float* z, int n, cudaStream_t stream) {
    computes<<<1, 1, 0, stream>>>(x, z, n);
}

// The others wait until one thread has read everything, many times.
__global__ void slow_writer(const float* x, float* z, int n) {
    volatile float* flag = z;
    if (blockIdx.x == gridDim.x - 1) {
        float sum = 0;
        for (int pass = 0; pass < 6; ++pass)
            for (int i = 0; i < n; ++i) sum += x[(i + pass) % n];
        flag[1] = sum;
        __threadfence();
        flag[0] = 1.0f;
    } else {
        while (flag[0] != 1.0f) {}
    }
}
extern "C" void run_slow_writer(const float* x, float* z, int n, cudaStream_t stream) {
    cudaMemsetAsync(z, 0, 2 * sizeof(float), stream);
    slow_writer<<<20, 1, 0, stream>>>(x, z, n);
}
"""


def run(call, name, n=8, elements=8, **options):
    values = {"x": np.ones(n, np.float32), "z": np.empty(elements, np.float32), "n": n}
    return call(f"run_{name}", **values, seconds=60.0, **options)


def message(call, name):
    """What is said of a kernel that never ends, and the line that it names."""
    (finding,) = [each for each in run(call, name, errors=True).run.findings if each.severity == "error"]
    assert finding.kind == "timeout"
    return finding.message, SOURCE.splitlines()[finding.line - 1]


@pytest.mark.parametrize(
    ("name", "said"),
    long_tail(
        [
            ("stands", r"does not leave the loop in line \d+: 8 threads of its block have made .* changed nothing"),
            (
                "halves",
                # a thread of either warp: the rounds of the second one's 32 hold no line but the loop's own
                r"does not leave the loop in (lines \d+ to \d+: \d+|line 13: 32) threads of its block "
                r"have made .* steps each",
            ),
            ("phases", r"(?s)64 threads of its block have made .* changed nothing"),
            (
                "grows",
                r"does not leave the loop in line \d+: it has made .* million steps, far too many for data of this",
            ),
            ("nothing", r"does not leave the loop in line \d+: there is nothing in it that could end it"),
            ("waits", r"waits in the loop in line \d+ for a value that no thread writes"),
        ],
        every=6,
        slow=2,
    ),
)
def test_a_kernel_that_never_ends_is_given_up_early_with_its_loop(call, name, said):
    found, line = message(call, name)
    assert re.search(said, found), found
    assert name in line or "__syncthreads" in line or "tile[" in line


@pytest.mark.slow
@pytest.mark.parametrize("name", ["host", "empty"])
def test_host_code_that_never_ends_is_given_up_with_its_line(call, name):
    found, line = message(call, name)
    assert "host code was still running in line" in found and f"// {name}" in line


@pytest.mark.parametrize(
    ("name", "n"), long_tail([("alone", 1_000_000), ("computes", 8), ("slow_writer", 300_000)], every=4)
)
def test_a_kernel_that_takes_long_is_left_alone(call, name, n):
    run(call, name, n)
