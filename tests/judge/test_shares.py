"""What a softmax was divided by, and what its sum lacks, follows from the factor of each row."""

import math
from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.variations import cause, causes_seen
from grader.judge.inputs import Draw
from tests.shared import long_tail


def case(rows, cols, sum_of, threads=64):
    """A softmax in which each row of x is divided by `sum_of` it."""
    x = 3 * Draw(rows * cols).normal(rows * cols).double().view(rows, cols)
    right, top = torch.softmax(x, 1), x.amax(1, keepdim=True)
    call = SimpleNamespace(scalars={"rows": rows, "cols": cols}, terms=cols)
    launch = {"kernel": "k", "grid": [rows, 1, 1], "block": [threads, 1, 1]}
    got = torch.exp(x - top) / sum_of(x, torch.exp(x - top), threads)
    return Case(call, lambda inputs: {}, {"x": x}, "y", got, right, 1e-6 * right, [launch])


def of_threads(values, threads, combine):
    return torch.stack([combine(values[:, each::threads]) for each in range(min(threads, values.shape[1]))], 1)


def forgets_to_rescale(x, terms, threads):
    def mine(own):
        so_far = own.cummax(1).values
        return torch.exp(own - so_far).sum(1) * torch.exp(so_far[:, -1] - x.amax(1))

    return of_threads(x, threads, mine).sum(1, keepdim=True)


def merged(x, terms, threads):
    return of_threads(x, threads, lambda own: torch.exp(own - own.amax(1, keepdim=True)).sum(1)).sum(1, keepdim=True)


ROWS = [
    (lambda x, terms, threads: terms[:, :-1].sum(1, keepdim=True), "is divided by lacks the last column of x"),
    (forgets_to_rescale, "is not rescaled where the maximum grows"),
    (merged, "The sums of threads with maxima of their own are added as they are"),
    (lambda x, terms, threads: terms.sum(1, keepdim=True) + threads, "is 64 too large, whatever the row holds"),
    (
        lambda x, terms, threads: terms.sum(1, keepdim=True) + 30,
        "is 30 too large, whatever the row holds: does each sum begin at 0, and does a lane that stands for no warp",
    ),
    (lambda x, terms, threads: x.amax(1, keepdim=True), "divided by its maximum, and not by its sum"),
    (
        lambda x, terms, threads: of_threads(terms, threads, lambda own: own.sum(1)).amax(1, keepdim=True),
        "is divided by the largest of its threads' sums",
    ),
    (lambda x, terms, threads: (terms**0.5).sum(1, keepdim=True), "which is too large"),
    (lambda x, terms, threads: (terms**1.5).sum(1, keepdim=True), "which is too small"),
    (
        lambda x, terms, threads: terms.sum(1, keepdim=True) * torch.exp(-x.amax(1, keepdim=True)),
        "subtract the maximum above",
    ),
    (lambda x, terms, threads: torch.exp(x).sum(1, keepdim=True), "subtract the maximum in the sum"),
    (lambda x, terms, threads: terms.sum(1)[:1], "divided by the sum of the first row"),
    (
        lambda x, terms, threads: torch.stack([terms[:, c % threads :: threads].sum(1) for c in range(x.shape[1])], 1),
        "divided by its own thread's sum",
    ),
]


@pytest.mark.parametrize(("sum_of", "words"), long_tail(ROWS, every=3))
def test_what_a_row_is_divided_by(sum_of, words):
    cases = [case(5, 203, sum_of), case(7, 150, sum_of)]
    assert words in cause(cases, causes_seen).message(cases[0])


def own_of_warp(x, terms, threads):
    warps = torch.arange(x.shape[1]) % threads // 32
    return torch.stack([terms[:, warps == warp].sum(1) for warp in warps], 1)


def own_maximum_of_warp(x, terms, threads):
    warps = torch.arange(x.shape[1]) % threads // 32
    tops = torch.stack([x[:, warps == warp].amax(1) for warp in warps], 1)
    return torch.exp(tops - x.amax(1, keepdim=True)) * torch.exp(x - tops).sum(1, keepdim=True)


