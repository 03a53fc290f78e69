"""Why values stand where they do not belong: tiles turned on their way out, rows that begin elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations_with_replacement, pairwise, product

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause, Variation
from grader.judge.causes.fragments import LANE_MOVES, causes_of_fragments, fragments
from grader.judge.causes.moves import MOVES, OF_FOUR, Moved
from grader.judge.causes.often import LANES

TILES = (2, 4, 8, 16, 32, 64)
SIDES = (16, 32, 64)  # of a warp's tile
WHOLE_TILES = (4, 8, 16, 32, 64, 128)
MOST_COLUMNS = 8  # of an output whose columns are told by their numbers
ENOUGH = 4  # elements
WHOLE = 1e-3  # from a whole number: an offset that is one
NEARLY = 1e-3  # of the largest: how near a number comes that a root has cost its digits


def causes_of_places(case: Case) -> Iterator[Cause]:
    """Of outputs whose values are right and stand elsewhere, or lack their sign."""
    yield Cause("sign_of_some", _lacks_signs, _said_of_signs)
    yield from _causes_of_other_outputs(case)
    more = float((case.got - case.expected.reshape(case.got.shape)).median())
    whole = round(more) if math.isfinite(more) else 0
    if by := float(whole) if whole and abs(more - whole) < WHOLE else more:
        yield Cause("offset", partial(_is_more, by, ENOUGH), partial(_more, by), partial(_is_more, by, 1))
        yield from _causes_of_ones(case)
    if case.got.dim() < 2:
        return
    if case.got.shape[-1] <= MOST_COLUMNS:
        for wrong in range(case.got.shape[-1]):
            for other in range(case.got.shape[-1]):
                yield Cause("column_of_another", partial(_has_column, wrong, other), partial(_columns, wrong, other))
    for tile in sorted({*case.threads, *TILES}):
        for name, moved, said in MOVES:
            yield _of_move(f"tile_{name}_{tile}", moved, tile, OF_FOUR.get(name, said) if tile == 2 else said)
    if case.got.shape[-1] == 2 and case.got.dim() == 2:
        yield Cause("lane_of_pairs", _has_lanes_of_pairs, _said_of_pairs)
    for warps in sorted({size // LANES for size in case.threads if size % LANES == 0}):
        yield from _of_warps(warps)
    if any(map(case.is_of_16_bits, case.inputs)):
        yield from causes_of_fragments(case)
        for name, moved, said in LANE_MOVES:
            yield _of_move(f"lanes_{name}", moved, 0, said)


def _of_move(name: str, moved: Moved, tile: int, said: str) -> Cause:
    explains, agrees = (partial(_is_moved, moved, tile, empty) for empty in (False, True))
    return Cause(name, explains, partial(_said, said, tile), agrees)


def _causes_of_other_outputs(case: Case) -> Iterator[Cause]:
    """Where two outputs are swapped in a call or a launch, each is right for the other one."""
    if len(getattr(getattr(case.call, "task", None), "results", ())) < 2:
        return
    for other, right in case.reference(dict(case.inputs)).items():
        if other != case.buffer and right.shape == case.expected.shape:
            # Of the case that tells most: in a small one several outputs may be alike, as they are 0.
            yield Cause(f"output_{other}", partial(_is_of_output, other), partial(_known, _said_of_output(other, case)))


def _known(said: str, _: Case) -> str:
    return said


def _is_of_output(other: str, case: Case) -> bool:
    right = case.reference(dict(case.inputs)).get(other)
    return right is not None and right.numel() == case.got.numel() and case.is_right_for(right.double())


def _said_of_output(other: str, case: Case) -> str:
    """Which outputs hold what belongs in others: two of them each other's, or more of them in a ring."""
    told = f"{case.buffer} holds what belongs in {other}"
    if not (outputs := case.outputs):
        return f"{told}: are the two swapped where they are handed over, or is the other one's sum stored?"
    if outputs[other].holds(outputs[other]):
        return f"{told}, and {other} is right: is its value stored in both?"
    ring = [case.buffer, other]
    while after := next((name for name in outputs if name != ring[-1] and outputs[ring[-1]].holds(outputs[name])), ""):
        if after in ring:
            break
        ring.append(after)
    if after != case.buffer:
        return f"{told}: is it handed over, or stored, in the other one's place?"
    if len(ring) == 2:
        told = f"{told}, and {other} what belongs in {case.buffer}"
        return f"{told}: the two are swapped, where they are handed over or stored."
    told = ", ".join(f"{one} what belongs in {two}" for one, two in pairwise([*ring, case.buffer]))
    return f"{told.replace(' what', ' holds what', 1)}: in which order are they handed over?"


def _is_more(by: float, enough: int, case: Case) -> bool:
    """Whether the same is added to all, of so many different numbers."""
    return len(case.expected.unique()) >= enough and case.is_right_for(case.expected + by)


