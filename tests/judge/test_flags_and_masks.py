"""A flag that is not asked, and a mask that is off by one."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw


def means(q, k, causal, more=0):
    """Each query's mean of k's rows, weighted by what they have in common; `more` keys than it may see, if causal."""
    rows = torch.arange(q.shape[0])
    seen = (rows[None, :] <= rows[:, None] + more) | (not causal)
    return torch.softmax((q @ k.T).masked_fill(~seen, -torch.inf), 1).nan_to_num() @ k


def case(n, got):
    q, k = (Draw(seed).normal(n * 4).double().view(n, 4) for seed in (n, n + 1))
    task = SimpleNamespace(shapes={"q": "n, d", "k": "n, d", "out": "n, d"})
    call = SimpleNamespace(scalars={"n": n, "d": 4, "causal": 1}, terms=n, task=task)
    right = means(q, k, True)

    def reference(inputs):
        return {"out": means(inputs["q"], inputs["k"], bool(inputs.get("causal", 1)))}

    return Case(call, reference, {"q": q, "k": k}, "out", got(q, k), right, 1e-6 * right.abs())


@pytest.mark.parametrize(
    ("got", "words"),
    [
        (lambda q, k: means(q, k, False), "right for causal = 0, and here it is 1"),
        (lambda q, k: means(q.flip(0), k.flip(0), True).flip(0), "right for what lies from i to the end"),
        (lambda q, k: means(q, k, True, more=1), "right with one more than causal lets it see"),
        (lambda q, k: means(q, k, True, more=-1), "right with one less than causal lets it see"),
    ],
)
def test_the_mask_is_named(got, words):
    cases = [case(19, got), case(12, got)]
    assert words in cause(cases).message(cases[0])


def test_of_rows_that_later_ones_see_no_mask_is_told():
    """As of a key, whose gradient comes of all queries behind it."""

    def later(inputs, more=0):
        rows = torch.arange(len(inputs["q"]))
        return {"out": ((rows[None, :] >= rows[:, None] + more) * 1.0).double() @ inputs["q"]}

    cases = [replace(case(n, lambda q, k: later({"q": q}, more=1)["out"]), reference=later) for n in (19, 12)]
    cases = [replace(each, expected=later(each.inputs)["out"]) for each in cases]
    found = cause(cases)
    assert found is None or "than causal lets it see" not in found.message(cases[0])


def test_of_a_single_row_no_mask_is_told():
    assert cause([case(1, lambda q, k: means(q, k, True) + 0.3 * q.sin())]) is None


def test_two_more_is_another_mask():
    assert cause([case(19, lambda q, k: means(q, k, True, more=2))]) is None
