"""What all threads of a launch together have of an input of one dimension, where a sum lacks the rest."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from grader.judge.causes.asked import Case, Cause, Variation


def causes_of_large(case: Case) -> Iterator[Cause]:
    """Of a sum of more numbers than one asks the reference about often: what comes behind all threads is left out."""
    for name, values in case.inputs.items():
        if values.is_floating_point() and values.dim() == 1:
            for variation in variations_of_all_threads(case, name):
                yield variation.as_cause()


def variations_of_all_threads(case: Case, name: str) -> Iterator[Variation]:
    """What of an input of one dimension all threads of a launch together have, if they do not go on, or not add."""
    count = case.inputs[name].numel()
    for threads in dict.fromkeys(math.prod([*launch["grid"], *launch["block"]]) for launch in case.launches):
        for each in (1, 2, 4, 8):
            if threads * each < count:
                yield _behind_all(name, threads, each)
        if threads < count:
            yield _last_of_each(name, threads)


def _last_of_each(name: str, threads: int) -> Variation:
    return Variation(
        "last_of_each",
        name,
        lambda case: case.inputs[name].masked_fill(
            torch.arange(case.inputs[name].numel()) + threads < case.inputs[name].numel(), 0.0
        ),
        lambda case: (
            f"{case.buffer} has the last element of {name} alone that each of the {threads:,} threads takes: is it `=`"
            " where `+=` belongs?"
        ),
    )


def _behind_all(name: str, threads: int, each: int) -> Variation:
    of_each = f", {each} for each thread" if each > 1 else ""
    return Variation(
        f"behind_all_{each}",
        name,
        lambda case: case.inputs[name].masked_fill(torch.arange(case.inputs[name].numel()) >= threads * each, 0.0),
        lambda case: (
            f"{case.buffer} lacks what comes behind the first {threads * each:,} elements of {name}, as there are"
            f" {threads:,} threads{of_each}: let each go on in a loop, `i += gridDim.x * blockDim.x`, or launch more"
            " blocks."
        ),
    )
