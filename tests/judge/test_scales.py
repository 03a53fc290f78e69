"""A wrong scale of attention's scores is told by what it should be."""

import math
from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw
from tests.shared import long_tail

LAUNCH = {"kernel": "k", "grid": [2, 1, 1], "block": [64, 1, 1]}


def attention(inputs, scale=None):
    scores = inputs["q"] @ inputs["k"].mT * (scale or 1 / math.sqrt(inputs["q"].shape[-1]))
    return {"out": torch.softmax(scores, -1) @ inputs["v"], "lse": scores.logsumexp(-1)}


def case(keys, width, buffer, scale, reference=attention):
    draw = Draw(keys)
    inputs = {name: draw.normal(2 * keys * width).double().view(2, keys, width) for name in "qkv"}
    right, got = reference(inputs)[buffer], attention(inputs, scale(width, keys))[buffer]
    call = SimpleNamespace(scalars={"n": keys, "d": width}, terms=keys)
    return Case(call, reference, inputs, buffer, got, right, 1e-6 * right.abs() + 1e-9, [LAUNCH])


ROWS = [
    ("out", lambda d, n: 1.0, "not divided by sqrt(d)"),
    ("lse", lambda d, n: 1 / d, "divided by d, or by sqrt(d) twice"),
    ("out", lambda d, n: d**0.5, "multiplied with sqrt(d), where they should be divided"),
    ("out", lambda d, n: n**-0.5, "the root of how many keys there are"),
    ("lse", lambda d, n: (d / 2) ** -0.5, "divided by sqrt(d / 2)"),
]


@pytest.mark.parametrize(("buffer", "scale", "words"), long_tail(ROWS, every=2))
def test_the_scale_of_the_scores(buffer, scale, words):
    cases = [case(*sizes, buffer, scale) for sizes in ((9, 8), (14, 6))]
    assert words in cause(cases).message(cases[0])


def test_scores_that_are_not_to_be_divided_say_nothing_of_a_root():
    def plain(inputs):
        return attention(inputs, 1.0)

    cases = [case(*sizes, "out", lambda d, n: d**-0.5, plain) for sizes in ((9, 8), (14, 6))]
    assert "sqrtf(d)" not in cause(cases).message(cases[0])
