"""From what one multiprocessor's L1 did not hold to the bytes that L2 and memory have to move.

The blocks that run at once, a *wave*, are taken to move on together. So what several of them want comes from memory
once; it comes again in a later wave, or in a block's second pass, if a wave touches more than L2 holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.card import Card
from grader.model.sampled import Array, Launch

SECTOR = 32


@dataclass(frozen=True)
class Bytes:
    """That a launch moves out of L2 and into it, and between L2 and memory."""

    l2: float
    dram: float
    touched: float  # different ones


def moved(launch: Launch, card: Card, held: frozenset[str] = frozenset()) -> Bytes:
    """The bytes of a launch; the arrays that are `held` lie in L2 already."""
    wave = min(launch.blocks, card.multiprocessors * launch.resident)
    gone = _gone(sum(_of_wave(array, wave) for array in launch.arrays), card)
    l2 = dram = touched = 0.0
    for array in launch.arrays:
        missed, stored = SECTOR * array.missed * launch.blocks, SECTOR * array.stored * launch.blocks
        once = min(array.bytes, SECTOR * array.loaded * _different(array, launch.blocks))
        again = max(missed - once, 0.0)
        l2 += missed
        dram += (0.0 if array.name in held else min(once, missed)) + gone * min(again, _again(array, launch, wave))
        dram += 0.0 if array.name in held else min(array.bytes, stored)
        touched += max(once, min(array.bytes, stored))
    l2 += SECTOR * launch.count("global_store_sectors", "global_atomic_sectors")
    return Bytes(l2, dram, touched)


def _different(array: Array, blocks: float) -> float:
    """How many times as many different sectors so many blocks touch as one of them."""
    return float(blocks**array.growth)


def _of_wave(array: Array, wave: float) -> float:
    """Bytes that the blocks of a wave touch."""
    return min(array.bytes, SECTOR * (array.loaded + array.stored) * _different(array, wave))


def _again(array: Array, launch: Launch, wave: float) -> float:
    """Bytes that are wanted again long after they were first: by later waves, and by later passes of a block."""
    waves = launch.blocks / wave
    later_waves = (waves - 1) * min(array.bytes, SECTOR * array.loaded * _different(array, wave))
    later_passes = SECTOR * max(array.missed - array.loaded, 0.0) * launch.blocks
    return later_waves + later_passes


def _gone(wave_bytes: float, card: Card) -> float:
    """The share of what was touched that has left L2 when it is wanted again: all of it at twice what L2 holds."""
    return min(max(wave_bytes / card.l2_bytes - 1, 0.0), 1.0)


def names(arrays: Sequence[Array]) -> frozenset[str]:
    return frozenset(array.name for array in arrays)
