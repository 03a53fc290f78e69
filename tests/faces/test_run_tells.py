"""`ladder run`: what does no harm here and is wrong on a GPU is told; what is right beside it is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder


def run(folder: Path, text: str, *options: str) -> str:
    (folder / "p.cu").write_text(text)
    done = run_ladder(folder, "run", *options, "p.cu")
    return " ".join((done.stdout + done.stderr).split())


OWN_ARRAYS = """
struct Stack { int top; int kept[4]; };
__device__ const int table[4] = {1, 2, 3, 4};
__device__ void fill(int* a, int n) { for (int i = 0; i < n; ++i) a[i] = i; }
__global__ void k(int* z, int n) {
    int a[4], sum = 0;
    Stack stack = {};
    for (int i = 0; i < n + INDEX; ++i) a[i] = i;
    fill(a, n + POINTER);
    for (int i = 0; i < n + MEMBER; ++i) stack.kept[stack.top++] = a[i % 4];
    for (int i = 0; i < n + TABLE; ++i) sum += table[i] + stack.kept[i % 4];
    z[threadIdx.x] = sum + a[3];
}
int main() {
    int h[4], sum = 0;
    for (int i = 0; i < 4; ++i) h[i] = i;
    for (int i = 0; i < 4; ++i) sum += h[i];
    int* z;
    cudaMalloc(&z, 32 * sizeof(int));
    k<<<1, 32>>>(z, sum - 2);
    cudaMemcpy(h, z, 4, cudaMemcpyDeviceToHost);
    printf("%d\\n", h[0]);
    cudaFree(z);
}
"""


INDEXES = [
    ("", "no findings"),
    ("INDEX", "uses a[4], past its end: a has 4 elements"),
    ("POINTER", "uses a[4], past its end"),
    ("MEMBER", "uses stack.kept[4], past its end"),
    ("TABLE", "uses table[4], past its end"),
]


@pytest.mark.parametrize(("name", "told"), long_tail(INDEXES, every=6))
def test_an_index_that_leaves_a_threads_own_array_is_told_without_being_asked(tmp_path, name, told):
    text = OWN_ARRAYS
    for each in ("INDEX", "POINTER", "MEMBER", "TABLE"):
        text = text.replace(each, "1" if each == name else "0")
    said = run(tmp_path, text)
    assert told in said and said.startswith("19 ") == (not name), said
    if name:
        assert "no findings" in run(tmp_path, text, "--no-arrays")


GLUED = """
#include <cstdio>
#define STOP(said) printf("%s: "SPACEsaid, __FILE__)
int main() { STOP("no memory"); }
"""


@pytest.mark.parametrize("space", ["", " "])
def test_a_name_right_behind_a_text_is_its_suffix(tmp_path: Path, space: str):
    told = run(tmp_path, GLUED.replace("SPACE", space))
    if space:
        assert "no findings" in told
    else:
        assert "p.cu:4: type a space between the text and `said`" in told


MAIN = """
#include <cuda_runtime.h>
extern "C" int count(int);
int main() { return count(0); }
"""


def test_a_c_file_has_no_cuda_headers(tmp_path: Path):
    (tmp_path / "main.cu").write_text(MAIN)
    (tmp_path / "count.c").write_text("int count(int n) { return n; }\n")
    (tmp_path / "room.c").write_text("#include <stdio.h>\n#include <cuda_runtime.h>\nint room(int n) { return n; }\n")
    assert "no findings" in run_ladder(tmp_path, "run", "main.cu", "count.c").stderr
    refused = run_ladder(tmp_path, "run", "main.cu", "count.c", "room.c")
    assert "room.c: a .c file is C" in refused.stderr and "call it room.cpp" in refused.stderr
    (tmp_path / "count.c").write_text("int cudaSetDevice(int);\nint count(int n) { return cudaSetDevice(n); }\n")
    refused = run_ladder(tmp_path, "run", "main.cu", "count.c")
    assert "nowhere defined in C, and the emulator's CUDA is C++: rename count.c to count.cpp" in refused.stderr


OUTSIDE = """
__global__ void k(int* x) { x[threadIdx.x] = 1; }
int main() {
    int* x;
    cudaMalloc(&x, 31 * sizeof(int));
    k<<<1, 32>>>(x);
    cudaFree(x);
}
"""


def test_a_file_s_name_may_have_a_space_and_parentheses(tmp_path: Path):
    (tmp_path / "k (naive).cu").write_text(OUTSIDE)
    assert "out of bounds  k (naive).cu:2 in kernel k" in run_ladder(tmp_path, "run", "k (naive).cu").stderr


PRINTS = """
#include <cstdio>
__global__ void hello() { printf("hello "); }
int main() {
    int* p;
    cudaMalloc(&p, 4);
    hello<<<1, 1>>>();
    BEHIND
    return 0;
}
"""


@pytest.mark.parametrize("behind", long_tail(["", "hello<<<1, 1>>>();", "exit(0);"], every=6))
def test_what_a_kernel_prints_is_lost_if_the_program_does_not_wait(tmp_path: Path, behind: str):
    told = run(tmp_path, PRINTS.replace("BEHIND", behind))
    line = 8 if "<<<" in behind else 7
    assert f"1. lost output p.cu:{line} in kernel hello" in told and "1 finding in 1 kernel" in told
    assert "call cudaDeviceSynchronize() behind the launch" in told


@pytest.mark.parametrize(
    "behind",
    long_tail(
        [
            "cudaDeviceSynchronize();",
            "cudaDeviceReset();",
            "cudaStreamSynchronize(0);",
            "cudaFree(p);",
            "__builtin_trap();",
        ],
        every=6,
        slow=2,
    ),
)
def test_a_program_that_waits_or_fails_loses_nothing_of_that(tmp_path: Path, behind: str):
    told = run(tmp_path, PRINTS.replace("BEHIND", behind))
    assert told.startswith("hello ") and "lost" not in told


NO_VALUE = """__device__ int last(int* p) { p[threadIdx.x] = 2;BODY }
__global__ void k(int* x) { if (int n = last(x)) x[0] = n; }
int main() {
    int* x;
    cudaMalloc(&x, 128);
    k<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    cudaFree(x);
}
"""


def test_a_function_that_ends_without_its_value_is_named_where_a_kernel_crashes(tmp_path: Path):
    told = run(tmp_path, NO_VALUE.replace("BODY", "\n\n__builtin_trap(); return 1;"))
    assert "value on every way" not in told, told
    told = run(tmp_path, NO_VALUE.replace("BODY", "\n"))
    named = "in kernel k the function that ends in line 2 of p.cu does not return a value on every way: thread"
    assert "1. crash" in told and named in told, told


DYNAMIC = """
namespace mine {
template <class T, int N>
__global__ __launch_bounds__(128) void one(T* x) {
    extern __shared__ unsigned char raw[];
    T* s = reinterpret_cast<T*>(raw);
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[N - threadIdx.x];
}
}
extern __shared__ double everywhere[];
__global__ void two(float* x) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tile[31 - threadIdx.x];
}
__global__ void three(float* x) {
    everywhere[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = everywhere[31 - threadIdx.x];
}
int main() {
    float* d;
    cudaMalloc(&d, 128), cudaMemset(d, 0, 128);
    mine::one<float, 31><<<1, 32, 128>>>(d);
    two<<<1, 32, 128>>>(d);
    three<<<1, 32, 256>>>(d);
    cudaDeviceSynchronize(), cudaFree(d);
}
"""


@pytest.mark.slow
def test_dynamic_shared_memory_has_the_name_that_the_kernel_gives_it(tmp_path: Path):
    told = run(tmp_path, DYNAMIC)
    for name, line in (("raw", 7), ("tile", 14), ("everywhere", 18)):
        assert re.search(rf"writes {name}\[\d+\] in line {line} while", told), told
