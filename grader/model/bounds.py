"""How long each part of the card is busy with a launch: no kernel is faster than the slowest of them.

Seconds by the name of the part. A multiprocessor's parts work for as long as the one with most blocks needs.
"""

from __future__ import annotations

import math

from grader.model.caches import Bytes
from grader.model.card import Card
from grader.model.sampled import LANES, LINE, Counts, Launch

PIPES = ("l1", "shared", "issue", "special", "double", "tensor")  # of one multiprocessor
BOUNDS = ("dram", "l2", *PIPES, "atomics", "barriers", "blocks", "latency")
# What nvcc makes of the rest of a kernel, besides its arithmetic: instructions for each request, and for each warp.
FOR_GLOBAL, FOR_SHARED, FOR_WARP = 2.9, 1.2, 24.0
UNSEEN = 1.125  # and what no estimate sees
# The CPU's instructions on lines that have neither memory nor floats: nearly all of them are addresses and loops, of
# which nvcc leaves little. Beyond what any rung has of them they are work, two for one of a GPU's.
MOST_PLAIN, FOR_PLAIN = 16.0, 2.0
FOR_FUNCTIONS = 0.75  # of an addition or multiplication in a function: most are fused


def instructions(counts: Counts, warps: float) -> float:
    """Those of warps that nvcc's machine code has for these counts; without it, an estimate of them."""
    if "compiled" in counts:
        return counts["compiled"]
    get = counts.get
    arithmetic = max(get("sums", 0.0), get("products", 0.0)) + get("fused", 0.0) + get("choices", 0.0)
    functions = FOR_FUNCTIONS * (get("in_functions", 0.0) + get("doubles", 0.0)) + get("special", 0.0)
    functions += get("tensor_instructions", 0.0)
    in_global = sum(get(f"global_{way}_requests", 0.0) for way in ("load", "store", "atomic"))
    in_shared = get("joined_load_requests", 0.0)
    in_shared += sum(get(f"shared_{way}_requests", 0.0) for way in ("store", "atomic"))
    seen = arithmetic + functions + FOR_GLOBAL * in_global + FOR_SHARED * in_shared + FOR_WARP * warps
    return max(seen, (get("plain", 0.0) - MOST_PLAIN * seen) / FOR_PLAIN)


def bounds(launch: Launch, card: Card, moved: Bytes) -> dict[str, float]:
    """Seconds that each part needs for one launch."""
    busy = min(launch.blocks, card.multiprocessors)
    l2 = moved.l2 + LINE * launch.count("local_words") * _beyond_l1(launch, card)
    # The multiprocessor with most blocks has this share of the launch.
    share = math.ceil(launch.blocks / card.multiprocessors) / launch.blocks
    clocks = {name: cost * share / card.clock for name, cost in of_multiprocessor(launch.counts, card).items()}
    made = instructions(launch.counts, launch.blocks * launch.warps)
    issue = made / card.issue_rate * (1 if launch.flow else UNSEEN)
    issue = max(issue, launch.count("compiled_integer") * LANES / card.integer_rate)
    return {
        "dram": moved.dram / card.dram_rate,
        "l2": max(l2 / card.l2_rate, l2 / (busy * card.l2_rate_of_one)),
        **clocks,
        "issue": issue * share / card.clock,
        "atomics": atomics(launch, card),
        "barriers": launch.barriers * launch.warps * launch.blocks * share * card.barrier_turn / card.clock,
        "blocks": launch.blocks * share * card.block_start / card.clock,
    }


def _beyond_l1(launch: Launch, card: Card) -> float:
    """The share of local memory's words that L1 does not hold: all of them at twice what there is room for."""
    held = launch.stack * launch.threads * launch.resident
    room = max(card.l1_bytes - launch.shared_bytes * launch.resident, 1.0)
    return min(max(held / room - 1, 0.0), 1.0)


def of_multiprocessor(counts: Counts, card: Card) -> dict[str, float]:
    """Clocks that the parts of one multiprocessor would need for all of these counts."""
    get = counts.get

    def lines(way: str, cost: float) -> float:
        asked, sectors = get(f"global_{way}_requests", 0.0), get(f"global_{way}_sectors", 0.0)
        return max(asked, get(f"global_{way}_lines", 0.0) * cost, sectors / card.l1_sectors)

    l1 = lines("load", card.load_line) + lines("store", card.store_line)
    # What comes by an asynchronous copy is written where a load's lines would be, and is in `l1`.
    stores = max(get("shared_store_wavefronts", 0.0) - get("copied_lines", 0.0), 0.0)
    shared = get("joined_load_wavefronts", 0.0) + stores
    # Lanes that update one word do not wait for each other: counters are what shared atomics are for, and nvcc adds up
    # the lanes of `atomicAdd(&x, 1)` (ATOMS.POPC.INC).
    shared += card.shared_atomic * get("shared_atomic_wavefronts", 0.0)
    # Both go through one pipe: each is as slow as both together, and the larger one is to blame.
    l1 += get("local_words", 0.0) * card.load_line
    return {
        "l1": (l1 + shared) * (l1 >= shared),
        "shared": (l1 + shared) * (l1 < shared),
        "special": get("compiled_special", get("special", 0.0)) * LANES / card.special_rate,
        "double": get("doubles", 0.0) / 2 * LANES / card.double_rate,
        "tensor": get("tensor_work", get("tensor_operations", 0.0)) / card.tensor_rate,
    }


def atomics(launch: Launch, card: Card) -> float:
    """Updates of one word wait for each other; those of a few words share few units of L2."""
    lanes, floats = launch.count("global_atomic_lanes"), launch.count("global_atomic_float_lanes")
    if not lanes or not launch.atomic_words:
        return 0.0
    each = (floats * card.atomic_float + max(lanes - floats, 0.0) * card.atomic_integer) / launch.atomic_words
    crowded = launch.count("global_atomic_sectors") / card.atomic_rate if launch.atomic_words <= CROWD else 0.0
    return max(each, crowded)


CROWD = 1024  # words that lie in so few lines that their updates meet
