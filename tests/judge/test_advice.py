"""Advice on kernels with one fault each: the line that is to blame, and a sentence that names what the counts show."""

from __future__ import annotations

import re

import numpy as np
import pytest

from grader.course import catalog
from grader.course.prototype import parse_prototype
from grader.course.work import read_kernel
from grader.judge.advice import advise, reuse
from tests.emulator.conftest import run_kernel  # noqa: F401  (a fixture)
from tests.shared import long_tail

HEAD = r"""
#define ENTRY(grid, block)                                                                         \
    extern "C" void run(const float* x, float* z, int n, cudaStream_t stream) {                    \
        kernel<<<grid, block, 0, stream>>>(x, z, n);                                               \
    }
"""
KERNELS = {
    "copy": """
__global__ void kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i];
}
ENTRY(n / 256 + 1, 256)
""",
    "row_sum": """
__global__ void kernel(const float* x, float* z, int n) {
    float sum = 0;
    for (int k = 0; k < 64; ++k) {
        sum += x[threadIdx.x * 64 + k];  // BLAME
    }
    z[threadIdx.x] = sum;
}
ENTRY(1, 128)
""",
    "stride_2": """
__global__ void kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[2 * i];  // BLAME
}
ENTRY(16, 256)
""",
    "misaligned": """
__global__ void kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[i + 1];  // BLAME
}
ENTRY(16, 256)
""",
    "transpose": """
constexpr int kTile = 32;
__global__ void kernel(const float* x, float* z, int n) {
    __shared__ float tile[kTile][kTile];
    for (int k = threadIdx.y; k < kTile; k += 8) tile[k][threadIdx.x] = x[k * kTile + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < kTile; k += 8) {
        z[k * kTile + threadIdx.x] = tile[threadIdx.x][k];  // BLAME
    }
}
ENTRY(1, dim3(32, 8))
""",
    "padded": """
__global__ void kernel(const float* x, float* z, int n) {
    __shared__ float tile[32][33];
    for (int k = threadIdx.y; k < 32; k += 8) tile[k][threadIdx.x] = x[k * 32 + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8) {
        z[k * 32 + threadIdx.x] = tile[threadIdx.x][k];
    }
}
ENTRY(1, dim3(32, 8))
""",
    "flat_stride": """
__global__ void kernel(const float* x, float* z, int n) {
    __shared__ float words[1024];
    for (int k = 0; k < 32; ++k) words[32 * k + threadIdx.x] = x[k];
    __syncwarp();
    for (int k = 0; k < 8; ++k) {
        z[threadIdx.x] = words[16 * threadIdx.x];  // BLAME
    }
}
ENTRY(1, 32)
""",
    "even_odd": """
__global__ void kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 0) {  // BLAME
        z[i] = x[i] * 2;
    } else {
        z[i] = x[i] * x[i] * x[i] + 1;
    }
}
ENTRY(16, 256)
""",
    "trips": """
__global__ void kernel(const float* x, float* z, int n) {
    float sum = 0;
    for (unsigned k = 0; k < threadIdx.x; ++k) {  // BLAME
        sum = sum * 0.5f + sum * sum;
    }
    z[threadIdx.x] = sum;
}
ENTRY(1, 128)
""",
    "trips_at_the_end": """
__global__ void kernel(const float* x, float* z, int n) {
    float sum = 0;
    unsigned k = 0;
    do {
        sum = sum * 0.5f + sum * sum;
        if (sum > 1e30f) sum = 0;
    } while (k++ < threadIdx.x);  // BLAME
    z[threadIdx.x] = sum;
}
ENTRY(1, 128)
""",
    "first_lane": """
__global__ void kernel(const float* x, float* z, int n) {
    if (threadIdx.x == 0) {  // BLAME
        float sum = 0;
        for (int k = 0; k < 256; ++k) sum += x[k];
        z[0] = sum;
    }
}
ENTRY(1, 32)
""",
    "tree": """
__global__ void kernel(const float* x, float* z, int n) {
    __shared__ float sums[64];
    sums[threadIdx.x] = x[threadIdx.x];
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {  // BLAME
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
    }
    __syncthreads();
    z[threadIdx.x] = sums[0];
}
ENTRY(1, 64)
""",
    "small_blocks": """
__global__ void kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i];
}
extern "C" void run(const float* x, float* z, int n, cudaStream_t stream) {
    kernel<<<64, 16, 0, stream>>>(x, z, n);  // BLAME
}
""",
    "one_address": """
__global__ void kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1) z[0] = 0;
    atomicAdd(&z[0], x[i]);  // BLAME
}
ENTRY(1, 256)
""",
    "bins": """
__global__ void kernel(const float* x, float* z, int n) {
    __shared__ int bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
        atomicAdd(&bins[threadIdx.x / 2 % 8], 1);  // BLAME
    }
    __syncthreads();
    if (threadIdx.x < 8) z[threadIdx.x] = bins[threadIdx.x];
}
ENTRY(1, 256)
""",
}


