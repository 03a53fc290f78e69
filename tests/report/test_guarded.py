"""Where a guard stands before an access that leaves its array, no guard is asked for: what is wrong with it is told."""

from __future__ import annotations

import pytest

from grader.report.guarded import behind_a_guard

KERNEL = """__global__ void k(const float* x, float* z, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    GUARD
    HERE
}
void f() {
    int done = 4;
    k<<<1, 32>>>(x + done, z, n, m);
}"""


def told(guard: str, here: str, kernel: str = KERNEL) -> str:
    return behind_a_guard(kernel.replace("GUARD", guard).replace("HERE", here).split("\n"), 4, "z", "k")


@pytest.mark.parametrize(
    ("guard", "here", "said"),
    [
        ("if (i < n)", "z[i] = 0;", "Line 3 asks `i < n`, and z has fewer elements here: is `n` the size"),
        ("if (i >= n) return;", "z[2 * i] = 0;", "asks `i < n`, and `2 * i` goes further"),
        (
            "int row = i / m; if (row >= (int)n * m) return;",
            "q[row] = 0;",
            "what is worked out from `row` goes too far",
        ),
        ("", "if (i < n) z[i + 1] = 0;", "Line 4 asks `i < n`, and `i + 1` goes further"),
        ("", "z[i] = 0;", ""),
        ("if (i < n) return;", "z[i] = 0;", ""),
        ("if (lane < n)", "z[i] = 0;", ""),
        ("for (int t = i; t < m; t += 32) { q[t] = 0; }", "z[4 * m + i] = 0;", ""),
        ("for (int t = i; t < m; t += 32) if (t > 0) q[t] = 0;", "z[4 * m + i] = 0;", ""),
        ("if (i >= n) return;", "z[blockIdx.x + 1] = 0;", ""),
        ("for (int t = i; t < m; t += 32) {", "z[4 * t] = 0;", "asks `t < m`, and `4 * t` goes further"),
        ("for (int t = i; t < m; t += 32) for (int u = 0; u < 4; ++u)", "z[t + u] = 0;", "`t + u` goes further"),
    ],
)
def test_what_is_wrong_behind_a_guard(guard, here, said):
    assert (said in told(guard, here)) if said else told(guard, here) == ""


def test_an_offset_in_the_launch_leaves_fewer():
    kernel = KERNEL.replace("x + done, z, n", "x, z + done, n")
    assert "the launch in line 8 hands over `z + done`, behind which fewer" in told("if (i < n)", "z[i] = 0;", kernel)
    right = kernel.replace("done, n,", "done, n - done,")
    assert "is `n` the size of this very array" in told("if (i < n)", "z[i] = 0;", right)
