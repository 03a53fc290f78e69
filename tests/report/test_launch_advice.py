"""What is advised where a launch has failed: it fits what was wrong with it."""

from __future__ import annotations

import pytest

from grader.devices.evidence import Finding
from grader.report.advice import on_finding
from tests.shared import long_tail

ROWS = [
    ("the grid has 10 blocks in x, which is no multiple of the 4 that a cluster has there", "whole clusters"),
    ("the block has 256 threads, its __launch_bounds__ allow 128", "`__launch_bounds__(n)` promises"),
    ("a cooperative launch must fit on the GPU at once: 4096 blocks, room for 128", "let each go on in a loop"),
    ("the grid has 0 blocks in x", "its grid is empty"),
    ("the grid has 70,000 blocks in y, at most 65,535 are allowed", "Only in x may a grid have that many"),
    ("its static shared memory is 50000 bytes, at most 49152 are allowed", "cudaFuncSetAttribute"),
]


@pytest.mark.parametrize(("told", "advised"), long_tail(ROWS, every=2))
def test_the_advice_fits_what_was_wrong_with_the_launch(told, advised):
    said = on_finding(Finding("launch_error", f"the launch of k fails: {told}"), [])
    assert said.startswith("The kernel never ran") and advised in said
