"""Why logarithms of sums are -inf where they should not be, or are not where they should: by where that is."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from grader.judge.causes.nans import Values

LOW = -80.0  # the logarithm of a sum whose terms are about to be 0 in a float

_TOO_LOW = (
    "{buffer} is -inf just where it should be {most:.4g} or less: there each expf is 0 in a float, and logf(0) is -inf."
    " Does the maximum begin at 0, or at another number that is not low enough? Let it begin at -INFINITY."
)
_OF_NOTHING = (
    "{buffer} is {value:.4g} just where all that is added is 0, and the logarithm of 0 is -inf: write -INFINITY there."
)
_NEVER_GROWS = (
    "{buffer} is -inf everywhere: is nothing added to the sum, or does a maximum that begins at -INFINITY never grow,"
    " as with fminf in the place of fmaxf?"
)
_OF_ONE = (
    "{buffer} is -inf just where one of its terms is: is the smallest term looked for, by fminf, where fmaxf belongs?"
)
_ENDS = (
    "{buffer} is -inf where the first of its terms is: does a loop end at an infinite term, by `break` or `return`,"
    " where `continue` belongs?"
)


def why_infinite(buffer: str, cases: Sequence[Values]) -> str:
    """A sentence for an output that has -inf too often, or too seldom, in these right and wrong cases; else ""."""
    floats = [case for case in cases if case.got.is_floating_point()]
    return (
        _of_all(buffer, floats) or _too_low(buffer, floats) or _of_terms(buffer, floats) or _of_nothing(buffer, floats)
    )


def _too_low(buffer: str, cases: Sequence[Values]) -> str:
    lost = torch.cat([case.expected[_is_lost(case)].flatten() for case in cases]) if cases else torch.zeros(0)
    kept = torch.cat([case.expected[case.got.isfinite()].flatten() for case in cases]) if cases else torch.zeros(0)
    kept = kept[kept.isfinite()]
    if not len(lost) or not len(kept) or not float(lost.max()) < min(LOW, float(kept.min())):
        return ""
    return _TOO_LOW.format(buffer=buffer, most=float(lost.max()))


def _of_all(buffer: str, cases: Sequence[Values]) -> str:
    finite = [case for case in cases if bool(case.expected.isfinite().any())]
    is_all = all(bool((case.got == -torch.inf).all()) for case in finite)
    return _NEVER_GROWS.format(buffer=buffer) if len(finite) > 1 and is_all else ""


def _of_terms(buffer: str, cases: Sequence[Values]) -> str:
    """Of sums along what two inputs share: where one of the terms is -inf, or the first one."""
    for of_first, words in ((False, _OF_ONE), (True, _ENDS)):
        foretold = [_has_infinite_terms(case, of_first) for case in cases]
        if all(
            there is not None and torch.equal(there & case.expected.isfinite(), _is_lost(case))
            for there, case in zip(foretold, cases, strict=True)
        ):
            return words.format(buffer=buffer)
    return ""


def _has_infinite_terms(case: Values, of_first: bool) -> Tensor | None:
    """Which outputs have -inf among their terms, a row of the first input with a column of the second."""
    floats = [values for values in case.inputs.values() if values.is_floating_point() and values.dim() > 1]
    if len(floats) != 2 or floats[0].shape[-1] != floats[1].shape[-2] or case.got.dim() != floats[0].dim():
        return None
    a, b = (values == -torch.inf for values in floats)
    a, b = (a[..., :1], b[..., :1, :]) if of_first else (a, b)
    there = a.any(-1)[..., :, None] | b.any(-2)[..., None, :]
    return there if there.shape == case.got.shape else None


def _is_lost(case: Values) -> Tensor:
    return (case.got == -torch.inf) & case.expected.isfinite()


def _of_nothing(buffer: str, cases: Sequence[Values]) -> str:
    """Where it is one number wherever it should be -inf, and never -inf."""
    there = [case.got[case.expected == -torch.inf].flatten() for case in cases]
    values = torch.cat(there).unique() if there else torch.zeros(0)
    if len(values) != 1 or not bool(values.isfinite()):
        return ""
    return _OF_NOTHING.format(buffer=buffer, value=float(values[0]))
