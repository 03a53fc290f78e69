"""Gradients of attention with one factor for another: a row of k for one of q, the row that is written for the term's.

What is right is computed here as in Dao et al. 2022, appendix B.2, and asked for first: else nothing is told.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause

LARGEST = 88.0  # whose expf is finite in a float
ROUNDED, TELLS = 2e-6, 10  # relative, of what an exponent is the sum of; and how much further from what is right
NAMES = ("q", "k", "v", "out", "grad_out")
# Of each gradient: the factor of its terms that is a row of an input, whose row that is, and whose is written.
LAST = {"grad_q": ("k", "key", "query"), "grad_k": ("q", "query", "key"), "grad_v": ("grad_out", "query", "key")}


Sized = tuple[Tensor, Tensor]  # what is computed, and the sum of its terms' absolute values


@dataclass(frozen=True, eq=False)
class Parts:
    """Heads x queries x keys: the weights, what the loss changes by with a score, and how large the terms of both are.

    An exponent is off by a share of what it is the sum of, and a weight by as much of itself.
    """

    weights: Tensor
    of_scores: Tensor
    sizes: Mapping[str, Tensor]

    def with_last(self, buffer: str, factor: Tensor) -> Tensor:
        """A gradient whose terms have these rows as their last factor."""
        return _along(buffer, self) @ factor


def causes_of_gradients(case: Case) -> Iterator[Cause]:
    """Of attention's gradients by its inputs."""
    if not _is_known(case):
        return
    for name in NAMES:
        for own in (False, True):
            explains = partial(_has_last, name, own)
            yield Cause(f"gradient_last_{name}_{own}", explains, partial(_said_of_last, name, own))
    for what, words in (("weights", _OF_WEIGHTS), ("shares", _OF_SHARES)):
        for left in NAMES:
            for right in NAMES:
                explains, said = partial(_is_of, what, left, right), partial(_said_of, words, left, right)
                yield Cause(f"gradient_{what}_{left}_{right}", explains, said)
    for key, words in _OF_OTHERS.items():
        explains, said = partial(_is_of_others, key), partial(_said_of, words, "", "")
        yield Cause(f"gradient_{key}", explains, said, _is_too_large if key == "not_scaled" else None)
    for key, words in _OF_LSE.items():
        yield Cause(f"gradient_lse_{key}", partial(_is_of_lse, key), partial(_said_of, words, "", ""))


@lru_cache(8)
def _is_known(case: Case) -> bool:
    """Whether this is such a gradient, and what is computed here is what the reference computes."""
    inputs = case.inputs
    if case.buffer not in LAST or not {*NAMES, "lse"} <= inputs.keys() or inputs["q"].dim() != 3:
        return False
    if any(inputs[name].shape != case.expected.shape for name in NAMES):
        return False
    right = _parts(case).with_last(case.buffer, inputs[LAST[case.buffer][0]])
    return bool(((right - case.expected).abs() <= case.allowed).all())


def _is_too_large(case: Case) -> bool:
    """Whether weights of scores that are not scaled leave a float: what comes of them tells nothing."""
    exponents = case.inputs["q"] @ case.inputs["k"].mT - case.inputs["lse"][..., None]
    exponents = exponents.tril() if case.call.scalars.get("causal") else exponents
    return bool((exponents > LARGEST).any())


def _is_of_others(key: str, case: Case) -> bool:
    """Whether other keys are seen, or the scores are not scaled for the weights."""
    if not _is_known(case):
        return False
    inputs, causal = case.inputs, bool(case.call.scalars.get("causal"))
    if key == "not_scaled":
        root = math.sqrt(inputs["q"].shape[-1])
        product, size = _product(inputs, "q", "k")
        return _is_right_for(_parts(case, scores=(root * product, root * size)), case)
    by = {"without_diagonal": -1, "one_more": 1}[key]
    return causal and _is_right_for(_parts(case, seen=by), case)


def _parts(case: Case, seen: int = 0, **others: Sized) -> Parts:
    """The parts of a case, where `others` may stand for scores, shares or lse."""
    inputs: Mapping[str, Tensor] = case.inputs
    scale = 1 / math.sqrt(inputs["q"].shape[-1])
    scores, of_scores = others.get("scores", _product(inputs, "q", "k"))
    shares, of_shares = others.get("shares", _product(inputs, "grad_out", "v"))
    lse = others.get("lse", (inputs["lse"][..., None], inputs["lse"][..., None].abs()))
    weights = torch.exp(scores * scale - lse[0])
    weights = weights.tril(seen) if case.call.scalars.get("causal") else weights
    rest, of_rest = (each.sum(-1, keepdim=True) for each in _terms(inputs["grad_out"], inputs["out"]))
    off = weights * (1 + of_scores * scale + lse[1])
    sizes = {"weights": off, "of_scores": (off * (shares - rest).abs() + weights * (of_shares + of_rest)) * scale}
    return Parts(weights, weights * (shares - rest) * scale, sizes)


