"""`ladder run -std=...`: what host code and kernels share of the C library is there in every C++."""

from __future__ import annotations

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void k(int* z) {
    void* p = malloc(4);
    memcpy(p, z, 4);
    z[threadIdx.x] = abs(-1) + (int)sqrtf(4.f) + (int)fabs(-1.0) + *(int*)p;
    free(p);
    if (threadIdx.x == 0) printf("kernel\\n");
}
int main() {
    int h[1] = {3}, *z;
    void* p = malloc(4);
    memset(p, 0, 4);
    free(p);
    cudaMalloc(&z, 4);
    cudaMemcpy(z, h, 4, cudaMemcpyHostToDevice);
    k<<<1, 1>>>(z);
    cudaMemcpy(h, z, 4, cudaMemcpyDeviceToHost);
    std::printf("%d %g %d\\n", h[0], std::sqrt(2.25) + sqrtf(4.f), std::abs(-2));
    cudaFree(z);
}
"""


@pytest.mark.parametrize("standard", long_tail(["c++17", "c++20", "c++23"], every=3))
def test_both_sides_have_the_functions_of_the_c_library(tmp_path, standard):
    (tmp_path / "p.cu").write_text(PROGRAM)
    done = run_ladder(tmp_path, "run", f"-std={standard}", "p.cu")
    assert done.stdout.startswith("kernel\n7 3.5 2\n"), done.stdout + done.stderr
    assert "no findings in 1 kernel" in done.stderr


NEWER = """
#include <concepts>
#include <span>
#include <cstdio>
template <std::integral T> T twice(T x) { return 2 * x; }
int main() {
    int h[1] = {3};
    std::span<int> all(h);
    printf("%d %zu", twice(h[0]), all.size());
}
"""


@pytest.mark.slow
def test_what_is_of_a_newer_standard_is_told_with_how_to_ask_for_it(tmp_path):
    (tmp_path / "p.cu").write_text(NEWER)
    said = run_ladder(tmp_path, "run", "p.cu").stderr
    assert said.startswith("p.cu:5: `std::integral` is C++20's, and lessons are C++17: in a program of your own"), said
    assert "p.cu:8: `std::span` is C++20's" in said and "`#include <span>` at the top and `-std=c++20` behind" in said
    assert run_ladder(tmp_path, "run", "-std=c++20", "p.cu").stdout.startswith("6 1")


@pytest.mark.slow
def test_a_concept_is_told_with_how_to_ask_for_its_standard(tmp_path):
    (tmp_path / "p.cu").write_text("template <class T> concept Small = sizeof(T) < 8;\nint main() {}\n")
    said = run_ladder(tmp_path, "run", "p.cu").stderr
    assert said.startswith("p.cu:1: `concept` is C++20's") and "type `-std=c++20` behind `ladder run`" in said, said
    assert run_ladder(tmp_path, "run", "-std=c++20", "p.cu").returncode == 0
