"""`ladder run`: a number with a fraction becomes a whole one that cannot hold it, and a GPU makes another one of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """
#include <cmath>
#include <cstdio>
__global__ void convert(const FROM* x, long long* z) {
    z[threadIdx.x] = (long long)(TO)x[threadIdx.x];
}
int main() {
    FROM h[1] = {(FROM)VALUE};
    long long o[1];
    FROM* x;
    long long* z;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&z, sizeof o);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    convert<<<1, 1>>>(x, z);
    cudaMemcpy(o, z, sizeof o, cudaMemcpyDeviceToHost);
    printf("%lld\\n", o[0]);
    cudaFree(x);
    cudaFree(z);
    unsigned char none = 0;   // a file with pixels
    return none;
}
"""

# What an H200 prints of each.
CASTS = [
    ("float", "unsigned char", "-5.5", "0"),
    ("double", "unsigned char", "-1", "0"),
    ("float", "unsigned char", "1e20", "255"),
    ("float", "unsigned char", "3e9", "0"),
    ("float", "signed char", "1e20", "-1"),
    ("float", "signed char", "-1e20", "0"),
    ("float", "unsigned short", "-300", "0"),
    ("float", "short", "-3e9", "0"),
    ("float", "unsigned", "-1", "0"),
    ("float", "unsigned", "5e9", "4294967295"),
    ("double", "unsigned", "-1e10", "0"),
    ("float", "int", "3e9", "2147483647"),
    ("double", "int", "-3e9", "-2147483648"),
    ("float", "int", "NAN", "0"),
    ("double", "int", "NAN", "-2147483648"),
    ("double", "unsigned", "NAN", "2147483648"),
    ("float", "long long", "1e19", "9223372036854775807"),
    ("float", "long long", "NAN", "-9223372036854775808"),
    ("double", "unsigned long long", "-1", "0"),
]
HELD = [
    ("float", "unsigned char", "255.9"),
    ("float", "unsigned char", "300"),  # 44 on both
    ("float", "unsigned char", "-0.9"),
    ("float", "short", "-32768.5"),
    ("float", "int", "-2147483648"),
    ("float", "unsigned", "4294967040"),
    ("double", "int", "2147483647.5"),
]


def run(folder: Path, from_: str, to: str, value: str) -> str:
    (folder / "p.cu").write_text(PROGRAM.replace("FROM", from_).replace("TO", to).replace("VALUE", value))
    done = run_ladder(folder, "run", "p.cu")
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize(("from_", "to", "value", "gives"), long_tail(CASTS, every=24, slow=6))
def test_what_a_gpu_makes_of_a_number_that_does_not_fit_is_told(tmp_path, from_, to, value, gives):
    said = run(tmp_path, from_, to, value)
    assert f"which cannot hold it: a GPU gives {gives}, a CPU something else" in said
    assert "note p.cu:5 in kernel convert" in said


@pytest.mark.parametrize(("from_", "to", "value"), long_tail(HELD, every=8))
def test_what_fits_or_is_the_same_on_both_is_not_told(tmp_path, from_, to, value):
    assert "cannot hold" not in run(tmp_path, from_, to, value)


GRADED = """
__device__ inline unsigned char pixel(float v) { return (unsigned char)v; }
__global__ void add(const float* x, const float* y, float* z, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float both[2];
    if (i >= n) return;
    both[0] = x[i], both[1] = y[i];
    z[i] = both[0] + both[1] + (pixel(VALUE - fabsf(x[i])) == 77 ? 1 : 0);
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
"""


@pytest.mark.whole
@pytest.mark.parametrize(("value", "is_told"), long_tail([("-1e9f", True), ("1e6f", False)], every=4))
def test_in_a_graded_file_with_checks_it_is_told_with_its_line(tmp_path, value, is_told):
    (tmp_path / "v.cu").write_text(GRADED.replace("VALUE", value))
    done = run_ladder(tmp_path, "check", "01", "v.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert "passed" in said
    assert ("note: line 2:" in said and "to unsigned char, which cannot hold it: a GPU gives 0" in said) == is_told
