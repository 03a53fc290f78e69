"""Nsight Compute on a submission: the emulator's counters as the hardware counts them, and what only hardware knows."""

from __future__ import annotations

import csv
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from grader.course.catalog import UsageError
from grader.devices.cache import cache_root
from grader.devices.cuda.launches import plain_name
from grader.devices.nvidia.tool import Subject, Watched, watch

Number = int | float

SECONDS = 120.0  # for one task; the first start of ncu after a boot takes 10 of them
BUSY = "another program is counting on this GPU: wait until it is done (or stop DCGM), and type this again"


def _global(what: str, *operations: str) -> tuple[str, ...]:
    return tuple(f"l1tex__t_{what}_pipe_lsu_mem_global_op_{operation}.sum" for operation in operations)


def _shared(what: str, operation: str) -> tuple[str, ...]:
    return (f"l1tex__data_{what}_mem_shared_op_{operation}.sum",)


# The emulator's counter -> the metrics of Nsight Compute that add up to it. docs/counters.md has the definitions.
COUNTERS: Mapping[str, tuple[str, ...]] = {
    "global_load_requests": _global("requests", "ld"),
    "global_load_sectors": _global("sectors", "ld"),
    "global_store_requests": _global("requests", "st"),
    "global_store_sectors": _global("sectors", "st"),
    "global_atomic_requests": _global("requests", "atom", "red"),
    "global_atomic_sectors": _global("sectors", "atom", "red"),
    "shared_load_requests": ("smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_ldsm.sum"),
    "shared_load_wavefronts": _shared("pipe_lsu_wavefronts", "ld"),
    "shared_load_bank_conflicts": _shared("bank_conflicts_pipe_lsu", "ld"),
    "shared_store_requests": ("smsp__inst_executed_op_shared_st.sum",),
    "shared_store_wavefronts": _shared("pipe_lsu_wavefronts", "st"),
    "shared_store_bank_conflicts": _shared("bank_conflicts_pipe_lsu", "st"),
    "shared_atomic_requests": ("smsp__inst_executed_op_shared_atom.sum",),
    "local_requests": tuple(f"l1tex__t_requests_pipe_lsu_mem_local_op_{way}.sum" for way in ("ld", "st")),
    "warp_instructions": ("smsp__inst_executed.sum",),
    "thread_instructions": ("smsp__thread_inst_executed.sum",),
}
# What no emulator can know: our name -> the metric.
HARDWARE: Mapping[str, str] = {
    "registers": "launch__registers_per_thread",
    "occupancy_limit_pct": "sm__maximum_warps_per_active_cycle_pct",
    "occupancy_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "l1_hit_pct": "l1tex__t_sector_hit_rate.pct",
    "dram_read_bytes": "dram__bytes_read.sum",
}
# Of each line: our name -> the metric, which ncu counts by instruction, from the addresses that it uses.
LINES: Mapping[str, str] = {
    "global_sectors": "memory_l2_theoretical_sectors_global",
    "shared_wavefronts": "memory_l1_wavefronts_shared",
    "warp_instructions": "inst_executed",
    "thread_instructions": "thread_inst_executed",
}
# Clocks stay as they are; counts don't depend on them.
NCU = ["--clock-control", "none", "--replay-mode", "kernel"]
CSV = ["--csv", "--page", "raw", "--print-units", "base"]


@dataclass
class Launch:
    """One launch of a kernel; None where Nsight Compute has no value."""

    kernel: str
    grid: str
    block: str
    metrics: dict[str, Number | None]


@dataclass
class Profile:
    """One call of a task as the hardware counts it: over all launches, by launch (HARDWARE) and by line (LINES)."""

    counters: dict[str, Number | None] = field(default_factory=dict)
    launches: list[dict[str, Any]] = field(default_factory=list)
    lines: list[dict[str, Number]] = field(default_factory=list)


def profile(ncu: Path, subject: Subject) -> Profile:
    """Has Nsight Compute count one call. Raises UsageError, one sentence, if it can't."""
    metrics = [*HARDWARE.values(), *(metric for names in COUNTERS.values() for metric in names)]
    with tempfile.TemporaryDirectory(prefix="ladder-") as folder:
        report = Path(folder) / "counted.ncu-rep"
        options = ["--print-kernel-base", "mangled", "--export", str(report)]
        command = [str(ncu), *NCU, *CSV, *options, "--metrics", ",".join([*metrics, *LINES.values()])]
        watched = _alone(command, subject)
        launches = parse_csv(watched.log, metrics)
        if not launches:
            raise UsageError(why_not(watched))
        lines = read_source_page(_source_page(ncu, report), subject.filename)
    return Profile(
        counters={name: total(launches, metrics) for name, metrics in COUNTERS.items()},
        launches=[
            {"kernel": plain_name(launch.kernel), "grid": launch.grid, "block": launch.block}
            | {name: launch.metrics.get(metric) for name, metric in HARDWARE.items()}
            for launch in launches
        ],
        lines=lines,
    )


