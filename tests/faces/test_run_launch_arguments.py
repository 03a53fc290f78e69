"""`ladder run`: pointers to a kernel's arguments that do not fit its parameters are told; those that do are not."""

from __future__ import annotations

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """
#include <cstdio>
struct Size {{ int rows, columns; }};
template <class T> __global__ void fill(T* z, int n, T value) {{ if (threadIdx.x < n) z[threadIdx.x] = value; }}
__global__ void plain(float* z, const unsigned n, float value, Size size) {{
    if (threadIdx.x < n) z[threadIdx.x] = value;
}}
int main() {{
    float* z;
    cudaMalloc(&z, 32 * sizeof(float));
    int n = 32;
    float one = 1;
    double two = 2;
    Size size = {{1, 32}};
    float** at = &z;
    (void)two, (void)size, (void)at;
    {launch}
    cudaDeviceSynchronize();
    cudaFree(z);
}}
"""
ROWS = [
    ("void* args[] = {&z, &n, &two, &size}; L((void*)plain, 1, 32, args, 0, 0);", "points to `double`"),
    (
        "void* args[] = {&z, &one, &one, &size}; L((void*)plain, 1, 32, args, 0, 0);",
        "parameter of `plain` is `unsigned",
    ),
    ("void* args[] = {z, &n, &one, &size}; L((const void*)plain, 1, 32, args, 0, 0);", "write `&z`"),
    ("void* args[] = {(void*)&z, &n, &one}; L((void*)&plain, 1, 32, args, 0, 0);", "has 4 parameters"),
    ("void* args[] = {&z, &n, &two}; L((void*)fill<float>, 1, 32, args, 0, 0);", "points to `double`"),
    ("void* args[] = {&z, &n, &one, &size}; L((void*)plain, 1, 32, args, 0, 0);", ""),
    ("void* args[] = {at, (void*)&n, &one}; L((void*)fill<float>, dim3(1), dim3(32), args, 0, 0);", ""),
    ("void* args[3]; args[0] = &z; args[1] = &n; args[2] = &one; L((void*)fill<float>, 1, 32, args, 0, 0);", ""),
]


@pytest.mark.parametrize(("launch", "told"), long_tail(ROWS, every=8))
@pytest.mark.parametrize("call", ["cudaLaunchCooperativeKernel"])
def test_arguments_are_held_against_the_kernel(tmp_path, launch, told, call):
    (tmp_path / "p.cu").write_text(PROGRAM.format(launch=launch.replace("L(", f"{call}(")))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert ("warning" in said and told in said) if told else ("warning" not in said and "no findings" in said), said
