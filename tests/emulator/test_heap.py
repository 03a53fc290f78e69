"""malloc, free, new and delete in kernels: what they give is memory of the device, with bounds, and an end."""

from __future__ import annotations

import re

import numpy as np
import pytest
from checked_kernel import PROTOTYPE, THREADS, run

from tests.shared import long_tail

ENTRY = """
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{
    {before}
    k<<<1, 32, 0, stream>>>(x, z);
    {after}
}}
"""
RIGHT = {
    "of each thread's own": """
__global__ void k(const float* x, float* z) {
    float* own = (float*)malloc(2 * sizeof(float));
    if (!own) return;
    own[0] = x[threadIdx.x];
    own[1] = 0;
    z[threadIdx.x] = own[0] + own[1];
    free(own);
}""",
    "one for the block": """
__global__ void k(const float* x, float* z) {
    __shared__ float* all;
    if (threadIdx.x == 0) all = new float[blockDim.x];
    __syncthreads();
    all[threadIdx.x] = x[31 - threadIdx.x];
    __syncthreads();
    z[threadIdx.x] = all[31 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) delete[] all;
}""",
    "freed by the last that has used it": """
__global__ void k(const float* x, float* z) {
    __shared__ float* all;
    __shared__ int done;
    if (threadIdx.x == 0) all = (float*)malloc(32 * sizeof(float)), done = 0;
    __syncthreads();
    all[threadIdx.x] = x[threadIdx.x];
    z[threadIdx.x] = all[threadIdx.x];
    __threadfence_block();
    if (atomicAdd(&done, 1) == 31) {
        __threadfence_block();
        free(all);
    }
}""",
    "freed behind __syncwarp()": """
__global__ void k(const float* x, float* z) {
    __shared__ float* all;
    if (threadIdx.x == 0) all = new float[32];
    __syncwarp();
    all[threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    z[threadIdx.x] = all[31 - threadIdx.x] * 0 + all[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 31) delete[] all;
}""",
    "a list": """
struct Node { float value; Node* next; };
__global__ void k(const float* x, float* z) {
    Node* first = nullptr;
    for (int i = 0; i < 4; ++i) first = new Node{x[threadIdx.x] / 4, first};
    float sum = 0;
    while (first) {
        sum += first->value;
        Node* const next = first->next;
        delete first;
        first = next;
    }
    z[threadIdx.x] = sum;
}""",
    "an object with virtual functions": """
struct Shape { __device__ virtual float area() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape {
    float side;
    __device__ Square(float given) : side(given) {}
    __device__ float area() const override { return side; }
};
__global__ void k(const float* x, float* z) {
    Shape* const shape = new Square(x[threadIdx.x]);
    z[threadIdx.x] = shape->area();
    delete shape;
}""",
    "by operators of the file's own": """
__host__ __device__ void* operator new(std::size_t bytes) { return malloc(bytes); }
__host__ __device__ void operator delete(void* p) noexcept { free(p); }
__host__ __device__ void operator delete(void* p, std::size_t) noexcept { free(p); }
__global__ void k(const float* x, float* z) {
    float* const own = new float(x[threadIdx.x]);
    z[threadIdx.x] = *own;
    delete own;
}""",
    "null where it is full, and free of null": """
__global__ void k(const float* x, float* z) {
    char* const none = new char[std::size_t{1} << 40];
    z[threadIdx.x] = none ? 0 : x[threadIdx.x];
    delete[] none;
    free(nullptr);
}""",
    "of no bytes": """
__global__ void k(const float* x, float* z) {
    void* const none = malloc(0);
    z[threadIdx.x] = none ? x[threadIdx.x] : 0;   // as on an H100
    free(none);
}""",
    "given back again and again": """
__global__ void k(const float* x, float* z) {
    float sum = 0;
    for (int i = 0; i < 64; ++i) {   // 10 KB times 32 times 64: more than the heap holds at once
        float* const own = (float*)malloc(100 * sizeof(float));
        if (!own) return;
        own[99] = x[threadIdx.x] / 64;
        sum += own[99];
        free(own);
    }
    z[threadIdx.x] = sum;
}""",
}
WRONG = {
    "past its end": (
        "out_of_bounds",
        r"writes element 2 of the memory from the malloc in line 3, past its end: .* has 2 elements of 4 bytes",
        """
__global__ void k(const float* x, float* z) {
    float* own = (float*)malloc(2 * sizeof(float));
    for (int i = 0; i <= 2; ++i) own[i] = x[threadIdx.x];
    z[threadIdx.x] = own[1];
    free(own);
}""",
    ),
    "before its start": (
        "out_of_bounds",
        r"reads element -1 of the memory from the new in line 3, before its start",
        """
__global__ void k(const float* x, float* z) {
    float* own = new float[4];
    own[threadIdx.x % 4] = x[threadIdx.x];
    z[threadIdx.x] = own[(int)threadIdx.x % 4 - 1];
}""",
    ),
    "after it was freed": (
        "out_of_bounds",
        r"reads the memory from the malloc in line 3 after it was freed",
        """
__global__ void k(const float* x, float* z) {
    float* own = (float*)malloc(sizeof(float));
    *own = x[threadIdx.x];
    free(own);
    z[threadIdx.x] = *own;
}""",
    ),
    "of an array after it was deleted": (
        "out_of_bounds",
        r"reads the memory from the new in line 3 after it was freed",
        """
__global__ void k(const float* x, float* z) {
    float* own = new float[4];
    own[0] = x[threadIdx.x];
    own[1] = 1;
    delete[] own;
    z[threadIdx.x] = own[0] + own[1];
}""",
    ),
    "written after it was deleted, by one thread": (
        "out_of_bounds",
        r"writes the memory from the new in line 3 after it was freed",
        """
__global__ void k(const float* x, float* z) {
    float* own = new float[4];
    delete[] own;
    own[1] = 3;
    z[threadIdx.x] = x[threadIdx.x];
}""",
    ),
    "written past its end, and deleted": (
        "out_of_bounds",
        r"writes element 4 of the memory from the new in line 3, past its end",
        """
__global__ void k(const float* x, float* z) {
    float* own = new float[4];
    own[4] = 3;
    delete[] own;
    z[threadIdx.x] = x[threadIdx.x];
}""",
    ),
    "written past its end, and freed": (
        "out_of_bounds",
        r"writes element 4 of the memory from the malloc in line 3, past its end",
        """
__global__ void k(const float* x, float* z) {
    float* own = (float*)malloc(16);
    own[4] = 3;
    free(own);
    z[threadIdx.x] = x[threadIdx.x];
}""",
    ),
    "freed twice": (
        "trap",
        r"frees a pointer that malloc or new in a kernel did not give, or that was freed before",
        """
__global__ void k(const float* x, float* z) {
    float* own = (float*)malloc(sizeof(float));
    z[threadIdx.x] = x[threadIdx.x];
    free(own);
    free(own);
}""",
    ),
    "not its own to free": (
        "trap",
        r"frees a pointer that malloc or new in a kernel did not give",
        """
__global__ void k(const float* x, float* z) {
    z[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x == 0) free(z);
}""",
    ),
    "read before it is written": (
        "uninitialized_read",
        r"reads element 1 of the memory from the malloc in line 3 before anything was written there",
        """
__global__ void k(const float* x, float* z) {
    float* own = (float*)malloc(2 * sizeof(float));
    own[0] = x[threadIdx.x];
    z[threadIdx.x] = own[1];
    free(own);
}""",
    ),
    "shared without a barrier": (
        "race",
        r"of the memory from the malloc in line 4 in line 8 while",
        """
__global__ void k(const float* x, float* z) {
    __shared__ float* all;
    if (threadIdx.x == 0) all = (float*)malloc(64 * sizeof(float));
    __syncthreads();
    all[threadIdx.x] = x[threadIdx.x];
    all[63 - threadIdx.x] = x[threadIdx.x];
    z[threadIdx.x] = all[31 - threadIdx.x];
}""",
    ),
    "freed while others read it": (
        "race",
        r"frees the memory from the malloc in line 4 in line 8 while .* (reads|writes) it in line",
        """
__global__ void k(const float* x, float* z) {
    __shared__ float* all;
    if (threadIdx.x == 0) all = (float*)malloc(32 * sizeof(float));
    __syncthreads();
    all[threadIdx.x] = x[threadIdx.x];
    z[threadIdx.x] = all[threadIdx.x];
    if (threadIdx.x == 31) free(all);
}""",
    ),
    "deleted while others write to it": (
        "race",
        r"thread \(31, 0, 0\) .* frees the memory from the new in line 4 in line 7 while .* writes it in line 6",
        """
__global__ void k(const float* x, float* z) {
    __shared__ char* all;
    if (threadIdx.x == 0) all = new char[33];
    __syncthreads();
    all[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x == 31) delete[] all;
    z[threadIdx.x] = x[threadIdx.x];
}""",
    ),
    "null is used": (
        "out_of_bounds",
        r"writes address 0x0, which is no device memory: a null pointer",
        """
__global__ void k(const float* x, float* z) {
    __shared__ float* all;
    if (threadIdx.x == 0) all = (float*)malloc(1 << 30);
    __syncthreads();
    all[threadIdx.x] = x[threadIdx.x];
    z[threadIdx.x] = all[threadIdx.x];
}""",
    ),
}


