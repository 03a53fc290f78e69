"""A logarithm of a sum of exponentials that lacks a part is told by its parts."""

from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.logarithms import causes_of_logarithms
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw


def case(rows, cols, got):
    x = Draw(rows * cols).normal(rows * cols).double().view(rows, cols)
    call = SimpleNamespace(scalars={"rows": rows, "cols": cols}, terms=cols)
    right = x.logsumexp(1)
    launch = {"kernel": "k", "grid": [1, 1, 1], "block": [64, 1, 1]}
    top = x.amax(1)
    wrong = got(top, (x - top[:, None]).exp().sum(1))
    return Case(
        call,
        lambda inputs: {"out": inputs["x"].logsumexp(1)},
        {"x": x},
        "out",
        wrong,
        right,
        1e-6 + 0 * right,
        [launch],
    )


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (lambda top, sums: top, "out is the largest term alone"),
        (lambda top, sums: sums.log(), "alone: add the maximum to it"),
        (lambda top, sums: top + sums, "take the sum's logarithm"),
        (lambda top, sums: top + sums.log2(), "log2 of the sum: write logf"),
        (lambda top, sums: top + sums.log10(), "log10 of the sum: write logf"),
        (
            lambda top, sums: top + (sums / (60 if len(sums) == 40 else 9)).log(),
            "is the sum divided by cols, as a mean",
        ),
        (lambda top, sums: top - sums.log(), "the maximum less the logarithm"),
        (lambda top, sums: sums.log() - top, "the logarithm of the sum less the maximum"),
        (lambda top, sums: top * sums.log(), "the maximum times the logarithm of the sum"),
        (lambda top, sums: top + sums.log() + 0.25 * top.sin(), ""),
    ],
)
def test_the_part_that_is_missing_is_told(got, said):
    cases = [case(40, 60, got), case(7, 9, got)]
    found = cause(cases)
    assert said in found.message(cases[0]) if said else found is None


def test_a_sum_of_two_inputs_is_no_logarithm():
    x, y = (Draw(seed).normal(40).double() for seed in (1, 2))
    right = x + y
    wrong = Case(
        SimpleNamespace(scalars={"n": 40}, terms=1),
        lambda inputs: {"z": inputs["x"] + inputs["y"]},
        {"x": x, "y": y},
        "z",
        torch.ones(40).double(),
        right,
        1e-6 + 0 * right,
        [{"kernel": "k", "grid": [1, 1, 1], "block": [64, 1, 1]}],
    )
    assert not [each.name for each in causes_of_logarithms(wrong)]
