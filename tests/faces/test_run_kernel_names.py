"""`ladder run`: a kernel that is launched by a pointer has its own name; an error that was asked for is no note."""

from __future__ import annotations

import re

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """
#include <cstdio>
template <class T> __global__ void twice(T* a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= 2; }
namespace { __global__ void plus(float* a, int n) { if (threadIdx.x < n) a[threadIdx.x] += 1; } }
__device__ float half_of(float x) { return x / 2; }
template <float F(float)> __global__ void each(float* a, int n) {
    if (threadIdx.x < n) a[threadIdx.x] = F(a[threadIdx.x]);
}
__global__ void wrong(float* a, int n) { if (threadIdx.x <= n) a[threadIdx.x] -= 1; }
template <class K> void bench(K kernel, float* a, int n) { kernel<<<1, 64>>>(a, n); }
int main() {
    float* a;
    cudaMalloc(&a, 32 * sizeof(float));
    cudaMemset(a, 0, 32 * sizeof(float));
    bench(twice<float>, a, 32);
    bench(plus, a, 32);
    bench(each<half_of>, a, 32);
    plus<<<1, 32>>>(a, 32);
    void (*all[])(float*, int) = {plus, wrong};
    for (int k = 0; k < 2; ++k) all[k]<<<1, 64>>>(a, 32);
    const cudaError_t error = cudaDeviceSynchronize();
    ASKED
}
"""
ASKED = [
    ('printf("%s\\n", cudaGetErrorString(error)); return 0;', False),
    ("return error != cudaSuccess;", False),
    ("(void)error; return 0;", True),
]


@pytest.mark.parametrize(("asked", "noted"), long_tail(ASKED, every=4))
def test_a_kernel_s_own_name_is_told_and_an_error_that_is_not_asked_for(tmp_path, asked, noted):
    (tmp_path / "p.cu").write_text(PROGRAM.replace("ASKED", asked))
    done = run_ladder(tmp_path, "run", "p.cu", "--notes")
    said = done.stdout + done.stderr
    assert "p.cu:9 in kernel wrong" in said
    rows = re.findall(r"^(\w\S*) +(\d+) +\d+ +\d+ +[\d,]+ ", said, re.MULTILINE)
    assert rows == [("twice<float>", "1"), ("plus", "3"), ("each", "1"), ("wrong", "1")], said
    assert ("nothing has asked for that error" in said) == noted


def test_max_of_two_types_is_told_as_that(tmp_path):
    text = "#include <algorithm>\n#include <cmath>\nint main() { return std::max(1.0, std::fabs(2.f)) > 2; }\n"
    (tmp_path / "p.cu").write_text(text)
    done = run_ladder(tmp_path, "run", "p.cu")
    assert "p.cu:3: `std::max` takes two values of one type" in done.stdout + done.stderr
