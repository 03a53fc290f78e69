"""Tiles that are read with their indices swapped are told where they hang over an edge, too."""

from __future__ import annotations

from types import SimpleNamespace

import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw


def case(rows, cols, got, reference):
    x = Draw(rows * cols).normal(rows * cols).double().view(rows, cols)
    call = SimpleNamespace(scalars={"rows": rows, "cols": cols}, terms=cols)
    right = reference({"x": x})["out"]
    launches = [{"kernel": "k", "grid": [1, 1, 1], "block": [96, 1, 1]}]
    return Case(call, reference, {"x": x}, "out", got(x), right, torch.full_like(right, 1e-6), launches)


def sums(inputs):
    return {"out": inputs["x"].sum(1)}


def of_turned_tiles(x, size=16):
    """The sum of each row of x with its tiles turned, of whole tiles."""
    rows, cols = x.shape
    down, across = -(-rows // size) * size, -(-cols // size) * size
    whole = x.new_zeros(down, across)
    whole[:rows, :cols] = x
    turned = whole.view(down // size, size, across // size, size).transpose(1, 3).reshape(down, across)
    return turned.sum(1)[:rows]


def test_a_tile_over_the_edge_is_turned_as_a_whole():
    cases = [case(rows, cols, of_turned_tiles, sums) for rows, cols in ((15, 17), (40, 33))]
    assert "x with each 16 x 16 tile turned round" in cause(cases).message(cases[0])


def products(inputs):
    return {"out": inputs["x"] @ inputs["y"].mT}


def with_moved(places):
    """The product of x and y, where x[row][col] is that of other places; zeros where there is none."""

    def got(x, y):
        r, c = torch.meshgrid(*map(torch.arange, x.shape), indexing="ij")
        row, col = places(r, c)
        known = (row < x.shape[0]) & (col < x.shape[1])
        return torch.where(known, x[row.clamp(max=len(x) - 1), col.clamp(max=x.shape[1] - 1)], 0.0) @ y.mT

    return got


def of_two(rows, cols, got, reference=products):
    draw = Draw(rows + cols)
    x, y = (draw.normal(rows * cols).double().view(rows, cols) for _ in range(2))
    call = SimpleNamespace(scalars={"rows": rows, "cols": cols}, terms=cols)
    right = reference({"x": x, "y": y})["out"]
    launches = [{"kernel": "k", "grid": [1, 1, 1], "block": [96, 1, 1]}]
    return Case(call, reference, {"x": x, "y": y}, "out", got(x, y), right, torch.full_like(right, 1e-6), launches)


def test_tiles_in_each_other_s_place_are_told():
    moved = with_moved(lambda r, c: (c // 16 * 16 + r % 16, r // 16 * 16 + c % 16))
    cases = [of_two(rows, cols, moved) for rows, cols in ((40, 33), (50, 48))]
    assert "x with its 16 x 16 tiles in each other's place" in cause(cases).message(cases[0])


def test_inputs_in_each_other_s_place_are_told():
    def shares(inputs):
        return {"out": (inputs["x"].exp() * inputs["y"]).sum(1)}

    cases = [of_two(rows, cols, lambda x, y: (y.exp() * x).sum(1), shares) for rows, cols in ((20, 33), (15, 12))]
    assert "right with x and y in each other's place" in cause(cases).message(cases[0])


def test_what_is_turned_in_one_case_alone_is_not():
    cases = [case(15, 17, of_turned_tiles, sums), case(40, 33, lambda x: x.sum(1) + 1, sums)]
    found = cause(cases)
    assert found is None or "turned" not in found.message(cases[0])