@pytest.mark.parametrize("name", long_tail(list(RIGHT), every=12, slow=3))
def test_what_a_gpu_runs_is_run(run_kernel, name):
    x, z, findings = run(run_kernel, RIGHT[name] + ENTRY.format(before="", after=""), n=0)
    assert findings == []
    assert np.array_equal(z, x)


@pytest.mark.parametrize("name", long_tail(list(WRONG), every=12, slow=3))
def test_a_mistake_is_named(run_kernel, name):
    kind, said, kernel = WRONG[name]
    _, _, findings = run(run_kernel, kernel + ENTRY.format(before="", after=""), n=0)
    assert any(found.kind == kind and re.search(said, found.message) for found in findings), findings


@pytest.mark.slow
def test_a_later_kernel_has_what_an_earlier_one_has_kept(run_kernel):
    source = """
__device__ float* kept[32];
__global__ void keep(const float* x) { kept[threadIdx.x] = new float(x[threadIdx.x]); }
__global__ void k(const float* x, float* z) { z[threadIdx.x] = *kept[threadIdx.x]; delete kept[threadIdx.x]; }"""
    x, z, findings = run(run_kernel, source + ENTRY.format(before="keep<<<1, 32, 0, stream>>>(x);", after=""), n=0)
    assert findings == [] and np.array_equal(z, x)