def _more(by: float, case: Case) -> str:
    told = f"Every element of {case.buffer} is {abs(by):.4g} {'more' if by > 0 else 'less'} than it should be"
    return f"{told}: does each sum begin at 0?" if by > 0.5 and abs(by - round(by)) < WHOLE else f"{told}."


def _causes_of_ones(case: Case) -> Iterator[Cause]:
    """What stands behind the end of a sum in its last whole tile counts as 1, and not as 0."""
    sizes = [name for name, size in case.call.scalars.items() if isinstance(size, int) and size not in case.got.shape]
    for name in sizes:
        for tile in WHOLE_TILES:

            def explains(case: Case, name: str = name, tile: int = tile) -> bool:
                more = -int(case.call.scalars[name]) % tile
                return more > 0 and _is_more(more, ENOUGH, case)

            def message(case: Case, name: str = name, tile: int = tile) -> str:
                size = int(case.call.scalars[name])
                return (
                    f"Every element of {case.buffer} is {-size % tile} more than it should be, and {name}, {size}, is"
                    f" so much less than a multiple of {tile}: does what stands behind the end count as 1? Put 0 there."
                )

            yield Cause(f"ones_behind_{name}_{tile}", explains, message)


def _is_moved(moved: Moved, tile: int, may_be_empty: bool, case: Case) -> bool:
    """Whether each element holds what belongs where `moved` says, as far as there is such a place.

    Where most elements have none, as in a single row, that says little: they must be 0, and `may_be_empty`.
    """
    got, expected = case.got, case.expected.reshape(case.got.shape)
    count, width = got.shape[-2:]
    down, across = torch.meshgrid(torch.arange(count), torch.arange(width), indexing="ij")
    rows, cols = moved(down, across, tile)
    known = (rows < count) & (cols < width)
    claim = expected[..., rows.clamp(max=count - 1), cols.clamp(max=width - 1)]
    if may_be_empty:
        return case.is_right_for(torch.where(known, claim, 0.0))
    # It has to say of most that is wrong why it is: what has no such place is left as it is.
    wrong = (got - expected).abs() > case.allowed.reshape(got.shape)
    says_enough = 2 * int((wrong & known).sum()) > int(wrong.sum())
    says_enough = says_enough and 2 * int(known.sum()) > known.numel()
    return says_enough and case.is_right_for(torch.where(known, claim, got))


def _of_warps(warps: int) -> Iterator[Cause]:
    """A block's warps have a tile each, and their numbers are taken apart in two ways."""
    for across in (each for each in range(2, warps) if warps % each == 0):
        down = warps // across
        for height, width in product(SIDES, repeat=2):
            moved = partial(_by_columns, down, across, height)
            said = _BY_COLUMNS.format(
                warps=warps, down=down, across=across, height=height, width=width, buffer="{buffer}"
            )
            yield _of_move(f"warps_{down}_{across}_{height}_{width}", moved, width, said)


