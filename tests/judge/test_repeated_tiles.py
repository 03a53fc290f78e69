"""Products whose steps take another tile than their own are told by which."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw
from tests.shared import long_tail


def product(inputs):
    return {"c": inputs["a"] @ inputs["b"]}


def case(m, n, k, tiles, size) -> Case:
    """`tiles` says which tile each of so many steps takes."""
    draw = Draw(m * n * k)
    a, b = draw.normal(m, k).double(), draw.normal(k, n).double()
    steps = -(-k // size)
    wide, high = torch.zeros(m, steps * size).double(), torch.zeros(steps * size, n).double()
    wide[:, :k], high[:k] = a, b
    parts = [slice(tile * size, tile * size + size) for tile in tiles(steps)]
    got = sum(wide[:, part] @ high[part] for part in parts)
    call = SimpleNamespace(scalars={"m": m, "n": n, "k": k}, terms=k)
    launch = {"kernel": "k", "grid": [1, 1, 1], "block": [64, 1, 1]}
    return Case(call, product, {"a": a, "b": b}, "c", got, a @ b, 1e-6 * (a.abs() @ b.abs()), [launch])


ROWS = [
    (lambda steps: [0] * steps, 16, "takes the first 16 of the sum's terms again, of a and of b"),
    (lambda steps: [0, *range(steps - 1)], 8, "takes the 8 terms of the step before, of a and b"),
    (lambda steps: [0] * steps, 32, "takes the first 32 of the sum's terms again"),
    (lambda steps: [*range(steps // 2), *range(steps // 2)], 4, ""),
]


@pytest.mark.parametrize(("tiles", "size", "said"), long_tail(ROWS, every=3))
def test_which_tile_each_step_takes(tiles, size, said):
    cases = [case(31, 33, 70, tiles, size), case(20, 37, 101, tiles, size)]
    found = cause(cases)
    assert said in found.message(cases[0]) if said else found is None or "step" not in found.name
