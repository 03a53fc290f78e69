"""Why results are NaN is told where a rule foretells all of it, in the right cases, too."""

import pytest
import torch

from grader.judge.causes.nans import Values, why_nan
from tests.shared import long_tail

ROWS = torch.tensor([-300.0, -30.0, 0.0, 30.0, 200.0])
LAUNCH = {"kernel": "k", "grid": [5, 1, 1], "block": [64, 1, 1]}


def case(cols, computed, one=None):
    x = ROWS[:, None] + torch.linspace(-50, 50, cols)
    if one is not None:
        x[1:3, 40] = one
    right = torch.softmax(x.double(), 1)
    return Values(computed(x).double(), right, {"x": x}, {"y": right}, {"rows": 5, "cols": cols}, [LAUNCH])


def shares(x, shift):
    terms = torch.exp(x - shift)
    return terms / terms.sum(1, keepdim=True)


def with_idle_threads(x):
    return torch.full_like(x, torch.nan) if x.shape[1] < 30 else torch.softmax(x, 1)


CAUSES = [
    (lambda x: shares(x, 0.0), "where expf(x) alone is too large for a float"),
    (with_idle_threads, "y is NaN where cols is 17 or less"),
    (lambda x: shares(x, x.amax(1, keepdim=True).clamp(min=0)), "does the maximum begin at 0, or at another number"),
    (lambda x: shares(x, x.amin(1, keepdim=True)), "subtract the maximum, with fmaxf"),
    (lambda x: shares(x, -x.amax(1, keepdim=True)), "expf(x + maximum) is too large"),
]


@pytest.mark.parametrize(("computed", "said"), long_tail(CAUSES, every=3))
def test_where_it_is_nan_tells_why(computed, said):
    assert said in why_nan("y", [case(17, computed), case(100, computed)])


@pytest.mark.parametrize(
    ("one", "shift", "said"),
    [
        (-400.0, lambda x: x.abs(), "take that of x itself, without fabsf"),
        (300.0, lambda x: x[:, torch.arange(x.shape[1]) % 64 < 32], "with the maximum of the first warp's columns"),
    ],
)
def test_another_maximum_is_told_by_where_it_is_nan(one, shift, said):
    cases = [case(cols, lambda x: shares(x, shift(x).amax(1, keepdim=True)), one) for cols in (60, 100)]
    assert said in why_nan("y", cases)


def test_without_a_maximum_weighted_means_are_nan_where_the_sum_is_too_large():
    lse = torch.tensor([[3.0, 100.0], [-200.0, 80.0]])
    right = torch.ones(2, 2, 4)
    got = right.masked_fill(((lse > 90) | (lse < -110))[..., None], torch.nan)
    found = why_nan("out", [Values(got, right, {"q": right}, {"out": right, "lse": lse}, {"n": 2}, [LAUNCH])])
    assert "subtract the largest score of the row" in found


def test_where_minus_infinity_belongs():
    right = torch.tensor([[0.0, -torch.inf, 2.0]])
    values = Values(
        right.clone().masked_fill(right.isinf(), torch.nan), right, {"a": right}, {"out": right}, {"n": 3}, [LAUNCH]
    )
    assert "just where -inf belongs" in why_nan("out", [values])


def test_an_input_of_minus_infinity_that_takes_part():
    a, out = torch.zeros(2, 3, 4), torch.zeros(2, 3, 5)
    out[0, 1, 2] = out[1, 2, 4] = -torch.inf
    right = torch.zeros(2, 3, 4)
    got = right.clone()
    got[0, 1] = got[1, 2] = torch.nan
    known = {"n": 3}, [LAUNCH]
    cases = [Values(got, right, {"a": a, "out": out}, {"grad": right}, *known)]
    cases.append(Values(right, right, {"a": a, "out": 0 * a}, {"grad": right}, *known))
    assert "an element of out that is -inf takes part" in why_nan("grad", cases)


def test_nan_elsewhere_has_no_cause():
    def one(x):
        return torch.where(torch.arange(x.shape[1]) == 3, torch.nan, torch.softmax(x, 1))

    assert why_nan("y", [case(17, one), case(100, one)]) == ""
    assert why_nan("y", [case(17, with_idle_threads), case(25, lambda x: torch.softmax(x, 1))]) == ""


def test_a_maximum_that_begins_at_a_number_is_told_by_the_rows_that_are_too_low_for_it():
    lse = torch.tensor([[3.0, -900.0], [-1200.0, -3000.0]])
    right = torch.ones(2, 2, 4)
    got = right.masked_fill((lse < -1100)[..., None], torch.nan)
    found = why_nan("out", [Values(got, right, {"q": right}, {"out": right, "lse": lse}, {"n": 2}, [LAUNCH])])
    assert "whose scores are all below some -1.05e+03" in found and "begins at a number that is not low enough" in found
    got[0, 1] = torch.nan
    got[1, 0] = 1
    assert "low enough" not in why_nan(
        "out", [Values(got, right, {"q": right}, {"out": right, "lse": lse}, {"n": 2}, [LAUNCH])]
    )


def test_rows_that_a_loop_over_tiles_leaves_without_a_key():
    right = torch.ones(2, 80, 4)
    known = {"q": right}, {"out": right}
    first = torch.arange(80)[:, None] < 16

    def of(causal, where):
        return Values(right.masked_fill(where, torch.nan), right, *known, {"n": 80, "causal": causal}, [LAUNCH])

    whole = of(0, torch.zeros(1, dtype=torch.bool))
    assert "in the first 16 rows of each matrix where causal is 1" in why_nan("out", [of(1, first), whole])
    assert "first 16 rows" not in why_nan("out", [of(1, first), of(0, first)])
    assert "rows of each matrix" not in why_nan("out", [of(1, torch.arange(80)[:, None] < 21), whole])