def _by_columns(down: int, across: int, height: int, rows: Tensor, cols: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Where warp w has stored its tile in row w % down and column w / down of its block's, and has another's."""
    tall, wide = down * height, across * width
    warp = cols % wide // width * down + rows % tall // height
    return (
        rows // tall * tall + warp // across * height + rows % height,
        cols // wide * wide + warp % across * width + cols % width,
    )


_BY_COLUMNS = (
    "The tiles of {height} x {width} that a block's {warps} warps have of {buffer} are in each other's place: they lie"
    " {down} down and {across} across, so a warp's row is `warp / {across}` and its column `warp % {across}`, where it"
    " computes and where it stores."
)


def _said(words: str, tile: int, case: Case) -> str:
    told = words.format(tile=tile, buffer=case.buffer)
    is_all = tile >= max(case.got.shape[-2:])  # of which a part would be as right
    return told.replace(f"In each tile of {tile}, a", "A") if is_all else told


def _has_lanes_of_pairs(case: Case) -> bool:
    """Whether lanes that store the numbers of pairs in a row take them from lane % 16, and not from lane / 2."""
    expected, half = case.expected.reshape(-1, 2), LANES // 2
    numbers = torch.arange(expected.numel())
    pairs = numbers // LANES * half + numbers % half
    known = pairs < len(expected)
    claim = expected[pairs.clamp(max=len(expected) - 1), numbers % 2]
    return case.is_right_for(torch.where(known, claim, case.got.flatten()))


def _said_of_pairs(case: Case) -> str:
    return (
        f"What {case.buffer} holds is right for lanes that take pair `lane % {LANES // 2}` of theirs: two lanes"
        f" store the numbers of one pair, so shuffle from lane `lane / 2`, and from {LANES // 2} more in the second"
        " half."
    )


def _has_column(wrong: int, other: int, case: Case) -> bool:
    expected = case.expected.reshape(case.got.shape)
    if wrong == other or max(wrong, other) >= expected.shape[-1]:
        return False
    claim = expected.clone()
    claim[..., wrong] = expected[..., other]
    return claim[..., wrong].numel() > 1 and case.is_right_for(claim)


def _columns(wrong: int, other: int, case: Case) -> str:
    return (
        f"Column {wrong} of {case.buffer} holds what belongs in column {other}, and all else is right: is the same"
        " value stored twice?"
    )


def _lacks_signs(case: Case) -> bool:
    """Whether all is right but for the sign of some; a root of what is near 0 is only nearly right."""
    expected = case.expected.reshape(case.got.shape)
    near = case.allowed.reshape(case.got.shape).maximum(NEARLY * expected.abs().amax())
    wrong = (case.got - expected).abs() > near
    are_mirrored = bool(((case.got + expected).abs() <= near)[wrong].all())
    return bool(wrong.any()) and not bool(wrong.all()) and are_mirrored


def _said_of_signs(case: Case) -> str:
    return (
        f"What is wrong in {case.buffer} is right but for its sign, and all else is right: what loses the sign, a root,"
        " a square or fabsf?"
    )


# ---- inputs ----


def variations_of_places(case: Case, name: str) -> Iterator[Variation]:
    """Inputs whose rows begin elsewhere, or of which one place in a few is another's."""
    values = case.inputs[name]
    if values.dim() == 1:
        for group in TILES[:3]:
            for at in range(group):
                for by in (-1, 1):
                    yield _one_of_a_group(name, group, at, by)
    if values.dim() > 1 and case.is_of_16_bits(name):
        yield from fragments(name)
    if values.dim() > 1:
        for group in TILES[:2]:
            for at in range(group):
                for by in (-1, 1):
                    yield _one_of_a_group(name, group, at, by)
        for key, index, place in _SHORT:
            yield _by_a_short_index(name, key, index, place)
    for axis in range(values.dim() - 1):
        sizes = [size for size, length in case.call.scalars.items() if isinstance(length, int) and length > 0]
        for size in sizes:
            yield _begins_elsewhere(name, axis, size)
        if axis < values.dim() - 2:
            for pair in combinations_with_replacement(sizes, 2):
                yield _begins_elsewhere(name, axis, *pair)


def _one_of_a_group(name: str, group: int, at: int, by: int) -> Variation:
    def change(case: Case) -> Tensor:
        values = case.inputs[name]
        places = torch.arange(count := values.shape[-1])
        return values[..., torch.where(places % group == at, places + by, places).clamp(0, count - 1)]

    sign = "+" if by > 0 else "-"

    def message(case: Case) -> str:
        what = "" if case.inputs[name].dim() == 1 else ", of each row,"
        return (
            f"What {case.buffer} holds is right for {name}[i {sign} 1] in the place of {name}[i]{what} where i %"
            f" {group} is {at}: is one of {group} like statements left as it was copied?"
        )

    return Variation(f"one_of_{group}_{at}_{by}", name, change, message)


# What stands for row * cols + col: of the number of the row among all of them, and of the column.
_SHORT: tuple[tuple[str, str, Callable[[Tensor, Tensor], Tensor]], ...] = (
    ("row", "row", lambda row, col: row + 0 * col),
    ("row_col", "row + col", lambda row, col: row + col),
)


def _by_a_short_index(name: str, key: str, index: str, place: Callable[[Tensor, Tensor], Tensor]) -> Variation:
    def change(case: Case) -> Tensor | None:
        values = case.inputs[name]
        cols = values.shape[-1]
        if cols == 1:
            return None
        places = place(torch.arange(values.numel() // cols)[:, None], torch.arange(cols))
        return values.flatten()[places.clamp(max=values.numel() - 1)].reshape(values.shape)

    def message(case: Case) -> str:
        cols = case.inputs[name].shape[-1]
        return (
            f"What {case.buffer} holds is right for {name}[{index}] in the place of {name}[row * {cols} + col]: a row"
            f" of {name} has {cols} elements here, so multiply the row with that, and add the column."
        )

    return Variation(f"short_{key}", name, change, message)


def _begins_elsewhere(name: str, axis: int, *sizes: str) -> Variation:
    """Rows, or matrices, begin at so many times a size that is not theirs."""

    def change(case: Case) -> Tensor | None:
        values = case.inputs[name]
        steps = list(values.stride())
        length = math.prod(int(case.call.scalars.get(size, 0)) for size in sizes)
        if length in (0, steps[axis]):
            return None
        steps[axis] = length
        last = sum((count - 1) * step for count, step in zip(values.shape, steps, strict=True))
        return values.flatten().as_strided(values.shape, steps) if last < values.numel() else None

    def message(case: Case) -> str:
        values = case.inputs[name]
        what = "row" if axis == values.dim() - 2 else "matrix"
        return (
            f"What {case.buffer} holds is right where {what} i of {name} begins at i * {' * '.join(sizes)}, and it"
            f" begins at i * {values.stride(axis):,} here: how many elements has a {what} of {name}?"
        )

    return Variation(f"begins_at_{'_'.join(sizes)}_{axis}", name, change, message)
