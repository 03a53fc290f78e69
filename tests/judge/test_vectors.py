"""What a sum lacks of the vectors that its threads load is told also where other rows are read element by element."""

from __future__ import annotations

import pytest
import torch
from test_shares import case as of_shares
from test_variations import case, cause, folded

from grader.judge.causes.variations import causes_seen
from grader.judge.causes.vectors import noun_of


def numbers(columns: int, has_rest: bool = False):
    """Which vector, or single element, each column is."""
    at = torch.arange(columns)
    if has_rest:
        return torch.where(at < columns // 4 * 4, at // 4, at - columns // 4 * 4)
    return at if columns % 4 else at // 4


def kept(x, first: int, has_rest: bool = False):
    return x[:, numbers(x.shape[1], has_rest) % 32 < first].sum(1)


def shuffled(x):
    """Lane 0's sum without the shuffle by 8."""
    lanes = torch.zeros(len(x), 32, dtype=x.dtype).index_add(1, numbers(x.shape[1]) % 32, x)
    return folded(lanes, "down", steps=(16, 4, 2, 1))


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (lambda x: kept(x, 8), "out lacks float4s 8 to 31 of each 32 of x"),
        (lambda x: kept(x, 16, has_rest=True), "out lacks float4s 16 to 31 of each 32 of x"),
        (lambda x: kept(x, 1), "float4"),
        (shuffled, "8"),
    ],
)
def test_what_lanes_leave_out_of_vectors(got, said):
    cases = [case(12, 264, got), case(30, 133, got), case(6, 400, got)]
    found = cause(cases)
    assert found and said in found.message(cases[0])


def test_a_row_without_vectors_is_told_in_its_own_words():
    assert noun_of("vectors_rows_upper_32_4_1", "column", 264) == "float4"
    assert noun_of("vectors_rows_upper_32_4_1", "column", 133) == "column"
    assert noun_of("vectors_rest_upper_32_4_1", "column", 133) == "float4"
    assert noun_of("upper_32_4_1", "column", 264) == "column"


def test_a_softmax_of_half_of_the_lanes():
    def halves(x, terms, threads):
        lane = numbers(x.shape[1]) % 32 // 16
        shares = torch.zeros_like(x)
        for half in (0, 1):
            shares[:, lane == half] = x[:, lane == half].softmax(1)
        return terms / shares

    cases = [of_shares(5, 133, halves), of_shares(3, 264, halves)]
    assert "the step by 16 is missing" in cause(cases, causes_seen).message(cases[0])