THREE_LINES = """
__global__ void kernel(const float* x, float* z, int n) {
    int i = threadIdx.x;
    float a = x[2 * i];
    float b = x[32 * i];
    z[8 * i] = a + b;
}
ENTRY(1, 256)
"""
AGAIN = """
__global__ void kernel(const float* x, float* z, int n) {
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum += x[k * 32 + threadIdx.x];
    z[blockIdx.x * 32 + threadIdx.x] = sum;
}
ENTRY(8, 32)
"""
ANGLES = np.random.default_rng(0).uniform(-3.1, 3.1, 16384).astype(np.float32)
# Kernel: kinds of advice that it must get, and words of the first sentence.
EXPECTED = {
    "copy": ([], ""),
    "row_sum": (["load"], "32 sectors a request, 4 would do: of 32 bytes moved 4 are used"),
    "stride_2": (["load"], "8 sectors a request, 4 would do: neighbouring lanes read with gaps"),
    "misaligned": (["load"], "5 sectors a request, 4 would do: what a warp reads starts inside a sector"),
    "transpose": (["conflict"], "32-way bank conflict: .* pad the rows: tile.kTile..kTile . 1."),
    "padded": ([], ""),
    "flat_stride": (["conflict"], "16-way bank conflict"),
    "even_odd": (["lanes"], "half of the lanes idle: a warp divides here"),
    "trips": (["lanes"], "19% of the lanes idle: lanes leave this loop at different times"),
    "trips_at_the_end": (["lanes"], "lanes leave this loop at different times"),
    "first_lane": (["lanes"], "one lane works while the others wait"),
    "tree": (["lanes"], "each round of this tree has work for half as many threads"),
    "small_blocks": (["lanes"], "blocks of 16 threads leave half of the lanes empty"),
    "one_address": (["atomic"], "all lanes of a warp update one address: 32 atomics one after the other"),
    "bins": (["atomic"], "up to 4 lanes of a warp update one address"),
}


@pytest.fixture
def run(run_kernel):  # noqa: F811
    """Runs a source's entry point f(x, z, n); its advice, its source and the case as it ran."""

    def run(source: str, prototype: str = "void run(const float* x, float* z, int n, cudaStream_t stream)", n=4096):
        arrays = {buffer.name: ANGLES for buffer in parse_prototype(prototype).buffers}
        _, case = run_kernel(source, prototype, **arrays, n=n)
        return advise(case.lines, case.kernels, source.split("\n")), source.split("\n"), case

    return run


def source_of(name: str) -> str:
    return (HEAD if "ENTRY" in KERNELS[name] else "") + KERNELS[name]


@pytest.mark.parametrize("name", long_tail(list(KERNELS), every=6))
def test_the_line_to_blame_and_what_is_wrong_with_it(run, name):
    advice, source, _ = run(source_of(name))
    kinds, words = EXPECTED[name]
    assert [each.kind for each in advice] == kinds
    assert all("// BLAME" in source[each.line - 1] for each in advice)
    assert not advice or re.search(words, advice[0].message)


def test_the_most_wasteful_line_comes_first(run):
    advice, source, _ = run(HEAD + THREE_LINES)
    assert [source[each.line - 1].strip() for each in advice] == [
        "float b = x[32 * i];",
        "z[8 * i] = a + b;",
        "float a = x[2 * i];",
    ]
    assert [each.cycles for each in advice] == [8 * 28, 8 * 28, 8 * 4]  # sectors beyond the ideal, of 8 warps
    assert all(0 < each.share < 1 for each in advice)


def test_idle_lanes_and_not_the_addresses_are_blamed_for_half_empty_sectors(run):
    advice, _, case = run(source_of("even_odd"))
    stores = sum(line["global_store_sectors"] for line in case.lines)
    useful = sum(line["global_store_useful_bytes"] for line in case.lines)
    assert stores == 2 * useful / 32  # the stores move twice what they need,
    assert [each.kind for each in advice] == ["lanes"]  # and yet there is no advice on them


def test_reading_again_is_a_remark_on_the_whole(run):
    advice, _, case = run(HEAD + AGAIN)
    assert not advice and "load each byte 8 times" in reuse(case.counters)
    assert reuse(run(source_of("copy"))[2].counters) == ""
    assert reuse({}) == ""


POLAR = "void polar(const float* phi, float* xy, int n, cudaStream_t stream)"
ADD = "void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lesson", "file", "blamed"),
    long_tail(
        [
            ("01", "1_one_element", []),
            ("01", "2_grid_stride", []),
            ("01", "3_float4", []),
            ("01", "runs_of_elements", ["z[i] = x[i] + y[i];"]),
            ("01", "one_thread", ["add<<<1, 1, 0, stream>>>(x, y, z, n);"]),
            ("02", "1_even_odd", ["if (i % 2 == 0) {"]),
            ("02", "2_both", ["xy[2 * i] = cosine;", "xy[2 * i + 1] = sine;"]),
            ("02", "3_float2", []),
            ("02", "4_two_angles", []),
            ("02", "data_dependent_loop", ["for (int power = 0; fabs(term) > 1e-9; power += 2) {"]),
            ("02", "missing_barrier", ["sincosf(phi[i], &pairs[2 * threadIdx.x + 1], &pairs[2 * threadIdx.x]);"]),
        ],
        every=100,
        slow=3,
    ),
)
def test_rungs_and_mistakes_of_the_lessons(run, lesson, file, blamed):
    entry = catalog.find(lesson)
    path = next(path for path in (*entry.rungs, *(each.whole for each in entry.mistakes)) if path.stem == file)
    advice, source, _ = run(read_kernel(path, entry), POLAR if lesson == "02" else ADD, n=4096)
    assert [source[each.line - 1].strip() for each in advice] == blamed
