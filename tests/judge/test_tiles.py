"""Blocks whose two numbers are swapped: what they reach is told by the tiles that a grid has, and nothing else is."""

from __future__ import annotations

import pytest
import torch

from grader.judge.causes.indices import index_of
from grader.judge.causes.written import Written

SIZES = ((1, 130), (130, 1), (260, 140), (128, 64), (70, 513))


def cases(numbers, high=128, wide=64, plane=False):
    """What blocks write whose tile's row and column are `numbers` of (block, down, across)."""
    found = []
    for rows, cols in SIZES:
        down, across = -(-rows // high), -(-cols // wide)
        written = torch.zeros(rows, cols, dtype=torch.bool)
        for block in range(down * across):
            row, col = numbers(block, down, across)
            written[row * high : (row + 1) * high, col * wide : (col + 1) * wide] = True
        grid = [across, down, 1] if plane else [down * across, 1, 1]
        found.append(Written(written, grid, [256, 1, 1], ["m", "n"]))
    return found


@pytest.mark.parametrize("plane", [False, True])
def test_a_row_for_a_column_is_told(plane):
    swapped = cases(lambda block, down, across: (block % across, block // across), plane=plane)
    said = index_of(swapped).said(swapped[2])
    assert "The output has 3 x 3 tiles of 128 x 64 here" in said
    assert "3 x 1: a block's row and column are swapped" in index_of(swapped).said(swapped[0])


def test_a_division_by_the_tiles_of_the_other_size_is_told():
    wrong = cases(lambda block, down, across: (block // down, block % down))
    assert "with `across = (n - 1) / 64 + 1` tiles in a row" in index_of(wrong).said(wrong[0])


def test_what_other_tiles_lack_is_not_called_swapped():
    right = cases(lambda block, down, across: (block // across, block % across))
    assert index_of(right) is None
    columns_first = cases(lambda block, down, across: (block % down, block // down))
    assert index_of(columns_first) is None
    first = cases(lambda block, down, across: (0, block % across))
    assert "swapped" not in (index_of(first).said(first[2]) if index_of(first) else "")


def test_of_one_tile_across_in_all_cases_nothing_is_told():
    rows = [Written((torch.arange(n)[:, None] < 256).expand(n, 2), [-(-n // 256), 1, 1], [256, 1, 1], ["n", "2"])
            for n in (1, 257, 700)]  # fmt: skip
    found = index_of(rows)
    assert found is None or "swapped" not in found.said(rows[1])
