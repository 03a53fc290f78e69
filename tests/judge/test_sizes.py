"""Where one size tells the right cases from the wrong ones, it is named."""

import pytest

from grader.judge.causes.sizes import told_apart
from tests.shared import long_tail


def of(*values, flag=None):
    return [{"n": value, "flag": number % 2 if flag is None else flag} for number, value in enumerate(values)]


ROWS = [
    (of(64, 64, 64), of(32, 128, 32), "right in all cases where n is 64, and wrong in all others: is 64 written"),
    (of(1, 1, 1), of(2, 3, 2), "is 1 written where n belongs, or is what tells one of them from the next missing"),
    (of(32, 64, 96), of(33, 1, 100), "right in all cases where n is a multiple of 32, and wrong in all others"),
    (of(1, 20, 32), of(33, 70, 101), "where n is 32 or less, and wrong in all where it is 33 or more"),
    (
        of(70, 71, 101),
        of(3, 20, 30),
        "where n is 70 or more, and wrong in all where it is 30 or less",
    ),
    (of(1, 5, 9, flag=0), of(1, 5, 9, flag=1), "right in all cases where flag is 0, and wrong in all where it is 1."),
    (of(64, 64, 64), of(128, 128, 128), "and wrong in all where it is 128: what is there for 64 alone"),
    (of(1, 5, 9), of(1, 5, 9), ""),
    (of(1, 20), of(33, 70, 101), ""),
]


@pytest.mark.parametrize(("right", "wrong", "said"), long_tail(ROWS, every=3))
def test_the_size_that_tells_them_apart(right, wrong, said):
    told = told_apart(right, wrong)
    assert said in told if said else told == ""
