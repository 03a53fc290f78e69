"""Why results are NaN, by where they are: a rule is told if it foretells each NaN of all cases, the right ones, too."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from grader.judge.causes.attention_masks import TILES
from grader.judge.causes.often import LANES, Launches

MOST_NUMBERS = 1 << 17  # of an output
LARGEST, SMALLEST = 88.7228, -103.97  # whose expf is finite, and not 0, in float32

NEAR = 5.0  # to these


@dataclass(frozen=True, eq=False)
class Values:
    """What an output of a case holds, right or wrong, beside what it should, and what the case was called with."""

    got: Tensor
    expected: Tensor
    inputs: Mapping[str, Tensor]
    outputs: Mapping[str, Tensor]  # all that are expected
    scalars: Mapping[str, Any]
    launches: Launches

    @property
    def lost(self) -> Tensor:
        return self.got.isnan() & ~self.expected.isnan()

    @property
    def is_finite(self) -> bool:
        floats = (values for values in self.inputs.values() if values.is_floating_point())
        return all(bool(values.isfinite().all()) for values in floats)


Rule = tuple[Callable[[Values], Tensor | None], str]  # where NaN is, None if it cannot tell; and what to say


def why_nan(buffer: str, cases: Sequence[Values]) -> str:
    """A sentence for an output that is NaN in some of these cases; "" if none is known, or none fits."""
    cases = [case for case in cases if case.got.numel() <= MOST_NUMBERS]
    if not any(bool(case.lost.any()) for case in cases):
        return ""
    said = (words for foretold, words in _rules(cases) if all(_fits(foretold, case) for case in cases))
    names = [name for name, values in cases[0].inputs.items() if values.is_floating_point()]
    return next(said, "").format(buffer=buffer, x=names[0] if names else "x")


def _fits(foretold: Callable[[Values], Tensor | None], case: Values) -> bool:
    places = foretold(case)
    return places is not None and torch.equal(places.expand_as(case.lost) & ~case.expected.isnan(), case.lost)


def _rules(cases: Sequence[Values]) -> Iterator[Rule]:
    for formula, words in _SHARES:
        yield partial(_of_shares, formula), words
    for block in sorted({math.prod(launch["block"]) for case in cases for launch in case.launches}):
        if block > LANES:
            yield partial(_of_shares, partial(_maximum_of_first_warp, block)), _FIRST_WARP
    yield partial(_where_sums_leave_float, False), _NO_MAXIMUM
    yield partial(_where_sums_leave_float, True), _FROM_ZERO
    if (lowest := _lowest_sum(cases)) is not None:
        yield partial(_where_sums_are_below, lowest), _FROM_A_NUMBER.format(lowest=f"{lowest:.3g}", buffer="{buffer}")
    yield lambda case: case.expected == -torch.inf, _OF_NOTHING
    for axis in (-1, -2):
        rules = {name: partial(_where_one_is_infinite, name, axis) for name in cases[0].inputs}
        if fitting := [name for name, rule in rules.items() if all(_fits(rule, case) for case in cases)]:
            yield rules[fitting[-1]], _OF_INFINITE.format(names=" or ".join(fitting), buffer="{buffer}")
    for name in cases[0].scalars:
        yield partial(_in_first_rows, name), _FIRST_ROW.format(name=name, buffer="{buffer}")
    for name in cases[0].scalars:
        yield partial(_in_first_rows, name, of_one=True), _OF_ONE_TERM
    yield lambda case: torch.ones_like(case.lost) if case.is_finite else case.lost, _EVERYWHERE
    threads = {size for case in cases for launch in case.launches for size in launch["block"] if size > 1}
    for size in sorted({*threads, *TILES}):
        for name in cases[0].scalars:
            yield partial(_in_first_rows, name, rows=size), _FIRST_TILE.format(name=name, size=size, buffer="{buffer}")
    for size in sorted({*threads, LANES}):
        for name in cases[0].scalars:
            if most := _most_of_few(cases, name, size):
                few = _FEWER.format(name=name, most=most, buffer="{buffer}")
                yield partial(_where_few, name, most), few


# ---- shares: exp(x - maximum) / sum ----

Formula = Callable[[Tensor], Tensor]  # of rows of float32

_SHARES: tuple[tuple[Formula, str], ...] = (
    (
        lambda x: torch.zeros_like(x[..., :1]),
        "{buffer} is NaN just where expf({x}) alone is too large for a float, or the sum of a row's too small: above"
        " 88.7 expf is inf, and inf / inf is NaN, so take expf({x} - maximum), with the maximum of the row.",
    ),
    (
        lambda x: x.amax(-1, keepdim=True).clamp(min=0),
        "{buffer} is NaN just in rows whose elements are all far below 0, where every expf({x} - 0) is 0, and 0 / 0 is"
        " NaN: does the maximum begin at 0, or at another number above them, as -1e4f? Let it begin at -INFINITY, or at"
        " the row's first element; FLT_MIN is no low"
        " number, but the least one above 0.",
    ),
    (
        lambda x: x.amin(-1, keepdim=True),
        "{buffer} is NaN just where expf({x} - minimum) is too large for a float: subtract the maximum, with fmaxf.",
    ),
    (
        lambda x: x.abs().amax(-1, keepdim=True),
        "{buffer} is NaN just in rows where every expf({x} - maximum) is 0 with the maximum of |{x}|, and 0 / 0 is NaN:"
        " take that of {x} itself, without fabsf.",
    ),
    (
        lambda x: -x.amax(-1, keepdim=True),
        "{buffer} is NaN just where expf({x} + maximum) is too large for a float, or 0 in a whole row: subtract the"
        " maximum, expf({x} - maximum).",
    ),
)


_FIRST_WARP = (
    "{buffer} is NaN just where expf({x} - maximum) is too large with the maximum of the first warp's columns alone:"
    " put the maxima of all warps together, and subtract that."
)


def _maximum_of_first_warp(threads: int, x: Tensor) -> Tensor:
    is_of_others = torch.arange(x.shape[-1]) % threads >= LANES
    return x.masked_fill(is_of_others, -torch.inf).amax(-1, keepdim=True)


def _of_shares(shift: Formula, case: Values) -> Tensor | None:
    """Where rows of float32, shifted so, have no shares; of an output that is the softmax of an input."""
    for values in case.inputs.values():
        if values.is_floating_point() and values.dim() > 1 and values.shape == case.expected.shape:
            x = values.float()
            terms = torch.exp(x - shift(x))
            return (terms / terms.sum(-1, keepdim=True)).isnan() if _is_softmax(values, case.expected) else None
    return None


def _is_softmax(values: Tensor, expected: Tensor) -> bool:
    right = torch.softmax(values.double(), -1)
    return torch.allclose(right, expected.double(), rtol=1e-6, atol=1e-9, equal_nan=True)


# ---- weighted means ----

_NO_MAXIMUM = (
    "{buffer} is NaN just in rows whose sum of exponentials is too large, or too small, for a float: expf is inf above"
    " 88.7, and inf / inf and 0 / 0 are NaN, so subtract the largest score of the row from each before expf."
)
_FROM_ZERO = (
    "{buffer} is NaN just in rows whose scores are all far below 0, where every expf(score - 0) is 0, and 0 / 0 is NaN:"
    " does the maximum begin at 0? Let it begin at -INFINITY."
)
_FROM_A_NUMBER = (
    "{buffer} is NaN just in rows whose scores are all below some {lowest}: there every expf(score - maximum) is 0, and"
    " 0 / 0 is NaN, if the maximum begins at a number that is not low enough. Let it begin at -INFINITY."
)
_OF_NOTHING = (
    "{buffer} is NaN just where -inf belongs: there the maximum is -inf, and -inf - (-inf) is NaN, so ask whether it is"
    " -INFINITY before you subtract it."
)
_OF_INFINITE = (
    "{buffer} is NaN just where an element of {names} that is -inf takes part, and -inf - (-inf) is NaN: ask whether an"
    " element is -INFINITY before you subtract it, and add nothing there."
)
_FEWER = (
    "{buffer} is NaN where {name} is {most} or less, and not where it is more: something has no element there, a"
    " thread, or a loop that counts whole steps only; and as -inf - (-inf) and 0 / 0 are NaN, ask whether a maximum"
    " is -INFINITY before you subtract it."
)
_FIRST_ROW = (
    "{buffer} is NaN just in the first row of each matrix where {name} is 1: it sees nothing, where it should see"
    " itself, `key <= query`, and 0 / 0 is NaN."
)
_FIRST_TILE = (
    "{buffer} is NaN just in the first {size} rows of each matrix where {name} is 1: these see nothing, and 0 / 0 is"
    " NaN, as where a loop over tiles of {size} keys ends before the tile that a row itself is in: let it end behind"
    " that one, `tile <= row / {size}`."
)
_OF_ONE_TERM = (
    "{buffer} is NaN just in rows of a single term: what comes of it and of the values that a row begins with?"
    " -INFINITY - (-INFINITY), 0 * INFINITY and INFINITY / INFINITY are NaN."
)
_EVERYWHERE = (
    "{buffer} is NaN everywhere, at every size, so from the first step on: what comes of the values that it begins"
    " with? -INFINITY - (-INFINITY), 0 * INFINITY and INFINITY / INFINITY are NaN, and expf(x - (-INFINITY)) is"
    " INFINITY, as where the maximum never grows: is it fminf?"
)


def _logs_of_sums(case: Values) -> Tensor | None:
    """An output that has the logarithm of each row's sum of exponentials; None if it is not known which."""
    logs = [each for each in case.outputs.values() if each.shape == case.expected.shape[:-1] and each.dim()]
    return logs[0] if len(logs) == 1 and logs[0].is_floating_point() else None


