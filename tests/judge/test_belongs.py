"""What is right elsewhere is told with its place; what is not is not."""

import pytest
import torch

from grader.judge.causes.belongs import belongs
from grader.judge.inputs import Draw

FLAT = Draw(5).normal(640).double()
PAIRS = FLAT.view(320, 2)
LANE = torch.arange(640)


def told(got, expected=FLAT):
    allowed = 1e-7 * expected.abs()
    return belongs("y", got, expected, allowed, (got - expected).abs() > allowed)


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (
            FLAT[LANE // 2 * 2],
            "y[1] holds what belongs in y[0], and y[639] what belongs in y[638]: with which index, or",
        ),
        (FLAT[LANE // 128 * 128 + LANE % 8], "y[8] holds what belongs in y[0], and y[16] what belongs in y[0]"),
        (torch.where(LANE < 600, FLAT.roll(100), 0 * FLAT), "y[0] holds what belongs in y[540], and y[100] what"),
        (FLAT.roll(1) + 0.5, ""),
        (torch.where(LANE == 7, FLAT.roll(1), FLAT), ""),  # one element may be chance
        (FLAT[0].expand(640), ""),
        (torch.zeros(640).double(), ""),
    ],
)
def test_where_a_value_belongs(got, said):
    found = told(got)
    assert said in found if said else not found


def test_places_are_those_of_the_output():
    assert "y[1, 0] holds what belongs in y[0, 0]" in told(PAIRS[torch.arange(320) // 2 * 2], PAIRS)


def test_values_that_are_alike_say_nothing():
    assert not told((LANE % 2).double() + 1, (LANE // 2 % 2).double() + 1)
