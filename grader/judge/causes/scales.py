"""Why attention's scores have a wrong scale: 1 / sqrt(d) is forgotten, there twice, 1 / d, or upside down."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import torch

from grader.judge.causes.asked import Case, Cause
from grader.judge.causes.means import Means, means_of

SAME = 1e-3  # relative, of a scale

Factor = Callable[[int, int], float]  # of d, and of how many keys there are: from the right scores to those that fit

_BELONGS = "multiply each with 1 / sqrtf(d), once, before the maximum and expf"
_SCALES: tuple[tuple[str, Factor, str], ...] = (
    (
        "none",
        lambda d, n: math.sqrt(d),
        "{buffer} is right for scores that are not divided by sqrt(d): " + _BELONGS + ".",
    ),
    (
        "twice",
        lambda d, n: 1 / math.sqrt(d),
        "{buffer} is right for scores that are divided by d, or by sqrt(d) twice, as where each part of a sum is scaled"
        " and the sum again: " + _BELONGS + ".",
    ),
    (
        "upside_down",
        lambda d, n: float(d),
        "{buffer} is right for scores that are multiplied with sqrt(d), where they should be divided by it: "
        + _BELONGS
        + ".",
    ),
    (
        "of_keys",
        lambda d, n: math.sqrt(d / n),
        "{buffer} is right for scores that are divided by the root of how many keys there are, where sqrt(d) belongs:"
        " d is how many numbers a query has.",
    ),
    (
        "of_half",
        lambda d, n: math.sqrt(2),
        "{buffer} is right for scores that are divided by sqrt(d / 2): " + _BELONGS + ".",
    ),
    (
        "of_double",
        lambda d, n: math.sqrt(0.5),
        "{buffer} is right for scores that are divided by sqrt(2 * d): " + _BELONGS + ".",
    ),
)


def causes_of_scales(case: Case) -> Iterator[Cause]:
    """Of outputs that are means by scores of two inputs, or the logarithms of their sums; none of others."""
    found = means_of(case)
    if found is None or not (case.buffer == found.means or case.expected.shape == found.weights.shape[:-1]):
        return
    pair = [name for name, values in case.inputs.items() if values.shape == case.inputs[found.values].shape]
    queries = next((name for name in pair if name != found.values), "")
    if len(pair) < 3 or not _divides_by_root(case, found, queries, pair):
        return
    for key, factor, said in _SCALES:
        yield Cause(f"scale_{key}", partial(_is_right, factor, queries), partial(_said, said))


def _divides_by_root(case: Case, found: Means, queries: str, names: list[str]) -> bool:
    """Whether the reference's scores are products of queries and keys, divided by the root of their length."""
    keys = next((name for name in names if name not in (queries, found.values)), "")
    q, k = (case.inputs[name].double() for name in (queries, keys))
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    logs = found.weights.log()
    counts = logs.isfinite()
    if int(counts.sum(-1).max()) < 2:
        return False
    means = [
        (each.masked_fill(~counts, 0.0).sum(-1, keepdim=True) / counts.sum(-1, keepdim=True)) for each in (logs, scores)
    ]
    own, theirs = (torch.where(counts, each - mean, 0.0) for each, mean in zip((logs, scores), means, strict=True))
    return bool((own - theirs).abs().max() <= SAME * theirs.abs().max())


def _is_right(factor: Factor, queries: str, case: Case) -> bool:
    values = case.inputs[queries]
    return case.is_right_with(queries, values * factor(values.shape[-1], values.shape[-2]))


def _said(words: str, case: Case) -> str:
    return words.format(buffer=case.buffer)
