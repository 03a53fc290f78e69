"""A number is shifted by as many bits as it has, or more: a GPU shifts all out, and a CPU takes another distance."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """
#include <cstdio>
__global__ void shift(long long* z, int by) {
    z[threadIdx.x] = SHIFTED;
}
int main() {
    long long* z;
    cudaMallocManaged(&z, 32 * sizeof *z);
    shift<<<1, 32>>>(z, BY);
    cudaDeviceSynchronize();
    printf("%lld %d\\n", z[0], 1 << (BY & 3));
    cudaFree(z);
}
"""
FAR = [("1u << by", "32", 32, 0), ("-8 >> by", "40", 32, 8), ("1ll << by", "64", 64, 0), ("by << -by", "3", 32, 29)]
NEAR = [("1u << by", "31"), ("1ull << by", "63"), ("(char)by >> by", "9"), ("by < 32 ? 1u << by : 0", "32")]


def run(folder: Path, shifted: str, by: str, *options: str) -> str:
    """Without --notes, too, where nothing else is found: the program's results may not be those of a GPU."""
    (folder / "s.cu").write_text(PROGRAM.replace("SHIFTED", shifted).replace("BY", by))
    done = run_ladder(folder, "run", *options, "s.cu")
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize(("shifted", "by", "bits", "on_a_cpu"), long_tail(FAR, every=4))
def test_a_shift_of_all_bits_is_told(tmp_path, shifted, by, bits, on_a_cpu):
    said = run(tmp_path, shifted, by)
    distance = f"-{by}" if "-by" in shifted else by
    assert f"a number of {bits} bits by {distance}: a GPU shifts all bits out, a CPU takes {on_a_cpu}, " in said
    assert "note s.cu:4 in kernel shift" in said and "no findings" in said


@pytest.mark.parametrize(("shifted", "by"), long_tail(NEAR, every=4))
def test_a_shift_that_leaves_bits_is_not_told(tmp_path, shifted, by):
    assert "shifts" not in run(tmp_path, shifted, by, "--notes")


GRADED = """
__global__ void add(const float* x, const float* y, float* z, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float both[2];
    if (i >= n) return;
    both[0] = x[i], both[1] = y[i];
    z[i] = both[0] + both[1] + (1u << threadIdx.x % MOST == 77 ? 1 : 0);
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("most", "is_told"), long_tail([("33", True), ("32", False)], every=4))
def test_in_a_graded_file_with_checks_it_is_told_with_its_line(tmp_path, most, is_told):
    (tmp_path / "v.cu").write_text(GRADED.replace("MOST", most))
    done = run_ladder(tmp_path, "check", "01", "v.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert "passed" in said
    assert ("note: line 7:" in said and "shifts a number of 32 bits by 32" in said) == is_told
