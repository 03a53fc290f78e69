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
from grader.judge.causes.shares_of_lanes import causes_of_lanes
from grader.judge.causes.shares_of_merges import claims_of_merges
from grader.judge.causes.shares_of_parts import Claim, by_thread, claims_of_parts
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
        yield Cause(f"shares_so_far_{threads}", partial(_is_so_far, threads), partial(_said, _SO_FAR))
        yield Cause(f"shares_own_maximum_{threads}", partial(_has_own_maximum, threads), partial(_said, _OWN_MAXIMUM))
    for name, claim, said in (*claims_of_parts(case.threads), *claims_of_merges(case.threads)):
        yield Cause(f"shares_{name}", partial(_is_claimed, claim), partial(_said, said))
    yield from causes_of_lanes()
    yield Cause("shares_turned", _is_turned_above, partial(_said, _TURNED))
    yield Cause("shares_of_exp2", _is_exp2_above, partial(_said, _EXP2))
    for name, divided_by, said in _RULES:
        yield Cause(f"shares_{name}", partial(_is_divided_by, divided_by), partial(_said, said))
    without_a_warp = [LANES - each // LANES for each in case.threads if each % LANES == 0 and each < LANES * LANES]
    for count in dict.fromkeys([1, *case.threads, LANES, *without_a_warp]):
        said = (
            f"The sum that each row of {{buffer}} is divided by is {count:,} too large, whatever the row holds: does"
            " each sum begin at 0, and does a lane that stands for no warp have 0?"
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
    for name, is_so, words in (("larger", torch.ge, _TOO_LARGE), ("smaller", torch.le, _TOO_SMALL)):
        explains, agrees = (partial(_all_sums_are, is_so, alike) for alike in (False, True))
        yield Cause(f"shares_{name}", explains, partial(_said_of_first_row, words), agrees)


def _all_sums_are(is_so: Callable[[Tensor, Tensor], Tensor], alike: bool, case: Case) -> bool:
    """Whether each row is right but for its sum, and all sums err one way, by factors of their own, or `alike`."""
    divided = _divided(case)
    if divided is None:
        return False
    tight = torch.ones_like(divided) * (1 - DIFFERENT if is_so is torch.ge else 1 + DIFFERENT)
    differ = float(divided.max() - divided.min()) > 1e-2 * float(divided.max())
    return (differ or alike or len(divided) == 1) and bool(is_so(divided, tight).all())


def _divided(case: Case) -> Tensor | None:
    """What each row is divided by, where the right sum is 1; None where it is not right but for that."""
    found = _softmax_of(case)
    if found is None:
        return None
    shares = found[2]
    at = shares.argmax(1, keepdim=True)
    divided = shares.gather(1, at) / case.got.reshape(shares.shape).gather(1, at)
    fits = bool((divided.isfinite() & (divided > 0)).all()) and case.is_right_for(shares / divided)
    return divided[:, 0] if fits else None


def _said_of_first_row(words: str, case: Case) -> str:
    divided = _divided(case)
    assert divided is not None
    row = int((divided - 1).abs().argmax())
    return words.format(buffer=case.buffer, row=row, times=f"{float(divided[row]):.4g}")


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


def _not_rescaled(threads: int, case: Case, x: Tensor, shares: Tensor) -> Tensor:
    """Each thread adds exp(x - its largest so far), and leaves what it had as it was when that grows."""
    mine = by_thread(threads, x)
    so_far = mine.cummax(1).values
    sums = torch.exp(mine - so_far).nan_to_num(0.0).sum(1)
    return (sums * torch.exp(so_far[:, -1] - x.amax(1, keepdim=True))).sum(1) / _sums(x)


def _merged_as_they_are(threads: int, case: Case, x: Tensor, shares: Tensor) -> Tensor:
    mine = by_thread(threads, x)
    return torch.exp(mine - mine.amax(1, keepdim=True)).nan_to_num(0.0).sum((1, 2)) / _sums(x)


def _compared(threads: int, case: Case, x: Tensor, shares: Tensor) -> Tensor:
    return torch.exp(by_thread(threads, x) - x.amax(1)[:, None, None]).sum(1).amax(1) / _sums(x)


def _largest_terms(threads: int, case: Case, x: Tensor, shares: Tensor) -> Tensor:
    return torch.exp(by_thread(threads, x) - x.amax(1)[:, None, None]).amax(1).sum(1) / _sums(x)


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
        "largest_terms",
        _largest_terms,
        "Each row of {buffer} is divided by what its threads have as their largest expf({x} - maximum): a thread adds"
        " these up, `sum +=`.",
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
        "Each row of {buffer} is expf({x} - maximum), and not divided by the sum of these. Is there a division, and is"
        " the sum a float?",
    ),
    (
        "divided_twice",
        lambda case, x, shares: _sums(x),
        "Each row of {buffer} is divided by its sum twice: divide once, by one of the two.",
    ),
    (
        "numerator_not_shifted",
        lambda case, x, shares: torch.exp(-x.amax(1)),
        "Each row of {buffer} is expf({x}) divided by its sum of expf({x} - maximum): subtract the maximum above the"
        " division, too.",
    ),
    (
        "maximum_added",
        lambda case, x, shares: torch.exp(-2 * x.amax(1)),
        "Each row of {buffer} is expf({x} + maximum) divided by its sum of expf({x} - maximum): subtract the maximum"
        " above the division, too.",
    ),
    (
        "sum_not_shifted",
        lambda case, x, shares: torch.exp(x.amax(1)),
        "Each row of {buffer} is expf({x} - maximum) divided by its sum of expf({x}): subtract the maximum in the sum,"
        " too.",
    ),
    (
        "multiplied",
        lambda case, x, shares: _sums(x) ** -2,
        "Each row of {buffer} is multiplied with its sum, and not divided by it.",
    ),
    (
        "sum_of_exp2",
        lambda case, x, shares: torch.exp2(x - x.amax(1, keepdim=True)).sum(1) / _sums(x),
        "Each row of {buffer} is expf({x} - maximum) divided by a sum of exp2f: take the same function in both.",
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
_SO_FAR = (
    "Each element of {buffer} is divided by what its own thread had added up so far: divide in a second loop, behind"
    " the one that adds up, and by the sum of all threads."
)
_OWN_MAXIMUM = (
    "Each thread subtracts the maximum of its own columns of {x}: put the threads' maxima together, and let each thread"
    " subtract that of the whole row."
)
_TURNED = (
    "Each row of {buffer} is expf(maximum - {x}) divided by its sum of expf({x} - maximum): write `{x} - maximum` above"
    " the division, too."
)
_EXP2 = "Each row of {buffer} is exp2f({x} - maximum) divided by its sum of expf: take the same function in both."
_TOO_LARGE = (
    "Each row of {buffer} is right but for the sum that it is divided by, which is too large, {times} times in row"
    " {row}: where a maximum grows, or two sums are put together, is each multiplied with expf(its maximum - the"
    " larger one)?"
)
_TOO_SMALL = (
    "Each row of {buffer} is right but for the sum that it is divided by, which is too small, {times} of the right"
    " one in row {row}: does it have all columns, of all threads and warps, and is what was added only rescaled where"
    " the maximum grows?"
)
_OWN = (
    "Each element of {buffer} is divided by its own thread's sum, and not by the row's: are the threads' sums added up,"
    " and does each thread get the result?"
)


def _is_own(threads: int, case: Case) -> bool:
    if (found := _softmax_of(case)) is None:
        return False
    x = found[1]
    mine = by_thread(threads, x)
    own = torch.softmax(mine, 1).nan_to_num(0.0).reshape(len(x), -1)[:, : x.shape[1]]
    return case.is_right_for(own)


def _is_so_far(threads: int, case: Case) -> bool:
    """Whether each element is divided by what its thread had added up when it came by."""
    if (found := _softmax_of(case)) is None:
        return False
    x = found[1]
    terms = torch.exp(by_thread(threads, x - x.amax(1, keepdim=True)))
    return case.is_right_for((terms / terms.cumsum(1)).reshape(len(x), -1)[:, : x.shape[1]])


def _has_own_maximum(threads: int, case: Case) -> bool:
    """Whether each thread subtracts the maximum of its own columns, and all are divided by the sum of what is left."""
    if (found := _softmax_of(case)) is None:
        return False
    x = found[1]
    mine = by_thread(threads, x)
    terms = torch.exp(mine - mine.amax(1, keepdim=True)).nan_to_num(0.0).reshape(len(x), -1)[:, : x.shape[1]]
    return case.is_right_for(terms / terms.sum(1, keepdim=True))


def _is_claimed(claim: Claim, case: Case) -> bool:
    found = _softmax_of(case)
    return found is not None and case.is_right_for(claim(found[1]))


def _is_turned_above(case: Case) -> bool:
    if (found := _softmax_of(case)) is None:
        return False
    x = found[1]
    return case.is_right_for(torch.exp(x.amax(1, keepdim=True) - x) / _sums(x)[:, None])


def _is_exp2_above(case: Case) -> bool:
    if (found := _softmax_of(case)) is None:
        return False
    x = found[1]
    return case.is_right_for(torch.exp2(x - x.amax(1, keepdim=True)) / _sums(x)[:, None])


def _said(words: str, case: Case) -> str:
    found = _softmax_of(case)
    name, x = found[:2] if found else ("", torch.empty(0, 0))
    return words.format(buffer=case.buffer, x=name, n=x.shape[1])
