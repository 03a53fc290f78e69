"""What only some lanes of each warp lack is told as a step of the shuffles that is missing."""

import pytest
import torch

from grader.judge.causes.half_warps import why_of_lanes
from grader.judge.causes.nans import Values


def case(cols, lost, rows=3):
    x = torch.linspace(-5, 5, rows * cols).view(rows, cols)
    right = torch.softmax(x.double(), 1)
    got = torch.where(lost(torch.arange(rows)[:, None], torch.arange(cols)), torch.inf, right)
    return Values(got, right, {"x": x}, {"y": right}, {"rows": rows, "cols": cols}, [])


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        (lambda row, col: col % 32 >= 16, "y is inf or NaN in what lanes 16 to 31 of each warp compute"),
        (lambda row, col: col % 32 >= 8, "and the step by 8 brings these lanes what the others have"),
        (lambda row, col: (col % 32 >= 16) & (row > 0), ""),
        (lambda row, col: (col % 32 >= 16) | (row + 0 * col == 1), ""),
        (lambda row, col: col >= 16, ""),
        (lambda row, col: col % 32 < 16, ""),
    ],
)
def test_which_lanes_lack_it(lost, said):
    told = why_of_lanes("y", [case(40, lost), case(75, lost), case(7, lambda row, col: col < 0)])
    assert said in told and bool(said) == bool(told)


def test_a_row_may_be_lost_as_a_whole_in_some_cases():
    def half(row, col):
        return col % 32 >= 16

    cases = [case(40, half), case(75, lambda row, col: half(row, col) | (row + 0 * col == 1))]
    assert "lanes 16 to 31" in why_of_lanes("y", cases) and not why_of_lanes("y", cases[1:])
