"""What a worker says of another order of blocks is looked at like all that a submission may have made up."""

from __future__ import annotations

from base64 import b64encode

import numpy as np
import pytest
import torch

from grader.course.prototype import parse_prototype
from grader.devices.buffers import Arena
from grader.devices.evidence import Finding
from grader.judge.compare import Expected
from grader.judge.orders import BLOCK_ORDER, settle_orders

RIGHT = np.arange(4, dtype=np.float32)


def settled(details, is_right=True) -> list[str]:
    prototype = parse_prototype("void f(const float* x, float* z, int n, cudaStream_t stream)")
    findings = [Finding(BLOCK_ORDER, "the order", severity="note", details=details)]
    expected = {"z": Expected(torch.from_numpy(RIGHT).double(), torch.full((4,), 1e-6, dtype=torch.float64))}
    with Arena([(prototype, {"x": (4,), "z": (4,)})]) as arena:
        settle_orders(findings, arena.cases[0], expected, is_right)
    return [finding.severity for finding in findings]


def outputs(values) -> dict:
    return {"outputs": {"z": b64encode(np.asarray(values, np.float32).tobytes()).decode()}}


def test_wrong_outputs_in_another_order_fail_a_case_that_is_right():
    assert settled(outputs([0, 1, 3, 2])) == ["error"]
    assert settled(outputs([0, 1, 3, 2]), is_right=False) == []
    assert settled(outputs(RIGHT)) == []


@pytest.mark.parametrize(
    "made_up", [{}, {"outputs": 1}, {"outputs": {}}, {"outputs": {"z": 7}}, {"outputs": {"z": "?"}}, outputs([1, 2])]
)
def test_what_a_submission_may_have_made_up_says_nothing(made_up):
    assert settled(made_up) == []