def own_above(warp):
    """The sum is beside the row's maximum, and what is divided beside that of a warp's, or a thread's, columns."""

    def divided_by(x, terms, threads):
        parts = torch.arange(x.shape[1]) % threads // warp
        tops = torch.stack([x[:, parts == part].amax(1) for part in parts], 1)
        return torch.exp(tops - x.amax(1, keepdim=True)) * terms.sum(1, keepdim=True)

    return divided_by


def own_below(x, terms, threads):
    warps = torch.arange(x.shape[1]) % threads // 32
    tops = torch.stack([x[:, warps == warp].amax(1) for warp in warps], 1)
    return torch.exp(x - tops).sum(1, keepdim=True)


def places_of_tree(values, combine):
    """Behind the steps of 32, 16, ... 1 of 64 threads."""
    for half in (32, 16, 8, 4, 2, 1):
        values = torch.cat([combine(values[:, :half], values[:, half : 2 * half]), values[:, half:]], 1)
    return values


def own_place(x, terms, threads):
    """Each thread divides by what its own place of the tree has."""
    own = of_threads(terms, threads, lambda mine: mine.sum(1))
    return places_of_tree(own, torch.add)[:, torch.arange(x.shape[1]) % threads]


def own_maximum_of_place(x, terms, threads):
    own = places_of_tree(of_threads(x, threads, lambda mine: mine.amax(1)), torch.maximum)
    tops = own[:, torch.arange(x.shape[1]) % threads]
    return torch.exp(tops - x.amax(1, keepdim=True)) * torch.exp(x - tops).sum(1, keepdim=True)


def of_exp_twice(x, terms, threads):
    return terms / torch.exp(terms) * terms.sum(1, keepdim=True)


@pytest.mark.parametrize(
    ("sum_of", "words"),
    [
        (own_of_warp, "divided by its own warp's sum"),
        (own_maximum_of_warp, "Each warp subtracts the maximum of its own"),
        (own_above(32), "Above the division each warp subtracts the maximum of its own"),
        (own_above(1), "Above the division each thread subtracts the maximum of its own"),
        (own_below, "In the sum that y is divided by each warp subtracts the maximum of its own"),
        (own_place, "`values[threadIdx.x]`, for the row's sum: that"),
        (own_maximum_of_place, "`values[threadIdx.x]`, for the row's maximum: that"),
        (of_exp_twice, "y has expf of what is expf(x - maximum) already"),
        (lambda x, terms, threads: terms.sum(1, keepdim=True) ** 2, "Each row of y is divided by its sum twice"),
    ],
)
def test_what_each_warp_has_for_itself_is_told(sum_of, words):
    cases = [case(5, 203, sum_of), case(7, 150, sum_of)]
    assert words in cause(cases, causes_seen).message(cases[0])


