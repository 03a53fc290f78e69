"""The quick check of timed outputs says what the thorough one says."""

import pytest
import torch

from grader.judge.compare import Expected
from grader.judge.timing.bounds import bounds_of


def wrong(want, allowed, values):
    expected = Expected(torch.tensor(want, dtype=torch.float64), torch.tensor(allowed, dtype=torch.float64))
    return bounds_of(expected, values.dtype).wrong(values).tolist()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_an_element_may_be_off_by_what_is_allowed(dtype):
    values = torch.tensor([1.0, 1.25, 1.5, 0.75, 0.5], dtype=dtype)
    assert wrong([1.0] * 5, [0.25] * 5, values) == [False, False, True, False, True]


def test_a_nan_is_right_only_where_one_belongs():
    nan, inf = float("nan"), float("inf")
    values = torch.tensor([nan, 1.0, nan, inf, -inf])
    assert wrong([nan, nan, 1.0, inf, inf], [0.0] * 5, values) == [False, True, True, False, True]


@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8, torch.uint16, torch.uint32])
def test_integers_must_be_exact(dtype):
    most = torch.iinfo(dtype).max
    values = torch.tensor([0, 3, most, most - 1], dtype=dtype)
    assert wrong([0, 4, most, most], [0.0] * 4, values) == [False, True, False, True]