def _alone(command: Sequence[str], subject: Subject) -> Watched:
    """The driver lends the GPU's counters to one process at a time."""
    try:
        with FileLock(cache_root() / "profiler.lock", timeout=SECONDS):
            return watch(command, subject, SECONDS)
    except Timeout:
        raise UsageError(BUSY) from None


def _source_page(ncu: Path, report: Path) -> str:
    """What a report says by line, as text; "" if ncu cannot show it."""
    command = [str(ncu), "--import", str(report), "--csv", "--page", "source", "--print-source", "cuda,sass"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def total(launches: Iterable[Launch], metrics: Iterable[str]) -> Number | None:
    """The sum over launches and metrics; None if one of them has no value."""
    values = [launch.metrics.get(metric) for launch in launches for metric in metrics]
    return None if None in values else sum(value for value in values if value is not None)


def why_not(watched: Watched) -> str:
    """One sentence on a run that counted nothing, and what to type."""
    said = watched.log + watched.printed
    if "ERR_NVGPUCTRPERM" in said:
        return (
            "the driver lets only root read the GPU's counters: type `sudo ladder explain ...`, or ask those who look "
            "after this machine to allow it (https://developer.nvidia.com/ERR_NVGPUCTRPERM)"
        )
    if "driver resource was unavailable" in said:
        return BUSY
    if watched.timed_out:
        return f"Nsight Compute was not done after {SECONDS:.0f} s: try a smaller case with --case"
    if "No kernels were profiled" in said and not watched.complaint:
        return "the submission launched no kernel in this case, so that there is nothing to count: try another --case"
    return f"Nsight Compute counted nothing ({watched.complaint or 'it does not say why'}): `ladder doctor` says more"


def parse_csv(text: str, metrics: Sequence[str]) -> list[Launch]:
    """ncu's raw page: messages, a row of names, a row of units, a row for each launch."""
    csv.field_size_limit(1 << 30)  # a cell may list all instructions
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    return [
        Launch(
            kernel=row["Kernel Name"],
            grid=row["Grid Size"],
            block=row["Block Size"],
            metrics={name: cell_of(row, name) for name in metrics if row.get(name.partition("[")[0]) is not None},
        )
        for row in csv.DictReader(lines[start:])
        if row["ID"].isdigit()
    ]


def read_source_page(text: str, filename: str) -> list[dict[str, Number]]:
    """ncu's source page: for each kernel and file a head, then a row for each line and, below, for its instructions."""
    lines: dict[int, dict[str, Number]] = defaultdict(lambda: dict.fromkeys(LINES, 0))
    names: list[str] = []
    ours = False
    for row in csv.reader(text.splitlines()):
        if row[:1] == ["File Path"]:
            ours = Path(row[1]).name == filename
        elif row[:1] == ["Line No"]:
            names = row
        elif ours and row and row[0].isdigit():
            counts = dict(zip(names, row, strict=False))
            for name, metric in LINES.items():
                lines[int(row[0])][name] += number(counts.get(metric, "")) or 0
    return [{"line": line, **counts} for line, counts in sorted(lines.items())]


def cell_of(row: Mapping[str, str], metric: str) -> Number | None:
    """The value of `metric`; of `metric[PART]` that part's, 0 if there is none: `9 (FADD: 6; MUFU: 3)`."""
    name, _, part = metric.partition("[")
    if not part:
        return number(row[name])
    parts = row[name].partition("(")[2].rstrip(")").split("; ")
    return next((number(each.partition(": ")[2]) for each in parts if each.startswith(part[:-1] + ": ")), 0)


def number(cell: str) -> Number | None:
    """`1,024`, or `1,024 (512; 512)` where ncu also shows parts; None for `n/a`."""
    try:
        value = float(cell.partition(" ")[0].replace(",", ""))
    except ValueError:
        return None
    if value != value:
        return None
    return int(value) if value.is_integer() else value
