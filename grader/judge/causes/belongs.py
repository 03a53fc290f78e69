"""Elements that hold what belongs in others of the same output: what each of them holds is looked up among all."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.judge.causes.elements import element_name

ENOUGH = 4  # elements: fewer may agree by chance
MOST_LOOKED_UP = 1 << 12
MOST_ELEMENTS = 1 << 15  # among more, some agree by chance
NEAR = 64  # elements: the results of a warp


def belongs(buffer: str, got: Tensor, expected: Tensor, allowed: Tensor, bad: Tensor) -> str:
    """A sentence if all that is wrong is right elsewhere, or 0; "" if not."""
    if not got.is_floating_point() or got.numel() > MOST_ELEMENTS:
        return ""
    shape, got, right, bad = got.shape, got.flatten().double(), expected.flatten().double(), bad.flatten()
    places = bad.nonzero().flatten()[:MOST_LOOKED_UP]
    places = places[got[places] != 0]
    if len(places) < ENOUGH or 2 * len(places) < min(int(bad.sum()), MOST_LOOKED_UP):
        return ""
    from_where = _places_of(got[places], right, allowed.flatten())
    if from_where is None or len(from_where.unique()) < ENOUGH:
        return ""
    first = int(places[0]), int(from_where[0])
    other = next(
        (
            (int(place), int(origin))
            for place, origin in zip(places, from_where, strict=True)
            if int(place) - int(origin) != first[0] - first[1]
        ),
        (int(places[-1]), int(from_where[-1])),
    )
    told = [
        (element_name(buffer, place, shape), element_name(buffer, origin, shape)) for place, origin in (first, other)
    ]
    lane = ", or lane of a shuffle," if bool(((places - from_where).abs() < NEAR).all()) else ""
    return (
        f"What is wrong in {buffer} is right elsewhere: {told[0][0]} holds what belongs in {told[0][1]}, and"
        f" {told[1][0]} what belongs in {told[1][1]}: with which index{lane} is it read?"
    )


def _places_of(values: Tensor, among: Tensor, allowed: Tensor) -> Tensor | None:
    """Where each of the values is found, or None if one is not there, or may be in several places."""
    ordered, order = among.sort()
    if not bool(ordered.isfinite().all()):
        return None
    room = allowed[order]
    after = torch.searchsorted(ordered, values).clamp(max=len(ordered) - 1)
    before = (after - 1).clamp(min=0)
    nearest = torch.where((ordered[after] - values).abs() < (ordered[before] - values).abs(), after, before)
    found = (ordered[nearest] - values).abs() <= room[nearest]
    lower, upper = (nearest - 1).clamp(min=0), (nearest + 1).clamp(max=len(ordered) - 1)
    alone = ((nearest == 0) | ((ordered[lower] - values).abs() > room[lower])) & (
        (nearest == len(ordered) - 1) | ((ordered[upper] - values).abs() > room[upper])
    )
    if not bool(found.all()) or 2 * int(alone.sum()) < len(values):
        return None
    return order[nearest]
