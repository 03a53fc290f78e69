"""What the counters of a source line mean: what it wastes, what that costs, and what to do about it."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal, get_args

Counters = Mapping[str, Any]
Way = Literal["load", "store"]
Kind = Way | Literal["conflict", "atomic", "lanes"]  # of waste
LANES = 32
SECTOR = 32  # bytes

# What things cost, in cycles of one multiprocessor: see `advise`.
SECTOR_CYCLES = 1.0
WAVEFRONT_CYCLES = 1.0
INSTRUCTION_CYCLES = 0.25
TURN_CYCLES = {"global": 12.0, "shared": 1.0}
WORTH_TELLING = 0.02  # of what all lines cost; less is the tail of an array, not a fault
OFTEN = 0.1  # of the divergent branches of the worst line
TREE_LINES = 3  # above the branch of a tree's round stands the loop that halves the number of threads at work

LOOP = re.compile(r"\b(for|while|do)\b")
HALVING = re.compile(r"\b(\w+)\s*(?:/=\s*2|>>=\s*1)\b")
SHARED_TABLE = re.compile(r"__shared__[^;]*?\b(\w+)\s*\[([^]]+)\]\s*\[([^]]+)\]\s*;")


@dataclass(frozen=True)
class Advice:
    """What one source line wastes, and a sentence on the greatest part of it."""

    line: int
    kind: Kind
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
    total = sum(map(cost, lines))
    found = []
    for line, wastes in by_line.items():
        cycles, worst = sum(waste.cycles for waste in wastes), max(wastes, key=lambda waste: waste.cycles)
        if cycles > WORTH_TELLING * total:
            found.append(Advice(line, worst.kind, cycles, cycles / total, worst.message))
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
    threads, warps = int(counters["thread_instructions"]), int(counters["warp_instructions"])
    return threads / max(warps, 1)


def ideal_sectors(counters: Counters, way: Way) -> int:
    """Sectors that would hold what the loads or stores (`way`) ask for; a request has one at least."""
    requests, useful = int(counters[f"global_{way}_requests"]), int(counters[f"global_{way}_useful_bytes"])
    return max(requests, -(-useful // SECTOR))


def all_sectors(counters: Counters) -> int:
    """Sectors that loads, stores and atomics touch in global memory."""
    return sum(counters.get(f"global_{way}_sectors", 0) for way in ("load", "store", "atomic"))


def digits(value: float) -> str:
    """A number to read: 1200, 31.9, 4."""
    return f"{value:.0f}" if value >= 100 else f"{round(value, 1):g}"


def cost(line: Counters) -> float:
    """What a line costs, in the cycles of `advise`."""
    wavefronts: int = line["shared_load_wavefronts"] + line["shared_store_wavefronts"]
    issued: float = INSTRUCTION_CYCLES * line["warp_instructions"]
    waited = sum(_waiting(line, where) * cycles for where, cycles in TURN_CYCLES.items())
    return SECTOR_CYCLES * all_sectors(line) + WAVEFRONT_CYCLES * wavefronts + issued + waited


# ---- what a line wastes ----


@dataclass(frozen=True)
class Waste:
    """One kind of waste on one source line; `cycles` as `advise` estimates them."""

    line: int
    kind: Kind
    cycles: float
    message: str


def _wastes(kernel: Counters, records: Sequence[Counters], source: Sequence[str]) -> Iterator[Waste]:
    """All that the lines of a kernel waste, some of it nothing."""
    ways: tuple[Way, ...] = get_args(Way)
    for record in records:
        for way in ways:
            yield _sectors(record, way)
            yield _conflicts(record, way, source)
        for where in TURN_CYCLES:
            yield _atomics(record, where)
    yield from _divergence(kernel, records, source)


def _sectors(line: Counters, way: Way) -> Waste:
    requests, sectors = line[f"global_{way}_requests"] or 1, line[f"global_{way}_sectors"]
    ideal = ideal_sectors(line, way)
    verb = "read" if way == "load" else "write"
    used = line[f"global_{way}_useful_bytes"] / max(sectors, 1)
    if sectors - ideal <= requests <= ideal / 2:
        why = f"what a warp {verb}s starts inside a sector; let rows and offsets be multiples of 32 bytes"
    elif used <= SECTOR / 4:
        why = (
            f"of 32 bytes moved {digits(used)} are used, as neighbouring lanes {verb} far apart; "
            "let neighbours take neighbouring elements, threadIdx.x along the row"
        )
    else:
        why = f"neighbouring lanes {verb} with gaps between; take what lies there in the same access (float2, float4)"
    message = f"{digits(sectors / requests)} sectors a request, {digits(ideal / requests)} would do: {why}"
    return Waste(line["line"], way, SECTOR_CYCLES * max(0.0, sectors - _with_all_lanes(line, way)), message)


def _with_all_lanes(line: Counters, way: Way) -> float:
    """Sectors that full warps would need: idle lanes leave gaps for which the addresses are not to blame."""
    threads = line[f"global_{way}_threads"]
    return ideal_sectors(line, way) * LANES * line[f"global_{way}_requests"] / threads if threads else 0.0


def _conflicts(line: Counters, way: Way, source: Sequence[str]) -> Waste:
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
    who = "all" if requests * most >= 0.9 * threads else f"up to {most}"
    mend = "registers or shared memory" if where == "global" else "registers, or with shuffles,"
    message = f"{who} lanes of a warp update one address: {most} atomics one after the other; add up in {mend} first"
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


def _idle(line: Counters) -> Idle:
    warps, threads = line["warp_instructions"], line["thread_instructions"]
    cycles = INSTRUCTION_CYCLES * (warps - threads / LANES)
    for way in ("load", "store"):
        half_empty = min(line[f"global_{way}_sectors"], _with_all_lanes(line, way)) - ideal_sectors(line, way)
        cycles += SECTOR_CYCLES * max(0.0, half_empty)
    return Idle(warps, threads, cycles)


def _divergence(kernel: Counters, records: Sequence[Counters], source: Sequence[str]) -> Iterator[Waste]:
    """Idle lanes, blamed on the launch if its blocks are no whole warps, else on the branch that divides the warps."""
    block = kernel["threads"] / max(kernel["blocks"], 1)
    filled = block / math.ceil(block / LANES) if block else LANES  # lanes of a warp that have a thread, on average
    blamed: dict[tuple[int, str], list[Idle]] = defaultdict(list)
    for at, idle in enumerate(map(_idle, records)):
        if idle.cycles and filled < LANES and idle.threads >= (filled - 1) * idle.warps:
            blamed[_launch_line(kernel["name"], source) or records[0]["line"], "block"].append(idle)
        elif idle.cycles:
            line = _dividing_line(records, at)
            blamed[line, _cause(line, source)].append(idle)
    for (line, cause), parts in blamed.items():
        idle = Idle(
            sum(part.warps for part in parts), sum(part.threads for part in parts), sum(p.cycles for p in parts)
        )
        yield Waste(line, "lanes", idle.cycles, _idle_sentence(cause, idle, block))


def _cause(line: int, source: Sequence[str]) -> str:
    """What a line that divides warps is: a "loop", a round of a "tree", or another "branch"."""
    text = _text(source, line)
    if LOOP.search(text):
        return "loop"
    halved = {name for above in range(line - TREE_LINES, line) for name in HALVING.findall(_text(source, above))}
    return "tree" if halved & set(re.findall(r"\w+", text)) else "branch"


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
    if cause == "tree":
        return (
            f"{share} of the lanes idle: each round of this tree has work for half as many threads; "
            "let every thread take several elements before it, and the last warp use shuffles"
        )
    if idle.share > 1 - 2.5 / LANES:
        return f"{share} of the lanes idle: one lane works while the others wait; spread this work over the warp"
    return (
        f"{share} of the lanes idle: a warp divides here, and its ways run one after the other; "
        "let all 32 lanes take the same way"
    )


def _dividing_line(records: Sequence[Counters], at: int) -> int:
    """The line of the nearest branch above `at` that divides warps often, else of the next below (do ... while)."""
    often = OFTEN * max(record["divergent_branches"] for record in records)
    dividing = [i for i, record in enumerate(records) if record["divergent_branches"] > often] or [at]
    chosen = max((i for i in dividing if i <= at), default=dividing[0])
    line: int = records[chosen]["line"]
    return line


def _launch_line(kernel: str, source: Sequence[str]) -> int | None:
    launch = re.compile(rf"\b{re.escape(kernel.partition('<')[0])}\b.*<<<")
    return next((line for line, text in enumerate(source, start=1) if launch.search(text)), None)


def _text(source: Sequence[str], line: int) -> str:
    """The code of a line, without its comment."""
    return source[line - 1].partition("//")[0] if 1 <= line <= len(source) else ""
