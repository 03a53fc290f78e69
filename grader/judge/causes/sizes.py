"""Which sizes are right and which are wrong, where one size or flag of a call tells them apart in all cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

FEWEST = 3  # cases that are right, and that are wrong: fewer may be told apart by chance
MULTIPLES = (128, 64, 32, 16, 8, 4, 2)

FOR_ONE = "what is there for"

Sizes = Mapping[str, int]  # of a call, by name


def told_apart(right: Sequence[Sizes], wrong: Sequence[Sizes]) -> str:
    """A sentence on the size that tells right cases from wrong ones, in all of them; "" if none does."""
    if min(len(right), len(wrong)) < FEWEST:
        return ""
    return next((said for name in right[0] for said in _of_size(name, right, wrong)), "")


def _of_size(name: str, right: Sequence[Sizes], wrong: Sequence[Sizes]) -> Iterator[str]:
    good, bad = sorted({sizes[name] for sizes in right}), sorted({sizes[name] for sizes in wrong})
    if set(good) & set(bad):
        return
    is_right, is_wrong = f"It is right in all cases where {name} is", "and wrong in all"
    if {*good, *bad} <= {0, 1}:
        yield f"{is_right} {good[0]}, {is_wrong} where it is {bad[0]}."
    elif len(good) == len(bad) == 1:
        yield (
            f"{is_right} {good[0]}, {is_wrong} where it is {bad[0]}: {FOR_ONE} {good[0]} alone, as the end of a"
            " loop, a template's argument or the bytes of shared memory?"
        )
    elif len(good) == 1 and len(bad) > 1:
        missing = ", or is what tells one of them from the next missing from an index" if good[0] == 1 else ""
        yield f"{is_right} {good[0]}, {is_wrong} others: is {good[0]} written where {name} belongs{missing}?"
    elif of := next((k for k in MULTIPLES if not any(n % k for n in good) and all(n % k for n in bad)), 0):
        yield f"{is_right} a multiple of {of}, {is_wrong} others: what becomes of what is left over behind whole {of}s?"
    elif good[-1] < bad[0] and len(bad) > 1:
        yield (
            f"{is_right} {good[-1]} or less, {is_wrong} where it is {bad[0]} or more: what happens there for the first"
            " time, as a second tile, block or round of a loop?"
        )
    elif bad[-1] < good[0] and len(good) > 1:
        yield (
            f"{is_right} {good[0]} or more, {is_wrong} where it is {bad[-1]} or less: what needs so many, as a tile, a"
            " block or a warp does?"
        )
