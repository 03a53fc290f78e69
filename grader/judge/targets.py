"""Goals and what was measured for them: metrics are ratios worked out from raw counters, or times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from grader.course.lesson import Counted, Goal, Task, Timed
from grader.devices.emulator.counted import NAMES
from grader.judge.verdict import TargetResult

Counters = Mapping[str, Any]
SECTOR = 32  # bytes
LANES = 32


@dataclass(frozen=True)
class Metric:
    """`compute` returns None where the metric does not apply: no loads have no load efficiency."""

    title: str
    meaning: str
    unit: str  # "%" shows a ratio times 100, "x" a multiple, "" a plain number
    compute: Callable[[Counters], float | None]


def ratio(over: str, under: str, scale: float = 1.0) -> Callable[[Counters], float | None]:
    """counters[over] / (scale * counters[under]), or None where the denominator is 0 or was not counted."""

    def compute(counters: Counters) -> float | None:
        if over not in counters or not counters.get(under):
            return None
        value: float = counters[over] / (scale * counters[under])
        return value

    return compute


def total(*names: str) -> Callable[[Counters], float | None]:
    """The sum of the counters, or None if one of them was not counted."""
    return lambda counters: sum(counters[name] for name in names) if all(name in counters for name in names) else None


# What a submission does beside its task, in memory of its own or in kernels that touch none of the task's buffers, can
# make none of these ratios better: what it wastes there counts, what it does well there does not.


def load_efficiency(counters: Counters) -> float | None:
    """Useful bytes of the task's buffers / these and all bytes that any load moved for nothing."""
    if not counters.get("task_load_useful_bytes"):
        return None
    useful: float = counters["task_load_useful_bytes"]
    return useful / (useful + _moved_for_nothing(counters, "load"))


def store_efficiency(counters: Counters) -> float | None:
    """Different bytes stored in the task's buffers / these and all bytes that any store moved for nothing.

    Different in the whole case: storing the same bytes neatly once more would otherwise raise the share. An atomic by
    which the lanes of a warp reach elements all over the place is a store in this respect: `atomicExch` would otherwise
    hide them.
    """
    stored, updated = counters.get("task_store_distinct_bytes", 0), counters.get("task_atomic_bytes", 0)
    useful: float = max(stored, min(stored + updated, counters.get("output_bytes", 0)))
    unused: int = counters.get("task_atomic_unused_bytes", 0)
    if not (stored or unused):
        return None
    return useful / (useful + _moved_for_nothing(counters, "store") + unused)


def _moved_for_nothing(counters: Counters, way: str) -> int:
    bytes_: int = SECTOR * counters[f"global_{way}_sectors"] - counters[f"global_{way}_useful_bytes"]
    return bytes_


def times(way: str) -> Callable[[Counters], float | None]:
    """How often each byte of the task's buffers is loaded or stored, if all that is done again were done there."""

    def compute(counters: Counters) -> float | None:
        needed = counters.get(f"task_{way}_distinct_bytes")
        again = counters.get(f"global_{way}_bytes", 0) - counters.get(f"global_{way}_distinct_bytes", 0)
        return 1 + again / needed if needed else None

    return compute


def active_lanes(counters: Counters) -> float | None:
    """Share of a warp's lanes that are at work: over all kernels, or by the work that each does, whichever is less."""
    over_all = ratio("thread_instructions", "warp_instructions", LANES)(counters)
    return None if over_all is None else min(over_all, counters["task_active_lanes"] / LANES)


def branch_uniformity(counters: Counters) -> float | None:
    """Share of branches that all active lanes of a warp took the same way; 1 for a kernel without any branch.

    Over all kernels, or by the work that each does, whichever is less.
    """
    if "branches" not in counters or not counters.get("warp_instructions"):
        return None
    over_all: float = counters["divergent_branches"] / max(counters["branches"], 1)
    by_work: float = counters["task_divergence"]
    return 1 - max(over_all, by_work)


RAW = (*NAMES, "input_bytes", "input_elements", "output_bytes", "output_elements")

