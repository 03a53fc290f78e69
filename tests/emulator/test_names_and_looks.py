"""Variables may have any name that CUDA takes, and a look by an atomic of 0 changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

N = 64
PROTOTYPE = "void give(const int* x, int* z, cudaStream_t stream)"
LAUNCH = 'extern "C" void give(const int* x, int* z, cudaStream_t stream) { k<<<1, 64, 0, stream>>>(x, z); }\n'


def given(run_kernel, kernel: str) -> tuple[list[int], list[str]]:
    outputs, case = run_kernel(kernel + LAUNCH, PROTOTYPE, x=np.arange(N, dtype=np.int32), z=np.zeros(N, np.int32))
    return outputs["z"].tolist(), [finding.kind for finding in case.findings]


@pytest.mark.parametrize("name", ["_sums", "_endpoints", "__two", "_ITM", "_", "static_"])
@pytest.mark.parametrize("storage", ["__device__", "static __device__"])
def test_a_variable_may_begin_with_an_underscore(run_kernel, name, storage):
    kernel = f"{storage} int {name}[64];\n"
    kernel += f"__global__ void k(const int* x, int* z) {{\n    {name}[threadIdx.x] = 2 * x[threadIdx.x];\n"
    kernel += f"    __syncthreads();\n    z[threadIdx.x] = {name}[threadIdx.x ^ 1];\n}}\n"
    assert given(run_kernel, kernel) == ([2 * (i ^ 1) for i in range(N)], [])


@pytest.mark.parametrize(
    "look",
    [
        "__nv_atomic_load_n(x + i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)",
        "cuda::atomic_ref<int, cuda::thread_scope_device>(const_cast<int&>(x[i])).load(cuda::memory_order_relaxed)",
    ],
)
def test_an_input_may_be_looked_at_by_an_atomic(run_kernel, look):
    kernel = "#include <cuda/atomic>\n__global__ void k(const int* x, int* z) { int i = threadIdx.x; z[i] = %s; }\n"
    assert given(run_kernel, kernel % look) == (list(range(N)), [])
    assert given(run_kernel, kernel.replace("z[i] = %s", "z[i] = atomicAdd(const_cast<int*>(x) + i, 1)"))[1] == [
        "input_modified"
    ]
