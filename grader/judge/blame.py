"""Which line is to blame for a counted target that was missed: the one that adds most to what the target counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.judge.advice import LANES, SECTOR, digits, ideal_sectors
from grader.judge.verdict import TargetResult

Counters = Mapping[str, Any]
Amount = Callable[[Counters], float]


@dataclass(frozen=True)
class Blame:
    """A missed target's metric, the line that adds most to it, and what happens there."""

    metric: str
    line: int
    message: str


def blame(
    missed: Sequence[TargetResult], lines: Sequence[Counters], kernels: Sequence[Counters], source: Sequence[str]
) -> list[Blame]:
    """One for each missed target of the emulator's, in the targets' order, once for each metric."""
    found: dict[str, Blame] = {}
    for target in missed:
        if target.metric not in found and (one := _blame(target, lines, kernels, source)):
            found[target.metric] = one
    return list(found.values())


def wastes_a_little(line: Counters) -> bool:
    """Whether a line has sectors or wavefronts to spare, though perhaps too few to be worth a word."""
    sectors = any(line[f"global_{way}_sectors"] > 1.25 * ideal_sectors(line, way) for way in ("load", "store"))
    return sectors or any(
        line[f"shared_{way}_wavefronts"] > 1.25 * line[f"shared_{way}_ideal_wavefronts"] for way in ("load", "store")
    )


def _blame(
    target: TargetResult, lines: Sequence[Counters], kernels: Sequence[Counters], source: Sequence[str]
) -> Blame | None:
    amount, words = _AMOUNTS.get(target.metric) or (_counted(target.metric), f"{target.metric.replace('_', ' ')}: {{}}")
    if target.metric.startswith("sectors_per_"):
        amount = _short_of_sectors(target)
    worst = max(lines, key=amount, default=None)
    if target.metric in OF_LAUNCHES or worst is None or amount(worst) <= 0:
        return _at_launch(target, kernels, source)
    message = words.format(_ratio(target.metric, worst))
    return Blame(target.metric, int(worst["line"]), re.sub(r"^1 times", "once", message))


def _at_launch(target: TargetResult, kernels: Sequence[Counters], source: Sequence[str]) -> Blame | None:
    """What a launch decides, and no line of a kernel: the launch that has most threads."""
    if not kernels:
        return None
    kernel = max(kernels, key=lambda each: int(each["threads"]))
    launch = re.compile(rf"\b{re.escape(kernel['name'].partition('<')[0])}\b.*<<<")
    places = [number for number, text in enumerate(source, start=1) if launch.search(text.partition("//")[0])]
    places += [number for number, text in enumerate(source, start=1) if "<<<" in text.partition("//")[0]]
    line = places[0] if places else int(kernel.get("line") or 1)
    blocks, threads = int(kernel["blocks"]), int(kernel["threads"])
    each = digits(threads / max(blocks, 1))
    return Blame(target.metric, line, f"{blocks:,} block{'s' if blocks != 1 else ''} of {each} threads are launched")


# ---- how much a line adds ----


def _counted(name: str) -> Amount:
    return lambda line: float(line.get(name, 0))


def _wasted_bytes(way: str) -> Amount:
    return lambda line: float(SECTOR * line[f"global_{way}_sectors"] - line[f"global_{way}_useful_bytes"])


def _extra_wavefronts(*ways: str) -> Amount:
    return lambda line: float(
        sum(line[f"shared_{way}_wavefronts"] - line[f"shared_{way}_ideal_wavefronts"] for way in ways)
    )


def _idle_lanes(line: Counters) -> float:
    return float(LANES * line["warp_instructions"] - line["thread_instructions"])


def _short_of_sectors(target: TargetResult) -> Amount:
    """Requests with too few sectors, or with too many, by how far they miss the goal."""
    way = target.metric.removeprefix("sectors_per_")
    numbers = [float(number) for number in re.findall(r"[\d.]+", target.goal)]
    low = numbers[0] if target.goal.startswith(">=") else 0.0

    def amount(line: Counters) -> float:
        requests, sectors = line[f"global_{way}_requests"], line[f"global_{way}_sectors"]
        too_few = low * requests - sectors
        return float(too_few if (target.value or 0.0) < low else sectors - numbers[-1] * requests)

    return amount


def _ratio(metric: str, line: Counters) -> str:
    """What the line itself has, as far as a number says it."""
    for way in ("load", "store"):
        if metric in (f"sectors_per_{way}", f"global_{way}_efficiency"):
            requests = max(line[f"global_{way}_requests"], 1)
            sectors = digits(line[f"global_{way}_sectors"] / requests)
            return f"{sectors} sectors a request, for {digits(line[f'global_{way}_useful_bytes'] / requests)} bytes"
    if metric == "branch_uniformity":
        return f"{line['divergent_branches']:,}"
    return f"{_AMOUNTS[metric][0](line):,.0f}" if metric in _AMOUNTS else f"{line.get(metric, 0):,}"


OF_LAUNCHES = ("busy_blocks", "busy_threads", "threads_per_output", "launches")
_LOADED, _STORED = _counted("global_load_bytes"), _counted("global_store_bytes")
_AMOUNTS: Mapping[str, tuple[Amount, str]] = {
    "global_load_efficiency": (_wasted_bytes("load"), "{}"),
    "global_store_efficiency": (_wasted_bytes("store"), "{}"),
    "sectors_per_load": (_counted("global_load_requests"), "{}"),
    "sectors_per_store": (_counted("global_store_requests"), "{}"),
    "loads_per_byte": (_LOADED, "{} bytes are loaded here"),
    "loads_per_input_byte": (_LOADED, "{} bytes are loaded here"),
    "stores_per_byte": (_STORED, "{} bytes are stored here"),
    "stores_per_output_byte": (_STORED, "{} bytes are stored here"),
    "active_lanes": (_idle_lanes, "{} turns of a lane are idle in this line"),
    "branch_uniformity": (_counted("divergent_branches"), "{} times a warp divides here"),
    "shared_bank_conflicts": (_extra_wavefronts("load", "store"), "{} extra wavefronts arise here"),
    "shared_load_efficiency": (_extra_wavefronts("load"), "{} extra wavefronts arise here"),
    "shared_store_efficiency": (_extra_wavefronts("store"), "{} extra wavefronts arise here"),
    "shared_load_wavefronts_per_output": (_counted("shared_load_wavefronts"), "{} wavefronts are loaded here"),
    "special_functions_per_output": (_counted("special_functions"), "{} special functions are computed here"),
    "float_operations_per_output": (_counted("float_operations"), "{} additions and multiplications are done here"),
    "double_operations_per_output": (_counted("double_operations"), "{} operations on doubles are done here"),
    "exponentials_per_output": (_counted("exponentials"), "{} exponentials are computed here"),
    "global_atomics_per_output": (_counted("global_atomic_requests"), "{} atomic requests are made here"),
    "global_atomics_per_input": (_counted("global_atomic_requests"), "{} atomic requests are made here"),
    "shared_atomics_per_input": (_counted("shared_atomic_requests"), "{} atomic requests are made here"),
    "shared_atomic_max_multiplicity": (
        _counted("shared_atomic_max_multiplicity"),
        "up to {} lanes of a warp add to one address here",
    ),
}
