"""What the emulator does not see: the README's list, with a kernel behind each entry.

The kernels here are wrong, and pass, or right, and are refused. When the emulator learns to tell, a test here fails:
then its entry goes, here and in the README.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from grader.grade import grade
from tests.shared import long_tail

README = Path(__file__).parents[2] / "README.md"
PROTOTYPE = "void f(const float* x, float* z, int n, cudaStream_t stream)"
N = 128


@dataclass(frozen=True)
class Wrong:
    """A kernel `k` that a GPU need not run to the end, or not to this end."""

    kernel: str
    launch: str = f"1, {N}, 0, stream"
    before: str = ""  # the launch, in the entry point


UNSEEN = {
    "Paths that no case takes": Wrong(
        "__global__ void k(const float* x, float* z, int n) { z[n == 7 ? n : threadIdx.x] = x[threadIdx.x]; }"
    ),
    "Other orders of blocks": Wrong(  # right where the first block comes first or the last one does
        """
__device__ int tickets;
__global__ void k(const float* x, float* z, int n) {
    const int ticket = atomicAdd(&tickets, 1), b = blockIdx.x;
    z[b] = ticket == b || ticket == n - 1 - b ? x[b] : 0;
}""",
        launch=f"{N}, 1, 0, stream",
    ),
    "Too many blocks that wait for each other": Wrong(  # an H200 has 132 multiprocessors
        """
__device__ unsigned arrived;
__global__ void k(const float* x, float* z, int n) {
    extern __shared__ float all[];
    if (threadIdx.x == 0) {
        atomicAdd(&arrived, 1u);
        while (atomicAdd(&arrived, 0u) < gridDim.x) {}
    }
    if (blockIdx.x < n && threadIdx.x == 0) z[blockIdx.x] = x[blockIdx.x];
}""",
        launch="140, 1, 200 * 1024, stream",
        before="cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);",
    ),
    "A third reader": Wrong(  # lane 1 may read after lane 2 has written
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s;
    const int i = threadIdx.x;
    float value = x[i];
    if (i == 0) s = 0;
    __syncthreads();
    if (i < 3) value += s;
    if (i == 0 || i == 2) __syncwarp(5);
    if (i == 2) s = 1;
    z[i] = value;
}"""
    ),
    "A flag that is reset too late": Wrong(  # a barrier belongs before the `if`
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    if (threadIdx.x == 0) flag = 1;
    while (!flag) {}
    z[threadIdx.x] = x[threadIdx.x];
}"""
    ),
    "A thread's own stack": Wrong(  # a pointer goes past the end of one local array, into the next
        """
struct Two { float first[4], second[4]; };
__global__ void k(const float* x, float* z, int n) {
    volatile Two two;
    for (int i = 0; i < 4; ++i) two.first[i] = two.second[i] = x[threadIdx.x];
    volatile float* past = two.first + n / 32;
    *past = 0;
    z[threadIdx.x] = two.first[0];
}"""
    ),
    "Tables of constants": Wrong(  # a pointer from the table to x
        """
__device__ const float table[4] = {1, 2, 3, 4};
__global__ void k(const float* x, float* z, int n) {
    const float* past = table + (x - table);
    z[threadIdx.x] = past[threadIdx.x];
}"""
    ),
    "Registers and stacks": Wrong(  # a GPU gives a thread 1 KB of stack where it cannot know how much it needs
        """
__device__ __noinline__ float deep(const float* x, int i, int calls) {
    volatile float kept[16];
    kept[calls % 16] = x[i];
    return calls == 0 ? 0.0f * kept[0] : deep(x, i, calls - 1) + 0.0f * kept[calls % 16];
}
__global__ void k(const float* x, float* z, int n) { z[threadIdx.x] = x[threadIdx.x] + deep(x, threadIdx.x, 200); }"""
    ),
    "Shared memory of functions that did not run": Wrong(  # 60 KB in all: nvcc refuses them
        """
__device__ float other(int i) { __shared__ float theirs[30 * 256]; theirs[i] = 1; __syncthreads(); return theirs[i]; }
__global__ void k(const float* x, float* z, int n) {
    __shared__ float own[30 * 256];
    own[threadIdx.x] = x[threadIdx.x];
    z[threadIdx.x] = n < 0 ? other(threadIdx.x) : own[threadIdx.x];
}"""
    ),
    "Stale reads": Wrong(  # a GPU may answer from a cache that does not know of the write
        """
