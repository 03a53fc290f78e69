"""Why a result is wrong, found by asking the reference again: for which other inputs would it be right?

Each way in which kernels go wrong with what they read is a change of one input: a column left out, the first row in the
place of all, a tile turned round. What agrees with all wrong cases that were looked at is told, and nothing else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, islice

import torch
from torch import Tensor

from grader.judge.causes.all_threads import variations_of_all_threads
from grader.judge.causes.asked import Case, Cause, Variation
from grader.judge.causes.attention_masks import causes_of_masks, causes_of_places_behind
from grader.judge.causes.carried import causes_of_carried
from grader.judge.causes.counts import causes_of_counts
from grader.judge.causes.deltas import causes_of_deltas
from grader.judge.causes.flags import causes_of_flags
from grader.judge.causes.functions import causes_of_functions, variations_of_functions
from grader.judge.causes.gathered import gathered
from grader.judge.causes.gradients import causes_of_gradients
from grader.judge.causes.left_out import Along, masks
from grader.judge.causes.logarithms import causes_of_logarithms
from grader.judge.causes.means import causes_of_means
from grader.judge.causes.often import LANES, Launches
from grader.judge.causes.operators import causes_of_operators
from grader.judge.causes.own_maxima import causes_of_own_maxima
from grader.judge.causes.places import causes_of_places, variations_of_places
from grader.judge.causes.repeated_tiles import causes_of_repeated_tiles
from grader.judge.causes.running_sums import causes_of_running_sums
from grader.judge.causes.scales import causes_of_scales
from grader.judge.causes.shares import causes_of_shares
from grader.judge.causes.turned import turned
from grader.judge.causes.vectors import masks_of_vectors, noun_of, weights_of_vectors
from grader.judge.causes.weight_registers import causes_of_registers
from grader.judge.causes.weights import Times, Weights, weights, weights_of_lanes, weights_of_teams

MOST_CASES = 4
FEW_TERMS = 4  # of a sum: with fewer, shuffles and rounds of loops explain whatever there is
MOST_TRIED = 48  # causes of the first case, with the others
FUNCTION = 1e-3  # relative: how far the function of a result may be from what is computed
TELLS_ENOUGH = 1 << 11  # numbers of a case
NOUNS = {1: ("element",), 2: ("row", "column"), 3: ("matrix", "row", "column")}


def worth_asking(cases: Iterable[Case]) -> list[Case]:
    """Those of cases that are small enough that tell most: the largest come first, and those that are 0 last."""
    few = sorted(cases, key=lambda case: (bool((case.got == 0).all()), -case.numbers))
    return [case for case in few if case.got.numel() and bool(case.got.isfinite().all()) and case.tells][:MOST_CASES]


def cause(
    chosen: Sequence[Case], among: Callable[[Case], Iterator[Cause]] | None = None, right: Sequence[Case] = ()
) -> Cause | None:
    """What explains all of these wrong cases of one buffer, and none of the `right` ones denies; of all causes, unless
    it says `among` which.
    """
    # The smallest that tells enough is asked about all of them, for that takes the least time.
    # Of one that is 0 everywhere much is true.
    enough = [case for case in reversed(chosen) if case.numbers >= TELLS_ENOUGH]
    first = next((case for case in enough if bool((case.got != 0).any())), (enough or chosen)[0])
    others = [case for case in chosen if case is not first]
    found = (each for each in (among or _causes)(first) if each.tells_apart(chosen) and _fits(each, first, others))
    agreed = (each for each in islice(found, MOST_TRIED) if all(map(each.agrees, others)))
    return next((each for each in agreed if not any(map(each.is_denied_by, right))), None)


def _fits(each: Cause, first: Case, others: Sequence[Case]) -> bool:
    """Whether it explains the first case, or agrees with it, as where columns are few, and explains another."""
    if each.explains(first):
        return True
    return bool(each.weaker and each.weaker(first)) and any(map(each.explains, others))


def causes_seen(case: Case) -> Iterator[Cause]:
    """Those that the expected values tell, without asking the reference again: of larger cases, too."""
    yield from causes_of_counts(case)
    yield from causes_of_shares(case)
    yield from causes_of_carried(case)


def causes_of_middling(case: Case) -> Iterator[Cause]:
    """Those that take some ten answers of the reference: of cases that are too large for more."""
    yield from _causes_of_few(case)
    for name, values in case.inputs.items():
        if _may_vary(values):
            for variation in _as_a_whole(case, name):
                yield variation.as_cause()


def _causes_of_few(case: Case) -> Iterator[Cause]:
    for name, function, said in _FUNCTIONS:
        yield Cause(name, partial(_is_right_by, function), partial(_of_buffer, said))
    yield from causes_of_places(case)
    yield from causes_of_flags(case)
    yield from causes_of_masks(case)
    yield from causes_of_own_maxima(case)
    yield from causes_of_scales(case)
    yield from causes_of_means(case)
    yield from causes_of_registers(case)
    yield from causes_of_places_behind(case)
    yield from causes_of_logarithms(case)
    yield from causes_of_running_sums(case)
    yield from causes_of_operators(case)
    yield from causes_of_functions(case)
    scaled, alike = (partial(_are_rows_scaled, alike) for alike in (False, True))
    yield Cause("rows_scaled", scaled, _scaled_rows, alike)


def _causes(case: Case) -> Iterator[Cause]:
    yield from _causes_of_few(case)
    yield from causes_of_gradients(case)
    yield from causes_of_repeated_tiles(case)
    yield from _of_swapped(case)
    yield from causes_of_deltas(case)
    for variation in _variations(case):
        yield variation.as_cause()


# ---- a function of what it should be ----

_FUNCTIONS: Sequence[tuple[str, Callable[[Tensor], Tensor], str]] = (
    (
        "log",
        torch.log,
        "Every element of {buffer} is the logarithm of what it should be: is an exp missing?",
    ),
    ("exp", torch.exp, "Every element of {buffer} is exp of what it should be: is a logarithm missing at the end?"),
    (
        "log2",
        lambda x: x / 0.6931471805599453,
        "Every element of {buffer} is 1.443 times what it should be, as log2 is: write logf, the natural logarithm.",
    ),
    (
        "absolute",
        torch.abs,
        "Every element of {buffer} is right but for its sign, and none is below 0: what loses the"
        " sign, a root, a square or fabsf?",
    ),
    ("square", torch.square, "Every element of {buffer} is the square of what it should be: is a root missing?"),
    ("root", torch.sqrt, "Every element of {buffer} is the root of what it should be."),
    ("reciprocal", torch.reciprocal, "Every element of {buffer} is 1 / what it should be: is a division upside down?"),
)


def _of_buffer(said: str, case: Case) -> str:
    return said.format(buffer=case.buffer)


def _is_right_by(function: Callable[[Tensor], Tensor], case: Case) -> bool:
    """Whether the results are this function of what they should be, where it has a value."""
    claim = function(case.expected)
    known = claim.isfinite()
    # What is small beside what it should be agrees with all that is: it has to be as close as its own size asks.
    if not bool(
        ((case.got - claim)[known].abs() <= FUNCTION * claim[known].abs().amax()).all() if known.any() else False
    ):
        return False
    return 2 * int(known.sum()) > claim.numel() and case.is_right_for(torch.where(known, claim, case.got))


def _are_rows_scaled(alike: bool, case: Case) -> bool:
    return _factors(case, alike) is not None


def _factors(case: Case, alike: bool = False) -> Tensor | None:
    """The factor of each row, where each row is right but for one, and they differ, or may be `alike`."""
    if case.got.dim() < 2 or case.got.shape[-1] < 2 or (not alike and case.got.numel() == case.got.shape[-1]):
        return None
    got, expected = (values.reshape(-1, values.shape[-1]) for values in (case.got, case.expected))
    at = expected.abs().argmax(dim=1, keepdim=True)
    factors = got.gather(1, at) / expected.gather(1, at)
    if not bool((factors.isfinite() & (factors != 0)).all()):
        return None
    differ = float(factors.max() - factors.min()) > 1e-3 * float(factors.abs().max())
    return factors if (differ or alike) and case.is_right_for(expected * factors) else None


def _scaled_rows(case: Case) -> str:
    factors = _factors(case, alike=True)
    assert factors is not None
    differ = ((factors - 1).abs() > 1e-3).flatten().nonzero().flatten().tolist() or list(range(len(factors)))
    told = " and ".join(f"{float(factors[row]):.4g} in row {row}" for row in differ[:2])
    return (
        f"Every row of {case.buffer} is right but for a factor of its own, {told}:"
        " what is a row multiplied with or divided by, and is that right?"
    )


# ---- other inputs ----


def _variations(case: Case) -> Iterator[Variation]:
    for name, values in case.inputs.items():
        if not _may_vary(values):
            continue
        yield from _as_a_whole(case, name)
        for axis, noun in enumerate(NOUNS[values.dim()]):
            if values.shape[axis] > 1:
                is_summed = case.sums_along(name, axis)
                yield from _weighted(case, name, axis, weights_of_lanes() if is_summed else ())
                teams = weights_of_teams(noun, case.launches) if is_summed else ()
                yield from _weighted(case, name, axis, teams, _has_teams)
                yield from _left_out(case, name, axis, is_summed)
                yield from _weighted(case, name, axis, weights(noun, case.launches) if is_summed else ())
                of_vectors = is_summed and axis == values.dim() - 1
                yield from _weighted(case, name, axis, weights_of_vectors() if of_vectors else ())
        if values.dim() == 1 and case.sums_along(name, 0):
            yield from variations_of_all_threads(case, name)
        if values.dim() > 1:
            yield from turned(case, name)
        yield from variations_of_places(case, name)
        yield from _of_zeros(name)


def _may_vary(values: Tensor) -> bool:
    return values.is_floating_point() and values.dim() in NOUNS and values.numel() > 1


def _as_a_whole(case: Case, name: str) -> Iterator[Variation]:
    yield from _of_others(case, name)
    yield from variations_of_functions(name)
    yield from _multiplied(case, name)
    for axis, noun in enumerate(NOUNS[case.inputs[name].dim()]):
        if case.inputs[name].shape[axis] > 1:
            yield from gathered(name, axis, noun, case.threads)


def _of_others(case: Case, name: str) -> Iterator[Variation]:
    for other, values in case.inputs.items():
        if other != name and values.shape == case.inputs[name].shape:
            yield _of_other(name, other)
    yield Variation(
        "negative",
        name,
        lambda case: -case.inputs[name],
        lambda case: f"What {case.buffer} holds is right for -{name} in the place of {name}: is a sign wrong?",
    )


def _of_swapped(case: Case) -> Iterator[Cause]:
    """Two inputs in each other's place."""
    names = [name for name, values in case.inputs.items() if _may_vary(values)]
    for one, other in combinations(names, 2):
        if case.inputs[one].shape == case.inputs[other].shape:
            yield Cause(f"swapped_{one}_{other}", partial(_are_swapped, one, other), partial(_swapped, one, other))


