"""How a program's host code crashes, and with which of CUDA's errors its kernels: the cause is told."""

from __future__ import annotations

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """#include <cassert>
#include <cstdio>
#include <cstring>
#include <vector>
int depth(int n) { volatile char room[1000]; room[0] = n; return n + depth(n + 1) + room[0]; }
int large(int n) { volatile float room[16 << 20]; room[n] = 1; return n > 9 ? large(n - 1) : int(room[0]); }
__global__ void k(float* a, int* z, int which) {
    __shared__ float s[32];
    int i = threadIdx.x;
    if (which == 0) a[i + 32] = 1;
    if (which == 1) *(int*)((char*)z + 1) = i;
    if (which == 2) assert(i > 40);
    if (which == 3) __trap();
    if (which == 4) s[i + 32] = 1;
    if (which == 5) a[i] = s[0] = 1;
}
int main(int count, char** words) {
    float* a;
    int *z, *none = nullptr;
    cudaMalloc(&a, 32 * sizeof(float));
    cudaMalloc(&z, 32 * sizeof(int));
    if (!std::strcmp(words[1], "recursion")) return depth(0);
    if (!std::strcmp(words[1], "null")) none[3] = 1;
    if (!std::strcmp(words[1], "large")) return large(count);
    k<<<1, 1>>>(a, z, words[1][0] - '0');
    printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(a);
    cudaFree(z);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crashes")
    (folder / "p.cu").write_text(PROGRAM)
    return folder


def said(folder, *words):
    done = run_ladder(folder, "run", "p.cu", "--", *words)
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize(
    ("which", "told"),
    long_tail(
        [
            ("recursion", "host code ends with a full stack: a function calls itself without end"),
            ("large", "host code ends with a full stack"),
            ("null", "host code ends with a segmentation fault at a null pointer: it was never given memory"),
        ],
        every=4,
    ),
)
def test_a_crash_of_host_code_is_told_with_its_cause(program, which, told):
    assert told in said(program, which)


@pytest.mark.parametrize(
    ("which", "error"),
    long_tail(
        [
            (0, "cudaErrorIllegalAddress"),
            (1, "cudaErrorMisalignedAddress"),
            (2, "cudaErrorAssert"),
            (3, "cudaErrorLaunchFailure"),
            (4, "cudaErrorLaunchFailure"),
            (5, "cudaSuccess"),
        ],
        every=4,
    ),
)
def test_a_kernel_that_does_wrong_ends_with_cudas_error(program, which, error):
    assert error in said(program, str(which))


WAITS = """#include <cstdio>
#include <unistd.h>
__global__ void k(int* p) { p[threadIdx.x] = 1; }
int main() {
    int *d, ends[2];
    cudaMalloc(&d, 12);
    k<<<1, 4>>>(d);
    cudaDeviceSynchronize();
    char c = pipe(ends);
    return read(ends[0], &c, 1);
}
"""


@pytest.mark.slow  # a program that goes on waiting is left after two seconds more
def test_a_program_that_waits_in_a_librarys_function_when_its_time_is_up_tells_what_was_found(tmp_path):
    (tmp_path / "t.cu").write_text(WAITS)
    done = run_ladder(tmp_path, "run", "t.cu", "--timeout", "1")
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 124 and "1. out of bounds t.cu:3 in kernel k" in said, said
    assert "the library's function that line 10 calls had not come back when it was stopped" in said, said


DAMAGES = """#include <cstdlib>
__global__ void k(float* p) { p[threadIdx.x] = 1; }
int main(int count, char** words) {
    const int n = 1000, twice = words[1][0] == 't', more = twice ? 0 : 10;
    float *d, *h = (float*)malloc(n * sizeof(float)), *next = (float*)malloc(n * sizeof(float));
    cudaMalloc(&d, 12);
    k<<<1, 4>>>(d);
    for (int i = 0; i < n + more; i++) h[i] = i;
    free(h);
    if (twice) free(h);
    free(next);
    cudaFree(d);
}
"""


@pytest.mark.parametrize(("which", "line"), [("past its end", 9), pytest.param("twice", 10, marks=pytest.mark.slow)])
def test_a_program_that_damages_the_hosts_memory_ends_and_tells_what_was_found(tmp_path, which, line):
    """The C library may call abort() with its own lock held: no malloc() would ever come back then."""
    (tmp_path / "t.cu").write_text(DAMAGES)
    done = run_ladder(tmp_path, "run", "t.cu", "--timeout", "20", "--exit-zero", "--", which)
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 134 and "1. out of bounds t.cu:2 in kernel k" in said, said
    assert "host code ends with damaged memory (" in said and f"(t.cu:{line})" in said, said
    assert "it has written past the end of what malloc or new gave it, or freed that twice" in said, said