def _lowest_sum(cases: Sequence[Values]) -> float | None:
    """The logarithm between the rows that are NaN and all others, where all of the first are far below 0."""
    logs = [_logs_of_sums(case) for case in cases]
    if any(each is None for each in logs):
        return None
    of_rows = [(each, case.lost.any(-1)) for each, case in zip(logs, cases, strict=True) if each is not None]
    lost, kept = (torch.cat([each[which == is_lost] for each, which in of_rows]) for is_lost in (True, False))
    if not len(lost) or not len(kept) or not float(lost.max()) < min(float(kept.min()), SMALLEST):
        return None
    return (float(lost.max()) + float(kept.min())) / 2


def _where_sums_are_below(lowest: float, case: Values) -> Tensor | None:
    logs = _logs_of_sums(case)
    return None if logs is None else (logs < lowest).unsqueeze(-1)


def _where_sums_leave_float(only_small: bool, case: Values) -> Tensor | None:
    logs = _logs_of_sums(case)
    if logs is None:
        return None
    small = logs < SMALLEST
    outside = small if only_small else small | (logs > LARGEST)
    # Some of a row may be finite where the sum alone is too large, and near the limits rounding decides.
    near = ((logs - LARGEST).abs() < NEAR) | ((logs - SMALLEST).abs() < NEAR)
    known = case.lost.any(-1) & outside | near
    return torch.where(known.unsqueeze(-1), case.lost, outside.unsqueeze(-1))