def _are_swapped(one: str, other: str, case: Case) -> bool:
    first, second = case.inputs[one], case.inputs[other]
    if first.shape != second.shape or torch.equal(first, second):
        return False
    return case.is_right_for(case.reference({**case.inputs, one: second, other: first})[case.buffer].double())


def _swapped(one: str, other: str, case: Case) -> str:
    return (
        f"What {case.buffer} holds is right with {one} and {other} in each other's place: are the two swapped where"
        " they are handed over, or where they are read?"
    )


def _of_zeros(name: str) -> Iterator[Variation]:
    yield Variation(
        "zero",
        name,
        lambda case: torch.zeros_like(case.inputs[name]) if len(case.inputs) > 1 else None,
        lambda case: (
            f"What {case.buffer} holds is right where all of {name} is 0: is it read, and does it count, or is it"
            " multiplied with 0, as 1 / 8 is of whole numbers?"
        ),
        lambda case: bool((case.got == 0).all()),  # of which that is always true
    )


def _of_other(name: str, other: str) -> Variation:
    return Variation(
        f"other_{other}",
        name,
        lambda case: case.inputs[other],
        lambda case: (
            f"What {case.buffer} holds is right with {other} in the place of {name}: is {other} read, or handed to the"
            f" launch, where {name} belongs?"
        ),
    )


