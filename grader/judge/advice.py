"""What the counters of a source line mean: what it wastes, what that costs, and what to do about it."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

Counters = Mapping[str, Any]
LANES = 32
SECTOR = 32  # bytes

# What things cost, in cycles of one multiprocessor: see `advise`.
SECTOR_CYCLES = 1.0
WAVEFRONT_CYCLES = 1.0
INSTRUCTION_CYCLES = 0.25
TURN_CYCLES = {"global": 12.0, "shared": 1.0}
WORTH_TELLING = 0.02  # of what all lines cost; less is the tail of an array, not a fault
OFTEN = 0.1  # of the divergent branches of the worst line

LOOP = re.compile(r"\b(for|while|do)\b")
BRANCH = re.compile(r"\b(if|for|while|do|switch)\b|\?|&&|\|\|")
SHARED_TABLE = re.compile(r"__shared__[^;]*?\b(\w+)\s*\[([^]]+)\]\s*\[([^]]+)\]\s*;")


@dataclass(frozen=True)
class Advice:
    """What one source line wastes, and a sentence on the greatest part of it."""

    line: int
    kind: str  # "load", "store", "conflict", "atomic" or "lanes"
    cycles: float  # wasted, estimated
    share: float  # of what all lines cost
    message: str


def advise(lines: Sequence[Counters], kernels: Sequence[Counters], source: Sequence[str]) -> list[Advice]:
    """One piece of advice for each line that wastes something, the most wasteful first.

    `lines` and `kernels` are a CaseRun's, `source` the lines of the kernel file. To rank waste of different kinds it is
    put on one scale, cycles of one multiprocessor. The scale serves for nothing else: these cycles overlap, and caches
    take some of them away, so that no sum of them is a time.

    - A sector that a request touches beyond those its bytes fill: 1. An H200 hands a multiprocessor one in 0.5 cycles
      from L2 (64 bytes a cycle) and in 1.5 cycles from memory (4.8 TB/s / 132 / 1.75 GHz = 21 bytes a cycle).
    - A wavefront beyond the ideal: 1. Shared memory has one pipe, which takes one a cycle.
    - A warp instruction: 1/4, as four schedulers issue one a cycle each. Wasted is the share of the idle lanes.
    - An atomic that waits for another lane's on the same address: 1 in shared memory. In global memory all
      multiprocessors may queue for one address (132 cycles) or each warp for its own (1); what single warps count
      cannot tell these apart, so 12, the geometric mean.

    Sectors that are half empty because lanes are idle count as the idle lanes' fault, not as that of the addresses.
    """
    by_line: dict[int, list[Waste]] = defaultdict(list)
    for kernel in kernels:
        records = sorted((line for line in lines if line["kernel"] == kernel["name"]), key=itemgetter("line"))
        for waste in _wastes(kernel, records, source):
            by_line[waste.line].append(waste)
    cost = sum(map(_cost, lines))
    found = []
    for line, wastes in by_line.items():
        cycles, worst = sum(waste.cycles for waste in wastes), max(wastes, key=lambda waste: waste.cycles)
        if cycles > WORTH_TELLING * cost:
            found.append(Advice(line, worst.kind, cycles, cycles / cost, worst.message))
    return sorted(found, key=lambda advice: (-advice.cycles, advice.line))


def reuse(counters: Counters) -> str:
    """A sentence if warps load the same bytes again and again, which no single line shows; else "". For totals."""
    distinct = counters.get("global_load_distinct_bytes")
    times = counters["global_load_useful_bytes"] / distinct if distinct else 0.0
    if times < 1.5:
        return ""
    return f"Warps load each byte {digits(times)} times: what is needed again could wait in registers or shared memory."


# ---- ratios ----


def active_lanes(counters: Counters) -> float:
    """Lanes at work in an instruction, on average: 0 to 32; 0 where no instructions are counted."""
    return counters["thread_instructions"] / max(counters["warp_instructions"], 1)


def ideal_sectors(counters: Counters, way: str) -> int:
    """Sectors that would hold what the loads or stores (`way`) ask for; a request has one at least."""
    return max(counters[f"global_{way}_requests"], math.ceil(counters[f"global_{way}_useful_bytes"] / SECTOR))


def all_sectors(counters: Counters) -> int:
    """Sectors that loads, stores and atomics touch in global memory."""
    return sum(counters.get(f"global_{way}_sectors", 0) for way in ("load", "store", "atomic"))


def digits(value: float) -> str:
    """A number to read: 1200, 31.9, 4."""
    return f"{value:.0f}" if value >= 100 else f"{round(value, 1):g}"


def _cost(line: Counters) -> float:
    wavefronts = line["shared_load_wavefronts"] + line["shared_store_wavefronts"]
    issued = INSTRUCTION_CYCLES * line["warp_instructions"]
    waited = sum(_waiting(line, where) * cycles for where, cycles in TURN_CYCLES.items())
    return SECTOR_CYCLES * all_sectors(line) + WAVEFRONT_CYCLES * wavefronts + issued + waited


# ---- what a line wastes ----


@dataclass(frozen=True)
class Waste:
    line: int
    kind: str
    cycles: float
    message: str


def _wastes(kernel: Counters, records: Sequence[Counters], source: Sequence[str]) -> Iterator[Waste]:
    """All that the lines of a kernel waste, in the order of the source."""
    idle = []
    lanes: float = LANES
    for record in records:
        lanes = active_lanes(record) or lanes  # instructions are counted at the first line of their basic block
        for way in ("load", "store"):
            yield _sectors(record, way, lanes)
            yield _conflicts(record, way, source)
        for where in TURN_CYCLES:
            yield _atomics(record, where)
        idle.append(_idle(record, lanes))
    yield from _divergence(kernel, records, idle, source)


def _sectors(line: Counters, way: str, lanes: float) -> Waste:
    """Sectors beyond those that the addresses would touch if idle lanes filled the gaps they leave."""
    requests, sectors = line[f"global_{way}_requests"] or 1, line[f"global_{way}_sectors"]
    ideal = ideal_sectors(line, way)
    wasted = max(0.0, sectors - ideal * LANES / lanes)
    verb = "read" if way == "load" else "write"
    used = line[f"global_{way}_useful_bytes"] / max(sectors, 1)
    if sectors - ideal <= requests <= ideal / 2:
        why = f"what a warp {verb}s starts inside a sector; let rows and offsets be multiples of 32 bytes"
    elif used <= SECTOR / 4:
        why = (
            f"of 32 bytes moved {digits(used)} are used, as neighbouring lanes {verb} far apart; "
            "let threadIdx.x run along the row"
        )
    else:
        why = f"neighbouring lanes {verb} with gaps between them; take what lies there in the same access, as a float2 or float4"
    message = f"{digits(sectors / requests)} sectors a request, {digits(ideal / requests)} would do: {why}"
    return Waste(line["line"], way, SECTOR_CYCLES * wasted, message)


def _conflicts(line: Counters, way: str, source: Sequence[str]) -> Waste:
    wavefronts, ideal = line[f"shared_{way}_wavefronts"], line[f"shared_{way}_ideal_wavefronts"]
    ways = wavefronts / max(ideal, 1)
    even = round(ways) if abs(ways - round(ways)) < 0.05 else None
    what = f"{even}-way bank conflict" if even else f"bank conflicts, {digits(ways)} wavefronts where 1 would do"
    mend = _padding(_text(source, line["line"]), source)
    message = f"{what}: lanes of a warp want different words of one bank; {mend}"
    return Waste(line["line"], "conflict", WAVEFRONT_CYCLES * (wavefronts - ideal), message)


def _padding(text: str, source: Sequence[str]) -> str:
    """How to pad the shared array that this line uses: `tile[32][33]`."""
    for name, rows, columns in SHARED_TABLE.findall("\n".join(source)):
        if re.search(rf"\b{name}\s*\[", text) and "+" not in columns and not (columns.isdigit() and int(columns) % 2):
            padded = str(int(columns) + 1) if columns.isdigit() else f"{columns} + 1"
            return f"pad the rows: {name}[{rows}][{padded}]"
    return "pad the rows by one word, or let neighbouring lanes use neighbouring words"


def _waiting(line: Counters, where: str) -> int:
    """Atomics that wait for another lane's on the same address, at most: the worst request stands for all."""
    requests, threads = line[f"{where}_atomic_requests"], line[f"{where}_atomic_threads"]
    return min(requests * (line[f"{where}_atomic_max_multiplicity"] - 1), threads - requests) if requests else 0


