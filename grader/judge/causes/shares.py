"""Why shares of 1 are wrong, the softmax of each row: what the row was divided by, and what its sum lacks.

Where each row is right but for a factor, the sum that it was divided by follows from it, in the units of the right one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause
from grader.judge.causes.left_out import Along, masks
from grader.judge.causes.often import LANES
from grader.judge.causes.weights import Times, weights, weights_of_lanes

CLOSE = 2e-5  # relative, of a sum
DIFFERENT = 1e-4  # relative, in one row at least: less is rounding

# Of a case, its x and its shares, rows x columns: what each row is divided by.
Sum = Callable[[Case, Tensor, Tensor], Tensor]


def causes_of_shares(case: Case) -> Iterator[Cause]:
    """Of an output that is the softmax of an input's rows; none of another."""
    if _softmax_of(case) is None:
        return
    for threads in dict.fromkeys([*case.threads, LANES]):
        yield Cause(f"shares_own_{threads}", partial(_is_own, threads), partial(_said, _OWN))
    for name, divided_by, said in _RULES:
        yield Cause(f"shares_{name}", partial(_is_divided_by, divided_by), partial(_said, said))
    for count in dict.fromkeys([1, *case.threads, LANES]):
        said = (
            f"The sum that each row of {{buffer}} is divided by is {count:,} too large, whatever the row holds: does"
            " each sum begin at 0?"
        )
        yield Cause(f"shares_begin_{count}", partial(_is_divided_by, partial(_too_large, count)), partial(_said, said))
    for threads in dict.fromkeys([1, *case.threads, LANES]):
        for name, of_threads, said in _RUNNING:
            by = partial(of_threads, threads)
            yield Cause(f"shares_{name}_{threads}", partial(_is_divided_by, by), partial(_said, said))
    for key, mask, lacks, asks in masks("column", case.threads):
        told = f"What each row of {{buffer}} is divided by lacks {lacks}: {asks}"
        yield Cause(f"shares_{key}", partial(_is_divided_by, partial(_without, mask)), partial(_said, told))
    for key, times, of_launches in (*weights_of_lanes(), *weights("column", case.launches)):
        by = partial(_weighted, times)
        told = of_launches(case.launches).format(buffer=f"The sum that {case.buffer} is divided by", x="{x}", n="{n}")
        yield Cause(f"shares_{key}", partial(_is_divided_by, by), partial(_said, told))


def _softmax_of(case: Case) -> tuple[str, Tensor, Tensor] | None:
    """The input whose softmax this is, and both as rows x columns."""
    for name, x in case.inputs.items():
        if x.is_floating_point() and x.dim() > 1 and x.shape == case.got.shape:
            shares = case.expected.reshape(-1, x.shape[-1])
            if bool(x.amax(-1).isfinite().all()) and torch.allclose(
                torch.softmax(x.reshape(shares.shape), 1), shares, rtol=1e-9, atol=1e-12
            ):
                return name, x.reshape(shares.shape), shares
    return None


def _is_divided_by(divided_by: Sum, case: Case) -> bool:
    """Whether each row is its shares, divided by this sum in the units in which the right one is 1."""
    if (found := _softmax_of(case)) is None:
        return False
    _, x, shares = found
    claimed = divided_by(case, x, shares)
    at = shares.argmax(1, keepdim=True)
    divided = shares.gather(1, at) / case.got.reshape(shares.shape).gather(1, at)
    if not bool(divided.isfinite().all()) or not bool((claimed > 0).all()) or not bool(claimed.isfinite().all()):
        return False
    is_close = bool(((divided[:, 0] - claimed).abs() <= CLOSE * claimed).all())
    differs = bool(((claimed - 1).abs() > DIFFERENT).any())
    return is_close and differs and case.is_right_for(shares / divided)


def _sums(x: Tensor) -> Tensor:
    """Of exp(x - the row's maximum)."""
    return torch.exp(x - x.amax(1, keepdim=True)).sum(1)


def _without(mask: Along, case: Case, x: Tensor, shares: Tensor) -> Tensor:
    return (shares * ~mask(torch.arange(x.shape[1]), x.shape[1])).sum(1)


