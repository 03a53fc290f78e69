"""`ladder run`: kernels by a `const void*` that the program keeps, for cudaLaunchKernel."""

from __future__ import annotations

import pytest

from tests.warm import run_ladder

PROGRAM = """
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
__global__ void scale(float* x, int n, float by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
template <class T> __global__ void shift(T* x, int n, double by) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] += by;
}
struct Launcher {
    const void* kernel;
    template <class... A> cudaError_t operator()(int blocks, A... a) const {
        void* arguments[] = {(void*)&a...};
        return cudaLaunchKernel(kernel, blocks, dim3(128), arguments, 0, nullptr);
    }
};
template <class F> const void* forget(F f) { return (const void*)f; }
int of_the_host = 1;
int main() {
    float* x;
    const int n = 200;
    cudaMallocManaged(&x, n * sizeof(float));
    for (int i = 0; i < n; ++i) x[i] = i;
    const void* table[] = {reinterpret_cast<const void*>(&scale), (void*)shift<float>};
    Launcher{table[0]}(2, x, n, 2.0f);
    Launcher{forget(shift<float>)}(1, x, n, 1.0);
    void* arguments[] = {&x, (void*)&n, new double(3)};
    cudaLaunchCooperativeKernel(table[1], dim3(1), dim3(32), arguments, 0, 0);
    cudaLaunchConfig_t c = {};
    c.gridDim = c.blockDim = 1;
    cudaLaunchKernelExC(&c, table[1], arguments);
    const void* no_kernel = &of_the_host;
    printf("%s\\n", cudaGetErrorName(cudaLaunchKernel(no_kernel, 1, 1, arguments)));
    cudaDeviceSynchronize();
    printf("%g %g\\n", x[0], x[199]);
}
"""


@pytest.fixture
def run(tmp_path):
    def ran(text: str) -> str:
        (tmp_path / "pointers.cu").write_text(text)
        done = run_ladder(tmp_path, "run", "pointers.cu")
        return " ".join((done.stdout + done.stderr).split())

    return ran


def test_a_kernel_s_address_may_be_kept_without_its_type(run):
    said = run(PROGRAM)
    assert said.startswith("cudaErrorInvalidDeviceFunction 7 405 kernel"), said
    assert "scale 1 2 256" in said and "shift<float> 3 3 161" in said and "no findings in 2 kernels" in said, said


def test_what_such_a_kernel_does_wrong_is_told_at_its_line(run):
    said = run(PROGRAM.replace("if (i < n) x[i] *= by;", "x[i] *= by;"))
    assert "out of bounds pointers.cu:7 in kernel scale" in said, said
