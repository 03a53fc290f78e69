"""Variables may have any name that CUDA takes; a look by an atomic changes nothing, nor does one of the host's."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

N = 64
PROTOTYPE = "void give(const int* x, int* z, cudaStream_t stream)"
LAUNCH = 'extern "C" void give(const int* x, int* z, cudaStream_t stream) { k<<<1, 64, 0, stream>>>(x, z); }\n'


def given(run_kernel, kernel: str) -> tuple[list[int], list[str]]:
    outputs, case = run_kernel(kernel + LAUNCH, PROTOTYPE, x=np.arange(N, dtype=np.int32), z=np.zeros(N, np.int32))
    return outputs["z"].tolist(), [finding.kind for finding in case.findings]


@pytest.mark.parametrize("name", long_tail(["_sums", "_endpoints", "__two", "_ITM", "_", "static_"], every=4))
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


SUM = """
#include <vector>
struct Sums { float v[%d]; };
__global__ void add(const float* x, float* z, Sums sums, int n) {
    for (int i = 0; i < n; ++i) z[0] += x[i];
    for (int i = 0; i < %d && n == 0; ++i) z[i] = sums.v[i];
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {
    std::vector<float> seen(n);
    cudaMemcpyAsync(seen.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaMemsetAsync(z, 0, %d * sizeof(float), stream);
    Sums sums = {};
    for (int part = 0; part < 4; ++part) add<<<1, 1, 0, stream>>>(x + part * n / 4, z, sums, n / 4);
}
"""


@pytest.mark.parametrize(("outputs", "found"), [(1, []), (250, ["host_access"])])
def test_the_host_may_look_at_inputs_but_not_hand_results_to_kernels(run_kernel, outputs, found):
    """By parameters as large as what comes out: those of most kernels, pointers and sizes, are no results."""
    kernel = SUM % (outputs, outputs, outputs)
    x, z = np.ones(2048, np.float32), np.zeros(outputs, np.float32)
    _, case = run_kernel(kernel, "void f(const float* x, float* z, int n, cudaStream_t stream)", x=x, z=z, n=2048)
    assert [finding.kind for finding in case.findings if finding.severity == "error"] == found


@pytest.mark.parametrize(("type_", "by"), [("unsigned char", 1), ("int", 3), ("double", 1), ("float4", 2)])
def test_an_unsigned_index_below_zero_is_told_as_the_element_that_it_is(run_kernel, type_, by):
    """Where sixteen gigabytes further on is no memory at all."""
    kernel = f"""
__global__ void k(const {type_}* x, {type_}* z) {{ unsigned i = threadIdx.x; z[i] = x[i - {by}]; }}
extern "C" void f(const char* x, char* z, cudaStream_t stream) {{
    k<<<1, 8, 0, stream>>>((const {type_}*)x, ({type_}*)z);
}}
"""
    x = np.ones(256, np.int8)
    _, case = run_kernel(kernel, "void f(const char* x, char* z, cudaStream_t stream)", x=x, z=x.copy())
    found = case.findings[0]
    assert (found.kind, found.details["array"]) == ("out_of_bounds", "x") and "past its end" in found.message