def _where_one_is_infinite(name: str, axis: int, case: Values) -> Tensor | None:
    """Where a row, or a column, of an input has an element that is -inf."""
    values = case.inputs[name]
    if not values.is_floating_point() or values.dim() < 2:
        return None
    places = (values == -torch.inf).any(axis, keepdim=True)
    fits = places.dim() == case.lost.dim()
    if not fits or any(size not in (1, full) for size, full in zip(places.shape, case.lost.shape, strict=True)):
        return None
    return places


def _in_first_rows(flag: str, case: Values, of_one: bool = False, rows: int = 1) -> Tensor | None:
    """In the first row, or rows, of each matrix of a case whose flag is 1, or that has one row, too."""
    if case.scalars[flag] not in (0, 1) or case.lost.dim() < 2:
        return None
    places = torch.zeros_like(case.lost)
    places[..., :rows, :] = bool(case.scalars[flag]) or (of_one and places.shape[-2] == 1)
    return places


def _most_of_few(cases: Sequence[Values], name: str, size: int) -> int:
    """The largest `name` of a case with NaN, if below `size` threads, and another has so many; else 0.

    Cases whose inputs have infinite elements do not count: these may have their say in it.
    """
    finite = [case for case in cases if case.is_finite]
    counts = [count for case in finite if isinstance(count := case.scalars.get(name), int)]
    most = max((case.scalars[name] for case in finite if bool(case.lost.any())), default=0)
    is_known = len(counts) == len(finite) and isinstance(most, int)
    return int(most) if is_known and most < size <= max(counts, default=0) else 0


def _where_few(name: str, most: int, case: Values) -> Tensor:
    return torch.full_like(case.lost, case.scalars[name] <= most) if case.is_finite else case.lost
