"""Gradients of attention whose sums of grad_out * out are wrong, or another row's, are told as that."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.deltas import causes_of_deltas
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw

SIZES = ((2, 41, 16), (3, 20, 8))


def gradients(inputs, sums=None, causal=False):
    """grad_k by hand, with other sums (heads, queries, keys) if they are given."""
    q, k, v, out, grad = (inputs[name] for name in ("q", "k", "v", "out", "grad_out"))
    scale = q.shape[-1] ** -0.5
    weights = (q @ k.mT * scale - inputs["lse"][..., None]).exp()
    own = (grad * out).sum(-1)[..., None].expand(weights.shape)
    return {"grad_k": (weights * (grad @ v.mT - (own if sums is None else sums(inputs))) * scale).mT @ q}


def case(sums, heads, n, d):
    draw = Draw(heads * n + d)
    inputs = {name: draw.normal(heads, n, d).double() for name in ("q", "k", "v", "grad_out")}
    scores = inputs["q"] @ inputs["k"].mT * d**-0.5
    inputs["out"], inputs["lse"] = scores.softmax(-1) @ inputs["v"], scores.logsumexp(-1)
    right, got = gradients(inputs)["grad_k"], gradients(inputs, sums)["grad_k"]
    call = SimpleNamespace(scalars={"heads": heads, "n": n, "d": d}, terms=n)
    launches = [{"kernel": "k", "grid": [heads, 1, 1], "block": [64, 1, 1]}]
    allowed = torch.full_like(right, 1e-6)
    return Case(call, gradients, inputs, "grad_k", got, right, allowed, launches)


def of_rows(rows):
    """The sum of another query's row."""

    def sums(inputs):
        own = (inputs["grad_out"] * inputs["out"]).sum(-1)
        return rows(own)[..., None].expand(*own.shape, own.shape[-1])

    return sums


def of_keys(inputs):
    own = (inputs["grad_out"] * inputs["out"]).sum(-1)
    return own[:, None].expand(*own.shape, own.shape[-1])


def by_thread(inputs):
    own = (inputs["grad_out"] * inputs["out"]).sum(-1)
    n = own.shape[1]
    query, key = torch.arange(n)[:, None], torch.arange(n)
    places = query // 16 * 16 + key % 16
    return own[:, torch.where(places < n, places, places - 16)]


@pytest.mark.parametrize(
    ("sums", "said"),
    [
        (of_rows(lambda own: own[:1].expand(own.shape)), "where that of the first head's row stands in the place"),
        (of_rows(lambda own: own[:, torch.arange(own.shape[1]) % 16]), "that of row i % 16 in the place of row i's"),
        (of_rows(lambda own: -own), "its negative, so that it is added and not subtracted"),
        (lambda inputs: (inputs["out"] ** 2).sum(-1)[..., None], "the row's sum of out * out"),
        (of_keys, "that of the row that is written, the key's"),
        (
            lambda inputs: inputs["grad_out"] @ inputs["out"].mT,
            "takes grad_out's row of the query and out's of the key",
        ),
        (by_thread, "of each tile of 16 queries the sum of grad_out * out is read at the thread's own place"),
    ],
)
def test_other_sums_are_told(sums, said):
    cases = [case(sums, *sizes) for sizes in SIZES]
    assert said in cause(cases).message(cases[0])


def test_of_the_right_sums_nothing_is_told():
    cases = [case(of_rows(lambda own: own.flip(1) + 1), *sizes) for sizes in SIZES]
    found = cause(cases)
    assert found is None or "delta" not in found.name


@pytest.mark.parametrize("p", [20, 17])
def test_of_gradients_without_such_sums_nothing_is_told(p):
    """Of lesson 07's: another shape than `out` has, or the same one."""
    draw, n, m = Draw(7), 20, 17
    inputs = {"a": draw.normal(2, n, m).double(), "b": draw.normal(2, m, p).double()}
    terms = inputs["a"][..., None] + inputs["b"][:, None]
    inputs |= {"out": terms.logsumexp(2), "grad_out": draw.normal(2, n, p).double()}

    def reference(given):
        terms = given["a"][..., None] + given["b"][:, None]
        return {"grad_a": ((terms - given["out"][:, :, None]).exp() * given["grad_out"][:, :, None]).sum(3)}

    right = reference(inputs)["grad_a"]
    call = SimpleNamespace(scalars={"batch": 2, "n": n, "m": m, "p": p}, terms=p)
    launches = [{"kernel": "k", "grid": [2, 1, 1], "block": [64, 1, 1]}]
    wrong = Case(call, reference, inputs, "grad_a", right.roll(1, 1), right, 0 * right + 1e-6, launches)
    assert not list(causes_of_deltas(wrong))
