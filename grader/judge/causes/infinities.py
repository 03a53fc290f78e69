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


def why_infinite(buffer: str, cases: Sequence[Values]) -> str:
    """A sentence for an output that has -inf too often, or too seldom, in these right and wrong cases; else ""."""
    floats = [case for case in cases if case.got.is_floating_point()]
    return _too_low(buffer, floats) or _of_nothing(buffer, floats)


def _too_low(buffer: str, cases: Sequence[Values]) -> str:
    lost = torch.cat([case.expected[_is_lost(case)].flatten() for case in cases]) if cases else torch.zeros(0)
    kept = torch.cat([case.expected[case.got.isfinite()].flatten() for case in cases]) if cases else torch.zeros(0)
    kept = kept[kept.isfinite()]
    if not len(lost) or not len(kept) or not float(lost.max()) < min(LOW, float(kept.min())):
        return ""
    return _TOO_LOW.format(buffer=buffer, most=float(lost.max()))


def _is_lost(case: Values) -> Tensor:
    return (case.got == -torch.inf) & case.expected.isfinite()


def _of_nothing(buffer: str, cases: Sequence[Values]) -> str:
    """Where it is one number wherever it should be -inf, and never -inf."""
    there = [case.got[case.expected == -torch.inf].flatten() for case in cases]
    values = torch.cat(there).unique() if there else torch.zeros(0)
    if len(values) != 1 or not bool(values.isfinite()):
        return ""
    return _OF_NOTHING.format(buffer=buffer, value=float(values[0]))
