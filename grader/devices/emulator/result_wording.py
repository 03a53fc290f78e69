"""Findings about a program whose accesses are all right, and whose results are not: told without being asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grader.devices.emulator.array_wording import Where

Fact = dict[str, Any]

_INDEX = "blockIdx.x * blockDim.x + threadIdx.x"


_ROUNDED = "whole-number division rounds down, so round both numbers of blocks up, (width - 1) / threads + 1"
_OTHER_SIZES = (
    "are the numbers of blocks swapped, or made of another array's sizes? In x it takes (width - 1) / threads + 1, and"
    " in y the same of the height"
)


def _is_rounded_down(across: int, along: int, width: int, height: int, elements: int) -> bool:
    """Whether there are rows and columns of which less than a block is left in each direction."""
    return any(
        elements % columns == 0 and along * height <= elements // columns < (along + 1) * height
        for columns in range(across * width, (across + 1) * width)
    )


def _untouched(fact: Fact, where: Where) -> str:
    across, along, width, height, left, rows = map(int, fact["text"].split())
    who = f"the {across * width:,} threads of this launch"
    if rows > 1:
        why = _ROUNDED if _is_rounded_down(across, along, width, height, where.elements) else _OTHER_SIZES
        return (
            f"the {across * width:,} x {along * height:,} threads of this launch leave {left:,} of the"
            f" {where.elements:,} elements of {where.name} as they were: {why}"
        )
    mend = "whole-number division rounds down, so round the number of blocks up, (n - 1) / threads + 1"
    if across == 1:
        mend = f"launch (n - 1) / threads + 1 blocks, and let {_INDEX} be the index"
    return f"{who} leave {_which(where, left)} of {where.name} as {_was(left)}: {mend}"


def _which(where: Where, left: int) -> str:
    if left == 1:
        return f"the last element, {where.index:,},"
    return f"elements {where.index:,} to {where.elements - 1:,}"


def _was(count: int) -> str:
    return "it was" if count == 1 else "they were"


def _constant_never_set(fact: Fact, where: Where) -> str:
    if late := fact["other_line"]:
        return (
            f"`{where.name}` is all zeros here, for line {late} sets this __constant__ variable only behind the launch,"
            f" and no later launch reads it: put line {late} before the launch"
        )
    return (
        f"`{where.name}` is all zeros, for nothing sets this __constant__ variable: write"
        f" `cudaMemcpyToSymbol({where.name}, values, sizeof {where.name})` before the launch"
    )


RESULTS: Mapping[str, Callable[[Fact, Where], str]] = {
    "untouched": _untouched,
    "constant_never_set": _constant_never_set,
}