def merged_by(sum_of_two, lanes=True):
    """Pairs (maximum, sum) of threads, put together by shuffles that xor lanes, or by a tree."""

    def divided_by(x, terms, threads):
        count = 32 if lanes else threads
        pairs = [[(float(own.max()), float((own - own.max()).exp().sum())) for own in
                  (row[each::count] for each in range(count)) ] for row in x]  # fmt: skip
        for step in [count // 2**n for n in range(1, count.bit_length())]:
            pairs = [
                [merge(mine, row[at ^ step] if lanes or at + step >= count else row[at + step], sum_of_two)
                 for at, mine in enumerate(row)] for row in pairs
            ]  # fmt: skip
        at = torch.arange(x.shape[1]) % count if lanes else torch.zeros(x.shape[1], dtype=torch.int64)
        return torch.tensor([[sum_of for _, sum_of in row] for row in pairs]).double()[:, at]

    return divided_by


def merge(mine, other, sum_of_two):
    larger = max(mine[0], other[0])
    return larger, sum_of_two(mine[1], other[1], math.exp(mine[0] - larger), math.exp(other[0] - larger))


def lacks_what_was_new(x, terms, threads):
    def old(row, at):
        return at >= threads and bool(row[at] <= row[at % threads : at : threads].max())

    lists = [[float(term) for at, term in enumerate(its) if old(row, at)] for row, its in zip(x, terms, strict=True)]
    return torch.tensor([[sum(each)] for each in lists]).double()


@pytest.mark.parametrize(
    ("sum_of", "words"),
    [
        (merged_by(lambda a, b, mine, other: a * mine + b), "the other one's is added as it is"),
        (merged_by(lambda a, b, mine, other: a + b * other), "a thread's own one stays as it was"),
        (merged_by(lambda a, b, mine, other: (a + b) * other), "both are multiplied with expf(the other's maximum"),
        (merged_by(lambda a, b, mine, other: a * other + b * mine), "each is multiplied with what belongs to the"),
        (merged_by(lambda a, b, mine, other: a * mine + b, lanes=False), "the other one's is added as it is"),
        (lacks_what_was_new, "lacks each element that was a thread's largest when it came"),
    ],
)
def test_pairs_that_are_put_together_wrongly(sum_of, words):
    cases = [case(5, 203, sum_of), case(7, 150, sum_of)]
    assert words in cause(cases, causes_seen).message(cases[0])


def test_another_factor_is_not_explained():
    assert cause([case(5, 203, lambda x, terms, threads: 1.3 * terms.sum(1, keepdim=True))], causes_seen) is None


def lanes_know(terms_of, sum_of):
    """The divisor of lanes that know what `terms_of` their own maxima, and `sum_of` their own sums, tell them."""

    def divided_by(x, terms, threads):
        lanes = torch.arange(x.shape[1]) % 32
        own = torch.stack([x[:, lanes == lane].amax(1) for lane in range(32)], 1)
        known = terms_of(own)[:, lanes]
        mine = torch.exp(x - known)
        sums = sum_of(torch.stack([mine[:, lanes == lane].sum(1) for lane in range(32)], 1))[:, lanes]
        return torch.exp(known - x.amax(1, keepdim=True)) * sums

    return divided_by


def xor(values, steps, put):
    for step in steps:
        values = put(values, values[:, torch.arange(32) ^ step])
    return values


def down(values, put):
    for step in (16, 8, 4, 2, 1):
        origin = torch.arange(32) + step
        values = put(values, values[:, torch.where(origin < 32, origin, torch.arange(32))])
    return values


WHOLE = (16, 8, 4, 2, 1)
LANES = [
    (
        lambda own: xor(own, WHOLE[1:], torch.maximum),
        None,
        "subtracts a maximum that is not the whole row's: the step by 16",
    ),
    (lambda own: xor(own, WHOLE[:-1], torch.maximum), None, "not the whole row's: the step by 1 is missing"),
    (lambda own: down(own, torch.maximum), None, "__shfl_down_sync leaves the maximum in lane 0 alone"),
    (
        None,
        lambda own: down(own, torch.add),
        "Each lane divides by a sum that is not the whole row's: __shfl_down_sync",
    ),
    (None, lambda own: xor(own, (8, 8, 4, 2, 1), torch.add), "the step by 16 is missing"),
    (lambda own: down(own, torch.maximum), lambda own: down(own, torch.add), "leaves both in lane 0 alone"),
]


@pytest.mark.parametrize(("tops", "sums", "words"), LANES)
def test_shuffles_that_do_not_reach_all_lanes(tops, sums, words):
    tops = tops or (lambda own: own.amax(1, keepdim=True).expand_as(own))
    sums = sums or (lambda own: own.sum(1, keepdim=True).expand_as(own))
    cases = [case(5, 203, lanes_know(tops, sums)), case(7, 150, lanes_know(tops, sums))]
    assert words in cause(cases, causes_seen).message(cases[0])


def test_lanes_that_meet_half_of_their_warp():
    """By a width of 16 the upper half is handed the lower half's values, and the lower one its own again."""

    def half(own):
        own = own + own[:, torch.where(torch.arange(32) < 16, torch.arange(32), torch.arange(32) ^ 16)]
        return xor(own, WHOLE[1:], torch.add)

    found = lanes_know(lambda own: own.amax(1, keepdim=True).expand_as(own), half)
    cases = [case(5, 203, found), case(7, 150, found)]
    assert "with the width 16, the shuffle's last argument" in cause(cases, causes_seen).message(cases[0])
