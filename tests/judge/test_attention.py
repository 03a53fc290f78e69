"""Attention with a mask that compares other numbers, and gradients with one factor for another, are told as that."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw

SIZES = ((2, 41, 16), (3, 20, 8))
BACKWARD = ("grad_q", "grad_k", "grad_v")


def inputs_of(heads, n, d):
    draw = Draw(heads * n + d)
    inputs = {name: draw.normal(heads, n, d).double() for name in ("q", "k", "v", "grad_out")}
    scores = scores_of(inputs)
    inputs["out"], inputs["lse"] = scores.softmax(-1) @ inputs["v"], scores.logsumexp(-1)
    return inputs


def scores_of(inputs):
    scores = inputs["q"] @ inputs["k"].mT * inputs["q"].shape[-1] ** -0.5
    return torch.where(torch.ones_like(scores).tril() > 0, scores, -torch.inf)


def forward(inputs):
    scores = scores_of(inputs)
    if not int(inputs.get("causal", torch.tensor(1))):
        scores = inputs["q"] @ inputs["k"].mT * inputs["q"].shape[-1] ** -0.5
    return {"out": scores.softmax(-1) @ inputs["v"], "lse": scores.logsumexp(-1)}


def gradients(inputs, lse=None, last=None, scores=None):
    """By hand, with another lse, other last factors, or other scores."""
    scale = inputs["q"].shape[-1] ** -0.5
    scores = scores_of(inputs) if scores is None else scores.masked_fill(scores_of(inputs) == -torch.inf, -torch.inf)
    weights = (scores - (inputs["lse"][..., None] if lse is None else lse)).exp()
    rest = (inputs["grad_out"] * inputs["out"]).sum(-1, keepdim=True)
    of_scores = weights * (inputs["grad_out"] @ inputs["v"].mT - rest) * scale
    q, k, grad = last or (inputs["q"], inputs["k"], inputs["grad_out"])
    return {"grad_q": of_scores @ k, "grad_k": of_scores.mT @ q, "grad_v": weights.mT @ grad}


def case(buffer, got, heads, n, d):
    inputs = inputs_of(heads, n, d)
    reference = gradients if buffer in BACKWARD else forward
    if reference is forward:
        inputs = {name: inputs[name] for name in "qkv"}
    call = SimpleNamespace(scalars={"heads": heads, "n": n, "d": d, "causal": 1}, terms=n)
    launches = [{"kernel": "k", "grid": [heads, 1, 1], "block": [16, 1, 1]}]
    right = reference(inputs)[buffer]
    return Case(call, reference, inputs, buffer, got(inputs), right, torch.full_like(right, 1e-6), launches)


def told(buffer, got):
    cases = [case(buffer, got, *sizes) for sizes in SIZES]
    found = cause(cases)
    return found.message(cases[0]) if found else ""


def masked(seen, padded=1):
    """The output where these keys are seen, with scores of 0 behind the last key up to a whole tile."""

    def got(inputs):
        scores = inputs["q"] @ inputs["k"].mT * inputs["q"].shape[-1] ** -0.5
        n = scores.shape[-1]
        scores = torch.nn.functional.pad(scores, (0, -n % padded))
        values = torch.nn.functional.pad(inputs["v"], (0, 0, 0, -n % padded))
        i, j = torch.arange(n)[:, None], torch.arange(scores.shape[-1])
        return scores.masked_fill(~seen(i, j, n), -torch.inf).softmax(-1) @ values

    return got


def rest_as_it_was(inputs):
    weights = scores_of(inputs).softmax(-1)
    scores = inputs["q"] @ inputs["k"].mT * inputs["q"].shape[-1] ** -0.5
    return torch.where(torch.ones_like(scores).tril() > 0, weights, scores) @ inputs["v"]


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (masked(lambda i, j, n: j >= n - 1 - i), "Row i of out sees the last i + 1 keys, and should see the first"),
        (masked(lambda i, j, n: j >= i), "and not `key >= query`"),
        (masked(lambda i, j, n: j <= i % 16), "sees the keys j with `j <= i % 16`, as of threadIdx.x"),
        (masked(lambda i, j, n: j <= i // 8 * 8), "`j <= i / 8 * 8`, as of the first row of a group for all of them"),
        (masked(lambda i, j, n: j // 16 <= i // 16), "and the others of the tile of 16 that its own is in"),
        (
            masked(lambda i, j, n: (j < i // 16 * 16) | (i < 16) & (j <= i)),
            "as of tiles of 16 with the last one left out",
        ),
        (masked(lambda i, j, n: j % 32 <= i % 16, 32), "sees the keys j with `j % 32 <= i % 16`"),
        (masked(lambda i, j, n: (j >= n) | (j <= i), 16), "its tile of 16, counts in out with a score of 0, in every"),
        (rest_as_it_was, "must not see counts with its score as it was"),
        (masked(lambda i, j, n: (j <= i) & (j % 7 != 3) | (j == i)), ""),
    ],
)
def test_another_mask_is_told(got, said):
    found = told("out", got)
    assert said in found if said else "sees the keys j" not in found


def weighed_by(group, of_outputs, of_sums):
    """The output where threads, or parts of the keys, have maxima of their own that nothing puts together."""

    def got(inputs):
        scores = scores_of(inputs)
        whose = group(torch.arange(scores.shape[-1]))
        by_row = (scores - scores.amax(-1, keepdim=True)).exp()
        by_own = torch.zeros_like(scores)
        for each in whose.unique():
            own = scores[..., whose == each]
            by_own[..., whose == each] = (own - own.amax(-1, keepdim=True)).exp().nan_to_num(0.0)
        outputs, sums = (by_own if wrong else by_row for wrong in (of_outputs, of_sums))
        return outputs @ inputs["v"] / sums.sum(-1, keepdim=True)

    return got


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (weighed_by(lambda j: j % 16, True, True), "from 16 threads that take keys in turn, each weighed by its own"),
        (weighed_by(lambda j: j % 4, True, False), "multiply the output of each, as its sum, with expf(its own"),
        (weighed_by(lambda j: j // 16, False, True), "is divided by the sums of tiles of 16 keys, each by its own"),
        (weighed_by(lambda j: j * j % 7, True, True), ""),
    ],
)
def test_maxima_that_nothing_puts_together_are_told(got, said):
    found = told("out", got)
    assert said in found if said else "maximum" not in found


def with_last(buffer, *names):
    return lambda inputs: gradients(inputs, last=[inputs[name] for name in names])[buffer]


def own_row(buffer, name):
    """The row that is written for the last factor of each term."""

    def got(inputs):
        ones = torch.ones_like(inputs["q"])
        return gradients(inputs, last=[ones] * 3)[buffer] * inputs[name]

    return got


@pytest.mark.parametrize(
    ("buffer", "got", "said"),
    [
        ("grad_k", own_row("grad_k", "q"), "with the key's own row of q, which stays the same, where the query's row"),
        ("grad_v", own_row("grad_v", "v"), "with the key's own row of v, which stays the same, where the query's row"),
        ("grad_q", with_last("grad_q", "q", "v", "q"), "with the key's row of v where the key's row of k belongs"),
        (
            "grad_k",
            lambda inputs: gradients(inputs, lse=inputs["lse"][:1, :, None])["grad_k"],
            "Every head's weights of grad_k take the first head's lse",
        ),
        (
            "grad_v",
            lambda inputs: gradients(inputs, lse=inputs["lse"][:, None, :])["grad_v"],
            "take the key's lse, exp(q . k / sqrt(d) - lse[key])",
        ),
        (
            "grad_v",
            lambda inputs: gradients(inputs, scores=inputs["q"] @ inputs["v"].mT * inputs["q"].shape[-1] ** -0.5)[
                "grad_v"
            ],
            "The weights of grad_v are exp(q . v / sqrt(d) - lse), and should be of q . k.",
        ),
        ("grad_q", lambda inputs: gradients(inputs)["grad_q"].roll(3, 1), ""),
    ],
)
def test_another_factor_is_told(buffer, got, said):
    assert told(buffer, got) == said if not said else said in told(buffer, got)
