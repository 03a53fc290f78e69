"""A leading dimension that is not the length of a shared array's rows is told."""

import pytest

from grader.report.text_slips import slip
from tests.shared import long_tail

ROWS = [
    ("__shared__ half tile[16][40];", "load_matrix_sync(f, &tile[row][0], 32);", "Line 2 goes on by 32 elements"),
    (
        "__shared__ half tile[16][17];",
        "load_matrix_sync(f, &tile[0][0], 16);",
        "whole 16 bytes, so declare `tile` with rows of 24, and write 24 as",
    ),
    ("__shared__ half tile[2][16][40];", "load_matrix_sync(f, tile[at][row], 16);", "its rows have 40: write 40"),
    (
        "constexpr int kPad = 8, kW = 32 + kPad; float tile[16][kW];",
        "store_matrix_sync(&tile[0][0], f, 32, how);",
        "40",
    ),
    ("__shared__ half a[16][16], tile[16][40];", "load_matrix_sync(f, &tile[row][0], 16);", "its rows have 40"),
    ("void f(half a, half tile[16][40]);", "load_matrix_sync(f, &tile[row][0], 40);", ""),
    ("__shared__ half tile[16][40];", "load_matrix_sync(f, &tile[row][0], 40);", ""),
    ("__shared__ half tile[16][40];", "load_matrix_sync(f, &tile[row][0], k);", ""),
    ("__shared__ half tile[640];", "load_matrix_sync(f, &tile[row], 32);", ""),
    ("#define W (32 + 8)\n__shared__ half tile[16][W];", "load_matrix_sync(f, tile[row], W);", ""),
]


@pytest.mark.parametrize(("declared", "call", "said"), long_tail(ROWS, every=3))
def test_the_leading_dimension_is_told(declared, call, said):
    told = slip("uninitialized_read", [*declared.split("\n"), f"nvcuda::wmma::{call}"], None)
    assert said in told if said else told == ""
