"""How an element of an output is called."""

from __future__ import annotations

from collections.abc import Sequence


def element_name(buffer: str, flat: int, shape: Sequence[int]) -> str:
    """`out[2, 5]` for a flat index."""
    return f"{buffer}[{', '.join(str(i) for i in unravel(flat, shape))}]"


def unravel(flat: int, shape: Sequence[int]) -> list[int]:
    """The index of each dimension, row-major."""
    index = []
    for size in reversed(shape):
        flat, rest = divmod(flat, size)
        index.append(rest)
    return index[::-1]


def ordinal(number: int) -> str:
    """`1st`, `12th`"""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
