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
        (lambda right: torch.full_like(right, -INF), "as with fminf in the place of fmaxf?"),
    ],
)
def test_what_is_infinite_is_explained(wrong, said):
    assert said in told(wrong) if said else told(wrong) == ""


def of_terms(wrong):
    a, b = torch.arange(12.0).reshape(1, 3, 4) / 9, torch.arange(20.0).reshape(1, 4, 5) / 7
    a[0, 1, 2], b[0, 0, 3], b[0, 3, 1] = -INF, -INF, -INF
    terms = a[..., None] + b[:, None]
    return Values(wrong(terms), terms.logsumexp(2), {"a": a, "b": b}, {}, {}, ())


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda terms: terms.amin(2), "out is -inf just where one of its terms is: is the smallest term"),
        (
            lambda terms: terms.masked_fill((terms == -INF).cumsum(2) > 0, -INF).logsumexp(2),
            "out is -inf where the first of its terms is: does a loop end at an infinite term, by `break`",
        ),
        (lambda terms: terms.logsumexp(2).masked_fill(terms[:, :, 1] == -INF, -INF), ""),
    ],
)
def test_terms_that_are_infinite_tell_where_a_loop_ends(wrong, said):
    found = why_infinite("out", [of_terms(wrong)])
    assert said in found if said else found == ""
