"""Where -inf is, and where it should be and is not, tells why."""

import pytest
import torch

from grader.judge.causes.infinities import why_infinite
from grader.judge.causes.nans import Values

INF = torch.inf
RIGHT = [torch.tensor([1.0, -20.0, -300.0, -INF]), torch.tensor([3.0, -9e9, -4e9])]


def told(wrong):
    return why_infinite("out", [Values(wrong(each), each, {}, {}, {}, ()) for each in RIGHT])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda right: torch.where(right < -200, -INF, right), "out is -inf just where it should be -300 or less"),
        (lambda right: torch.where(right == -INF, 0.0, right), "out is 0 just where all that is added is 0"),
        (lambda right: torch.where(right == 1, -INF, right), ""),
        (lambda right: right + 1, ""),
        (lambda right: torch.full_like(right, -INF), ""),
    ],
)
def test_what_is_infinite_is_explained(wrong, said):
    assert said in told(wrong) if said else told(wrong) == ""
