"""Results that are inf or NaN in what some lanes of each warp compute, and in nothing else: shuffles leave them out."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from grader.judge.causes.nans import Values
from grader.judge.causes.often import LANES

MOST_NUMBERS = 1 << 17  # of an output
PARTS = (16, 8)  # lanes that have what the others lack
_SAID = (
    "{buffer} is inf or NaN in what lanes {first} to {last} of each warp compute, and in nothing else: shuffles of a"
    " warp need the steps 16, 8, 4, 2 and 1, and the step by {missing} brings these lanes what the others have."
)


def why_of_lanes(buffer: str, cases: Sequence[Values]) -> str:
    """A sentence, if that is so in all of these cases whose rows have an element for such a lane; "" if not."""
    cases = [case for case in cases if case.got.numel() <= MOST_NUMBERS]
    if not cases or any(case.got.dim() < 2 for case in cases):
        return ""
    for first in PARTS:
        reached = [case for case in cases if case.got.shape[-1] > first]
        if any(_is_so(first, case, False) for case in reached) and all(_is_so(first, case, True) for case in reached):
            return _SAID.format(buffer=buffer, first=first, last=LANES - 1, missing=first)
    return ""


def _is_so(first: int, case: Values, whole_rows: bool) -> bool:
    """Whether just these lanes' elements are lost, or else `whole_rows`, as where a sum is too large for a float."""
    lost = ~case.got.isfinite() & case.expected.isfinite()
    lanes = (torch.arange(case.got.shape[-1]) % LANES >= first).expand_as(lost)
    alike = lost == (lanes & case.expected.isfinite())
    whole = (lost | ~case.expected.isfinite()).all(-1)
    return bool((alike.all(-1) | (whole & whole_rows)).all())