_FACTORS_OF_SIZES: Mapping[str, Callable[[float], float]] = {
    "sqrt({})": lambda n: n**0.5,
    "1 / sqrt({})": lambda n: n**-0.5,
    "{}": lambda n: n,
    "1 / {}": lambda n: 1 / n,
}


def _multiplied(case: Case, name: str) -> Iterator[Variation]:
    """A factor is left out, wrong, or there twice."""
    numbers: dict[str, float] = {"2": 2, "1 / 2": 0.5, "log(2), as exp2f has it": 0.6931471805599453}
    for size, value in case.call.scalars.items():
        if isinstance(value, int) and value > 2:
            numbers |= {words.format(size): of(value) for words, of in _FACTORS_OF_SIZES.items()}
    for words in numbers:

        def change(case: Case, words: str = words) -> Tensor | None:
            size = next((each for each in case.call.scalars if re.search(rf"\b{each}\b", words)), "")
            if not size:
                return case.inputs[name] * numbers[words]
            of = next(of for said, of in _FACTORS_OF_SIZES.items() if said.format(size) == words)
            return case.inputs[name] * of(case.call.scalars[size])

        yield Variation(f"times_{words}", name, change, partial(_times, name, words))


def _times(name: str, words: str, case: Case) -> str:
    return f"What {case.buffer} holds is right for {name} times {words}: is a factor wrong, left out, or there twice?"


