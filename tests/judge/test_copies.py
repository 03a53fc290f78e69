"""A block's copies of a sum or of counters: which of them the result has is told."""

import pytest
import torch

from grader.judge.causes.copies import copies
from grader.judge.causes.variations import cause
from tests.judge.test_variations import case

LAUNCHES = [{"kernel": "k", "grid": [1, 1, 1], "block": [128, 1, 1]}]


def kept(of_which, times=1):
    return lambda x: times * x[:, of_which(torch.arange(x.shape[1]))].sum(1)


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (kept(lambda c: c // 32 % 4 > 0), "lacks what the first of every 4 warps has"),
        (
            kept(lambda c: c // 32 % 4 < 1, 4),
            "has what the first of every 4 warps has, 4 times, and nothing of the others",
        ),
        (kept(lambda c: c % 8 < 1, 8), "has what the first of every 8 lanes has, 8 times, and nothing of the others"),
    ],
)
def test_copies_that_are_not_added_are_told(got, said):
    cases = [case(3, 300, got, 128), case(5, 200, got, 128)]
    found = cause(cases)
    assert found and said in found.message(cases[0])


def test_each_sentence_is_of_its_own_weights():
    told = {said(LAUNCHES): times(torch.arange(256), LAUNCHES) for _, times, said in copies()}
    assert (
        told[f"{{buffer}} has what the last of every 2 lanes has, and nothing of the others{TAIL}"].tolist()
        == [0, 1] * 128
    )
    assert told[f"{{buffer}} lacks what the last of the 4 shares of a block's threads has{TAIL}"][96:128].sum() == 0


TAIL = ": where a block keeps several copies, are all of them added, each once, with `+=`?"


def test_where_nothing_is_left_nothing_is_told_of_copies():
    cases = [case(3, 30, lambda x: 0 * x.sum(1), 128), case(5, 20, lambda x: 0 * x.sum(1), 128)]
    found = cause(cases)
    assert found is None or "copies" not in found.message(cases[0])


def test_where_a_row_is_one_warps_nothing_is_told_of_the_others():
    cases = [case(3, 30, lambda x: 4 * x.sum(1), 128), case(5, 20, lambda x: 4 * x.sum(1), 128)]
    found = cause(cases)
    assert found is None or "nothing of the others" not in found.message(cases[0])
