"""What kernels print: in the order of the blocks, and on request with the block and thread of each line."""

from __future__ import annotations

import pytest
from jobs import ENTRY, SIZES

KERNEL = f"""
#include <cstdio>
__global__ void add(const float* x, const float* y, float* z, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
    PRINT
}}
{ENTRY} {{
    if (n == 31) printf("host\\n");
    add<<<(n + 15) / 16, SHAPE, 0, stream>>>(x, y, z, n);
}}
"""


def printed(run, code: str, shape: str = "16", **options) -> list[str]:
    found = run(KERNEL.replace("PRINT", code).replace("SHAPE", shape), **options)
    assert found.problem is None and len(found.cases) == len(SIZES), found
    return found.output.splitlines()


LINES = r'if (n == 31 && (i == 3 || i == 20)) { printf("i = "); printf("%d\nsecond\n", i); }'


def test_each_line_says_who_prints_it_where_that_is_asked_for(run):
    assert printed(run, LINES, print_threads=True) == [
        "host",
        "[block 0, thread 3] i = 3",
        "[block 0, thread 3] second",
        "[block 1, thread 4] i = 20",
        "[block 1, thread 4] second",
    ]


def test_nothing_is_added_unasked(run):
    assert printed(run, LINES) == ["host", "i = 3", "second", "i = 20", "second"]


def test_blocks_of_two_axes_have_three_numbers(run):
    code = r'if (n == 31 && threadIdx.x == 1 && threadIdx.y == 2 && blockIdx.x == 1) printf("here\n");'
    assert printed(run, code, "dim3(4, 4)", print_threads=True) == ["host", "[block 1, thread (1, 2, 0)] here"]


def test_what_two_threads_print_into_one_line_becomes_two(run):
    code = r'if (n == 1 && i < 2) { printf("A%d", i); __syncwarp(3); printf("B%d\n", i); printf("%s", ""); }'
    lines = printed(run, code, print_threads=True)
    assert sorted(lines[:-1]) == sorted(
        ["[block 0, thread 0] A0", "[block 0, thread 1] A1", "[block 0, thread 0] B0", "[block 0, thread 1] B1"]
    )
    assert lines[-1] == "host"


@pytest.mark.parametrize("asked", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_a_flood_is_cut_short(run, asked):
    lines = printed(
        run, r'for (int k = 0; k < 3000; ++k) printf("a line of some length, %d\n", k);', print_threads=asked
    )
    assert 1000 < len(lines) < 10000
