"""Which index was written in the place of the right one: of what kernels leave out, by what their launches would reach.

A formula is told if it reaches exactly what is written, in each case, and so all where nothing lacks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

import torch
from torch import Tensor

from grader.judge.causes.every import every_so_many
from grader.judge.causes.planes import of_two_dimensions
from grader.judge.causes.tiles import of_swapped_tiles
from grader.judge.causes.warps import of_warps
from grader.judge.causes.written import MOST_REACHED, SIZES, Index, Written

RIGHT = "blockIdx.x * blockDim.x + threadIdx.x"
ENOUGH = 4  # elements, in all cases: fewer may follow a rule by chance
VECTORS = (1, 2, 4, 8)  # neighbours that a thread writes

Coordinates = Callable[[Tensor, Tensor, int, int], Tensor]  # of blockIdx.x, threadIdx.x, blockDim.x, gridDim.x


def index_of(cases: Sequence[Written]) -> Index | None:
    """The rule that all cases follow, the whole ones, too; None if none does."""
    lacking = [case for case in cases if not case.is_whole]
    if sum(int((~case.written).sum()) for case in lacking) < ENOUGH or not any(case.written.any() for case in lacking):
        return None
    if all(_has_too_few(case) for case in lacking):
        return None
    indices = chain(of_swapped_tiles(lacking), _indices(lacking[-1]))
    return next((index for index in indices if all(_follows(index, case) for case in cases)), None)


def rest_of(cases: Sequence[Written]) -> Index | None:
    """What is left over behind vectors, by several launches, of which one is for it, and for less than a vector."""
    long = [case for case in cases if case.written.numel() >= VECTORS[-1] or not case.is_whole]
    if not any(case.written.any() for case in long) and all(case.written.numel() == 1 for case in long):
        return None  # a single number, as a sum, is no rest of others
    if sum(int((~case.written).sum()) for case in long) < ENOUGH:
        return None
    return next((index for index in _rests() if all(_follows(index, case) for case in long)), None)


def _has_too_few(case: Written) -> bool:
    """Whether the right index reaches what is written: then the grid is too small."""
    return any(
        _follows(Index("", partial(_reached, formula=_right, each=each, by=each), str), case) for each in VECTORS
    )


def _follows(index: Index, case: Written) -> bool:
    reached = index.reaches(case)
    return reached is not None and torch.equal(reached.reshape(case.written.shape), case.written)


def _indices(case: Written) -> Iterator[Index]:
    yield Index("first_of_many", _first_slice, _said_of_slices)
    yield Index("all_but_last", lambda case: _flat(case) < case.written.numel() - 1, _said_of_last)
    yield Index("all_but_first", lambda case: _flat(case) > 0, _said_of_first)
    yield from _rests()
    yield from of_warps()
    yield from _of_one_dimension()
    if case.written.dim() > 1:
        yield from of_two_dimensions()
    yield from _threads_kept_away(case)
    yield from every_so_many(case)


# ---- whole parts ----


def _first_slice(case: Written) -> Tensor | None:
    if case.written.dim() < 2:
        return None
    reached = torch.zeros_like(case.written)
    reached[0] = True
    return reached


def _said_of_slices(case: Written) -> str:
    name, count = case.names[0], case.written.shape[0]
    one = name.removesuffix("s")
    sizes = zip("yz", case.grid[1:], case.block[1:], strict=True)
    axes = [f"blockIdx.{axis}" for axis, blocks, threads in sizes if blocks == count and threads == 1]
    if axes:
        return (
            f"Only {one} 0 is written, and there are {count:,}: the grid has blocks for all of them, so is {axes[0]}"
            " missing from the index that is written?"
        )
    free = "z" if case.grid[1] > 1 or case.block[1] > 1 else "y"
    return (
        f"Only {one} 0 is written, and there are {count:,}: give the grid blocks for the others,"
        f" `dim3 blocks(..., {name})`, and let blockIdx.{free} stand in the index for it, or go on to them in a loop."
    )


def _flat(case: Written) -> Tensor:
    return torch.arange(case.written.numel())


def _said_of_last(case: Written) -> str:
    return (
        "All but the last element are written, at every size: does a guard, a `return` or a loop leave it out, as"
        " `i < n - 1` does where `i < n` belongs?"
    )


def _said_of_first(case: Written) -> str:
    return "All but the first element are written, at every size: does a guard, or a loop, leave i = 0 out?"


def _threads_kept_away(case: Written) -> Iterator[Index]:
    """The same threads of each block write nothing."""
    threads = math.prod(case.block)
    blocks = case.written.numel() // threads
    if blocks < 2:
        return
    writing = case.written.flatten()[:threads]
    away = (~writing).nonzero().flatten().tolist()
    if not 0 < len(away) < threads:
        return

    def reaches(other: Written) -> Tensor | None:
        one_each = [*other.grid[1:], *other.block[1:]] == [1, 1, 1, 1] and other.block[0] == threads
        whole = one_each and other.grid[0] * threads >= other.written.numel()
        return writing[_flat(other) % threads] if whole else None

    def said(other: Written) -> str:
        is_range = away == list(range(away[0], away[-1] + 1))
        who = f"thread {away[0]}" if len(away) == 1 else f"threads {away[0]} to {away[-1]}"
        who = who if is_range else f"{len(away)} threads, the first of them thread {away[0]},"
        return (
            f"In each block of {threads:,}, {who} write{'s' if len(away) == 1 else ''} nothing, and all others write"
            " their elements: does an `if` ask for threadIdx.x?"
        )

    yield Index("kept_away", reaches, said)


def _rests() -> Iterator[Index]:
    for size in VECTORS[1:]:

        def reaches(case: Written, size: int = size) -> Tensor:
            count = case.written.numel()
            return torch.arange(count) < count // size * size

        def said(case: Written, size: int = size) -> str:
            count = case.written.numel()
            last = (
                f"last {count % size} of {count:,} elements are"
                if count % size > 1
                else f"last of {count:,} elements is"
            )
            told = f"The {last} not written, what is left over behind whole groups of {size}"
            if case.launches > 1:
                return (
                    f"{told}: does a launch take them, and with pointers that begin there, `+ {count // size * size}`?"
                )
            return f"{told}: let a few threads take the elements from {count // size * size:,} on, one each."

        yield Index(f"rest_of_{size}", reaches, said)


# ---- one dimension ----

_ONE_EACH = "blockIdx.x"
_BY_THREADS = "threadIdx.x * blockDim.x + blockIdx.x"  # as blocks reach, too, that go on by blockDim.x
_FORMULAS: Sequence[tuple[str, Coordinates]] = (
    (_BY_THREADS, lambda b, t, size, grid: t * size + b),
    ("blockIdx.x * gridDim.x + threadIdx.x", lambda b, t, size, grid: b * grid + t),
    (_ONE_EACH, lambda b, t, size, grid: b + 0 * t),
    ("blockIdx.x + blockDim.x + threadIdx.x", lambda b, t, size, grid: b + size + t),
    ("blockIdx.x + blockDim.x * threadIdx.x", lambda b, t, size, grid: b + size * t),
    ("blockIdx.x + threadIdx.x", lambda b, t, size, grid: b + t),
    ("blockIdx.x * threadIdx.x", lambda b, t, size, grid: b * t),
    ("blockIdx.x * blockDim.x", lambda b, t, size, grid: b * size + 0 * t),
    ("threadIdx.x * gridDim.x", lambda b, t, size, grid: t * grid + 0 * b),
    ("(blockIdx.x + 1) * blockDim.x + threadIdx.x", lambda b, t, size, grid: (b + 1) * size + t),
    ("blockIdx.x * blockDim.x + threadIdx.x + 1", lambda b, t, size, grid: b * size + t + 1),
    ("blockIdx.x * 32 + threadIdx.x % 32", lambda b, t, size, grid: b * 32 + t % 32),
    ("(unsigned short)(blockIdx.x * blockDim.x + threadIdx.x)", lambda b, t, size, grid: (b * size + t) % 65536),
)
_MULTIPLES: Sequence[tuple[str, Coordinates]] = (
    ("2 * blockIdx.x * blockDim.x + threadIdx.x", lambda b, t, size, grid: 2 * b * size + t),
    ("4 * blockIdx.x * blockDim.x + threadIdx.x", lambda b, t, size, grid: 4 * b * size + t),
)


def _of_one_dimension() -> Iterator[Index]:
    for each in VECTORS[1:]:
        yield Index(
            f"blocks_overlap_{each}", partial(_overlapping, each=each), partial(_said_of_overlapping, each=each)
        )
    by_numbers = [(f"blockIdx.x * {size} + threadIdx.x", _counted_by(size)) for size in SIZES]
    for each in VECTORS:
        more = [*by_numbers, *_MULTIPLES] if each == 1 else [*_MULTIPLES, *by_numbers]
        whole = _FORMULAS if each == 1 else ()  # with neighbours, rules that follow another by chance grow many
        for name, formula in [*whole, *more]:
            for spread in {1, each}:

                def reaches(
                    case: Written, formula: Coordinates = formula, each: int = each, by: int = spread
                ) -> Tensor | None:
                    return _reached(case, formula, each, by)

                def said(case: Written, name: str = name, each: int = each, by: int = spread) -> str:
                    return _of_formula(case, name, each, by)

                yield Index(f"{name}_{each}_{spread}", reaches, said)


def _overlapping(case: Written, each: int) -> Tensor | None:
    """Threads that write several elements, blockDim.x apart, of blocks that begin as if it were one."""
    return _reached(case, _right, 1, 1, each)


def _said_of_overlapping(case: Written, each: int) -> str:
    blocks, threads = case.grid[0], case.block[0]
    return (
        f"What is written is just what {blocks:,} blocks reach of which each takes {each * threads:,} elements and"
        f" begins {threads:,} behind the one before: let it begin at `blockIdx.x * blockDim.x * {each} + threadIdx.x`."
    )


def _right(b: Tensor, t: Tensor, size: int, grid: int) -> Tensor:
    return b * size + t


def _counted_by(size: int) -> Coordinates:
    return lambda b, t, block, grid: b * size + t


def _reached(case: Written, formula: Coordinates, each: int, by: int, rounds: int = 1) -> Tensor | None:
    (blocks, *grid), (threads, *block) = case.grid, case.block
    if [*grid, *block] != [1, 1, 1, 1] or blocks * threads * each > MOST_REACHED:
        return None
    first = formula(torch.arange(blocks)[:, None], torch.arange(threads)[None, :], threads, blocks).flatten() * by
    places = (first[:, None] + torch.arange(each)).flatten()
    places = (places[:, None] + threads * torch.arange(rounds)).flatten()
    reached = torch.zeros(case.written.numel(), dtype=torch.bool)
    reached[places[(places >= 0) & (places < len(reached))]] = True
    return reached


def _of_formula(case: Written, name: str, each: int, by: int) -> str:
    index = f"{by} * ({name})" if by > 1 else name
    what = f"`{index}`" if each == 1 else f"`{index}` and the next {each - 1 if each > 2 else 'one'}"
    right = RIGHT if by == each else f"{each} * ({RIGHT})"
    blocks, threads = math.prod(case.grid), math.prod(case.block)
    if name == _ONE_EACH and each == 1:
        return (
            f"What is written is one element for each block, and {blocks:,} block{'' if blocks == 1 else 's'} of"
            f" {threads:,} threads for {case.written.numel():,} elements: give each element a block,"
            f" {case.written.numel():,} of them, or each thread an element, `{RIGHT}`."
        )
    short = " An index of 16 bits ends at 65535: let it be an int." if name.startswith("(unsigned short)") else ""
    said = (
        f"What is written is just what {blocks:,} block{'' if blocks == 1 else 's'} of {threads:,} threads reach with"
    )
    if blocks * threads * each < case.written.numel():
        return (
            f"{said} {what}, one round of it, and there are {case.written.numel():,} elements: let each thread go on to"
            " others in a loop, or write several."
        )
    if name == _BY_THREADS and each == 1:
        short = " Or each block has an element at a time: then its loop goes on by `gridDim.x`, and not by blockDim.x."
    return f"{said} {what}: the index that reaches all is `{right}`.{short}"
