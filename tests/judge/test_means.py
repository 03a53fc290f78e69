"""What attention does not rescale, divide or add is found from the weights that its reference tells."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.means import causes_of_means
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw
from tests.shared import long_tail

LAUNCH = {"kernel": "k", "grid": [2, 1, 1], "block": [64, 1, 1]}


def attention(inputs):
    scores = inputs["q"] @ inputs["k"].mT
    return {"out": torch.softmax(scores, -1) @ inputs["v"], "lse": scores.logsumexp(-1)}


def case(keys, buffer, computed):
    draw = Draw(keys)
    inputs = {name: draw.normal(2 * keys * 4).double().view(2, keys, 4) for name in "qkv"}
    right = attention(inputs)[buffer]
    scores = inputs["q"] @ inputs["k"].mT
    call = SimpleNamespace(scalars={"n": keys, "d": 4}, terms=keys)
    got = computed(scores, inputs["v"])
    return Case(call, attention, inputs, buffer, got, right, 1e-6 * right.abs() + 1e-9, [LAUNCH])


def so_far(scores, tile):
    keys = scores.shape[-1]
    ends = (torch.arange(keys) // tile * tile + tile - 1).clamp(max=keys - 1)
    return torch.exp(scores - scores.cummax(-1).values[..., ends])


def shifted(scores):
    return torch.exp(scores - scores.amax(-1, keepdim=True))


def total(terms):
    return terms.sum(-1, keepdim=True)


def of_the_last(scores, tile):
    terms = shifted(scores)
    return total(terms[..., scores.shape[-1] // tile * tile :])


def of_parts(scores, parts):
    """The sum of what so many parts of the keys add up, each beside its own maximum."""
    split = scores.split(-(-scores.shape[-1] // parts), -1)
    return sum(total(shifted(part)) for part in split)


def padded(scores, tile):
    return torch.nn.functional.pad(scores, (0, -scores.shape[-1] % tile))


def by_exp2(scores):
    return 2 ** (scores - scores.cummax(-1).values) * torch.exp(scores.cummax(-1).values - scores.amax(-1, True))


ROWS = [
    ("out", lambda scores, v: v[:, -1:].expand_as(v), "for the last key that its query sees, and no other"),
    ("out", lambda scores, v: torch.softmax(scores.cumsum(-1), -1) @ v, "begins with the one before, of another key"),
    (
        "out",
        lambda scores, v: torch.softmax(scores * 0.6931471805599453, -1) @ v,
        "are 2^(score - maximum): write expf",
    ),
    ("out", lambda scores, v: by_exp2(scores) @ v / total(by_exp2(scores)), "and are rescaled with expf"),
    (
        "out",
        lambda scores, v: torch.softmax(scores, -1) @ v * total(shifted(scores)) / of_parts(scores, 3),
        "The sums that 3 parts of the keys have beside maxima of their own are added as they are, and out is divided",
    ),
    (
        "lse",
        lambda scores, v: scores.amax(-1) + of_parts(scores, 4)[..., 0].log(),
        "The sums that 4 parts of the keys have beside maxima of their own are added as they are for lse",
    ),
    (
        "lse",
        lambda scores, v: shifted(scores).sum(-1).log() - scores.amax(-1),
        "lse is the logarithm of the sum less the maximum: add it",
    ),
    (
        "lse",
        lambda scores, v: scores.amax(-1) - shifted(scores).sum(-1).log(),
        "lse is the maximum less the logarithm of the sum",
    ),
    (
        "lse",
        lambda scores, v: scores.amax(-1) * shifted(scores).sum(-1).log(),
        "lse is the maximum times the logarithm of the sum",
    ),
    ("out", lambda scores, v: shifted(scores) @ v / of_the_last(scores, 8), "that of the last 8 keys, or fewer, alone"),
    (
        "lse",
        lambda scores, v: scores.amax(-1) + of_the_last(scores, 8)[..., 0].log(),
        "that of the last 8 keys, or fewer, alone",
    ),
    (
        "out",
        lambda scores, v: torch.softmax(padded(scores, 16), -1)[..., : scores.shape[-1]] @ v,
        "Each place behind the last key, in its tile of 16, counts in out as a key with a score of 0",
    ),
    ("lse", lambda scores, v: padded(scores, 16).logsumexp(-1), "in its tile of 16, counts in lse"),
    ("out", lambda scores, v: so_far(scores, 1) @ v / total(shifted(scores)), "What out adds up of v is not rescaled"),
    ("out", lambda scores, v: so_far(scores, 8) @ v / total(shifted(scores)), "What out adds up of v is not rescaled"),
    ("out", lambda scores, v: shifted(scores) @ v / total(so_far(scores, 1)), "The sum that out is divided by is not"),
    ("out", lambda scores, v: so_far(scores, 1) @ v / total(so_far(scores, 1)), "Neither the sum nor what out adds up"),
    ("out", lambda scores, v: shifted(scores) @ v, "out is not divided by the sum"),
    ("lse", lambda scores, v: shifted(scores).sum(-1).log(), "add the maximum to it"),
    ("lse", lambda scores, v: scores.amax(-1) + so_far(scores, 1).sum(-1).log(), "The sum whose logarithm lse is"),
]


@pytest.mark.parametrize(("buffer", "computed", "words"), long_tail(ROWS, every=3))
def test_the_cause_is_found(buffer, computed, words):
    cases = [case(23, buffer, computed), case(37, buffer, computed)]
    assert words in cause(cases).message(cases[0])


def test_what_is_off_by_something_else_has_no_cause():
    def computed(scores, v):
        return so_far(scores, 1) @ v / total(shifted(scores)) + torch.arange(v.shape[-1])

    assert cause([case(23, "out", computed)]) is None


def test_an_output_that_is_neither_gets_no_rule():
    def and_another(inputs):
        return attention(inputs) | {"grad": 2 * inputs["q"]}

    attended = case(23, "out", lambda scores, v: shifted(scores) @ v)
    grad = replace(attended, reference=and_another, buffer="grad", expected=2 * attended.inputs["q"])
    assert list(causes_of_means(grad)) == []


def causal(inputs, mask=-torch.inf, factor=1.0):
    scores = factor * inputs["q"] @ inputs["k"].mT
    keys = torch.arange(scores.shape[-1])
    scores = torch.where(keys[None, :] > keys[:, None], mask, scores)
    return {"out": torch.softmax(scores, -1) @ inputs["v"], "lse": scores.logsumexp(-1)}


@pytest.mark.parametrize("buffer", ["out", "lse"])
def test_a_mask_of_0(buffer):
    cases = [case(keys, buffer, lambda scores, v: scores) for keys in (24, 40)]
    cases = [
        replace(
            each,
            reference=causal,
            expected=causal(each.inputs)[buffer],
            got=causal(each.inputs, 0.0)[buffer],
            allowed=1e-6 * causal(each.inputs)[buffer].abs() + 1e-9,
        )
        for each in cases
    ]
    assert f"and places behind the last key, count in {buffer} with a score of 0" in cause(cases).message(cases[0])


def test_rows_whose_weights_are_too_small_for_numbers_contradict_nothing():
    plain = case(37, "out", lambda scores, v: so_far(scores, 8) @ v / total(shifted(scores)))
    steep = replace(plain, inputs={**plain.inputs, "q": 500 * plain.inputs["q"]}, answers={}, counted_in={})
    scores = steep.inputs["q"] @ steep.inputs["k"].mT
    right = attention(steep.inputs)["out"]
    got = so_far(scores, 8) @ steep.inputs["v"] / total(shifted(scores))
    steep = replace(steep, expected=right, got=got, allowed=1e-6 * right.abs() + 1e-9)
    assert "What out adds up of v is not rescaled" in cause([plain, steep]).message(plain)
