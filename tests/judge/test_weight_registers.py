"""Weights of attention that are packed into the wrong registers are told by them, whatever the maximum was so far."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from grader.course.prototype import parse_prototype
from grader.judge.causes.asked import Case
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw

PROTOTYPE = parse_prototype(
    "void f(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out, int n, int d,"
    " cudaStream_t stream)"
)


def forward(inputs):
    scores = inputs["q"] @ inputs["k"].mT * inputs["q"].shape[-1] ** -0.5
    return {"out": scores.softmax(-1) @ inputs["v"]}


def by_hand(inputs, registers, tile, packs=False, scaled_by=lambda rows: rows):
    """Tile by tile, as a kernel does, with each of a fragment's registers of weights from another one."""
    q, k, v = (inputs[name] for name in "qkv")
    heads, n, d = q.shape
    rows, keys = -(-n // 16) * 16, -(-n // tile) * tile
    scores = torch.full((heads, rows, keys), -torch.inf).double()
    scores[..., :n] = torch.nn.functional.pad(q, (0, 0, 0, rows - n)) @ k.mT * d**-0.5
    values = torch.nn.functional.pad(v, (0, 0, 0, keys - n))
    top, total, out = scores[..., :1].clone() - torch.inf, 0.0, torch.zeros(heads, rows, d).double()
    for first in range(0, keys, tile):
        part = scores[..., first : first + tile]
        new = torch.maximum(top, part.amax(-1, keepdim=True))
        weights = torch.exp(part - new)
        moved = weights.clone()
        for row in range(rows):
            for key in range(tile):
                of = registers[row % 16 // 8 + key % 16 // 8 * 2]
                there = row // 16 * 16 + row % 8 + of % 2 * 8, key // 16 * 16 + key % 8 + of // 2 * 8
                moved[:, row, key] = weights[:, there[0], there[1] ^ packs]
        scale = torch.exp(top - new)
        other = scale[:, scaled_by(torch.arange(rows))]
        out, total, top = (
            out * other + moved @ values[:, first : first + tile],
            total * scale + weights.sum(-1, True),
            new,
        )
    return (out / total)[:, :n]


def case(heads, n, d, registers, tile, packs, scaled_by=lambda rows: rows):
    draw = Draw(heads * n + d)
    inputs = {name: draw.normal(heads, n, d).double() for name in "qkv"}
    right = forward(inputs)["out"]
    shapes = {name: "heads, n, d" for name in ("q", "k", "v", "out")}
    task = SimpleNamespace(signature=PROTOTYPE, shapes=shapes, results=[SimpleNamespace(name="out")])
    call = SimpleNamespace(task=task, scalars={"heads": heads, "n": n, "d": d}, terms=n)
    launches = [{"kernel": "k", "grid": [heads, 1, 1], "block": [32, 1, 1]}]
    got = by_hand(inputs, registers, tile, packs, scaled_by)
    return Case(call, forward, inputs, "out", got, right, torch.full_like(right, 1e-5), launches)


@pytest.mark.parametrize(
    ("registers", "tile", "packs", "said"),
    [
        ((0, 2, 1, 3), 16, False, "in register 1 what belongs in 2, and register 2 what belongs in 1, counted from 0"),
        ((0, 1, 0, 1), 32, False, "in register 2 what belongs in 0, and register 3 what belongs in 1"),
        ((0, 0, 2, 3), 16, False, "in register 1 what belongs in 0, counted from 0"),
        ((0, 1, 2, 3), 32, True, "the two weights of a register are in each other's place"),
    ],
)
def test_weights_in_wrong_registers_are_told(registers, tile, packs, said):
    cases = [case(2, 17, 64, registers, tile, packs), case(1, 41, 128, registers, tile, packs)]
    found = cause(cases)
    assert found and said in found.message(cases[0])


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (lambda rows: rows & ~8, "what a lane has of row + 8 is multiplied with the factor of row when"),
        (lambda rows: rows | 8, "what a lane has of row is multiplied with the factor of row + 8 when"),
    ],
)
def test_rows_that_are_rescaled_by_anothers_factor(rows, said):
    cases = [case(2, 33, 64, (0, 1, 2, 3), 16, False, rows), case(1, 41, 128, (0, 1, 2, 3), 16, False, rows)]
    found = cause(cases)
    assert found and said in found.message(cases[0])


@pytest.mark.slow
def test_what_is_wrong_otherwise_is_not_told_of_registers():
    cases = [case(2, 17, 64, (0, 1, 2, 3), 16, False), case(1, 41, 128, (0, 1, 2, 3), 16, False)]
    for each in cases:
        each.got.mul_(1 + torch.arange(each.got.numel()).view(each.got.shape).sin() / 3)
    found = cause(cases)
    assert found is None or "register" not in found.message(cases[0])
