"""Where emulator and hardware may disagree, and why: each with what the machine code shows.

The tests hold this list to account: a difference that is not here fails, and so does one here that is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """`opcodes`: how many of these stand in the case's machine code, in place of what the source says."""

    case: str
    titles: tuple[str, ...]  # of agreement.EXACT
    opcodes: Mapping[str, int]
    why: str


LOADS = ("global load requests", "global load sectors")
STORES = ("global store requests", "global store sectors")

DIFFERENCES = (
    Difference(
        "global/copy_32_bytes",
        LOADS + STORES,
        {"LDG.E.128": 2, "STG.E.128": 2},
        "nvcc copies a struct of 32 bytes, aligned to 16, in pieces of 16; the emulator, which learns the size of the "
        "copy and not its alignment, in pieces of 4",
    ),
    Difference(
        "control/same_addresses",
        LOADS + STORES,
        {"LDG.E": 1, "STG.E": 1},
        "both sides of the branch load and store the same addresses: nvcc does it once, outside the branch",
    ),
    Difference(
        "control/conditional_addresses",
        ("global load requests", "global store requests"),
        {"LDG.E": 2, "STG.E": 1},
        "both sides do the same at addresses of their own: nvcc chooses addresses, then loads and stores for all lanes",
    ),
    Difference(
        "control/conditional_load",
        ("global load requests",),
        {"LDG.E": 2, "STG.E": 1},
        "nvcc chooses one of two addresses, then loads for all lanes",
    ),
    Difference(
        "control/trips_by_data_unrolled",
        ("global load sectors",),
        {"LDG.E.CONSTANT": 9},
        "nvcc takes four iterations at once and the rest in pairs and singles: lanes with different numbers of "
        "iterations are in different rounds when they meet at a load, and bring different sectors",
    ),
    Difference(
        "control/ballot_compaction",
        LOADS,
        {"LDG.E": 1},
        "nvcc keeps x[i] in a register across __ballot_sync; in the emulator a warp operation is a call, behind which "
        "memory may have changed",
    ),
    Difference(
        "shared/broadcast_in_turn",
        ("shared load wavefronts",),
        {"LDS.128": 8},
        "nvcc loads four neighbouring words in one instruction",
    ),
    Difference(
        "shared/sum_growing_stride",
        ("shared load wavefronts", "shared load bank conflicts"),
        {"LDS.64": 1},
        "in the first step nvcc loads sums[k] and sums[k + 1] in one instruction",
    ),
    Difference(
        "atomics/shared_add_distinct_float",
        ("shared load wavefronts",),
        {"ATOMS.CAST.SPIN": 1, "LDS": 2},
        "the hardware has no addition of floats in shared memory: nvcc loads, adds and compares-and-swaps in a loop",
    ),
    Difference(
        "atomics/add_one_for_all",
        ("global atomic sectors",),
        {"REDG.E.ADD.STRONG.GPU": 1},
        "all lanes add to one address that nvcc knows to be one: it adds their values up first and sends one lane",
    ),
    Difference(
        "atomics/fetch_one_for_all",
        ("global atomic sectors",),
        {"ATOMG.E.ADD.STRONG.GPU": 2},
        "all lanes add to one address that nvcc knows to be one: it adds their values up first and sends one lane",
    ),
    Difference(
        "atomics/shared_fetch_one_for_all",
        ("shared atomic requests",),
        {"ATOMS.ADD": 2},
        "nvcc makes one instruction for converged warps and one for others; this metric counts both, although one of "
        "them runs with all lanes switched off",
    ),
    Difference(
        "02_warp_divergence/1_even_odd",
        LOADS,
        {"LDG.E": 1, "STG.E": 2},
        "both sides of the branch load the same angle: nvcc loads it once, before the branch",
    ),
)
