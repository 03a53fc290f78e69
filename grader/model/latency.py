"""How long a launch takes because its warps wait: one block's longest chain, for each wave of blocks (Little's law)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from grader.model.bounds import instructions
from grader.model.caches import Bytes
from grader.model.card import Card
from grader.model.flow import Instruction
from grader.model.sampled import Launch
from grader.model.scoreboard import clocks_of_warp

UNROLLED = 4  # nvcc unrolls loops of unknown length so often, and begins their loads together
FEW_ROUNDS = 8  # loops as short as this are mostly no loops
LOADED = 1.7  # times the latency of memory that nothing else is asked of: where it moves all bytes that it can
SLOWEST = 1.25  # a warp waits for the slowest of the loads that it has on their way (column_sum, rungs 2 and 3)
FEW_BARRIERS = 2  # a block that meets more often does its work between them
SCHEDULERS = 4
OTHERS = 24.0  # clocks of shuffles, special functions and loads of constants (Jia et al., 2018, table 4.1)
MOSTLY_FUSED = 0.4  # of the instructions: then a warp has others to go on with


def latency(launch: Launch, card: Card, moved: Bytes) -> float:
    """Seconds of one launch."""
    waves = max(1.0, launch.blocks / (card.multiprocessors * launch.resident))
    seconds = waves * chain(launch, card, moved) / card.clock
    if not launch.flow:
        return seconds
    busy = min(moved.dram / card.dram_rate / seconds, 1.0)  # share of the time that memory moves bytes
    slower = replace(card, dram_latency=card.dram_latency * (1 + (LOADED - 1) * busy**2))
    return waves * chain(launch, slower, moved) / card.clock


def chain(launch: Launch, card: Card, moved: Bytes) -> float:
    """Clocks that the longest warp of a block takes if it never waits for other warps' work."""
    if launch.flow:
        alone = launch.longest * clocks_of_warp(launch.flow, of_instruction(launch, card, moved))
        return alone + (turns_of_others(launch, card) if launch.barriers > FEW_BARRIERS else 0.0)
    together = launch.load_rounds - launch.lone_rounds
    loads = launch.lone_rounds + together / (UNROLLED if together > FEW_ROUNDS else 1)
    # Rounds whose loads are joined into wide ones are one round.
    joined = launch.count("joined_load_requests") / max(launch.count("shared_load_requests"), 1)
    shared = launch.shared_rounds * min(joined, 1.0) / (UNROLLED if launch.shared_rounds > FEW_ROUNDS else 1)
    every = launch.blocks * launch.warps
    made = instructions(launch.counts, every)
    fused = min(launch.count("sums"), launch.count("products")) + launch.count("fused")
    step = card.independent if fused > MOSTLY_FUSED * made else card.dependent
    return (
        loads * SLOWEST * of_load(launch, card, moved)
        + shared * card.shared_latency
        + launch.barriers * card.barrier_latency
        + made / every * launch.longest * step
    )


def turns_of_others(launch: Launch, card: Card) -> float:
    """Clocks that a warp's scheduler gives to other warps of its block, for which the barriers make it wait."""
    of_a_warp = launch.count("compiled") / (launch.blocks * launch.warps)
    return max(launch.warps / SCHEDULERS - 1, 0.0) * of_a_warp / (card.issue_rate / SCHEDULERS)


def of_instruction(launch: Launch, card: Card, moved: Bytes) -> Callable[[Instruction], float]:
    """Clocks until the result of one is there, by its name."""
    load = SLOWEST * of_load(launch, card, moved)
    known = {
        **dict.fromkeys(("LDG", "LD", "LDGSTS", "ATOMG", "ATOM"), load),
        **dict.fromkeys(("LDS", "LDSM", "ATOMS"), card.shared_latency),
        "LDL": card.l1_latency,
        "BAR": card.barrier_latency,
    }
    return lambda each: known.get(each.name, OTHERS)


def of_load(launch: Launch, card: Card, moved: Bytes) -> float:
    """Clocks until a load's data are there, on average over L1, L2 and memory."""
    from_memory = min(1.0, moved.dram / moved.l2) if moved.l2 else 0.0
    beyond = (1 - from_memory) * card.l2_latency + from_memory * card.dram_latency
    return launch.hits * card.l1_latency + (1 - launch.hits) * beyond


def occupancy(launch: Launch, card: Card) -> float:
    """Warps of a multiprocessor at once."""
    return math.ceil(min(launch.resident, launch.blocks / card.multiprocessors)) * launch.warps
