"""Host code that works out for which sizes it launches something else is asked about many sizes."""

from __future__ import annotations

import pytest

from grader.grade import grade
from grader.judge.host_ways import may_hide
from tests.shared import long_tail

ADD = """
#include <numeric>
__global__ void add(const float* x, const float* y, float* z, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) z[i] = x[i] + y[i];
}
static const unsigned char kTable[] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static bool is_prime(int n) {
    for (long d = 2; d * d <= n; ++d) if (n % d == 0) return false;
    return true;
}
static int rounds(long n) {
    int count = 0;
    while (n > 1) n = n % 2 ? 3 * n + 1 : n / 2, ++count;
    return count;
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(WHICH);
}
"""
WRONG = [
    "x, n > 300 && kTable[n >> 4 & 15] ? x : y, z, n",
    "x, std::gcd(n, 30030) > 2000 ? x : y, z, n",
    "x, y, z, rounds(n) == 61 ? n / 2 : n",
    "x, rounds(n) == 61 ? x : y, z, n",
    "x, n > 6000 && n % 2 && !is_prime(n) ? x : y, z, n",
]
RIGHT = ["rounds(n) % 2 ? x : y, rounds(n) % 2 ? y : x, z, n"]


def graded(tmp_path, which: str):
    file = tmp_path / "kernel.cu"
    file.write_text(ADD.replace("WHICH", which))
    return grade("01", file, device="emulator", seed=8)


@pytest.mark.parametrize("which", long_tail(WRONG, every=9))
def test_sizes_that_host_code_tells_apart(tmp_path, which):
    found = graded(tmp_path, which)
    assert found.status in ("wrong_result", "not_written") and found.stars == 0


@pytest.mark.slow
@pytest.mark.parametrize("which", RIGHT)
def test_two_ways_that_are_right(tmp_path, which):
    assert graded(tmp_path, which).status == "passed"


@pytest.mark.parametrize(
    ("text", "hides"),
    [
        ("void f(int n) { int h = 0; for (int b = 0; b < 4; ++b) h = 31 * h + (n >> 8 * b); }", True),
        ("static const int most[] = {1, 2}; void f(int n) { if (most[n & 1] > 1) return; }", True),
        ("void f(int n) { if (std::lcm(n, 6) == n) return; }", True),
        (
            "__global__ void k(int* x) { for (int i = 0; i < 4; ++i) x[i] = i; } void f(int* x) { k<<<1, 1>>>(x); }",
            False,
        ),
        (
            "struct S { __device__ void go(int* x) { while (x[0]) x[0] /= 2; } }; void f(int n) { std::min(n, 3); }",
            False,
        ),
        ("int f(int n) { int p = 1; while (p < n && p < 64) p *= 2; return n % p; }", False),
        (
            "using S = float[4][8]; struct V { int at[2], b[K][4 + 1]; }; void f(int n) { for (; n > 9;) n -= 1; }",
            False,
        ),
        ("int f(int n) { int d = 1; do { ++d; } while (n % d); return d; }", True),
        ("int f(int n) { int m = n; for (int k = 0; k < 3; ++k) { m = m * 5 ^ k; } return m; }", True),
        ("int f(int n) { static int t[] = {1, 2}; return t[n & 1]; }", True),
        ("void f(int n) { auto go = [=](int k) { return n % 4 ? k : 0; }; go(n); }", False),
    ],
)
def test_where_something_may_hide(text, hides):
    assert may_hide(text) == hides
