"""Weights that each lane takes from the lane beside the right one are told, with the places behind the end."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw


def product(inputs):
    return {"out": inputs["w"] @ inputs["v"]}


def case(rows: int, keys: int, team: int, by: int) -> Case:
    draw = Draw(rows * keys)
    w, v = draw.normal(rows, keys).double(), draw.normal(keys, 24).double()
    padded = torch.zeros(rows, -(-keys // team) * team).double()
    padded[:, :keys] = w
    lanes = torch.arange(keys)
    got = padded[:, lanes // team * team + (lanes + by) % team] @ v
    call = SimpleNamespace(scalars={"rows": rows, "keys": keys}, terms=keys)
    launch = {"kernel": "k", "grid": [1, 1, 1], "block": [128, 1, 1]}
    return Case(call, product, {"w": w, "v": v}, "out", got, w @ v, 1e-6 * (w.abs() @ v.abs()), [launch])


@pytest.mark.parametrize(("team", "by"), [(8, 1), (32, -1)])
def test_a_value_of_the_lane_beside(team, by):
    cases = [case(20, 45, team, by), case(31, 64, team, by)]
    assert f"one of each {team}: is a value taken from the lane beside" in cause(cases).message(cases[0])