def _atomics(line: Counters, where: str) -> Waste:
    requests, threads = line[f"{where}_atomic_requests"], line[f"{where}_atomic_threads"]
    most = line[f"{where}_atomic_max_multiplicity"]
    everyone = most > 1 and requests * most <= 1.1 * threads
    who = "every thread updates one address" if everyone else f"up to {most} lanes of a warp update one address"
    mend = (
        "add up in registers or shared memory first" if where == "global" else "add up in registers or shuffles first"
    )
    message = f"{who}: {most} atomics one after the other; {mend}"
    return Waste(line["line"], "atomic", TURN_CYCLES[where] * _waiting(line, where), message)


# ---- lanes that are idle, and the line that is to blame ----


@dataclass(frozen=True)
class Idle:
    """Instructions of a line, by warps and by threads, and the cycles that idle lanes waste in it."""

    warps: int
    threads: int
    cycles: float

    @property
    def share(self) -> float:
        return 1 - self.threads / (LANES * max(self.warps, 1))


def _idle(line: Counters, lanes: float) -> Idle:
    warps, threads = line["warp_instructions"], line["thread_instructions"]
    cycles = INSTRUCTION_CYCLES * (warps - threads / LANES)
    for way in ("load", "store"):
        ideal = ideal_sectors(line, way)
        cycles += SECTOR_CYCLES * (min(line[f"global_{way}_sectors"], ideal * LANES / lanes) - ideal)
    return Idle(warps, threads, cycles)