def _left_out(case: Case, name: str, axis: int, is_summed: bool) -> Iterator[Variation]:
    """Some are not added: where 0, or for a sum of exponentials -inf, stands in their places, it is right."""
    noun = NOUNS[case.inputs[name].dim()][axis]
    of_vectors = is_summed and axis == case.inputs[name].dim() - 1
    found = [*masks("{noun}", case.threads), *(masks_of_vectors("{noun}", case.threads) if of_vectors else ())]
    for key, mask, said, asks in found:
        if key.startswith("all_but_end") and not is_summed:
            continue
        for neutral in [-torch.inf if exponents else 0.0 for exponents in _ways(case, name)]:

            def change(case: Case, mask: Along = mask, neutral: float = neutral) -> Tensor | None:
                values = case.inputs[name]
                shape = [-1 if each == axis else 1 for each in range(values.dim())]
                length = values.shape[axis]
                return values.masked_fill(mask(torch.arange(length), length).reshape(shape), neutral)

            def message(case: Case, key: str = key, said: str = f"{said}: {asks}") -> str:
                length = case.inputs[name].shape[axis]
                return f"{case.buffer} lacks {said.format(n=length, x=name, noun=noun_of(key, noun, length))}"

            def all_of_it(case: Case, mask: Along = mask) -> bool:
                length = case.inputs[name].shape[axis]
                return bool(mask(torch.arange(length), length).all())

            yield Variation(f"{key}_{axis}", name, change, message, all_of_it)


def _ways(case: Case, name: str) -> Sequence[bool]:
    known = case.counts_in(name)
    return (False, True) if known is None else (known,)


def _has_teams(case: Case) -> bool:
    """Whether a launch has as many blocks as it takes if each warp works out one output, or each row of a block's
    threads. False of a single output, for which any launch has enough.
    """
    for launch in case.launches:
        _, height, _ = launch["block"]
        teams = height if height > 1 else max(math.prod(launch["block"]) // LANES, 1)
        if case.got.numel() > 1 and math.prod(launch["grid"]) == -(-case.got.numel() // teams):
            return True
    return False


def _weighted(
    case: Case,
    name: str,
    axis: int,
    found: Iterable[Weights],
    is_clear: Callable[[Case], bool] | None = None,
) -> Iterator[Variation]:
    """Some are added several times, or not: as factors, or for a sum of exponentials as their logarithms."""
    for key, times, said in found:
        for exponents in _ways(case, name):

            def change(case: Case, times: Times = times, exponents: bool = exponents) -> Tensor | None:
                if is_clear and not (is_clear(case) or case.got.numel() == 1):
                    return None
                values = case.inputs[name]
                shape = [-1 if each == axis else 1 for each in range(values.dim())]
                counts = times(torch.arange(values.shape[axis]), case.launches).reshape(shape)
                return values + counts.log() if exponents else values * counts

            def message(case: Case, said: Callable[[Launches], str] = said) -> str:
                return said(case.launches).format(buffer=case.buffer, x=name)

            def of_none(case: Case, times: Times = times) -> bool:
                counts = times(torch.arange(case.inputs[name].shape[axis]), case.launches)
                # Of terms that all count as often it says which do only where there are others.
                return len(counts) < FEW_TERMS or bool((counts == counts[0]).all())

            yield Variation(f"{key}_{axis}", name, change, message, of_none, is_clear)
