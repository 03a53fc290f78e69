"""From program counters to totals: what the runtime counted, added up by case, by kernel and by source line.

The names and definitions are in docs/counters.md, with Nsight Compute's name of each.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

from grader.devices.emulator.counted import ZERO
from grader.devices.emulator.kinds import EVENTS, LOADS, SPACES, TENSOR_RATES, TENSOR_SHAPES
from grader.devices.emulator.prices import EXPONENTIALS, PRICES, Price
from grader.devices.emulator.ptx_counts import Arithmetic, arithmetic_of, blocks_of
from grader.devices.emulator.symbols import CodeMap

# What was counted at one program counter: `Site` of runtime/trace.h, by the names that it has there. Its kind is one of
# kinds.EVENTS, its space one of kinds.SPACES.
Site = dict[str, Any]
Counted = dict[str, Any]
SECTOR = 32  # bytes
_WARP = 32  # threads
LANES_OF_A_SCATTERED = 2  # of a request on average: below that it is a ticket's, or a sum's of a warp
_ROOM = 8  # tensor_shapes of runtime/trace.h
Lines = defaultdict[tuple[str, int], Counted]


def add_up(facts: dict[str, Any], code: CodeMap) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
    """Totals of the case, one record per kernel, one per source line that did anything."""
    by_line: Lines = defaultdict(lambda: dict(ZERO))
    kernels = []
    totals: dict[str, Any] = dict(ZERO)
    code.blocks.update(blocks_of(facts["statements"]))
    in_ptx = arithmetic_of(facts["statements"])
    for kernel in facts["kernels"]:
        counters = dict(ZERO)
        for row in kernel.pop("sites"):
            site: Site = row | {"kind": EVENTS[row["kind"]], "space": SPACES[row["space"]]}
            line = code.line_of(site["pc"]) or 0
            for counted in (counters, totals, by_line[kernel["name"], line]):
                _count(counted, site, code)
            _count_work(_work(site, code, in_ptx, line), site, counters, totals, by_line, kernel["name"])
            if site["kind"] == "block":
                _count_branches(site, code, counters, totals, by_line[kernel["name"], _branch_line(site, code) or line])
        kernels.append(kernel | counters)
    lines = [{"kernel": name, "line": line} | counted for (name, line), counted in sorted(by_line.items()) if line]
    totals |= _launch_totals(facts, kernels)
    _count_copies(facts, totals)
    return totals, kernels, lines


def _count_copies(facts: dict[str, Any], totals: dict[str, Any]) -> None:
    """What copies and memsets move counts as bytes of the case; they have no requests, and move none for nothing."""
    for way, did in (("load", "read"), ("store", "wrote")):
        totals[f"global_{way}_bytes"] += facts[f"copies_{did}"]
        totals[f"task_{way}_bytes"] += facts[f"copies_{did}_of_task"]


def _launch_totals(facts: dict[str, Any], kernels: list[dict[str, Any]]) -> dict[str, Any]:
    of_task = [region for region in facts["regions"] if region["of_task"]]
    main = max(kernels, key=lambda kernel: kernel["busiest_bytes"], default={"busy_blocks": 0, "busy_threads": 0})
    return {
        "global_load_distinct_bytes": sum(region["loaded"] for region in facts["regions"]),
        "global_store_distinct_bytes": sum(region["stored"] for region in facts["regions"]),
        "task_load_distinct_bytes": sum(region["loaded"] for region in of_task),
        "task_store_distinct_bytes": sum(region["stored"] for region in of_task),
        "task_active_lanes": _by_work(kernels, "thread_instructions", "warp_instructions"),
        "task_divergence": _by_work(kernels, "divergent_branches", "branches"),
        "barriers": sum(kernel["barriers"] for kernel in kernels),
        "barriers_per_block": max((kernel["most_barriers"] for kernel in kernels), default=0),
        "async_copy_requests": sum(kernel["copies"] for kernel in kernels),
        "async_groups_in_flight": max((kernel["most_copy_groups"] for kernel in kernels), default=0),
        "async_bytes_in_flight": max((kernel["most_copy_bytes"] for kernel in kernels), default=0),
        "launches": facts["launched"],
        "blocks_launched": sum(kernel["blocks"] for kernel in kernels),
        "threads_launched": sum(kernel["threads"] for kernel in kernels),
        "busy_blocks": main["busy_blocks"],
        "busy_threads": main["busy_threads"],
        "max_shared_bytes": max((k["static_shared"] + k["dynamic_shared"] for k in kernels), default=0),
        "device_bytes_allocated": facts["allocated"],
        "device_bytes_peak": facts["peak"],
    }


def _by_work(kernels: list[dict[str, Any]], over: str, under: str) -> float:
    """The mean of a ratio over the kernels, each weighted by the bytes of the task's buffers that it asks for.

    So a kernel that does no work, or little, changes nothing, however often it is launched. 0 where none does any.
    """
    weights = [
        kernel["task_load_bytes"] + kernel["task_store_bytes"] + kernel["task_atomic_bytes"] for kernel in kernels
    ]
    work = sum(weights)
    shares = (weight * kernel[over] / max(kernel[under], 1) for weight, kernel in zip(weights, kernels, strict=True))
    return sum(shares) / work if work else 0.0


def _count(counters: dict[str, int], site: Site, code: CodeMap) -> None:
    if site["kind"] == "block":
        _count_block(counters, site, code)
    elif site["kind"] == "atomic":
        _count_atomic(counters, site)
    elif site["kind"] == "tensor":
        _count_tensor(counters, site)
    elif site["kind"] == "arithmetic":
        pass  # its basic block has it among its instructions
    elif site["space"] == "global":
        way = "load" if site["kind"] in LOADS else "store"
        counters[f"global_{way}_requests"] += site["requests"]
        counters[f"global_{way}_sectors"] += site["sectors"]
        counters[f"global_{way}_threads"] += site["threads"]
        counters[f"global_{way}_bytes"] += site["asked"]
        counters[f"global_{way}_useful_bytes"] += site["useful"]
        counters[f"task_{way}_requests"] += site["task_requests"]
        counters[f"task_{way}_sectors"] += site["task_sectors"]
        counters[f"task_{way}_bytes"] += site["task_asked"]
        counters[f"task_{way}_useful_bytes"] += site["task_useful"]
    elif site["space"] == "shared":
        way = "load" if site["kind"] in LOADS else "store"
        counters[f"shared_{way}_requests"] += site["requests"]
        counters[f"shared_{way}_wavefronts"] += site["wavefronts"]
        counters[f"shared_{way}_ideal_wavefronts"] += site["ideal"]
        counters[f"shared_{way}_bank_conflicts"] += site["wavefronts"] - site["ideal"]
        if site["matrices"]:  # counted by themselves as well
            name = "ldmatrix" if way == "load" else "stmatrix"
            counters[f"{name}_requests"] += site["matrices"]
            counters[f"{name}_wavefronts"] += site["wavefronts"]
            counters[f"{name}_bank_conflicts"] += site["wavefronts"] - site["ideal"]
    elif site["space"] == "constant":
        counters["constant_requests"] += site["requests"]
    else:
        counters["local_requests"] += site["requests"]
        counters["local_bytes"] += site["asked"]


def _count_block(counters: dict[str, int], site: Site, code: CodeMap) -> None:
    block = code.blocks.get(site["pc"])
    weight = block.weight if block else 1
    counters["warp_instructions"] += site["warps"] * weight
    counters["thread_instructions"] += site["threads"] * weight


Work = tuple[int, Price, int]  # its line, its price, and how many of it raise to a power


def _work(site: Site, code: CodeMap, in_ptx: Mapping[int, Arithmetic], line: int) -> Iterator[Work]:
    """Functions and operators have lines of their own, which may not be that where their block begins."""
    block = code.blocks.get(site["pc"]) if site["kind"] == "block" else None
    for own_line, what, times in block.work if block else ():
        special, floats, doubles = PRICES[what]
        yield own_line, (times * special, times * floats, times * doubles), times * (what in EXPONENTIALS)
    if site["kind"] == "arithmetic":
        yield line, *in_ptx[site["pc"]]


def _count_work(work: Iterator[Work], site: Site, kernel: Counted, case: Counted, by_line: Lines, name: str) -> None:
    for line, (special, floats, doubles), exponentials in work:
        for counters in (kernel, case, by_line[name, line]):
            counters["special_functions"] += site["threads"] * special
            counters["special_instructions"] += site["warps"] * special
            counters["float_operations"] += site["threads"] * floats
            counters["double_operations"] += site["threads"] * doubles
            counters["exponentials"] += site["threads"] * exponentials


def _branch_line(site: Site, code: CodeMap) -> int | None:
    """A loop's block begins inside the loop and branches in its head: the branch has a line of its own."""
    block = code.blocks.get(site["pc"])
    return code.line_of(block.branch) if block else None


