"""Why two threads come to one element: what the index does with blockIdx and threadIdx, as the two of them tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_ROWS = "is threadIdx.{axis} missing from the index, or is the block of {block} threads meant to have one dimension?"
_NO_BLOCK = "is `blockIdx.x * blockDim.x` missing from the index?"
_STRIDE = "blockIdx.x counts by {step} here, and a block has {threads} threads: write `blockIdx.x * blockDim.x`"


def why_one_element(fact: Mapping[str, Any], index: int) -> str:
    """What to ask where two threads write element `index`; "" if it follows no rule of one dimension."""
    if (fact["access"], fact["line"]) != (fact["other_access"], fact["other_line"]) or fact["access"] != "write":
        return ""
    number = fact.get("launch", 0)
    launches = fact["launches"]
    if not 0 < number <= len(launches) or not fact.get("other_thread") or not fact.get("other_block"):
        return ""
    block: list[int] = launches[number - 1]["block"]
    mine, theirs = (tuple(fact[f"{whose}thread"]) for whose in ("", "other_"))
    at, other = (tuple(fact[f"{whose}block"]) for whose in ("", "other_"))
    if at == other and mine[0] == theirs[0] and index == at[0] * block[0] + mine[0]:
        axis = "y" if mine[1] != theirs[1] else "z"
        return _ROWS.format(axis=axis, block=" x ".join(map(str, block)))
    if block[1:] != [1, 1] or at[1:] != other[1:] or at[0] == other[0]:
        return ""
    step, rest = divmod(theirs[0] - mine[0], at[0] - other[0])
    if rest or index != step * at[0] + mine[0] or not 0 <= step < block[0] or index == 0:
        return ""
    return _STRIDE.format(step=f"{step:,}", threads=f"{block[0]:,}") if step else _NO_BLOCK
