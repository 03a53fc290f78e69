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
    ("using Tile = half[16][40];", "Tile tile, b; load_matrix_sync(f, &tile[row][0], 16);", "its rows have 40"),
    ("using Tile = half[16][40];", "Tile a, tile; load_matrix_sync(f, &tile[row][0], 16);", "its rows have 40"),
    ("typedef half Tile[16][40];", "Tile tile; load_matrix_sync(f, tile[row], 16);", "its rows have 40"),
    ("using Tile = half[16][40];", "Tile tile; load_matrix_sync(f, tile[row], 40);", ""),
    ("#define W (32 + 8)\n__shared__ half tile[16][W];", "load_matrix_sync(f, tile[row], W);", ""),
]


@pytest.mark.parametrize(("declared", "call", "said"), long_tail(ROWS, every=3))
def test_the_leading_dimension_is_told(declared, call, said):
    told = slip("uninitialized_read", [*declared.split("\n"), call], None)
    assert said in told if said else told == ""


SUM = "wmma::fragment<wmma::accumulator, 16, 16, 16, float>"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([f"{SUM} sum;", "mma_sync(sum, a, b, sum);"], "The accumulator `sum` of line 1 is never filled"),
        ([f"using Sum = {SUM};", "Sum sums[2][2];", "mma_sync(sums[0][0], a, b, c);"], "`sums` of line 2 is never"),
        ([f"{SUM} sum;", "fill_fragment(sum, 0.0f);", "mma_sync(sum, a, b, sum);"], ""),
        ([f"{SUM} sum;", "for (i = 0; i < sum.num_elements; ++i) sum.x[i] = 0;", "mma_sync(sum, a, b, sum);"], ""),
        ([f"{SUM} sum;", "load_matrix_sync(sum, c, n, how);", "mma_sync(sum, a, b, sum);"], ""),
    ],
)
def test_an_accumulator_that_is_never_filled(lines, said):
    told = slip("uninitialized_read", lines, None)
    assert said in told if said else told == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("int group = lane % 4, pair = lane / 4;", "Line 2 takes `group` as `lane % 4`"),
        ("int groupID = lane >> 2, threadID_in_group = lane >> 2;", "Line 2 takes `threadID_in_group` as `lane >> 2`"),
        ("int group = lane / 4, pair = lane % 4;", ""),
        ("int group = lane % 4;", ""),  # which may be of something else
        ("int groupID = lane >> 2, threadID_in_group = lane & 3;", ""),
        ("int group = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;", ""),
    ],
)
def test_a_lane_taken_apart_the_other_way(line, said):
    told = slip("wrong_result", ['asm("mma.sync.aligned.m16n8k16");', line], None)
    assert said in told if said else told == ""