def _terms(one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    return one * other, (one * other).abs()


def _product(inputs: Mapping[str, Tensor], one: str, other: str) -> Sized:
    """The dot products of all rows of two inputs, and those of their absolute values."""
    return inputs[one] @ inputs[other].mT, inputs[one].abs() @ inputs[other].abs().mT


def _along(buffer: str, parts: Parts, sizes: bool = False) -> Tensor:
    """Heads x what is written x what is added up, or the sizes of that."""
    which = "weights" if buffer == "grad_v" else "of_scores"
    found: Tensor = parts.sizes[which] if sizes else getattr(parts, which)
    return found if buffer == "grad_q" else found.mT


def _has_last(name: str, own: bool, case: Case) -> bool:
    """Whether the last factor is a row of another input, or the row that is written and not the term's."""
    if not _is_known(case) or (name == LAST[case.buffer][0] and not own):
        return False
    parts, rows = _parts(case), case.inputs[name]
    if not own:
        return case.is_right_for(parts.with_last(case.buffer, rows))
    # A row's terms of grad_q are 0 together, but for what rounding leaves of them.
    claim = _along(case.buffer, parts).sum(-1, keepdim=True) * rows
    return _is_near(claim, _along(case.buffer, parts, True).sum(-1, keepdim=True) * rows.abs(), case)


def _said_of_last(name: str, own: bool, case: Case) -> str:
    right, of_terms, written = LAST[case.buffer]
    of = "an input" if case.buffer == "grad_q" else name  # the terms' sum is 0: it cannot tell which
    row = f"the {written}'s own row of {of}, which stays the same," if own else f"the {of_terms}'s row of {name}"
    return (
        f"What {case.buffer} adds up is multiplied with {row} where the {of_terms}'s row of {right} belongs: look at"
        f" the last factor of its terms."
    )


_OF_WEIGHTS = "The weights of {buffer} are exp({left} . {right} / sqrt(d) - lse), and should be of q . k."
_OF_SHARES = "What a weight of {buffer} is multiplied with takes {left} . {right}, where grad_out . v belongs."
_OF_OTHERS = {
    "without_diagonal": "The terms of {buffer} lack those where key and query have one number: with `causal` a query"
    " sees the keys up to its own, `key <= query`, so of a key the queries begin at its own number.",
    "one_more": "{buffer} has a term for the key behind each query's own: with `causal` a query sees the keys up to its"
    " own, `key <= query`.",
    "not_scaled": "The weights of {buffer} are exp(q . k - lse): multiply q . k with 1 / sqrtf(d) first, as for lse.",
}
_OF_LSE = {
    "first_head": "Every head's weights of {buffer} take the first head's lse: add the head's offset, `head * n`.",
    "of_keys": "The weights of {buffer} take the key's lse, exp(q . k / sqrt(d) - lse[key]): take the query's.",
    "none": "The weights of {buffer} are exp(q . k / sqrt(d)): subtract the query's lse first.",
}


def _is_of(what: str, left: str, right: str, case: Case) -> bool:
    """Whether the products of these two stand for q . k, or for grad_out . v."""
    if not _is_known(case) or (left, right) == (("q", "k") if what == "weights" else ("grad_out", "v")):
        return False
    product = _product(case.inputs, left, right)
    return _is_right_for(_parts(case, scores=product) if what == "weights" else _parts(case, shares=product), case)


def _is_of_lse(key: str, case: Case) -> bool:
    if not _is_known(case):
        return False
    lse = case.inputs["lse"]
    other = {
        "first_head": lse[:1, :, None].expand(*lse.shape, 1),
        "of_keys": lse[:, None, :],
        "none": 0 * lse[..., None],
    }[key]
    return _is_right_for(_parts(case, lse=(other, other.abs())), case)


def _is_right_for(parts: Parts, case: Case) -> bool:
    """Whether what was computed is this, as far as the weights' exponents are exact: wrong ones may be large."""
    factor = case.inputs[LAST[case.buffer][0]]
    return _is_near(parts.with_last(case.buffer, factor), _along(case.buffer, parts, True) @ factor.abs(), case)


def _is_near(claim: Tensor, size: Tensor, case: Case) -> bool:
    if not bool(size.isfinite().all()):
        return False
    room = torch.maximum(case.allowed, ROUNDED * size)
    is_so = bool(((case.got - claim).abs() <= room).all())
    return is_so and bool(((claim - case.expected).abs() > TELLS * room).any())


def _said_of(words: str, left: str, right: str, case: Case) -> str:
    return words.format(buffer=case.buffer, left=left, right=right)
