"""What a wrong answer looks like. Each pattern is claimed only when it holds for every element it speaks of.

A value pattern ("a copy of x", "transposed") explains the whole output and must do so for at least ENOUGH elements that
it moves away from the right answer; a place pattern ("everything from k on") says exactly which elements are bad.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain

import torch
from torch import Tensor

from grader.judge.causes.answers import ENOUGH, Answer, Pattern, close
from grader.judge.causes.belongs import belongs
from grader.judge.causes.often import factor_words, who_does
from grader.judge.causes.ranges import lines, place_patterns
from grader.judge.causes.rounded import of_16_bits
from grader.judge.causes.stand_ins import stand_ins

MOST_TIMES = 2.0**40  # more no launch does
ALL_EVEN = 2.0**8  # from here on every __nv_bfloat16 is
ALL_WHOLE = 2.0**23  # from here on every float is a whole number, whatever it is computed from
NEARLY = 2.0**-8  # relative: what is within it but outside the tolerance is imprecise, not another formula


def recognise(answer: Answer) -> Pattern | None:
    """The most telling pattern of a bad answer, or None."""
    values = _value_patterns(answer) if answer.written else iter(())
    kind = next(_kind_patterns(answer), None)
    what = kind.message.replace("Every element is", "What is wrong is") if kind else ""
    places = (Pattern(kind.name, f"{each.message} {what}") if kind else each for each in place_patterns(answer))
    return next(chain(values, places, [kind] if kind else []), None)


# ---- the values: the whole output follows one rule ----


def _value_patterns(answer: Answer) -> Iterator[Pattern]:
    yield from _constant(answer)
    yield from _copied(answer)
    yield from _stale(answer)
    yield from _scaled(answer)
    yield from _as_often_as_launched(answer)
    yield from of_16_bits(answer)
    yield from _whole_numbers(answer)
    yield from _swapped_pairs(answer)
    yield from _split_pairs(answer)
    yield from _transposed(answer)
    yield from _shifted(answer)
    yield from _repeated(answer)
    if elsewhere := belongs(answer.buffer, answer.got, answer.expected, answer.allowed, answer.bad):
        yield Pattern("belongs", elsewhere)
    yield from stand_ins(answer)


def _constant(answer: Answer) -> Iterator[Pattern]:
    first, right = answer.got.flatten()[0], answer.expected.flatten()
    if int(answer.bad.sum()) < min(ENOUGH, max(len(right), 2)):
        return  # of one element, or of one that is not 0 as the others are
    should_be_alike = bool(close(right, right[0], answer.allowed.flatten()).all())
    if should_be_alike and first != 0 and bool(first.isfinite()):
        return  # that they are says nothing
    if bool((answer.got == first).all()) and (
        first == 0 or answer.agrees_with(first.expand_as(answer.got), _exact(answer))
    ):
        name = "all_zeros" if first == 0 else "constant"
        infinite = "" if bool(first.isfinite()) else ": x / 0 is, and expf of more than 88.7, if nothing is subtracted"
        yield Pattern(name, f"Every element of {answer.buffer} is {first.item():.7g}{infinite}.")


def _copied(answer: Answer) -> Iterator[Pattern]:
    for name, values in answer.inputs.items():
        same_kind = values.is_floating_point() == answer.got.is_floating_point()
        if same_kind and values.numel() == answer.got.numel() and answer.agrees_with(values, _exact(answer)):
            yield Pattern("copied", f"{answer.buffer} is a copy of {name}.")


def _stale(answer: Answer) -> Iterator[Pattern]:
    if answer.previous is None:
        return
    got, bad, previous = answer.got.flatten(), answer.bad.flatten(), answer.previous.flatten()
    known = min(len(got), len(previous))
    if bad[known:].any() or int(bad.sum()) < ENOUGH or len(got[:known].unique()) < ENOUGH:
        return
    wrong = got[:known][bad[:known]]
    if bool((wrong == 0).all()) or len(wrong.unique()) < ENOUGH:
        return  # what nothing was added to is 0 in both, and what is too large is inf
    if torch.equal(wrong, previous[:known][bad[:known]]):
        yield Pattern(
            "stale",
            f"{answer.buffer} holds the results of the case before. Compute them anew at every call: "
            "keep nothing in static or __device__ variables.",
        )


def _scaled(answer: Answer) -> Iterator[Pattern]:
    got, expected = answer.got.double(), answer.expected.double()
    # What should be 0 but for rounding is no multiple of anything.
    usable = (expected != 0) & (expected.abs() > answer.allowed) & expected.isfinite() & got.isfinite()
    if int(usable.sum()) < ENOUGH:
        return
    factor = float((got[usable] / expected[usable]).median())
    claim = factor * expected if answer.got.is_floating_point() else (factor * expected).round()
    if (
        abs(factor - 1) < 1e-3
        or not 1 / MOST_TIMES < abs(factor) < MOST_TIMES
        or not answer.agrees_with(claim, 4 * abs(factor) * answer.allowed)
    ):
        return
    if answer.agrees_with(-answer.expected, answer.allowed):
        yield Pattern("sign", f"Every element of {answer.buffer} has the wrong sign.")
        return
    times = factor if abs(factor) > 1 else 1 / factor
    is_whole = abs(times - round(times)) < 1e-4 * abs(times)
    message = f"Every element of {answer.buffer} is {factor_words(factor)} what it should be"
    sizes = [name for name, size in answer.sizes.items() if is_whole and size == round(times) > 2]
    who = who_does(answer.launches, round(times)) if is_whole and factor > 1 else ""
    roots = [name for name, size in answer.sizes.items() if size > 2 and abs(times * times - size) < 1e-3 * size]
    asked = f": {who}?" if who else f", and {sizes[0]} is {round(times)}." if sizes else "."
    asked = f", and the root of {', '.join(roots)} is {times:.4g}." if roots else asked
    # Where all should be alike, all that are alike are multiples.
    is_alike = bool((expected == expected.flatten()[0]).all())
    yield Pattern("scaled_alike" if is_alike else "scaled", message + asked)


def _as_often_as_launched(answer: Answer) -> Iterator[Pattern]:
    """A few sums, too few for `_scaled`, are as many times too large as something was launched."""
    got, expected = answer.got[answer.bad].double(), answer.expected[answer.bad].double()
    factor = float((got / expected).median())
    if not bool((expected != 0).all() and got.isfinite().all()) or not 1.5 < factor < MOST_TIMES:
        return
    times = round(factor)
    close = (got - times * expected).abs() <= 4 * abs(times) * answer.allowed[answer.bad]
    most = max((math.prod(launch["block"]) for launch in answer.launches), default=0)
    of_a_team = 2 < times <= most and not times & (times - 1)
    who = who_does(answer.launches, times) or (of_a_team and f"do {times:,} threads add what one of them should")
    if bool(close.all()) and who:
        message = f"{answer.at(int(answer.bad.flatten().nonzero()[0]))} is {times:,} times what it should be"
        yield Pattern("as_often", f"{message}: {who}?")


def _whole_numbers(answer: Answer) -> Iterator[Pattern]:
    got, expected = answer.got[answer.bad], answer.expected[answer.bad]
    if not answer.got.is_floating_point() or len(got.unique()) < ENOUGH or not bool(got.isfinite().all()):
        return
    if len(got[got.abs() < ALL_WHOLE].unique()) < ENOUGH:
        return
    large = got[got.abs() > ALL_EVEN]
    if len(large) >= ENOUGH and bool((large.bfloat16() == large).all()):
        return  # as are those of few bits
    if bool((got == got.round()).all()) and not bool((expected == expected.round()).any()):
        which = "All of" if bool((answer.got == answer.got.round()).all()) else "All wrong elements of"
        yield Pattern(
            "whole_numbers",
            f"{which} {answer.buffer} are whole numbers, and should not be: is a variable on the way an int, "
            "or a division one of ints?",
        )


def _swapped_pairs(answer: Answer) -> Iterator[Pattern]:
    count = answer.got.numel()
    if count % 2 == 0 and answer.is_permuted(torch.arange(count) ^ 1):
        yield Pattern(
            "swapped_pairs",
            f"The two of every pair are swapped: {answer.at(0)} holds what belongs in {answer.at(1)}, and so on.",
        )


def _split_pairs(answer: Answer) -> Iterator[Pattern]:
    count, shape = answer.got.numel(), answer.got.shape
    if (
        count % 2 == 0
        and (len(shape) == 1 or shape[-1] == 2)
        and answer.is_permuted(torch.arange(count).view(-1, 2).t())
    ):
        yield Pattern(
            "split_pairs",
            f"The pairs lie apart: {answer.buffer} holds all first values and then all second values. "
            "Pair i belongs at 2 * i and 2 * i + 1.",
        )


def _transposed(answer: Answer) -> Iterator[Pattern]:
    shape = answer.got.shape
    if len(shape) < 2 or min(shape[-2:]) < 2:
        return
    rows, cols = shape[-2:]
    places = torch.arange(answer.got.numel()).view(-1, rows, cols)
    if answer.is_permuted(places.transpose(1, 2)):
        yield Pattern(
            "transposed",
            f"{answer.buffer} is transposed: element (row, col) of {rows} x {cols} lies at row * {cols} + col, "
            f"but was stored at col * {rows} + row.",
        )


def _shifted(answer: Answer) -> Iterator[Pattern]:
    got, expected, allowed = answer.got.flatten(), answer.expected.flatten(), answer.allowed.flatten()
    for shift, moved in ((1, "late"), (-1, "early")):
        kept = slice(1, None) if shift > 0 else slice(None, -1)
        origin = slice(None, -1) if shift > 0 else slice(1, None)
        inner = Answer(answer.buffer, got[kept], expected[kept], allowed[kept], answer.bad.flatten()[kept])
        if inner.agrees_with(expected[origin], allowed[origin]):
            sign = "+" if shift > 0 else "-"
            yield Pattern("shifted", f"Every value lies one place too {moved}: that of [i] is at [i {sign} 1].")


def _repeated(answer: Answer) -> Iterator[Pattern]:
    shape = answer.got.shape
    # Rows that hold one number in all places say nothing of rows.
    if len(shape) >= 2 and (shape[-1] < 2 or not _is_constant(answer)) and _repeats(answer, shape[-1]):
        yield Pattern("rows_repeated", f"All rows of {answer.buffer} are the same: is the row missing from an index?")
    for _, threads in lines(answer.launches):
        if len(shape) == 1 and threads > 1 and _repeats(answer, threads):
            yield Pattern(
                "blocks_repeated",
                f"The first {threads} values come again and again, once for each block: "
                "is blockIdx missing from an index that is read?",
            )


def _is_constant(answer: Answer) -> bool:
    """Whether all is the same number, as far as rounding goes."""
    first = answer.got.flatten()[0]
    return bool(close(answer.got.double(), first.double(), answer.allowed).all())


def _repeats(answer: Answer, period: int) -> bool:
    """Whether all is as the first `period` elements are, where it should not be."""
    places = torch.arange(answer.got.numel()) % period
    right = answer.expected.flatten()
    if bool(close(right, right[places], answer.allowed.flatten()).all()):
        return False
    return answer.got.numel() > period and answer.agrees_with(answer.got.flatten()[places], _exact(answer))


# ---- the kind of the bad values ----


def _kind_patterns(answer: Answer) -> Iterator[Pattern]:
    if not answer.written:
        return
    got, expected = answer.got[answer.bad], answer.expected[answer.bad]
    if bool(got.isnan().all()):
        what = "0 / 0, inf - inf, inf / inf, a root or log below 0, or unwritten memory"
        yield Pattern("nan", f"Every wrong element is NaN: {what}.")
    elif answer.got.is_floating_point() and bool(((got - expected).abs() <= NEARLY * expected.abs()).all()):
        bits = "too few bits somewhere (half precision, an approximate function, or a long sum that loses small terms)"
        if len(got) < ENOUGH:  # a sum that lacks some of its terms is close, too
            bits = f"some terms are left out or added twice, or there are {bits}"
        yield Pattern("imprecise", f"Every element is close, but not close enough: {bits}.")


def _exact(answer: Answer) -> Tensor:
    return torch.zeros_like(answer.allowed)