# Definitions follow Nsight Compute's (Kernel Profiling Guide, "Metrics Reference").
# {input,output}_{bytes,elements} are what the judge knows of the case (grade.py); all else the device counted.
METRICS: Mapping[str, Metric] = {
    "global_load_efficiency": Metric(
        "load efficiency",
        "different bytes of the task's buffers that a warp's loads ask for / bytes that move, in sectors of 32",
        "%",
        load_efficiency,
    ),
    "global_store_efficiency": Metric(
        "store efficiency",
        "different bytes of the task's buffers that are stored / bytes that move for it, in sectors of 32",
        "%",
        store_efficiency,
    ),
    "sectors_per_load": Metric(
        "sectors per load request",
        "32-byte sectors that one load instruction of a warp touches in the task's buffers",
        "",
        ratio("task_load_sectors", "task_load_requests"),
    ),
    "sectors_per_store": Metric(
        "sectors per store request",
        "32-byte sectors that one store instruction of a warp touches in the task's buffers",
        "",
        ratio("task_store_sectors", "task_store_requests"),
    ),
    "loads_per_byte": Metric(
        "loads of each byte",
        "1 + bytes loaded again / different bytes loaded from the task's buffers",
        "x",
        times("load"),
    ),
    "stores_per_byte": Metric(
        "stores of each byte",
        "1 + bytes stored again / different bytes stored in the task's buffers",
        "x",
        times("store"),
    ),
    "loads_per_input_byte": Metric(
        "bytes loaded per input byte",
        "bytes loaded / bytes of all inputs",
        "x",
        ratio("global_load_bytes", "input_bytes"),
    ),
    "stores_per_output_byte": Metric(
        "bytes stored per output byte",
        "bytes stored / bytes of all outputs",
        "x",
        ratio("global_store_bytes", "output_bytes"),
    ),
    "active_lanes": Metric(
        "active lanes",
        "lanes at work in an instruction, of the warp's 32",
        "%",
        active_lanes,
    ),
    "branch_uniformity": Metric(
        "uniform branches", "branches that all active lanes of a warp take alike", "%", branch_uniformity
    ),
    "shared_bank_conflicts": Metric(
        "shared bank conflicts",
        "extra wavefronts because lanes want different words of one bank",
        "",
        total("shared_load_bank_conflicts", "shared_store_bank_conflicts"),
    ),
    "shared_load_efficiency": Metric(
        "shared load efficiency",
        "wavefronts that shared loads need at best / took",
        "%",
        ratio("shared_load_ideal_wavefronts", "shared_load_wavefronts"),
    ),
    "shared_load_wavefronts_per_output": Metric(
        "shared wavefronts per output",
        "wavefronts of all loads from shared memory / output elements",
        "",
        ratio("shared_load_wavefronts", "output_elements"),
    ),
    "shared_store_efficiency": Metric(
        "shared store efficiency",
        "wavefronts that shared stores need at best / took",
        "%",
        ratio("shared_store_ideal_wavefronts", "shared_store_wavefronts"),
    ),
    "global_atomics_per_output": Metric(
        "global atomics per output",
        "atomic requests to global memory / output elements",
        "",
        ratio("global_atomic_requests", "output_elements"),
    ),
    "global_atomics_per_input": Metric(
        "global atomics per input",
        "atomic requests to global memory / input elements",
        "",
        ratio("global_atomic_requests", "input_elements"),
    ),
    "shared_atomics_per_input": Metric(
        "shared atomics per input",
        "atomic requests to shared memory / input elements",
        "",
        ratio("shared_atomic_requests", "input_elements"),
    ),
    "shared_atomic_max_multiplicity": Metric(
        "lanes on one counter",
        "most lanes of a warp that add to the same address of shared memory at once",
        "",
        total("shared_atomic_max_multiplicity"),
    ),
    "special_functions_per_output": Metric(
        "special functions per output",
        "operations of the special-function unit that all threads ask for / output elements",
        "",
        ratio("special_functions", "output_elements"),
    ),
    "exponentials_per_output": Metric(
        "exponentials per output",
        "calls of expf, powf, tanhf and their kin by all threads / output elements",
        "",
        ratio("exponentials", "output_elements"),
    ),
    "float_operations_per_output": Metric(
        "operations per output",
        "additions and multiplications of floats by all threads (a fused one is two) / output elements",
        "",
        ratio("float_operations", "output_elements"),
    ),
    "double_operations_per_output": Metric(
        "operations on doubles",
        "additions and multiplications of doubles by all threads (a fused one is two) / output elements",
        "",
        ratio("double_operations", "output_elements"),
    ),
    "barriers_per_block": Metric(
        "barriers of a block",
        "most barriers that one block passes",
        "",
        total("barriers_per_block"),
    ),
    "async_groups_in_flight": Metric(
        "groups of copies under way",
        "most groups of asynchronous copies that a thread has committed and not yet waited for",
        "",
        total("async_groups_in_flight"),
    ),
    "async_bytes_in_flight": Metric(
        "bytes under way",
        "most bytes of asynchronous copies that a warp has not yet waited for while it loads from shared memory",
        "",
        total("async_bytes_in_flight"),
    ),
    "launches": Metric("launches", "kernels that one call of the entry point launches", "", total("launches")),
    "busy_blocks": Metric(
        "working blocks",
        "blocks that touch the task's buffers, in the launch that asks for most of their bytes",
        "",
        total("busy_blocks"),
    ),
    "busy_threads": Metric(
        "working threads",
        "threads that touch the task's buffers, in the launch that asks for most of their bytes",
        "",
        total("busy_threads"),
    ),
    "threads_per_output": Metric(
        "working threads per output",
        "threads that touch the task's buffers, in the launch that asks for most of their bytes / output elements",
        "",
        ratio("busy_threads", "output_elements"),
    ),
}