def _divergence(
    kernel: Counters, records: Sequence[Counters], idle: Sequence[Idle], source: Sequence[str]
) -> Iterator[Waste]:
    """Idle lanes, added up at the launch if its blocks are no whole warps, else at the branch that divides the warps."""
    block = kernel["threads"] / max(kernel["blocks"], 1)
    filled = block / math.ceil(block / LANES) if block else LANES  # lanes of a warp, on average
    blamed = []
    for at, lost in enumerate(idle):
        if filled < LANES and lost.threads >= (filled - 1) * lost.warps:
            blamed.append((_launch_line(kernel["name"], source) or records[0]["line"], "block", lost))
        else:
            line = _dividing_line(records, at, source)
            blamed.append((line, "loop" if LOOP.search(_text(source, line)) else "branch", lost))
    for (line, cause), group in groupby(sorted(blamed, key=lambda each: each[:2]), key=lambda each: each[:2]):
        lost = [each[2] for each in group if each[2].cycles > 0]
        total = Idle(sum(one.warps for one in lost), sum(one.threads for one in lost), sum(one.cycles for one in lost))
        yield Waste(line, "lanes", total.cycles, _idle_sentence(cause, total, block))


def _idle_sentence(cause: str, idle: Idle, block: float) -> str:
    share = "half" if 0.45 < idle.share < 0.55 else f"{idle.share:.0%}"
    if cause == "block":
        size = f"{digits(block)} thread{'s' if block != 1 else ''}"
        return f"blocks of {size} leave {share} of the lanes empty: give a block whole warps, a multiple of 32 threads"
    if cause == "loop":
        return (
            f"{share} of the lanes idle: lanes leave this loop at different times and wait for the last one; "
            "give the lanes of a warp equally many rounds"
        )
    if idle.share > 1 - 2.5 / LANES:
        return f"{share} of the lanes idle: one lane works while the others wait; spread this work over the warp"
    return (
        f"{share} of the lanes idle: a warp divides here, and its ways run one after the other; "
        "let all 32 lanes take the same way"
    )


def _dividing_line(records: Sequence[Counters], at: int, source: Sequence[str]) -> int:
    """The line of the nearest branch above `at` that divides warps often, else of the next below (do ... while)."""
    often = OFTEN * max(record["divergent_branches"] for record in records)
    dividing = [i for i, record in enumerate(records) if record["divergent_branches"] > often] or [at]
    chosen = max((i for i in dividing if i <= at), default=dividing[0])
    # A block's branch is counted at the block's first line: look for it down to the next block.
    first = records[chosen]["line"]
    after = next((record["line"] for record in records[chosen + 1 :] if record["warp_instructions"]), first + 1)
    return next((line for line in range(first, after) if BRANCH.search(_text(source, line))), first)


def _launch_line(kernel: str, source: Sequence[str]) -> int | None:
    launch = re.compile(rf"\b{re.escape(kernel.partition('<')[0])}\b.*<<<")
    return next((line for line, text in enumerate(source, start=1) if launch.search(text)), None)


def _text(source: Sequence[str], line: int) -> str:
    """The code of a line, without its comment."""
    return source[line - 1].partition("//")[0] if 1 <= line <= len(source) else ""