__global__ void k(const float* x, float* z, int n) {
    z[threadIdx.x] = -1;
    const float before = __ldg(z + threadIdx.x);
    z[threadIdx.x] = x[threadIdx.x];
    if (__ldg(z + threadIdx.x) == before) z[threadIdx.x] = 0;
}"""
    ),
}

# Right, and not built or not run.
REFUSED = {
    "a structure that the call of a virtual function copies by itself": """
struct Six { float values[6]; };
struct First { __device__ virtual __noinline__ float of(Six six) const; };
struct Last : First { __device__ __noinline__ float of(Six six) const override { return six.values[5]; } };
__device__ float First::of(Six six) const { return six.values[0]; }
__global__ void k(const float* x, float* z, int n) {
    const First first;
    const Last last;
    const First& one = n ? first : last;
    if (threadIdx.x < 5) z[threadIdx.x] = one.of(((const Six*)x)[threadIdx.x]);
}""",
    "one fixed element in a loop, behind a guard": """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s;
    const int i = threadIdx.x;
    float sum = 0;
    if (i == 0) s = 1;
    for (int j = 0; j < 3; ++j)
        if (i == 0) sum += s;
    if (i < n) z[i] = x[i] + sum;
}""",
}
REFUSALS = "Some right code is refused"


def entry(wrong: Wrong) -> str:
    launch = f"{wrong.before}\n    k<<<{wrong.launch}>>>(x, z, n);"
    head = 'extern "C" void f(const float* x, float* z, int n, cudaStream_t stream)'
    return f"{wrong.kernel}\n{head} {{\n    {launch}\n}}\n"


def test_the_readme_lists_them():
    section = README.read_text().partition("## What the emulator does not see\n")[2].partition("\n## ")[0]
    assert re.findall(r"^- \*\*(.+?)\.\*\*", section, re.MULTILINE) == [*UNSEEN, REFUSALS]


@pytest.mark.parametrize("name", long_tail(list(UNSEEN), every=4))
def test_a_wrong_kernel_passes(run_kernel, name):
    x = np.arange(1, N + 1, dtype=np.float32)
    outputs, case = run_kernel(entry(UNSEEN[name]), PROTOTYPE, x=x, z=np.zeros_like(x), n=N, checked=True)
    assert [found.message for found in case.findings if found.severity == "error"] == []
    assert np.array_equal(outputs["z"], x)


# Of a warp's requests for the table; an H100 (nvcc 13.0, Nsight Compute) makes one in each of them.
@pytest.mark.parametrize(
    ("declared", "seen"),
    [
        ("__device__", {"global_load_requests": 1}),
        ("__constant__", {"constant_requests": 1}),
        *((each, {}) for each in ("__device__ const", "constexpr __device__", "__constant__ const")),
    ],
)
def test_reads_of_a_table_of_constants_are_not_counted(run_kernel, declared, seen):
    kernel = (
        f"{declared} float table[4] = {{1, 2, 3, 4}};"
        + """
__global__ void k(const float* x, float* z, int n) { z[threadIdx.x] = table[threadIdx.x % 4]; }"""
    )
    x = np.zeros(32, np.float32)
    outputs, case = run_kernel(entry(Wrong(kernel, "1, 32, 0, stream")), PROTOTYPE, x=x, z=x.copy(), n=32)
    assert np.array_equal(outputs["z"], np.arange(32) % 4 + 1)
    requests = {name: case.counters[name] for name in ("global_load_requests", "constant_requests")}
    assert {name: count for name, count in requests.items() if count} == seen


@pytest.mark.parametrize("name", long_tail(REFUSED, every=4))
def test_right_code_is_refused(tmp_path, name):
    file = tmp_path / "kernel.cu"
    source = entry(Wrong(REFUSED[name])).replace(
        "void f(const float* x", "void vector_add(const float* x, const float* y"
    )
    file.write_text(source)
    result = grade("01", file, device="emulator", seed=1)
    assert result.status in ("build_error", "launch_error", "crash", "race"), result.status
