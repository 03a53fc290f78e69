"""Results that a type of 16 bits holds, where they should have more: a sum was kept in one, or rounded to it."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from grader.judge.causes.answers import Answer, Pattern

ENOUGH = 8  # different numbers that others than such a type hold, too: fewer may be such by chance
# With the number from which on all that it holds are even. What has few bits is of both types, and counts as the first.
TYPES = ((torch.bfloat16, "__nv_bfloat16", 2.0**8), (torch.float16, "__half", 2.0**11))


def of_16_bits(answer: Answer) -> Iterator[Pattern]:
    """Of an output in float, if all of it is such a number and hardly any of it should be."""
    got, expected = answer.got[answer.bad].double(), answer.expected[answer.bad].double()
    if not answer.got.is_floating_point() or not bool(got.isfinite().all()):
        return
    for kind, name, even in TYPES:
        telling = (got != got.round()) | (got.abs() > even)
        rounded = expected.to(kind).double() == expected
        is_enough = len(got[telling].unique()) >= ENOUGH and 2 * int(rounded.sum()) < len(expected)
        if is_enough and bool((got.to(kind).double() == got).all()):
            yield Pattern(
                "of_16_bits",
                f"All that is wrong in {answer.buffer} is a number that a {name} holds, with no more bits: is the sum"
                " kept in one, or rounded to one? Keep it in a float from the first product to the last.",
            )
            return
