"""Why logarithms of sums are wrong that are added up term by term, beside the largest so far.

The terms follow from the reference of a case: with all but one of them -inf, it is the logarithm of that one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause

TILES = (1, 8, 16, 32, 64, 128)  # terms between two looks at the maximum
MOST_TERMS = 136
NOTHING = 2.0**-126  # below that floats have fewer bits

Claim = Callable[[Tensor, int], Tensor]  # of the terms, the first of them first, and of a tile or so many threads


def causes_of_running_sums(case: Case) -> Iterator[Cause]:
    """Of outputs that are logarithms of sums of exponentials; none of others."""
    if terms_of(case) is None:
        return
    for name, claim, by_tile, words in _CLAIMS:
        for tile in dict.fromkeys([*TILES, *case.threads]) if by_tile else (1,):
            alike = _is_right_for_few if claim is _merged_as_they_are else _is_right_but_for_nothing
            yield Cause(
                f"running_{name}_{tile}",
                partial(_is_right, claim, tile),
                partial(_said, words, tile),
                partial(alike, claim, tile),
            )
    for tile in sorted({*TILES[1:], *case.threads}):
        yield Cause(f"running_padded_{tile}", partial(_is_padded, tile), partial(_padded, tile))


def _is_right(claim: Claim, tile: int, case: Case) -> bool:
    terms = terms_of(case)
    if terms is None or (tile > 1 and tile >= len(terms)):
        return False
    return case.is_right_for(terms.amax(0) + claim(terms, tile).log())


def _is_right_but_for_nothing(claim: Claim, tile: int, case: Case) -> bool:
    """Where a sum is nothing, or too small for a float, a kernel may store whatever it likes, as the maximum."""
    terms = terms_of(case)
    if terms is None or (tile > 1 and tile >= len(terms)):
        return False
    total = claim(terms, tile)
    got = case.got.reshape(total.shape)
    return case.is_right_for(torch.where(total < NOTHING, got, terms.amax(0) + total.log()))


def _is_right_for_few(claim: Claim, threads: int, case: Case) -> bool:
    """The same where no thread has more than one term."""
    terms = terms_of(case)
    if terms is None or threads < len(terms):
        return False
    return case.is_right_for(terms.amax(0) + claim(terms, len(terms)).log())


def _is_padded(tile: int, case: Case) -> bool:
    """Whether the places of the last tile that have no term count as exp(0)."""
    terms = terms_of(case)
    if terms is None or not (more := -len(terms) % tile):
        return False
    return case.is_right_for(torch.logaddexp(case.expected, torch.tensor(more).double().log()))


def _padded(tile: int, case: Case) -> str:
    return (
        f"The sum under the logarithm of {case.buffer} has exp(0), which is 1, for each place of its last tile of"
        f" {tile} that has no term: fill these with -INFINITY, and not with 0."
    )


def _said(words: str, tile: int, case: Case) -> str:
    return words.format(buffer=case.buffer, tile=tile)


@lru_cache(8)
def terms_of(case: Case) -> Tensor | None:
    """What is added up under the logarithm, terms x the output; None if the reference computes no such."""
    if bool((case.expected.isnan() | case.expected.isposinf()).any()):
        return None
    for name, values in case.inputs.items():
        if not values.is_floating_point() or not case.counts_in(name):
            continue
        for axis, count in enumerate(values.shape):
            if 1 < count <= MOST_TERMS and case.sums_along(name, axis):
                terms = torch.stack([_alone(case, name, axis, term) for term in range(count)])
                if torch.allclose(terms.logsumexp(0), case.expected, rtol=1e-6, atol=1e-6):
                    return terms
    return None


def _alone(case: Case, name: str, axis: int, term: int) -> Tensor:
    alone = torch.full_like(case.inputs[name], -torch.inf)
    alone.select(axis, term).copy_(case.inputs[name].select(axis, term))
    return case.reference({**case.inputs, name: alone})[case.buffer].double().reshape(case.expected.shape)


def _so_far(terms: Tensor, tile: int) -> Tensor:
    """The largest term up to the end of each one's tile."""
    count = len(terms)
    return terms.cummax(0).values[(torch.arange(count) // tile * tile + tile - 1).clamp(max=count - 1)]


def _shrunk(terms: Tensor, tile: int) -> Tensor:
    """What a term that was 1 when it was added is beside the largest of all."""
    return torch.exp(_so_far(terms, tile) - terms.amax(0))


def _is_new(terms: Tensor) -> Tensor:
    """Whether a term is larger than all before it."""
    before = terms.cummax(0).values.roll(1, 0)
    before[0] = -torch.inf
    return terms > before


def _not_rescaled(terms: Tensor, tile: int) -> Tensor:
    return torch.exp(terms - _so_far(terms, tile)).sum(0)


def _begun_again(terms: Tensor, tile: int) -> Tensor:
    since = torch.arange(len(terms)).reshape(-1, *[1] * (terms.dim() - 1)) >= terms.argmax(0) // tile * tile
    return (torch.exp(terms - terms.amax(0)) * since).sum(0)


def _without_new(terms: Tensor, tile: int) -> Tensor:
    return (torch.exp(terms - terms.amax(0)) * ~_is_new(terms)).sum(0)


def _upside_down(terms: Tensor, tile: int) -> Tensor:
    return (torch.exp(_so_far(terms, tile) - terms) * _shrunk(terms, tile)).sum(0)


def _rescaled_upwards(terms: Tensor, tile: int) -> Tensor:
    return (torch.exp(terms - _so_far(terms, tile)) / _shrunk(terms, tile)).sum(0)


def _exp2(terms: Tensor, tile: int) -> Tensor:
    return torch.exp2(terms - terms.amax(0)).sum(0)


def _exp2_of_terms(terms: Tensor, tile: int) -> Tensor:
    return (torch.exp2(terms - _so_far(terms, tile)) * _shrunk(terms, tile)).sum(0)


def _merged_as_they_are(terms: Tensor, threads: int) -> Tensor:
    shares = (terms[thread::threads] for thread in range(threads))
    return torch.stack([torch.exp(mine - mine.amax(0)).sum(0) for mine in shares]).sum(0)


_RESCALE = "multiply it with expf(old maximum - new maximum)"
_CLAIMS: Sequence[tuple[str, Claim, bool, str]] = (
    (
        "not_rescaled",
        _not_rescaled,
        True,
        "The sum under the logarithm of {buffer} stays as it was where the maximum grows: " + _RESCALE + " first.",
    ),
    (
        "begun_again",
        _begun_again,
        True,
        "The sum under the logarithm of {buffer} begins again where the maximum grows, and what it held is lost: "
        + _RESCALE
        + " instead.",
    ),
    (
        "without_new",
        _without_new,
        False,
        "The sum under the logarithm of {buffer} lacks each term that was the largest when it came: add its"
        " expf(term - maximum), which is 1.",
    ),
    (
        "upside_down",
        _upside_down,
        False,
        "{buffer} is right for expf(maximum - term) in the place of expf(term - maximum): is a sign wrong?",
    ),
    (
        "rescaled_upwards",
        _rescaled_upwards,
        True,
        "The sum under the logarithm of {buffer} grows where the maximum does, with expf(new - old): " + _RESCALE + ".",
    ),
    (
        "exp2",
        _exp2,
        False,
        "The sum under the logarithm of {buffer} is one of 2^(term - maximum): write expf, or multiply what exp2f takes"
        f" with {1 / math.log(2):.6f}f.",
    ),
    (
        "exp2_of_terms",
        _exp2_of_terms,
        True,
        "The sum under the logarithm of {buffer} is one of 2^(term - maximum), rescaled with expf: write expf in both.",
    ),
    (
        "merged_as_they_are",
        _merged_as_they_are,
        True,
        "The sums of {tile} threads, or steps, are added as they are, and each is beside a maximum of its own: multiply"
        " each with expf(its maximum - the maximum of all) first.",
    ),
)
