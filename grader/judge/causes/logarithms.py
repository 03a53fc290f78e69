"""Why logarithms of sums of exponentials are wrong: without the maximum, without the logarithm, or with another one.

The reference is one where x + 1 gives 1 more. The largest term follows from it: of inputs a million times as large the
logarithm of the sum is as many times the largest of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from torch import Tensor

from grader.judge.causes.asked import Case, Cause

LARGE = 2.0**24  # times: what the logarithm adds to the largest is lost beside it
SAME = 1e-6

Claim = Callable[[Tensor, Tensor], Tensor]  # of the largest term, and the sum of exp(term - largest)

_CLAIMS: Sequence[tuple[str, Claim, str]] = (
    (
        "largest",
        lambda top, sums: top,
        "{buffer} is the largest term alone: add the logarithm of the sum of expf(term - largest) to it.",
    ),
    (
        "without_largest",
        lambda top, sums: sums.log(),
        "{buffer} is the logarithm of the sum of expf(term - maximum) alone: add the maximum to it, `maximum +"
        " logf(sum)`.",
    ),
    (
        "no_logarithm",
        lambda top, sums: top + sums,
        "{buffer} is the maximum and the sum of expf(term - maximum): take the sum's logarithm, `maximum + logf(sum)`.",
    ),
    (
        "sum",
        lambda top, sums: sums,
        "{buffer} is the sum of expf(term - maximum): its logarithm and the maximum make the result, `maximum +"
        " logf(sum)`.",
    ),
    (
        "log2",
        lambda top, sums: top + sums.log() / math.log(2),
        "{buffer} is the maximum and log2 of the sum: write logf, the natural logarithm.",
    ),
    (
        "log10",
        lambda top, sums: top + sums.log() / math.log(10),
        "{buffer} is the maximum and log10 of the sum: write logf, the natural logarithm.",
    ),
    (
        "log1p",
        lambda top, sums: top + sums.log1p(),
        "{buffer} is right for one term more, which is the maximum: does the sum begin at 1, or is it log1pf where logf"
        " belongs?",
    ),
    (
        "minus",
        lambda top, sums: top - sums.log(),
        "{buffer} is the maximum less the logarithm of the sum: add it, `maximum + logf(sum)`.",
    ),
    (
        "minus_largest",
        lambda top, sums: sums.log() - top,
        "{buffer} is the logarithm of the sum less the maximum: add the maximum, `maximum + logf(sum)`.",
    ),
    (
        "product",
        lambda top, sums: top * sums.log(),
        "{buffer} is the maximum times the logarithm of the sum: add the two, `maximum + logf(sum)`.",
    ),
)


def causes_of_logarithms(case: Case) -> Iterator[Cause]:
    """Of outputs that are logarithms of sums of exponentials; none of others."""
    parts = _parts(case)
    # A sum of two inputs grows with each of them, too: it is the logarithm of a sum of one term, of which much is true.
    if parts is not None and bool((parts[1] > 1 + SAME).any()):
        for name, claim, words in _CLAIMS:
            yield Cause(f"log_sum_{name}", partial(_is_right, claim), partial(_said, words))
        for size, length in case.call.scalars.items():
            if isinstance(length, int) and length > 1:
                yield Cause(f"log_mean_{size}", partial(_is_mean, size), partial(_said, _MEAN.format(size=size)))


_MEAN = (
    "{{buffer}} is log({size}) less than it should be: is the sum divided by {size}, as a mean is? Take the logarithm"
    " of the sum alone."
)


def _is_mean(size: str, case: Case) -> bool:
    length = float(case.call.scalars[size])
    return length > 1 and _parts(case) is not None and case.is_right_for(case.expected - math.log(length))


def _parts(case: Case) -> tuple[Tensor, Tensor] | None:
    """The largest term of each element, and the sum of the others' exponentials beside it."""
    floats = {name: values for name, values in case.inputs.items() if values.is_floating_point()}
    if not floats or not bool(case.expected.isfinite().all()):
        return None
    name, values = next(iter(floats.items()))
    more = _asked(case, {name: values + 1})
    if not bool(((more - case.expected - 1).abs() <= SAME * (1 + case.expected.abs())).all()):
        return None
    top = _asked(case, {name: LARGE * values for name, values in floats.items()}) / LARGE
    gap = case.expected - top
    return (top, gap.exp()) if bool(((gap >= -SAME) & (gap < 64)).all()) else None


def _asked(case: Case, inputs: dict[str, Tensor]) -> Tensor:
    return case.reference({**case.inputs, **inputs})[case.buffer].double().reshape(case.expected.shape)


def _is_right(claim: Claim, case: Case) -> bool:
    parts = _parts(case)
    return parts is not None and case.is_right_for(claim(*parts))


def _said(words: str, case: Case) -> str:
    return words.format(buffer=case.buffer)
