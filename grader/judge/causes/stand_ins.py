"""What stands in the place of right values: an input's element, a whole number's bits, a 1 for a count."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from grader.judge.causes.answers import ENOUGH, Answer, Pattern

SMALLEST = 2.0**-126  # of the floats with all their bits; the bits of a whole number below 2^23 are less
NO_SMALL_ONE = 2.0**-100


def stand_ins(answer: Answer) -> Iterator[Pattern]:
    """The patterns of the wrong elements alone, whatever the others hold."""
    yield from _inputs(answer)
    yield from _bits(answer)
    yield from _ones(answer)


def _inputs(answer: Answer) -> Iterator[Pattern]:
    wrong = answer.got[answer.bad]
    if len(wrong.unique()) < ENOUGH or bool(answer.bad.all()):
        return  # of all of them `copied` tells
    for name, values in answer.inputs.items():
        same_kind = values.is_floating_point() == answer.got.is_floating_point()
        if same_kind and values.numel() == answer.got.numel():
            theirs = values.reshape(answer.got.shape)[answer.bad]
            if bool((wrong == theirs.to(wrong.dtype)).all()):
                said = f"Where {answer.buffer} is wrong, it holds the element of {name} itself"
                yield Pattern("holds_input", f"{said}: which line writes these, and is a part of the formula missing?")


def _bits(answer: Answer) -> Iterator[Pattern]:
    if not answer.got.is_floating_point():
        return
    got, expected = answer.got[answer.bad], answer.expected[answer.bad]
    tiny = (got.abs() < SMALLEST) & (got >= 0)
    if bool(tiny.all()) and bool((got > 0).any()) and bool((expected.abs() > NO_SMALL_ONE).all()):
        first = int(got[got > 0][:1].to(torch.float32).view(torch.int32))
        yield Pattern(
            "bits",
            f"{answer.buffer} holds the bits of a whole number, here of {first:,}, and no float: is an int stored or"
            " added through a cast, as `(int*)`?",
        )


def _ones(answer: Answer) -> Iterator[Pattern]:
    if answer.got.is_floating_point() or answer.got.numel() < ENOUGH:
        return
    got, right = answer.got.flatten().to(torch.int64), answer.expected.flatten().to(torch.int64)
    blocks = max((math.prod(launch["grid"]) for launch in answer.launches), default=0)
    most = int(got.max())
    if 1 <= most <= blocks and torch.equal(got > 0, right > 0) and bool((got <= right).all()):
        added = "of the one block" if blocks == 1 else f"and {blocks:,} blocks were launched"
        said = f"No element of {answer.buffer} is more than {most:,}, {added}"
        yield Pattern("ones", f"{said}: is 1 stored, or added once for each block, where the block's count belongs?")
