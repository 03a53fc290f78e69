"""`ladder run` on parameters that own memory, on what is in a header, -D definitions and whole paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

OWNED = """
struct Counter {
    int* value;
    bool owns;
    Counter() : owns(true) { cudaMalloc(&value, sizeof(int)); cudaMemset(value, 0, sizeof(int)); }
    Counter(const Counter& other) : value(other.value), owns(COPY_OWNS) {}
    ~Counter() { if (owns) cudaFree(value); }
    __device__ void add() { atomicAdd(value, 1); }
};
__global__ void count(Counter all) { all.add(); }
int main() {
    int sum = 0;
    {
        Counter all;
        count<<<4, 64>>>(all);
        if (TWICE) count<<<4, 64>>>(all);
        if (!COPY_OWNS) cudaMemcpy(&sum, all.value, sizeof sum, cudaMemcpyDeviceToHost);
    }
    cudaDeviceSynchronize();
    printf("%d\\n", sum);
}
"""


def run(folder: Path, text: str, *options: str) -> str:
    (folder / "p.cu").write_text(text)
    done = run_ladder(folder, "run", *options, "p.cu")
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.slow
def test_a_launch_ends_one_copy_of_an_argument_when_the_kernel_is_done(tmp_path):
    """Each thread has a copy of its own here: none of theirs gives back what the others use."""
    said = run(tmp_path, OWNED, "-D", "COPY_OWNS=true", "-D", "TWICE=false")
    assert "1 finding in" in said and "invalid free" in said
    assert "cudaFree of memory that the launch in line 15 has freed" in said
    assert "give the kernel the pointer, not the object" in said


@pytest.mark.slow
def test_what_a_launch_has_freed_is_gone_for_the_next_one(tmp_path):
    said = run(tmp_path, OWNED, "-D", "COPY_OWNS=true", "-D", "TWICE=true")
    assert "p.cu:8 in kernel count" in said and "after it was freed" in said


@pytest.mark.slow
def test_a_copy_that_owns_nothing_frees_nothing(tmp_path):
    said = run(tmp_path, OWNED, "-D", "COPY_OWNS=false", "-D", "TWICE=true")
    assert said.startswith("512 ") and "no findings" in said


ASM = """
__global__ void k(int* z, NUMBER n) {
    int sum;
    asm volatile("add.s32 %0, %1, %1;" : "=&r"(sum) : "r"(n));
    z[threadIdx.x] = sum;
}
int main() {
    int* z;
    cudaMalloc(&z, 32 * sizeof(int));
    k<<<1, 32>>>(z, 4);
    cudaFree(z);
}
"""


@pytest.mark.parametrize("number", long_tail(["int", "float"], every=2))
def test_what_the_compiler_finds_in_a_header_is_told_at_the_programs_line(tmp_path, number):
    """The operand "=&r" shares no register with an input, and is one of nvcc's."""
    said = run(tmp_path, ASM, "-D", f"NUMBER={number}")
    if number == "int":
        assert "no findings" in said
    else:
        assert said.startswith("p.cu:4: an asm operand's type does not match its constraint:") and "ptx.h" not in said


NAMED = """
#include "FOLDER/kernel.cuh"
int main() {
    float* x;
    cudaMalloc(&x, N * sizeof(float));
    void* arguments[] = {&x};
    cudaLaunchKernel((void*)&fill, dim3(1), dim3(TILE), arguments, 0, 0);
    fill_all(x);
    cudaFree(x);
}
"""
KERNEL = """
__global__ void fill(float* x) { x[threadIdx.x] = TWICE(K); }
void fill_all(float* x) { fill<<<1, N>>>(x); }
"""


@pytest.mark.parametrize("tile", long_tail([64, 65], every=2))
def test_definitions_and_includes_by_a_whole_path_are_taken_as_nvcc_takes_them(tmp_path, tile):
    """CUDA's headers have an N and a K of their own; what is included by its whole path is translated, too."""
    (tmp_path / "kernel.cuh").write_text(KERNEL)
    text = NAMED.replace("FOLDER", str(tmp_path))
    said = run(tmp_path, text, "-D", "N=64", "-D", "K=3", "-D", f"TILE={tile}", "-D", "TWICE(x)=2 * x")
    if tile == 64:
        assert "no findings" in said and "fill 2 2 128" in said
    else:
        assert "kernel.cuh:2 in kernel fill thread (64, 0, 0)" in said and "past its end: x has 64 elements" in said


OF_HOST = """
int of_host(int x);
__global__ void k(T* z) { z[0] = of_host(N); }
int main() { k<<<1, 1>>>(nullptr); }
"""


def test_cudas_rules_are_asked_of_a_program_whose_definitions_have_names_of_the_headers(tmp_path):
    said = run(tmp_path, OF_HOST, "-D", "N=4", "-D", "T=int", "-I", str(tmp_path))
    assert said.startswith("p.cu:3: `of_host` is a function of the host, which a kernel cannot call")


BLAS = """
#include <cublas_v2.h>
int main() {
    float* a;
    const int n = 6000;
    const float one = 1;
    cudaMalloc(&a, 3 * sizeof(float) * n * n);
    cudaMemset(a, 0, 3 * sizeof(float) * n * n);
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, a + n * n, n, &one, a + 2 * n * n, n);
}
"""


@pytest.mark.whole
def test_a_program_that_is_stopped_in_a_library_is_told_as_that(tmp_path):
    said = run(tmp_path, BLAS, "--timeout", "5")
    assert "host code was still in a library's function (cuBLAS's, the C++ library's) when it was stopped" in said