def _weighted(times: Times, case: Case, x: Tensor, shares: Tensor) -> Tensor:
    return (shares * times(torch.arange(x.shape[1]), case.launches)).sum(1)


def _too_large(by: int, case: Case, x: Tensor, shares: Tensor) -> Tensor:
    return 1 + by / _sums(x)


def _by_thread(threads: int, x: Tensor) -> Tensor:
    """Rows x rounds x threads: thread t has the columns t, t + threads, ...; -inf where there is none."""
    rounds = -(-x.shape[1] // threads)
    padded = torch.full((len(x), rounds * threads), -torch.inf, dtype=x.dtype)
    padded[:, : x.shape[1]] = x
    return padded.reshape(len(x), rounds, threads)


def _not_rescaled(threads: int, case: Case, x: Tensor, shares: Tensor) -> Tensor:
    """Each thread adds exp(x - its largest so far), and leaves what it had as it was when that grows."""
    mine = _by_thread(threads, x)
    so_far = mine.cummax(1).values
    sums = torch.exp(mine - so_far).nan_to_num(0.0).sum(1)
    return (sums * torch.exp(so_far[:, -1] - x.amax(1, keepdim=True))).sum(1) / _sums(x)


def _merged_as_they_are(threads: int, case: Case, x: Tensor, shares: Tensor) -> Tensor:
    mine = _by_thread(threads, x)
    return torch.exp(mine - mine.amax(1, keepdim=True)).nan_to_num(0.0).sum((1, 2)) / _sums(x)


def _compared(threads: int, case: Case, x: Tensor, shares: Tensor) -> Tensor:
    return torch.exp(_by_thread(threads, x) - x.amax(1)[:, None, None]).sum(1).amax(1) / _sums(x)


_RUNNING: tuple[tuple[str, Callable[[int, Case, Tensor, Tensor], Tensor], str], ...] = (
    (
        "not_rescaled",
        _not_rescaled,
        "The sum that each row of {buffer} is divided by is not rescaled where the maximum grows: what was added before"
        " belongs times expf(old maximum - new maximum).",
    ),
    (
        "compared",
        _compared,
        "Each row of {buffer} is divided by the largest of its threads' sums: add them up, and do not compare them.",
    ),
    (
        "merged",
        _merged_as_they_are,
        "The sums of threads with maxima of their own are added as they are: before, each belongs times expf(its"
        " maximum - the common one).",
    ),
)
_RULES: tuple[tuple[str, Sum, str], ...] = (
    (
        "maximum",
        lambda case, x, shares: x.amax(1) / _sums(x),
        "Each row of {buffer} is divided by its maximum, and not by its sum of expf({x} - maximum).",
    ),
    (
        "count",
        lambda case, x, shares: x.shape[1] / _sums(x),
        "Each row of {buffer} is divided by how many columns it has, and not by its sum of expf({x} - maximum).",
    ),
    (
        "not_divided",
        lambda case, x, shares: 1 / _sums(x),
        "Each row of {buffer} is expf({x} - maximum), and not divided by the sum of these.",
    ),
    (
        "first_row",
        lambda case, x, shares: _sums(x)[0] / _sums(x),
        "Each row of {buffer} is divided by the sum of the first row: is the row missing from an index?",
    ),
    (
        "as_logarithm",
        lambda case, x, shares: _sums(x).log() / _sums(x),
        "Each row of {buffer} is divided by the logarithm of its sum.",
    ),
)
_OWN = (
    "Each element of {buffer} is divided by its own thread's sum, and not by the row's: are the threads' sums added up,"
    " and does each thread get the result?"
)


def _is_own(threads: int, case: Case) -> bool:
    if (found := _softmax_of(case)) is None:
        return False
    x = found[1]
    mine = _by_thread(threads, x)
    own = torch.softmax(mine, 1).nan_to_num(0.0).reshape(len(x), -1)[:, : x.shape[1]]
    return case.is_right_for(own)


def _said(words: str, case: Case) -> str:
    found = _softmax_of(case)
    name, x = found[:2] if found else ("", torch.empty(0, 0))
    return words.format(buffer=case.buffer, x=name, n=x.shape[1])