@pytest.mark.slow
def test_the_heap_is_as_large_as_host_code_says(run_kernel):
    source = """
__global__ void k(const float* x, float* z) { z[threadIdx.x] = malloc(x[0] * (1 << 20)) ? 1 : 0; }"""
    before = "cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{20} << 20);"
    outputs = {}
    for limit in (before, ""):  # a megabyte each
        _, outputs[limit], findings = run(run_kernel, source + ENTRY.format(before=limit, after=""), n=0)
        assert [found.kind for found in findings] == ["leak"]
    assert outputs[""].sum() == 6 and outputs[before].sum() == 16  # as on an H100


@pytest.mark.parametrize("threads", [1, 4])
def test_every_run_gets_the_same_addresses(run_kernel, threads):
    source = """
__global__ void all(const float* x, float* z) {
    float* const own = (float*)malloc(sizeof(float));
    *own = x[threadIdx.x];
    if (threadIdx.x == 0) z[blockIdx.x] = (float)((unsigned long long)own % (1 << 20));
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { all<<<32, 32, 0, stream>>>(x, z); }"""
    x = np.ones(THREADS, np.float32)
    runs = [run_kernel(source, PROTOTYPE, x=x, z=np.zeros_like(x), n=0, threads=threads)[0]["z"] - 0 for _ in range(2)]
    assert np.array_equal(runs[0] - runs[0][0], runs[1] - runs[1][0])
