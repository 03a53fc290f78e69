"""`ladder run`: work that host code believes to be in order, beside the same program with what orders it."""

from __future__ import annotations

import re

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """
#include <cstdio>
#include <thread>
__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; TRIGGER }
__global__ void copy(const int* x, int* z) { EARLY DEPENDENCY const int v = x[threadIdx.x]; LATE z[threadIdx.x] = v; }
int main() {
    int *x, *z, *h;
    cudaMalloc(&x, 256), cudaMalloc(&z, 256), cudaMallocHost(&h, 256);
    std::thread([&] {
        fill<<<1, 64, 0, cudaStreamPerThread>>>(x);
        WAIT(cudaStreamPerThread)
    }).join();
    std::thread([&] {
        copy<<<1, 64, 0, cudaStreamPerThread>>>(x, z);
        cudaStreamSynchronize(cudaStreamPerThread);
    }).join();
    cudaDeviceSynchronize();
    copy<<<1, 64, 0, cudaStreamPerThread>>>(x, z);
    cudaMemcpy(h, z, 256, cudaMemcpyDeviceToHost);
    cudaStream_t a, b;
    cudaStreamCreate(&a), cudaStreamCreate(&b);
    cudaMemcpyAsync(h, x, 256, cudaMemcpyDeviceToHost, a);
    WAIT(a)
    cudaMemcpyAsync(h, z, 256, cudaMemcpyDeviceToHost, b);
    cudaStreamSynchronize(b);
    cudaMemcpyAsync(h, z, 128, cudaMemcpyDeviceToHost, a);
    cudaMemcpyAsync(h + 32, x, 128, cudaMemcpyDeviceToHost, b);
    cudaDeviceSynchronize();
    fill<<<1, 64, 0, a>>>(x);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {1, 64, 0, a, &attribute, 1};
    cudaLaunchKernelEx(&config, copy, (const int*)x, z);
    cudaStreamSynchronize(a);
    int registered[64];
    cudaHostRegister(registered, 256, 0), cudaHostUnregister(registered);
    printf("%d", h[40]);
    cudaStreamDestroy(a), cudaStreamDestroy(b), cudaFree(x), cudaFree(z), cudaFreeHost(h);
}
"""
ORDERED = {
    "TRIGGER": "cudaTriggerProgrammaticLaunchCompletion();",
    "EARLY": "",
    "DEPENDENCY": "cudaGridDependencySynchronize();",
    "LATE": "",
    "WAIT(a)": "cudaStreamSynchronize(a);",
    "WAIT(cudaStreamPerThread)": "cudaStreamSynchronize(cudaStreamPerThread);",
}
TOLD = (
    r"the work of line 14 reads element 0 of x [^,]*, which that of line 10, of another thread of the host, writes",
    r"the work of line 24 writes element 0 of h [^,]*, which that of line 22, on another stream, writes",
    r"the kernel of line 34 reads element 0 of x [^,]*, which that of line 29 writes, and may begin before",
)


def run(folder, text, *options):
    (folder / "t.cu").write_text(text)
    done = run_ladder(folder, "run", "t.cu", *options)
    return " ".join((done.stdout + done.stderr).split())


def test_work_that_nothing_orders_is_told(tmp_path):
    text = PROGRAM
    for name, order in ORDERED.items():
        text = text.replace(name, order if name == "TRIGGER" else "")
    said = run(tmp_path, text)
    assert all(re.search(each, said) for each in TOLD) and "3 findings in 2 kernels" in said, said


WAITS = {
    "below what it reads": ("", "cudaGridDependencySynchronize();"),
    "in another thread": ("if (threadIdx.x == 63) cudaGridDependencySynchronize();", ""),
    "for all, with a barrier": ("if (threadIdx.x == 0) cudaGridDependencySynchronize(); __syncthreads();", ""),
    "in PTX": ('asm volatile("griddepcontrol.wait;");', "__syncthreads();"),
}


@pytest.mark.slow
@pytest.mark.parametrize("wait", long_tail(WAITS, every=4))
def test_a_programmatic_launch_waits_in_front_of_what_it_reads(tmp_path, wait):
    text = PROGRAM.replace("DEPENDENCY", WAITS[wait][0]).replace("LATE", WAITS[wait][1])
    for name, order in ORDERED.items():
        text = text.replace(name, order)
    said = run(tmp_path, text)
    assert ("may begin before that one is over" in said) is (wait == "below what it reads"), said
    assert ("no findings" in said) is (wait != "below what it reads"), said


@pytest.mark.slow
def test_in_order_it_is_right(tmp_path):
    text = PROGRAM
    for name, order in ORDERED.items():
        text = text.replace(name, order)
    said = run(tmp_path, text, "--notes")
    assert said.startswith("8") and "note" not in said and "no findings in 2 kernels" in said, said


LOCAL = """
#include <cstdio>
__global__ void child(int* z, const int* given) { z[threadIdx.x] = given[threadIdx.x]; }
__global__ void parent(int* z) {
    int own[2] = {3, 4};
    int* const kept = (int*)malloc(sizeof own);
    kept[0] = own[0], kept[1] = own[1];
    child<<<1, 1>>>(z, GIVEN);
}
int main() {
    int *z, h;
    cudaMalloc(&z, 8);
    parent<<<1, 1>>>(z);
    cudaMemcpy(&h, z, 4, cudaMemcpyDeviceToHost);
    printf("%d", h);
    cudaFree(z);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("given", ["own", "kept"])
def test_a_local_variable_of_the_parents_is_of_no_use_to_a_child(tmp_path, given):
    said = run(tmp_path, LOCAL.replace("GIVEN", given))
    if given == "kept":
        assert said.startswith("3") and "no findings in 2 kernels" in said, said
    else:
        told = (
            "reads a local variable of the thread that launched this kernel, which no other kernel can reach: hand over"
        )
        assert f"1. out of bounds t.cu:3 in kernel child thread (0, 0, 0) of block (0, 0, 0) {told}" in said, said
