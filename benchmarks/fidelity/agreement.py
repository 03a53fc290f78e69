"""Emulator and hardware side by side, and the tables of docs/counters.md.

python3 -m benchmarks.fidelity.agreement      renews the tables and prints every difference without an explanation
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

from benchmarks.fidelity.cases import ROOT, Case, all_cases, file_digest
from benchmarks.fidelity.differences import DIFFERENCES, Difference
from benchmarks.fidelity.results import Measured, Number, Results
from grader.devices.nvidia.profile import COUNTERS

RESULTS = ROOT / "benchmarks" / "results" / "h200" / "fidelity.json"
PAGE = ROOT / "docs" / "counters.md"
BEGIN, END = "<!-- begin agreement -->", "<!-- end agreement -->"
NOT_MEASURED = f"{RESULTS.relative_to(ROOT)} is missing: benchmarks/fidelity/measure.py makes it, on a GPU"

Counters = Mapping[str, Any]


@dataclass(frozen=True)
class Comparison:
    """Counters of the emulator, added up, beside metrics of Nsight Compute, added up."""

    title: str
    counters: tuple[str, ...]
    metrics: tuple[str, ...]

    def emulated(self, counters: Counters) -> Number:
        return sum(counters[name] for name in self.counters)

    def measured(self, case: Measured) -> Number | None:
        return case.total(*self.metrics)


OF_LDMATRIX = "smsp__sass_l1tex_data_{}_mem_shared_op_ldsm.sum"


def by_warp(opcode: str) -> str:
    return f"sass__inst_executed_per_opcode[{opcode}]"


# Equal on every micro-kernel, or in DIFFERENCES.
EXACT = (
    *(
        Comparison(counter.replace("_", " "), (counter,), COUNTERS[counter])
        for counter in (
            "global_load_requests",
            "global_load_sectors",
            "global_store_requests",
            "global_store_sectors",
            "global_atomic_requests",
            "global_atomic_sectors",
            "shared_load_wavefronts",
            "shared_store_wavefronts",
            "shared_load_bank_conflicts",
            "shared_store_bank_conflicts",
            "shared_atomic_requests",
        )
    ),
    Comparison("asynchronous copies", ("async_copy_requests",), ("smsp__inst_executed_op_ldgsts.sum",)),
    Comparison("tensor instructions", ("tensor_instructions",), tuple(map(by_warp, ("HMMA", "IMMA", "DMMA")))),
    Comparison("ldmatrix requests", ("ldmatrix_requests",), (by_warp("LDSM"),)),
    Comparison("ldmatrix wavefronts", ("ldmatrix_wavefronts",), (OF_LDMATRIX.format("pipe_lsu_wavefronts"),)),
    Comparison(
        "ldmatrix bank conflicts", ("ldmatrix_bank_conflicts",), (OF_LDMATRIX.format("bank_conflicts_pipe_lsu"),)
    ),
    Comparison("stmatrix requests", ("stmatrix_requests",), (by_warp("STSM"),)),
)


@dataclass(frozen=True)
class Estimate:
    """What depends on the compiler's choice of instructions, which is not nvcc's here."""

    title: str
    metrics: str  # in Nsight Compute's terms
    emulated: Callable[[Counters], float | None]
    measured: Callable[[Measured], float | None]
    relative: bool = False  # the difference is a share of the larger number

    def apart(self, counters: Counters, case: Measured) -> float | None:
        """How far both are apart; None where they say nothing, or both 0 of what is relative."""
        ours, theirs = self.emulated(counters), self.measured(case)
        if ours is None or theirs is None or (self.relative and ours == theirs == 0):
            return None
        return abs(ours - theirs) / (max(ours, theirs) if self.relative else 1)

    def shown(self, difference: float) -> str:
        return f"{100 * difference:.3g} %" if self.relative and difference else f"{difference:.3g}"


def _ratio(over: float | None, under: float | None) -> float | None:
    return over / under if over is not None and under else None


def _uniform(divergent: float | None, branches: float | None) -> float | None:
    share = _ratio(divergent, branches)
    return None if share is None else 1 - share


OPERATIONS = "smsp__sass_thread_inst_executed_op_{}{}_pred_on.sum"
MUFU, THREADS_MUFU = (f"sass__{what}_per_opcode[MUFU]" for what in ("inst_executed", "thread_inst_executed_true"))


def operations(case: Measured, type_: str) -> float | None:
    """Additions and multiplications of "f"loats or "d"oubles by all threads; one that does both is two."""
    added = case.total(*(OPERATIONS.format(type_, name) for name in ("add", "mul")))
    fused = case.total(OPERATIONS.format(type_, "fma"))
    return None if added is None or fused is None else added + 2 * fused


def _operations_on(type_: str) -> Estimate:
    """`type_` is "float" or "double"."""
    metrics = " + ".join([*(OPERATIONS.format(type_[0], name) for name in ("add", "mul")), "2 × …fma…"])
    counter = f"{type_}_operations"
    return Estimate(f"operations on {type_}s", metrics, itemgetter(counter), partial(operations, type_=type_[0]), True)


ESTIMATES = (
    Estimate(
        "special functions", THREADS_MUFU, itemgetter("special_functions"), lambda case: case.total(THREADS_MUFU), True
    ),
    Estimate("special instructions", MUFU, itemgetter("special_instructions"), lambda case: case.total(MUFU), True),
    _operations_on("float"),
    _operations_on("double"),
    Estimate(
        "active lanes per instruction",
        "smsp__thread_inst_executed_per_inst_executed.ratio",
        lambda counters: _ratio(counters["thread_instructions"], counters["warp_instructions"]),
        lambda case: _ratio(case.total("smsp__thread_inst_executed.sum"), case.total("smsp__inst_executed.sum")),
    ),
    Estimate(
        "uniform branches, where nvcc branches",
        "smsp__sass_average_branch_targets_threads_uniform.pct",
        lambda counters: _uniform(counters["divergent_branches"], counters["branches"]),
        lambda case: _uniform(
            case.total("smsp__sass_branch_targets_threads_divergent.sum"), case.total("smsp__sass_branch_targets.sum")
        ),
    ),
)


def is_current(case: Case, measured: Measured | None) -> bool:
    """Whether the hardware ran the file as it is now."""
    return measured is not None and measured.source_digest == file_digest(case.source)


def disagreements(counters: Counters, measured: Measured) -> dict[str, tuple[Number, Number]]:
    """By title: what the emulator says, what the hardware says, where they are not the same."""
    pairs = {comparison.title: (comparison.emulated(counters), comparison.measured(measured)) for comparison in EXACT}
    return {title: (ours, theirs) for title, (ours, theirs) in pairs.items() if theirs is not None and ours != theirs}


def explanations(case: str) -> dict[str, Difference]:
    return {title: difference for difference in DIFFERENCES if difference.case == case for title in difference.titles}


# ---- the tables ----


def tables(results: Results, cases: Iterable[Case], counters: Mapping[str, Counters]) -> str:
    """Markdown: agreement by metric, estimates, and every difference with its reason."""
    measured = {case: results.cases[case.name] for case in cases if is_current(case, results.cases.get(case.name))}
    found = {case: disagreements(counters[case.name], given) for case, given in measured.items()}
    machine = results.machine
    micro = sum(not case.is_rung for case in measured)
    return "\n".join(
        [
            f"Measured on {machine['device']}, {machine['date']}: driver {machine['driver']}, Nsight Compute "
            f"{machine['ncu']}, nvcc {machine['nvcc']}. {micro} micro-kernels and {len(measured) - micro} rungs.",
            "",
            *_agreement(measured, counters, found),
            "",
            *_estimates(measured, counters),
            "",
            *_differences(found),
        ]
    )


def _agreement(
    measured: Mapping[Case, Measured], counters: Mapping[str, Counters], found: Mapping[Case, Mapping[str, Any]]
) -> list[str]:
    """Of the kernels that do such a thing at all: on the others both sides say 0, which proves little."""
    rows = ["| counted | Nsight Compute | micro-kernels equal | rungs equal |", "|---|---|---|---|"]
    for comparison in EXACT:
        have = [
            case
            for case, given in measured.items()
            if comparison.measured(given) or comparison.emulated(counters[case.name])
        ]
        cells = []
        for rungs in (False, True):
            some = [case for case in have if case.is_rung == rungs]
            equal = sum(comparison.title not in found[case] for case in some)
            cells.append(f"{equal} of {len(some)}" if some else "–")
        names = " + ".join(f"`{metric}`" for metric in comparison.metrics)
        rows.append(f"| {comparison.title} | {names} | {cells[0]} | {cells[1]} |")
    return rows


def _estimates(measured: Mapping[Case, Measured], counters: Mapping[str, Counters]) -> list[str]:
    rows = ["| estimated | Nsight Compute | median difference | largest |", "|---|---|---|---|"]
    for estimate in ESTIMATES:
        apart = []
        for case, given in measured.items():
            if (difference := estimate.apart(counters[case.name], given)) is not None:
                apart.append((difference, case.name))
        if apart:
            most, where = max(apart)
            median = statistics.median(difference for difference, _ in apart)
            largest = f"{estimate.shown(most)}, in {where}" if most else "0"
            rows.append(f"| {estimate.title} | `{estimate.metrics}` | {estimate.shown(median)} | {largest} |")
    return rows


def _differences(found: Mapping[Case, Mapping[str, tuple[Number, Number]]]) -> list[str]:
    """The reasons as a numbered list, then a table that refers to them: dozens of kernels share some."""
    rows = ["| kernel | counted: emulator, hardware | why |", "|---|---|---|"]
    reasons: dict[str, int] = {}
    for case, titles in found.items():
        if not titles:
            continue
        known = explanations(case.name)
        counted = "; ".join(f"{title}: {ours:,}, {theirs:,}" for title, (ours, theirs) in titles.items())
        why = dict.fromkeys(known[title].why if title in known else "not explained" for title in titles)
        numbers = ", ".join(str(reasons.setdefault(reason, len(reasons) + 1)) for reason in why)
        rows.append(f"| {case.name} | {counted} | {numbers} |")
    return [*(f"{number}. {reason}" for reason, number in reasons.items()), "", *rows]


# ---- the page ----


def with_tables(page: str, text: str) -> str:
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}"


def unexplained(results: Results, cases: Iterable[Case], counters: Mapping[str, Counters]) -> list[str]:
    """What the tests will object to, a line each."""
    lines = []
    for case in cases:
        measured = results.cases.get(case.name)
        if measured is None or not is_current(case, measured):
            lines.append(f"{case.name}: not measured, or changed since")
            continue
        found, known = disagreements(counters[case.name], measured), explanations(case.name)
        for title, (ours, theirs) in found.items():
            if title not in known:
                lines.append(f"{case.name}: {title}: {ours} emulated, {theirs} measured; {measured.opcodes()}")
        lines += [f"{case.name}: {title}: explained, but equal" for title in known if title not in found]
    return lines


def main() -> None:
    from benchmarks.fidelity.emulate import emulate

    if not RESULTS.exists():
        sys.exit(NOT_MEASURED)
    results, cases = Results.read(RESULTS), all_cases()
    current = [case for case in cases if is_current(case, results.cases.get(case.name))]
    counters = {case.name: emulate(case).counters for case in current}
    PAGE.write_text(with_tables(PAGE.read_text(), tables(results, cases, counters)))
    print("\n".join(unexplained(results, cases, counters)) or "every difference is explained")


if __name__ == "__main__":
    main()
