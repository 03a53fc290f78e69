"""Sums and counts that lack what is over where blocks share elements out, or have a tail once for each block."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw
from tests.shared import long_tail


def case(rows: int, cols: int, blocks: int, weights) -> Case:
    """A sum of each column of x; `weights` says how often it has each row."""
    x = Draw(rows * cols).normal(rows, cols).double()
    call = SimpleNamespace(scalars={"rows": rows, "cols": cols}, terms=rows)
    launch = {"kernel": "k", "grid": [1, blocks, 1], "block": [32, 8, 1]}
    times = weights(torch.arange(rows), rows, blocks).double()
    return Case(
        call,
        lambda inputs: {"out": inputs["x"].sum(0)},
        {"x": x},
        "out",
        (x * times[:, None]).sum(0),
        x.sum(0),
        1e-6 * x.abs().sum(0),
        [launch],
    )


ROWS = [
    (lambda row, n, blocks: row < n // blocks * blocks, "as many as are over where 7 blocks share them out"),
    (
        lambda row, n, blocks: torch.where(row < n // 16 * 16, 1, blocks),
        "behind whole groups of 16 7 times, once for each block",
    ),
    (lambda row, n, blocks: torch.where(row < n - 3, 1, blocks + 1), ""),
]


@pytest.mark.parametrize(("weights", "said"), long_tail(ROWS, every=3))
def test_what_blocks_leave_over(weights, said):
    cases = [case(125, 40, 7, weights), case(204, 33, 5, weights)]
    found = cause(cases)
    if said:
        assert said in found.message(cases[0])
    else:
        assert found is None or "of_blocks" not in found.name


def test_one_block_leaves_nothing_over():
    alone = case(125, 40, 1, lambda row, n, blocks: row < n - 1)
    found = cause([alone, dataclasses.replace(alone, answers={})])
    assert found is None or ("of_blocks" not in found.name and "of_all" not in found.name)
