"""Results that are right for another element of an input in the place of each: the first, the next, one of a tile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Variation
from grader.judge.causes.left_out import FACTORS, Along

PARTS = (
    (16, 8),
    (32, 16),
    (32, 8),
    (32, 4),
    (64, 32),
    (64, 16),
    (64, 8),
    (128, 64),
    (128, 32),
)  # of a tile, that are read again
TEAMS = (4, 8, 16, 32)  # lanes that hand values to each other


def gathered(name: str, axis: int, noun: str, threads: Sequence[int]) -> Iterator[Variation]:
    """Another one is read in the place of each."""
    maps: list[tuple[str, Along, str]] = [
        ("first", lambda c, _: 0 * c, f"{{first}} in the place of every {noun}: is {{index}} missing from its index?"),
        (
            "next",
            lambda c, n: (c + 1).clamp(max=n - 1),
            f"the next {noun} of {{x}} in the place of each: is a `+ 1` too much?",
        ),
        (
            "previous",
            lambda c, n: (c - 1).clamp(min=0),
            f"the {noun} of {{x}} before in the place of each: is a `- 1` too much?",
        ),
        ("half", lambda c, n: c // 2, f"{noun} i / 2 of {{x}} in the place of {noun} i: is an index halved twice?"),
        ("reversed", lambda c, n: n - 1 - c, f"the {noun}s of {{x}} in reverse: is an index counted from the end?"),
    ]
    for size in dict.fromkeys([*threads, *FACTORS[1:]]):
        said = f"{noun} i % {size} of {{x}} in the place of {noun} i: is a tile's or a block's offset missing?"
        maps.append((f"modulo_{size}", partial(_modulo, size), said))
        said = (
            f"{noun} t + j of {{x}} in the place of {noun} t * {size} + j: is the number of a tile, or of a block, not"
            " multiplied with its size?"
        )
        maps.append((f"not_times_{size}", partial(_not_times, size), said))

    maps += _of_parts(noun)
    for key, places, said in maps:

        def change(case: Case, places: Along = places) -> Tensor | None:
            values = case.inputs[name]
            taken = places(torch.arange(values.shape[axis]), values.shape[axis])
            behind = torch.zeros_like(values.narrow(axis, 0, 1))  # a tile's places without an element
            beyond = taken.clamp(max=values.shape[axis])
            return torch.cat([values, behind], axis).index_select(axis, beyond)

        def message(case: Case, said: str = said) -> str:
            first = f"{name}[0]" if case.inputs[name].dim() == 1 else f"the first {noun} of {name}"
            index = "i" if case.inputs[name].dim() == 1 else f"the {noun}"
            return f"What {case.buffer} holds is right for {said.format(first=first, x=name, index=index)}"

        yield Variation(f"{key}_{axis}", name, change, message)


def _of_parts(noun: str) -> Iterator[tuple[str, Along, str]]:
    """A part of each tile again, or what is the neighbour's."""
    for size, part in PARTS:
        said = (
            f"the first {part} of each {size} {noun}s of {{x}} again in the place of those behind them: is a loop's"
            " number missing from an index?"
        )
        yield f"again_{size}_{part}", partial(_again, size, part), said

    for size in TEAMS:
        for by in (1, -1):
            said = (
                f"{noun}s of {{x}} that belong to the {'next' if by > 0 else 'previous'} one of each {size}: is a value"
                " taken from the lane beside the right one?"
            )
            yield f"turned_{size}_{by}", partial(_turned, size, by), said


def _modulo(size: int, places: Tensor, _: int) -> Tensor:
    return places % size


def _turned(size: int, by: int, places: Tensor, _: int) -> Tensor:
    return places // size * size + (places + by) % size


def _not_times(size: int, places: Tensor, _: int) -> Tensor:
    return places // size + places % size


def _again(size: int, part: int, places: Tensor, _: int) -> Tensor:
    return places // size * size + places % part
