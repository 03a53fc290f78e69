"""A sum under a logarithm that goes wrong where its maximum grows is told by how."""

import dataclasses
import math
from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw
from tests.shared import long_tail

GROW, TERM = math.exp, math.exp


def online(row, tile=1, shrink=lambda top, new: GROW(top - new), term=lambda x, top: TERM(x - top), first=1.0):
    """The logarithm as a thread computes it that looks at the maximum every `tile` terms."""
    top, total = -1e9, 0.0
    for begin in range(0, len(row), tile):
        part = row[begin : begin + tile]
        new = max(top, *part)
        total *= shrink(top, new)
        total += sum(first if x == new > top else term(x, new) for x in part)
        top = new
    return top + math.log(total) if total > 0 else -1e9


def case(rows, cols, wrong):
    x = Draw(rows * cols).normal(rows * cols).double().view(rows, cols)
    call = SimpleNamespace(scalars={"rows": rows, "cols": cols}, terms=cols)
    right = x.logsumexp(1)
    got = torch.tensor([wrong(row) for row in x.tolist()]).double()
    launch = {"kernel": "k", "grid": [1, 1, 1], "block": [64, 1, 1]}
    reference = lambda inputs: {"out": inputs["x"].logsumexp(1)}  # noqa: E731
    return Case(call, reference, {"x": x}, "out", got, right, 1e-6 + 0 * right, [launch])


ROWS = [
    (lambda row: online(row, shrink=lambda top, new: 1), "stays as it was where the maximum grows"),
    (lambda row: online(row, tile=16, shrink=lambda top, new: 1), "stays as it was where the maximum grows"),
    (lambda row: online(row, shrink=lambda top, new: float(new == top)), "begins again where the maximum grows"),
    (lambda row: online(row, first=0.0), "lacks each term that was the largest when it came"),
    (lambda row: online(row, term=lambda x, top: math.exp(top - x)), "expf(maximum - term) in the place of"),
    (lambda row: online(row, term=lambda x, top: 2 ** (x - top)), "rescaled with expf: write expf in both"),
    (lambda row: max(row) + math.log(sum(2 ** (x - max(row)) for x in row)), "one of 2^(term - maximum): write expf"),
    (
        lambda row: max(row) + math.log(sum(math.exp(x - max(row[i % 8 :: 8])) for i, x in enumerate(row))),
        "The sums of 8 threads, or steps, are added as they are",
    ),
    (
        lambda row: math.log(sum(map(math.exp, row)) + -len(row) % 16),
        "exp(0), which is 1, for each place of its last tile of 16",
    ),
    (lambda row: online(row) + 0.25 * math.sin(row[0]), ""),
]


@pytest.mark.parametrize(("wrong", "said"), long_tail(ROWS, every=4))
def test_it_is_told_where_the_sum_goes_wrong(wrong, said):
    cases = [case(40, 52, wrong), case(7, 26, wrong)]
    found = cause(cases)
    assert said in found.message(cases[0]) if said else found is None


def test_threads_with_one_term_each_agree_with_sums_that_are_added_as_they_are():
    def wrong(row):
        return max(row) + math.log(sum(math.exp(x - max(row[i % 32 :: 32])) for i, x in enumerate(row)))

    cases = [case(40, 52, wrong), case(7, 26, wrong)]
    assert "The sums of 32 threads, or steps, are added as they are" in cause(cases).message(cases[0])


def test_a_sum_of_nothing_may_leave_the_maximum():
    """Where terms are far apart, nothing is left of a sum without the largest."""

    def wrong(row):
        kept = [x for i, x in enumerate(row) if x <= max(row[:i], default=-math.inf)]
        total = sum(math.exp(x - max(row)) for x in kept)
        return max(row) + (math.log(total) if total > 2.0**-126 else 0)

    far = case(64, 40, wrong)
    x = 60 * far.inputs["x"]
    got = torch.tensor([wrong(row) for row in x.tolist()]).double()
    far = dataclasses.replace(far, inputs={"x": x}, got=got, expected=x.logsumexp(1), answers={}, counted_in={})
    cases = [far, case(40, 52, wrong)]
    assert "lacks each term that was the largest when it came" in cause(cases).message(cases[1])
