"""Sizes that a seed draws for one more small case, and those that a kernel file's own numbers ask for.

A file that does something else for `n % 64 == 0 && n > 300` names 64 and 300. Of the sizes that a task allows, the one
is taken that shows most of what no other case does: to be a multiple of a number, to lie between two, or both.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from grader.course.lesson import Case, Task

MOST_ASKED = 3  # cases of one size, which take some milliseconds each; of several sizes one, which takes longer
MOST_NUMBERS = 16  # of a file, the others left out by the seed
_FEW = 8  # values of a size: these and no others are asked for, as the two widths of a head
Sizes = Mapping[str, Any]


def drawn_cases(task: Task, seed: int, numbers: Collection[int] = ()) -> list[Case]:
    """The cases that are drawn for a grade, none of them the lesson's own: one by the seed alone, and some by
    the whole `numbers` of the file, where they tell sizes apart that no case does.
    """
    dice = random.Random(f"{seed}/{task.name}")
    drawn = task.draw(dice.choice)
    for _ in range(0 if not drawn else MOST_ASKED if len(task.drawn) == 1 else 1):
        known = [each.sizes for each in (*task.judged_cases, *drawn)]
        if asked := _asked_for(task, known, drawn[0].sizes, numbers, dice):
            drawn.append(Case(**asked))
    return [case for case in drawn if case not in task.judged_cases]


def _asked_for(
    task: Task, known: Sequence[Sizes], drawn: Sizes, numbers: Collection[int], dice: random.Random
) -> Sizes | None:
    """The sizes with most traits that those known lack; None where none has any."""
    most = max(max(values) for values in task.drawn.values())
    told = sorted({each for each in numbers if 1 < each <= most})
    if len(told) > MOST_NUMBERS:
        told = sorted(dice.sample(told, MOST_NUMBERS))
    names = list(task.drawn)
    seen = 0
    for sizes in known:
        seen |= _traits([sizes[name] for name in names], told)
    best, found = 0, None
    candidates = list(_candidates(task, drawn, told))
    dice.shuffle(candidates)
    for sizes in candidates:
        new = (_traits([sizes[name] for name in names], told) & ~seen).bit_count()
        if new > best:
            best, found = new, sizes
    return found


def _candidates(task: Task, drawn: Sizes, numbers: Sequence[int]) -> Iterator[Sizes]:
    """Sizes with one of them, or all, at a number, beside it, or at a multiple of it."""
    wide = {name: (min(values), max(values)) for name, values in task.drawn.items() if len(values) > _FEW}
    most = max((largest for _, largest in wide.values()), default=0)
    for number in numbers:
        for value in (number - 1, number, number + 1, *_multiples(number, most)):
            at = {name: value for name, (least, largest) in wide.items() if least <= value <= largest}
            yield from ({**drawn, name: value} for name in at)
            if len(at) > 1:
                yield {**drawn, **at}


def _multiples(number: int, most: int) -> Iterator[int]:
    """Twice, four times ... the number, and the largest multiple of it."""
    factor = 2
    while factor * number <= most:
        yield factor * number
        factor *= 2
    if most >= number:
        yield most // number * number


def _traits(values: Sequence[int], numbers: Sequence[int]) -> int:
    """What tells these sizes from others, a bit for each trait: of each the numbers between which it lies, which it is,
    which it is a multiple of, and that with those below it; of which all are multiples.
    """
    traits, place, in_all, ranks = 0, 0, -1, len(numbers) + 1
    for value in values:
        between = 1 << sum(value > number for number in numbers)
        above = between - 1
        parts = sum(1 << at for at, number in enumerate(numbers) if value % number == 0)
        same = sum(1 << at for at, number in enumerate(numbers) if value == number)
        in_all &= parts
        pairs = (above if parts >> at & 1 else 0 for at in range(len(numbers)))
        for row in (between, same, parts, *pairs):
            traits |= row << place
            place += ranks
    return traits | in_all << place if numbers and values else traits
