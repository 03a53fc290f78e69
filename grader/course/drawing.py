"""Sizes that a seed draws for one more small case, and those that a kernel file's own numbers ask for.

A file that does something else for `n % 64 == 0 && n > 300` names 64 and 300. Of the sizes that a task allows, the one
is taken that shows most of what no other case does: to be a multiple of a number, to lie between two, or both. What the
file asks of a size in so many words, `n / 100 % 10 == 7`, some size meets, and so it is with products of its numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grader.course.lesson import Case, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_ASKED = 3  # cases of one size, which take some milliseconds each; of several sizes one, which takes longer
MOST_MET = 4  # more of one size, which meet what no other meets, or do not; of several sizes one
MOST_PRODUCTS = 4  # of one size: products of two numbers
MOST_NUMBERS = 16  # of a file, the others left out by the seed
MOST_AT_EDGES = 4  # cases of sizes where a condition begins or ends
_MOST_AT_EDGE, _EDGES = 1 << 15, 2  # such a size, and how often a condition may begin or end: more is a remainder
_SIDES = (0, 2)  # from the last size before
_MOST_OF_A_BLOCK = 32  # rows, say
_FAR, _NOT_BEYOND = 4, 8  # times the largest that is drawn
_LARGE = range(1000, (1 << 30) + 1)  # and no mask of a warp
_FEW = 8  # values of a size: these and no others are asked for, as the two widths of a head
Sizes = Mapping[str, Any]
Condition = tuple[str, Callable[["NDArray[Any]"], "NDArray[Any]"]]  # on what is called so: which of its values meet it


def drawn_cases(
    task: Task, seed: int, numbers: Collection[int] = (), conditions: Sequence[Condition] = ()
) -> list[Case]:
    """The cases that are drawn for a grade, none of them the lesson's own: one by the seed alone, and some by
    the whole `numbers` of the file and its `conditions`, where they tell sizes apart that no case does.
    """
    dice = random.Random(f"{seed}/{task.name}")
    drawn = task.draw(dice.choice)
    for _ in range(0 if not drawn else MOST_ASKED if len(task.drawn) == 1 else 1):
        known = [each.sizes for each in (*task.judged_cases, *drawn)]
        if asked := _asked_for(task, known, drawn[0].sizes, numbers, dice):
            drawn.append(Case(**asked))
    if drawn:
        drawn += _below_the_counted(task, numbers, dice)
        drawn += _products(task, drawn, numbers, dice) if len(task.drawn) == 1 else []
        drawn += _that_meet(task, drawn, conditions, dice)
        drawn += _at_edges(task, drawn, conditions, dice)
    return [case for case in drawn if case not in task.judged_cases]


def _below_the_counted(task: Task, numbers: Collection[int], dice: random.Random) -> list[Case]:
    """Of one size a case between all that are drawn and the counted one, where that is far away and the file has a
    number that may be told from a block's: it takes longer than the others.
    """
    if len(task.drawn) > 1 or not any(each in _LARGE for each in numbers):
        return []
    ((name, values),), counted = task.drawn.items(), task.judged_cases[-1].sizes
    factor = counted[name] / max(values)
    sizes: dict[str, Any] = {name: int(max(values) * min(factor, _NOT_BEYOND) ** dice.random()) | 1}
    return [Case(**sizes)] if factor > _FAR else []


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


def _products(task: Task, drawn: Sequence[Case], numbers: Collection[int], dice: random.Random) -> list[Case]:
    """Cases of one size that is a product of two numbers, as of a block's threads and a number of blocks, but no power
    of two, and of which no other case is a multiple.
    """
    ((name, values),) = task.drawn.items()
    known = {each.sizes[name] for each in (*task.judged_cases, *drawn)}
    told = sorted({each for each in numbers if 1 < each <= max(values)})
    told = sorted(dice.sample(told, min(len(told), MOST_NUMBERS)))
    products = {a * b for a in told for b in told if min(values) <= a * b <= max(values)}
    found = sorted(each for each in products if each & (each - 1) and all(size % each for size in known))
    sizes: list[dict[str, Any]] = [{name: each} for each in dice.sample(found, min(len(found), MOST_PRODUCTS))]
    return [Case(**each) for each in sizes]


def _that_meet(task: Task, drawn: Sequence[Case], conditions: Sequence[Condition], dice: random.Random) -> list[Case]:
    """Cases with a size that meets a condition which no other case meets, or the first that does not."""
    import numpy as np

    found: list[Case] = []
    for name, values in task.drawn.items():
        asked = [holds for of, holds in conditions if of == name or of not in task.drawn]
        if len(values) <= _FEW or not asked:
            continue
        largest = max(each.sizes[name] for each in task.judged_cases) if len(task.drawn) == 1 else 0
        all_ = np.arange(min(values), max(largest, *values) + 1)
        held = np.array([holds(all_) for holds in asked])
        known = np.array([each.sizes[name] for each in (*task.judged_cases, *drawn, *found)])
        met = np.array([holds(known) for holds in asked])
        new = (held & ~met.any(axis=1, keepdims=True)) | (~held & met.all(axis=1, keepdims=True))
        while len(found) < (MOST_MET if len(task.drawn) == 1 else 1) and (most := new.sum(axis=0).max()):
            at = dice.choice(np.flatnonzero(new.sum(axis=0) == most).tolist())
            found.append(Case(**{**drawn[0].sizes, name: int(all_[at])}))
            new &= ~new[:, at, None]
    return found


def _at_edges(task: Task, drawn: Sequence[Case], conditions: Sequence[Condition], dice: random.Random) -> list[Case]:
    """Cases on both sides of where a condition ends, as 1024 and 1026 of `rows <= 1024`: what is done for the last size
    must do there, too, and behind it a second round may begin. First come those on a side of which there is no case,
    then the last sizes.
    """
    import numpy as np

    cases = [*task.judged_cases, *drawn]
    most = min(max(each.sizes[name] for each in cases for name in task.drawn), _MOST_AT_EDGE)
    edges: dict[tuple[str, int], int] = {}  # how little they tell
    for name, values in task.drawn.items():
        known, all_ = np.array([each.sizes[name] for each in cases]), np.arange(min(values), most + 1)
        for holds in [holds for of, holds in conditions if of == name] if len(values) > _FEW else []:
            held, of_known = holds(all_), holds(known)
            ends = np.flatnonzero(held[1:] != held[:-1])
            for edge, side in ((int(all_[at]) + side, side) for at in ends for side in _SIDES if len(ends) <= _EDGES):
                rank = side + 1 if (of_known == holds(np.array([edge]))).any() else 0
                edges[name, edge] = min(edges.get((name, edge), rank), rank)
    found = [each for each in edges if each[1] not in {case.sizes[each[0]] for case in cases}]
    dice.shuffle(found)
    found.sort(key=edges.__getitem__)
    return [
        Case(**{**drawn[0].sizes, **_small_beside(task, name, edge), name: edge})
        for name, edge in found[:MOST_AT_EDGES]
    ]


def _small_beside(task: Task, name: str, edge: int) -> dict[str, int]:
    """The other sizes, so small that there are few elements in all, and such that a last block has one of them."""
    left, found = _MOST_AT_EDGE * 2 // edge, dict[str, int]()
    for other in task.drawn:
        if other != name and len(task.drawn[other]) > _FEW:
            found[other] = max(min(task.drawn[other]), _one_over(min(max(task.drawn[other]), left)))
            left //= found[other]
    return found


def _one_over(size: int) -> int:
    """The largest up to this one of which a last block has one, if each has a power of two, up to 32."""
    return (size - 1) // _MOST_OF_A_BLOCK * _MOST_OF_A_BLOCK + 1


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
