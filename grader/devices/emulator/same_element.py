"""Why two threads come to one element: what the index does with blockIdx and threadIdx, as the two of them tell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from grader.devices.emulator.array_wording import Where
from grader.devices.emulator.shared_parts import overlapping_parts

_ROWS = "is threadIdx.{axis} missing from the index, or is the block of {block} threads meant to have one dimension?"
_NO_WARP = (
    "threads {mine} and {theirs} are lane {lane} of two warps: is the warp's number, `threadIdx.x / 32`, missing from"
    " the index?"
)
LANES = 32  # of a warp
_NO_BLOCK = "is `blockIdx.x * blockDim.x` missing from the index?"
_STRIDE = "blockIdx.x counts by {step} here, and a block has {threads} threads: write `blockIdx.x * blockDim.x`"
_STRIDE_OF_LOOP = (
    "blockIdx.x counts by {step} here, and in its loop a block writes more: multiply blockIdx.x with as many elements"
    " as one block writes, with a row's length where it writes a row"
)
_OF_EACH_BLOCK = (
    "each block has values of its own for the {elements:,} elements of {name}: let blocks add theirs,"
    " `atomicAdd(&{name}[i], ...)`"
)
_NO_ROW = (
    "each block writes the same {count:,} of the {elements:,} elements of {name}: is `blockIdx.x * {count}`, where a"
    " block's own row begins, missing from the index?"
)
_LOOP = "does a loop go on by {step} where `gridDim.x * blockDim.x` belongs, so that blocks do again what others do?"
_ALL_AGAIN = (
    "does each block do all of it again? Let the loop begin at `blockIdx.x * blockDim.x + threadIdx.x`, and go on by"
    " `gridDim.x * blockDim.x`"
)
_LOOP_OF_BLOCKS = (
    "does a loop that begins at `blockIdx.x` go on by fewer than the grid's blocks, where `gridDim.x` belongs?"
)
_LOOP_OF_BLOCK = "does a loop go on by fewer than the block's {threads:,} threads, where `blockDim.x` belongs?"


def left_as_it_is(fact: Mapping[str, Any]) -> str:
    """What to say of a race with a store of what lay there already; "" if it is none."""
    if fact["text"] != "unchanged":
        return ""
    line = fact["line"] if fact["access"] == "write" else fact["other_line"]
    return (
        "what is stored lay there already, so it does no harm, but CUDA calls it a race; let line"
        f" {line} store only where the value changes"
    )


def why_one_element(fact: Mapping[str, Any], where: Where) -> str:
    """What to ask where two threads write one element; "" if it follows no rule of one dimension."""
    index = where.index
    if overlap := overlapping_parts(fact, where.name):
        return overlap
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
    if block[1:] != [1, 1]:
        return ""
    if fact["text"] == "same value" and (loop := _of_loop(fact, launches[number - 1], index)):
        return loop
    if at == other and fact.get("space") == "shared" and _are_of_two_warps(index, mine[0], theirs[0]):
        return _NO_WARP.format(mine=mine[0], theirs=theirs[0], lane=mine[0] % LANES)
    if at[1:] != other[1:] or at[0] == other[0]:
        return ""
    step, rest = divmod(theirs[0] - mine[0], at[0] - other[0])
    if rest or index != step * at[0] + mine[0] or not 0 <= step < block[0]:
        return ""
    in_loop = not step and where.elements > 1 and fact["reading"].is_in_loop(fact["line"])
    if index == 0 and not in_loop:
        return ""
    if in_loop and (count := _of_a_row(fact, launches[number - 1], where)):
        return _NO_ROW.format(count=count, elements=where.elements, name=where.name)
    if in_loop or (not step and 0 < where.elements <= block[0]):
        return _OF_EACH_BLOCK.format(elements=where.elements, name=where.name)
    if step and fact["reading"].is_in_loop(fact["line"]):
        return _STRIDE_OF_LOOP.format(step=f"{step:,}")
    return _STRIDE.format(step=f"{step:,}", threads=f"{block[0]:,}") if step else _NO_BLOCK


def _of_a_row(fact: Mapping[str, Any], launch: Mapping[str, Any], where: Where) -> int:
    """How many elements all blocks write, each of them, where an array has room for as many for each; else 0."""
    blocks = math.prod(launch["grid"])
    count, rest = divmod(fact.get("count", 0), max(blocks - 1, 1))
    return count if count and not rest and count * blocks == where.elements else 0


def _are_of_two_warps(index: int, mine: int, theirs: int) -> bool:
    """Whether both are the same lane, whose number the index has."""
    return mine != theirs and not (mine - theirs) % LANES and not (index - mine) % LANES


def _of_loop(fact: Mapping[str, Any], launch: Mapping[str, Any], index: int) -> str:
    """Of threads that come to one element in different rounds of a loop, by how far apart they begin."""
    threads, blocks = launch["block"][0], launch["grid"][0]
    mine, theirs = (fact[f"{whose}block"][0] * threads + fact[f"{whose}thread"][0] for whose in ("", "other_"))
    apart = abs(mine - theirs)
    if not apart or launch["grid"][1:] != [1, 1] or not fact["reading"].is_in_loop(fact["line"]):
        return ""
    if fact["block"] == fact["other_block"]:
        return (
            _LOOP_OF_BLOCK.format(threads=threads) if index >= max(fact["thread"][0], fact["other_thread"][0]) else ""
        )
    if index < max(mine, theirs):
        if fact["thread"] != fact["other_thread"]:
            return ""
        return _LOOP_OF_BLOCKS if index == max(fact["block"][0], fact["other_block"][0]) else _ALL_AGAIN
    if not apart % threads and index % threads == fact["thread"][0]:
        return _LOOP.format(step="blockDim.x")
    return _LOOP.format(step="gridDim.x") if index == max(mine, theirs) and not apart % blocks and blocks > 1 else ""