def measure(metric: str, counters: Counters) -> float | None:
    """A metric's value, or a raw counter's; None where it does not apply or was not counted."""
    return METRICS[metric].compute(counters) if metric in METRICS else counters.get(metric)


def unknown_metric(task: Task) -> str:
    """A sentence about the first counted goal whose metric is not there; "" if all are."""
    for goal in (*task.goals, *task.floor):
        if isinstance(goal, Counted) and goal.metric not in METRICS and goal.metric not in RAW:
            near = get_close_matches(goal.metric, [*METRICS, *RAW], n=3)
            meant = f": perhaps {' or '.join(f'`{name}`' for name in near)}" if near else ""
            return f"{task.name}: no metric is called `{goal.metric}`{meant}; docs/authoring.md lists them all"
    return ""


def judge_goals(
    task: Task,
    counters: Counters,
    timed: Mapping[str, float] | None = None,
    at: Mapping[str, Counters] | None = None,
) -> list[TargetResult]:
    """The floor's goals and each rung's, against what was measured: `counters` on the emulator, `timed`
    (by metric) on a GPU.

    `at` has the counters by the case's name, for goals that name a case. What the device cannot measure has no value:
    only the emulator counts, only a GPU can time.
    """
    found = [replace(judge_goal(goal, counters, timed, at), stars=1) for goal in task.floor]
    names = [rung.name for rung in task.ladder]
    earning = {star: names.index(name) + 1 for star, name in task.stars.items()}
    for number, rung in enumerate(task.ladder, start=1):
        stars = min((star for star, top in earning.items() if number <= top), default=0)
        found += [replace(judge_goal(goal, counters, timed, at), rung=number, stars=stars) for goal in rung.reached]
    return found


def judge_goal(
    goal: Goal,
    counters: Counters,
    timed: Mapping[str, float] | None = None,
    at: Mapping[str, Counters] | None = None,
) -> TargetResult:
    """One goal against what was measured, as `judge_goals` has it."""
    if isinstance(goal, Timed):
        value, at_most = (timed or {}).get(goal.metric), None
    else:
        where = (at or {}).get(goal.case.name, {}) if goal.case else counters
        value, at_most = measure(goal.metric, where), goal.at_most
    bounds = [(sign, bound) for sign, bound in ((">=", goal.at_least), ("<=", at_most)) if bound is not None]
    words = " and ".join(f"{sign} {bound:g}" for sign, bound in bounds)
    met = value is not None and all(value >= bound if sign == ">=" else value <= bound for sign, bound in bounds)
    elsewhere = goal.case.name if isinstance(goal, Counted) and goal.case else ""
    return TargetResult(goal.metric, value, words, 0, met, goal.why, case=elsewhere)
