"""What sampling found of a launch, made ready for the model: counts of the whole launch, and of one block."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader.model.flow import Flow
from grader.model.machine_code import MachineCode, machine_code

Json = Mapping[str, Any]
Counts = Mapping[str, float]

LANES, WORD, SECTOR, LINE = 32, 4, 32, 128
MOST_STORED = 8.0  # times their share of a result: blocks that store more have it from others, which found nothing left


@dataclass(frozen=True)
class Array:
    """One array as one block touches it, on average, in sectors of 32 bytes."""

    name: str
    bytes: int  # of the whole array
    loaded: float  # different sectors that it loads
    stored: float
    missed: float  # of its loads: sectors that L1 did not hold, each time that they are asked for
    growth: float  # different sectors of neighbouring blocks grow as (blocks ** growth): 0 shared, 1 each its own


@dataclass(frozen=True)
class Launch:
    """A launch, or `repeats` of the same kind; counts are for all blocks of one of them."""

    kernel: str
    line: int  # of the launch
    blocks: int
    threads: int  # of a block
    repeats: int
    resident: int  # blocks that a multiprocessor holds at once
    registers: int  # of a thread: an estimate
    counts: Counts
    lines: Mapping[int, Counts]  # the same by source line
    arrays: Sequence[Array]
    hits: float  # share of the loads' sectors that L1 held
    barriers: float  # that a block passes
    load_rounds: float  # of the longest warp of a block: times that it must wait for global memory
    lone_rounds: float  # of these: such as no compiler can begin before the one ahead of them is over
    shared_rounds: float  # and for shared memory
    longest: float  # how many times as many steps that warp takes as the mean one
    atomic_words: float  # different words in global memory that atomics update
    unsure: float  # standard error of the counts, as a share: blocks that ran differ
    ran: int = 0  # blocks that did
    cooperative: bool = False
    flow: Flow | None = None  # of nvcc's machine code, where it is there
    stack: int = 0  # bytes of a thread's local memory
    shared_bytes: int = 0  # of a block

    @property
    def warps(self) -> int:
        """Of a block."""
        return math.ceil(self.threads / LANES)

    def count(self, *names: str) -> float:
        return sum(self.counts.get(name, 0.0) for name in names)


def launches_of(sample: Json) -> list[Launch]:
    """What a worker has sampled (`CaseRun.sample`). Raises KeyError, TypeError or ValueError if it is none."""
    found = [_squeezed(_launch(_spread(each)), each["allowed_registers"]) for each in sample["launches"]]
    code = sample.get("code", {})
    return [
        _compiled(launch, code[data["function"]], data["shared_bytes"]) if data["function"] in code else launch
        for launch, data in zip(found, sample["launches"], strict=True)
    ]


def _compiled(launch: Launch, code: Json, shared_bytes: int) -> Launch:
    """The launch with what nvcc has made of its kernel instead of estimates."""
    made = machine_code(code, launch.lines, launch.blocks * launch.warps)
    joined = _joined(launch.counts, made)
    lines = {line: {**counts, **joined(counts), **made.lines.get(line, {})} for line, counts in launch.lines.items()}
    return replace(
        launch,
        counts={**launch.counts, "local_words": 0.0, **joined(launch.counts), **made.counts},
        lines={**made.lines, **lines},
        registers=made.registers,
        resident=resident_blocks(launch.threads, shared_bytes, made.registers),
        flow=made.flow,
        stack=made.stack,
    )


def _squeezed(launch: Launch, room: int) -> Launch:
    """The launch with no more registers than its `__launch_bounds__` leave room for; the rest is in local memory.

    An estimate for where nvcc's machine code is not known: values are taken to be used alike, and each multiplication
    to load or store one of them.
    """
    if launch.registers <= room:
        return launch
    spilled = launch.registers - room
    share = spilled / launch.registers

    def local(counts: Counts) -> Counts:
        fused = min(counts.get("sums", 0.0), counts.get("products", 0.0)) + counts.get("fused", 0.0)
        return {**counts, "local_words": share * fused}

    return replace(
        launch,
        counts=local(launch.counts),
        lines={line: local(counts) for line, counts in launch.lines.items()},
        registers=room,
        stack=WORD * spilled,
    )


def _joined(counts: Counts, made: MachineCode) -> Callable[[Counts], Counts]:
    """Loads from shared memory that nvcc has joined: none of those that the emulator would, all, or a share of them."""
    single, all_ = counts.get("shared_load_requests", 0.0), counts.get("joined_load_requests", 0.0)
    least = max(single - made.counts.get("compiled_shared_loads", 0.0), 0.0)
    share = min(least / (single - all_), 1.0) if single > all_ else 1.0

    def of(some: Counts) -> Counts:
        pairs = {
            name: (some.get(f"shared_load_{name}", 0.0), some.get(f"joined_load_{name}", 0.0))
            for name in ("requests", "wavefronts")
        }
        return {f"joined_load_{name}": each + share * (both - each) for name, (each, both) in pairs.items()}

    return of


REGISTERS, SHARED_BYTES, RESERVED, BLOCKS, THREADS = 65536, 233472, 1024, 32, 2048  # of a multiprocessor, 9.0


def resident_blocks(threads: int, shared_bytes: int, registers: int) -> int:
    """How many blocks a multiprocessor holds at once, as runtime/sampling.cpp has it."""
    warps = math.ceil(threads / LANES)
    of_a_warp = math.ceil(registers * LANES / 256) * 256
    by_shared = SHARED_BYTES // (shared_bytes + RESERVED) if shared_bytes else BLOCKS
    return max(1, min(BLOCKS, REGISTERS // (of_a_warp * warps), by_shared, THREADS // (warps * LANES)))


def takes_turns(data: Json) -> bool:
    """Whether blocks may learn from a counter in memory which part is theirs: then those that ran have the first."""
    has_own = any(not region["of_task"] and region["stored"] for region in data["regions"])
    return has_own and data["counts"].get("global_atomic_lanes", 0.0) > 0


def _spread(data: Json) -> Json:
    """The launch as it would be sampled if its blocks had taken their parts from a counter side by side: the few that
    ran have taken all, and stored far more of a result than their share. There are no more parts than they have asked
    for, and no more blocks that get one. Others stay as they are."""
    ran, asked = len(data["ran"]), data["counts"].get("global_atomic_lanes", 0.0)
    share = ran / data["blocks"] if ran else 1.0
    results = [region for region in data["regions"] if region["of_task"]]
    if not takes_turns(data) or all(SECTOR * each["stored"] <= MOST_STORED * share * each["bytes"] for each in results):
        return data
    blocks = min(data["blocks"], max(asked, ran))
    share = ran / blocks

    def smaller(some: Json) -> dict[str, Any]:
        return {name: share * value if type(value) in (int, float) else value for name, value in some.items()}

    return {
        **data,
        "blocks": blocks,
        "counts": smaller(data["counts"]),
        "lines": {line: smaller(counts) for line, counts in data["lines"].items()},
        "ran": [smaller(block) for block in data["ran"]],
        "regions": [smaller(region) | {"bytes": region["bytes"]} for region in data["regions"]],
        "barriers": share * data["barriers"],
    }


def _launch(data: Json) -> Launch:
    ran: list[Json] = data["ran"]
    if not ran:
        raise ValueError(f"no block of {data['kernel']} has run")
    scale = data["blocks"] / len(ran)
    counts = {name: number * scale for name, number in data["counts"].items()}
    counts["copied_lines"] = data["blocks"] * _mean(ran, "copied") / LINE
    counts["plain"] = scale * sum(each.get("instructions", 0.0) for each in data["lines"].values() if _is_plain(each))
    warps = math.ceil(data["threads"] / LANES)
    steps = [block["steps"] for block in ran]
    mean = sum(steps) / len(steps)
    spread = math.sqrt(sum((each - mean) ** 2 for each in steps) / max(len(steps) - 1, 1))
    asked = sum(region["asked"] for region in data["regions"])
    missed = sum(region["missed"] for region in data["regions"])
    load_sectors = data["counts"].get("global_load_sectors", 0.0)
    return Launch(
        kernel=data["kernel"],
        line=data["line"],
        blocks=data["blocks"],
        threads=data["threads"],
        repeats=data["repeats"],
        resident=max(data["resident"], 1),
        registers=data["registers"],
        counts=counts,
        lines={int(line): {name: n * scale for name, n in each.items()} for line, each in data["lines"].items()},
        arrays=[_array(region, data, load_sectors / len(ran), asked) for region in data["regions"]],
        hits=1 - missed / asked if asked else 0.0,
        barriers=data["barriers"] / len(ran),
        load_rounds=_mean(ran, "load_rounds"),
        lone_rounds=_mean(ran, "lone_rounds"),
        shared_rounds=_mean(ran, "shared_rounds"),
        longest=_mean(ran, "longest_warp") * warps / max(mean, 1),
        atomic_words=_atomic_words(data),
        ran=len(ran),
        shared_bytes=data.get("shared_bytes", 0),
        cooperative=bool(data.get("cooperative")),
        unsure=spread / math.sqrt(len(ran)) / max(mean, 1) if data["blocks"] > len(ran) else 0.0,
    )


_OTHER_WORK = ("sums", "products", "fused", "in_functions", "special", "doubles", "choices", "tensor_operations")


def _is_plain(line: Counts) -> bool:
    """Whether a line does nothing but control and arithmetic on integers."""
    return not any(each for name, each in line.items() if name in _OTHER_WORK or name.startswith(("global", "shared")))


def _mean(ran: Sequence[Json], name: str) -> float:
    return float(sum(block[name] for block in ran) / len(ran))


def _array(region: Json, data: Json, sectors_of_a_block: float, asked: float) -> Array:
    ran, held, neighbours = len(data["ran"]), max(data["held"], 1), data["neighbours"]
    # A trace that was cut short saw only a part of the loads: the rest is taken to be like it.
    cut = max(sectors_of_a_block * held / asked, 1.0) if asked else 1.0
    growth = 1.0
    if neighbours > 1 and region["together"]:
        growth = 1 + math.log(region["together"] / region["alone"]) / math.log(neighbours)
    return Array(
        name=region["name"],
        bytes=region["bytes"],
        loaded=region["loaded"] / ran,
        stored=region["stored"] / ran,
        missed=cut * region["missed"] / held,
        growth=min(max(growth, 0.0), 1.0),
    )


def _atomic_words(data: Json) -> float:
    """Different words that all blocks update, from those of the blocks that ran.

    If there are `every` words, and each block takes some at random, then `ran` blocks together have
    every * (1 - (1 - alone / every) ** ran) of them: solved for `every` by halving.
    """
    words, alone, ran = data["atomic_words"], data["atomic_words_of_a_block"], len(data["ran"])
    low, high = float(words), float(max(alone * data["blocks"], words))
    if ran == 1 or words <= alone:
        return low
    for _ in range(60):
        every = (low + high) / 2
        found = every * (1 - (1 - min(alone / every, 1.0)) ** ran)
        low, high = (every, high) if found < words else (low, every)
    return high
