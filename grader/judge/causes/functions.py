"""Wrong results that are right for a function of an input, |x| or x * x, and the largest in the place of a sum."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause, Variation
from grader.judge.causes.often import LANES

_OF_AN_INPUT: Sequence[tuple[str, Callable[[Tensor], Tensor], str]] = (
    ("absolute", torch.abs, "|{x}| in the place of {x}: what loses the sign, fabsf, or a root of a square?"),
    ("ones", torch.ones_like, "1 in the place of all of {x}: is it read, and multiplied with?"),
    ("squared", torch.square, "{x} * {x} in the place of {x}: is it multiplied with itself?"),
    (
        "whole",
        torch.trunc,
        "{x} cut down to whole numbers: is a variable on its way an int, or is there an `(int)`?",
    ),
)


def variations_of_functions(name: str) -> Iterator[Variation]:
    for key, function, said in _OF_AN_INPUT:
        yield Variation(key, name, partial(_of, function, name), partial(_said, said, name))


def _of(function: Callable[[Tensor], Tensor], name: str, case: Case) -> Tensor:
    return function(case.inputs[name])


def _said(said: str, name: str, case: Case) -> str:
    return f"What {case.buffer} holds is right for {said.format(x=name)}"


# ---- exponents that several inputs make together, as of exp(a + b - c) ----

_OF_EXPONENTS: Sequence[tuple[str, float, str]] = (
    (
        "exp2",
        0.6931471805599453,
        "2^x in the place of exp(x): write expf, or multiply what exp2f takes with 1.442695f.",
    ),
    ("turned", -1.0, "exp(-x) in the place of exp(x): is what is subtracted, and what from, the wrong way round?"),
)


def causes_of_functions(case: Case) -> Iterator[Cause]:
    """Of outputs that have another function than they should of exponents, of an axis, or of one of their columns."""
    yield from _causes_of_exponents(case)
    yield from _causes_of_maxima(case)
    yield from _causes_of_columns(case)


def _causes_of_exponents(case: Case) -> Iterator[Cause]:
    """Of outputs whose terms are exp of a sum of inputs."""
    for key, factor, said in _OF_EXPONENTS:
        yield Cause(f"exponents_{key}", partial(_is_right_for_exponents, factor), partial(_of_exponents, said))


def _is_right_for_exponents(factor: float, case: Case) -> bool:
    names = [name for name, values in case.inputs.items() if values.is_floating_point()]
    exponents = {name: factor * case.inputs[name] for name in names if case.counts_in(name) is not False}
    if len(exponents) < 2 or not any(map(case.counts_in, exponents)):
        return False
    return case.is_right_for(case.reference({**case.inputs, **exponents})[case.buffer].double())


def _of_exponents(said: str, case: Case) -> str:
    return f"What {case.buffer} holds is right for {said}"


# ---- the largest in the place of a sum ----


def _causes_of_maxima(case: Case) -> Iterator[Cause]:
    """Of an output that is the sum of an input along one axis."""
    for name, values in case.inputs.items():
        for axis in range(values.dim()) if values.is_floating_point() else ():
            if _is_the_sum(case, name, axis):
                for of in (0, *dict.fromkeys([*case.threads, LANES])):
                    for inner in (False, True) if of else (False,):
                        explains = partial(_is_largest, name, axis, of, inner)
                        yield Cause(f"largest_{axis}_{of}_{inner}", explains, partial(_largest, name, of, inner))
                if values.dim() == 1:
                    yield from _of_blocks(name)


def _of_blocks(name: str) -> Iterator[Cause]:
    """Blocks add what a tree of theirs has, whose first steps, or all of them, take the larger one."""
    for left in (1, LANES, 2 * LANES):
        for each in (1, 2, 4):
            explains = partial(_is_largest_of_blocks, name, left, each)
            yield Cause(f"largest_of_blocks_{left}_{each}", explains, partial(_largest_of_blocks, name, left))


def _is_largest_of_blocks(name: str, left: int, each: int, case: Case) -> bool:
    """Whether it is the sum over blocks, and over the `left` threads to which the tree takes the larger one."""
    if len(case.launches) == 0 or not _is_the_sum(case, name, 0):
        return False
    blocks, threads = (math.prod(case.launches[-1][of]) for of in ("grid", "block"))
    values = case.inputs[name].double()
    if threads % left or threads == left:
        return False
    rounds = -(-values.numel() // (blocks * threads * each))
    padded = torch.nn.functional.pad(values, (0, rounds * blocks * threads * each - values.numel()))
    shares = padded.reshape(rounds, blocks, each, threads).sum((0, 2))
    return case.is_right_for(shares.reshape(blocks, threads // left, left).amax(1).sum())


def _largest_of_blocks(name: str, left: int, case: Case) -> str:
    threads = math.prod(case.launches[-1]["block"])
    blocks = math.prod(case.launches[-1]["grid"])
    what = f"the largest of {threads} threads' sums of {name}"
    if left > 1:
        what = f"of {threads} threads' sums of {name} the larger of each two, down to {left}, and their sum"
    if blocks > 1:
        what = f"the sum over {blocks} blocks of {what}"
    return f"What {case.buffer} holds is {what}, and a sum is asked for: is it fmaxf, or `>`, where `+` belongs?"


def _is_the_sum(case: Case, name: str, axis: int) -> bool:
    if axis >= case.inputs[name].dim():
        return False
    total = case.inputs[name].double().sum(axis)
    if total.numel() != case.expected.numel():
        return False
    return bool(((total.flatten() - case.expected.flatten()).abs() <= case.allowed.flatten()).all())


def _is_largest(name: str, axis: int, threads: int, inner: bool, case: Case) -> bool:
    """Whether it is the largest of all, the sum of each thread's largest, or the largest of the threads' sums."""
    if not _is_the_sum(case, name, axis):
        return False
    values = case.inputs[name].double().movedim(axis, -1)
    if not threads:
        largest = values.amax(-1)
        return case.is_right_for(largest) or case.is_right_for(largest.clamp(min=0))
    rounds = -(-values.shape[-1] // threads)
    shared = torch.nn.functional.pad(values, (0, rounds * threads - values.shape[-1])).unflatten(-1, (rounds, threads))
    claim = shared.amax(-2).clamp(min=0).sum(-1) if inner else shared.sum(-2).amax(-1)
    return case.is_right_for(claim)


def _largest(name: str, threads: int, inner: bool, case: Case) -> str:
    of = f"of {name}" if not threads else f"of {name} that each of {threads} threads has"
    what = f"the largest {of}" if inner or not threads else f"the largest of {threads} threads' sums of {name}"
    what = f"the sum of the largest {of}" if inner else what
    return f"What {case.buffer} holds is {what}, and a sum is asked for: is it fmaxf, or `>`, where `+` belongs?"


# ---- a column that is computed from another column, and not from the input ----

_OF_COLUMNS: Sequence[tuple[str, Callable[[Tensor], Tensor]]] = (
    ("cosf", torch.cos),
    ("sinf", torch.sin),
    ("expf", torch.exp),
    ("sqrtf", torch.sqrt),
)
MOST_COLUMNS = 4


def _causes_of_columns(case: Case) -> Iterator[Cause]:
    """Of outputs of a few columns, of which one is a function of what belongs in another, or in itself."""
    if case.got.dim() != 2 or not 1 < case.got.shape[1] <= MOST_COLUMNS:
        return
    for name, function in _OF_COLUMNS:
        for wrong in range(case.got.shape[1]):
            for other in range(case.got.shape[1]):
                explains = partial(_is_of_a_column, function, wrong, other)
                said = partial(_of_a_column, name, wrong, other)
                yield Cause(f"column_{wrong}_{name}_{other}", explains, said)


def _is_of_a_column(function: Callable[[Tensor], Tensor], wrong: int, other: int, case: Case) -> bool:
    claim = case.expected.reshape(case.got.shape).clone()
    claim[:, wrong] = function(claim[:, other])
    return case.is_right_for(claim)


def _of_a_column(function: str, wrong: int, other: int, case: Case) -> str:
    of = "what belongs there" if wrong == other else f"what belongs in column {other}"
    names = [name for name, values in case.inputs.items() if values.is_floating_point()]
    asks = f"take {function} of {names[0]}'s element, " if len(names) == 1 and wrong != other else "take it once, "
    return f"Column {wrong} of {case.buffer} is {function} of {of}: {asks}and not of a result."
