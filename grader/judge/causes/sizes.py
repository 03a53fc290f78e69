"""Which sizes are right and which are wrong, where one size or flag of a call tells them apart in all cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

FEWEST = 3  # cases that are right, and that are wrong: fewer may be told apart by chance
MULTIPLES = (128, 64, 32, 16, 8, 4, 2)

Sizes = Mapping[str, int]  # of a call, by name


def told_apart(right: Sequence[Sizes], wrong: Sequence[Sizes]) -> str:
    """A sentence on the size that all right cases have, and no wrong one, or the other way round; "" if none is such."""
    if min(len(right), len(wrong)) < FEWEST:
        return ""
    return next((said for name in right[0] for said in _of_size(name, right, wrong)), "")


def _of_size(name: str, right: Sequence[Sizes], wrong: Sequence[Sizes]) -> Iterator[str]:
    good, bad = sorted({sizes[name] for sizes in right}), sorted({sizes[name] for sizes in wrong})
    if set(good) & set(bad):
        return
    if {*good, *bad} <= {0, 1}:
        yield f"It is right in all cases where {name} is {good[0]}, and wrong in all where it is {bad[0]}."
        return
    if len(good) == 1 and len(bad) > 1:
        yield f"It is right in all cases where {name} is {good[0]}, and wrong in all others: is {good[0]} written where {name} belongs?"
        return
    for of in MULTIPLES:
        if not any(size % of for size in good) and all(size % of for size in bad):
            yield (
                f"It is right in all cases where {name} is a multiple of {of}, and wrong in all others: what becomes of"
                f" what is left over behind whole {of}s?"
            )
            return
    if good[-1] < bad[0] and len(bad) > 1:
        yield (
            f"It is right in all cases where {name} is {good[-1]} or less, and wrong in all where it is {bad[0]} or more:"
            " what happens there for the first time, as a second tile, block or round of a loop?"
        )
    if bad[-1] < good[0] and len(good) > 1:
        yield (
            f"It is wrong in all cases where {name} is {bad[-1]} or less, and right in all where it is {good[0]} or more:"
            " what needs so many, as a tile, a block or a warp does?"
        )