def _count_branches(site: Site, code: CodeMap, *places: dict[str, int]) -> None:
    block = code.blocks.get(site["pc"])
    for counters in places if (block and block.branch) or site["divergent"] else ():
        counters["branches"] += site["warps"]
        counters["divergent_branches"] += site["divergent"]


def tensor_kind(site: Site) -> tuple[str, str]:
    """The shape of its instruction, and the rate at which a tensor core takes the operands."""
    return TENSOR_SHAPES[site["bytes"] % _ROOM], TENSOR_RATES[site["bytes"] // _ROOM]


def tensor_operations(site: Site) -> int:
    """Of one instruction at it: m x n x k multiplications, and as many additions."""
    return 2 * prod(int(number) for number in re.findall(r"\d+", tensor_kind(site)[0]))


def order_sensitive_place(facts: dict[str, Any]) -> int:
    """A place where the order of blocks or of a block's warps may be seen: an atomic in global memory, where there are
    several blocks, or in shared memory, where they have several warps. 0: there is none, or it was wrong.
    """
    if any(not finding["note"] for finding in facts["findings"]):
        return 0
    places = (
        (SPACES[site["space"]], site["pc"])
        for kernel in facts["kernels"]
        for site in kernel["sites"]
        if EVENTS[site["kind"]].startswith("atomic") and _has_several(kernel, SPACES[site["space"]])
    )
    return min(places, default=("", 0))[1]


def _has_several(kernel: dict[str, Any], space: str) -> bool:
    """Whether several blocks, or warps of a block, come to memory of this kind in some order."""
    if space == "shared":
        return bool(kernel["threads"] > _WARP * kernel["blocks"])
    return space == "global" and kernel["blocks"] != kernel["launches"]


def stands_alone(facts: dict[str, Any]) -> bool:
    """Whether what a few blocks have written is what they leave there in a run of all: in the only launch, in which no
    block can tell another anything, and nothing is wrong.
    """
    if any(not finding["note"] for finding in facts["findings"]):
        return False
    if facts["launched"] != 1 or facts["cooperative"] or facts["copies_wrote"]:
        return False
    sites = (site for kernel in facts["kernels"] for site in kernel["sites"] if SPACES[site["space"]] == "global")
    return all(EVENTS[site["kind"]] in ("block", "read", "write", "part_read") for site in sites)


def _count_tensor(counters: dict[str, int], site: Site) -> None:
    shape, _ = tensor_kind(site)
    counters["tensor_instructions"] += site["warps"]
    counters[f"tensor_instructions_{shape}"] += site["warps"]
    counters["tensor_operations"] += site["warps"] * tensor_operations(site)


def _count_atomic(counters: dict[str, int], site: Site) -> None:
    where = "shared" if site["space"] == "shared" else "global"
    counters[f"{where}_atomic_requests"] += site["requests"]
    if where == "global":
        counters["global_atomic_sectors"] += site["sectors"]
        counters["task_atomic_bytes"] += site["task_asked"]
        if site["threads"] > LANES_OF_A_SCATTERED * site["requests"]:
            counters["task_atomic_unused_bytes"] += SECTOR * site["task_sectors"] - site["task_useful"]
    counters[f"{where}_atomic_threads"] += site["threads"]
    most = f"{where}_atomic_max_multiplicity"
    counters[most] = max(counters[most], site["multiplicity"])
