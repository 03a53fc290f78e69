"""Has Nsight Compute count every case on this machine's GPU and writes what it said as JSON.

    python3 -m benchmarks.fidelity.measure --out FOLDER      (from the repository's root; two to four minutes)
    python3 -m benchmarks.fidelity.measure --out FOLDER --only functions/ 07_      (cases whose names begin so)

FOLDER then holds fidelity.json, to be committed as benchmarks/results/<device>/fidelity.json, and ncu.csv, as it came.
With --only it holds what was measured now and, of all other cases, what is committed.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.fidelity.cases import FOLDER, ROOT, Case, all_cases, file_digest, source_name
from benchmarks.fidelity.drive import library_name
from benchmarks.fidelity.results import Launch, Measured, Results
from grader.devices.nvidia.profile import COUNTERS, CSV, NCU, parse_csv

MARKER = "next_rung"
COMMITTED = ROOT / "benchmarks" / "results" / "h200" / "fidelity.json"
COUNTED = [metric for metrics in COUNTERS.values() for metric in metrics]
SHARED_ATOMICS = [
    f"l1tex__data_{what}_mem_shared_op_atom.sum" for what in ("pipe_lsu_wavefronts", "bank_conflicts_pipe_lsu")
]
INSTRUCTIONS = [
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "smsp__inst_executed_op_branch.sum",
    "smsp__sass_branch_targets.sum",
    "smsp__sass_branch_targets_threads_divergent.sum",
    "smsp__sass_average_branch_targets_threads_uniform.pct",
]
# Counted by patched machine code, from the addresses of each instruction: free of what else goes on in the hardware.
SOURCE = [
    "memory_l1_tag_requests_global",
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
    "memory_l2_theoretical_sectors_local",
    "inst_executed",
    "thread_inst_executed",
    "thread_inst_executed_true",
]
CLASSES = [
    *(f"smsp__sass_thread_inst_executed_op_{each}_pred_on.sum" for each in ("fadd", "fmul", "ffma")),
    *(f"smsp__sass_thread_inst_executed_op_{each}_pred_on.sum" for each in ("dadd", "dmul", "dfma")),
    "smsp__inst_executed_op_ldgsts.sum",
    "smsp__inst_executed_pipe_xu.sum",
]
# Of ldmatrix alone; shared loads count its wavefronts, too.
LDMATRIX = [
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum",
    "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum",
]
# Some of the opcodes that these list, by warps and by lanes that are not switched off: "sass__...[MUFU]".
BY_WARP, BY_LANE = "sass__inst_executed_per_opcode", "sass__thread_inst_executed_true_per_opcode"
MATRIX_OPCODES = ("HMMA", "IMMA", "DMMA", "LDSM", "STSM", "MOVM")
OPCODES = [f"{BY_WARP}[MUFU]", f"{BY_LANE}[MUFU]", *(f"{BY_WARP}[{opcode}]" for opcode in MATRIX_OPCODES)]
METRICS = [*COUNTED, *SHARED_ATOMICS, *INSTRUCTIONS, *SOURCE, *CLASSES, *LDMATRIX, *OPCODES]

# What the caches hold does not change these counts.
OPTIONS = [
    *NCU,
    *CSV,
    "--cache-control",
    "none",
    "--print-kernel-base",
    "mangled",
    "--print-metric-instances",
    "details",
]
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?\w+\s+)?([A-Z][\w.]*)")  # /*0070*/  @!P0 LDG.E R3, ...
MEMORY_OPCODE = re.compile(
    r"(LD|ST|LDG|STG|LDS|STS|LDL|STL|LDSM|STSM|LDGSTS|ATOM|ATOMG|ATOMS|RED|REDG|MOVM|HMMA|IMMA|DMMA)(\.|$)"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the results go")
    parser.add_argument("--only", nargs="+", default=[""], metavar="NAME", help="how the cases' names begin")
    out, only = parser.parse_args().out, tuple(parser.parse_args().only)
    missing = [tool for tool in ("nvcc", "ncu", "cuobjdump", "nvidia-smi") if not shutil.which(tool)]
    if missing:
        sys.exit(f"{', '.join(missing)} not found: this needs a machine with a GPU and the CUDA toolkit on its PATH")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as libraries:
        chosen = [case for case in all_cases() if case.name.startswith(only)]
        results = measure(chosen, Path(libraries), out)
    if only != ("",):
        results = Results.read(COMMITTED).renewed(results)
    (out / "fidelity.json").write_text(results.to_text())
    print(f"{len(results.cases)} cases in {out / 'fidelity.json'}; not available: {results.unavailable or 'nothing'}")


def measure(cases: Sequence[Case], libraries: Path, out: Path) -> Results:
    machine = describe_machine()
    say(f"{machine['device']}, {len(cases)} cases: building")
    sass = build(cases, libraries, "sm_" + machine["compute_capability"].replace(".", ""))
    say("running without the profiler")
    program = [sys.executable, "-m", "benchmarks.fidelity.drive", str(libraries), *(case.name for case in cases)]
    subprocess.run(program, check=True, cwd=ROOT, timeout=120)
    digests = json.loads((libraries / "digests.json").read_text())
    say("asking which metrics there are")
    metrics = usable(known(METRICS), lambda some: can_collect(some, libraries))
    if not metrics:
        sys.exit(f"ncu could not profile an empty kernel:\n{(libraries / 'probe.csv').read_text()[-2000:]}")
    say(f"profiling {len(metrics)} metrics")
    launches = profile(program, metrics, out / "ncu.csv", timeout=420)
    say(f"{len(launches)} launches profiled")
    by_case = by_cases(launches, cases)
    measured = {}
    for case in cases:
        for launch in by_case[case.name]:
            launch.sass = sass[source_name(case)].get(launch.kernel, {})
        measured[case.name] = Measured(
            source_name(case), file_digest(case.source), *digests[case.name], by_case[case.name]
        )
    return Results(machine, metrics, [metric for metric in METRICS if metric not in metrics], measured)


def say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", flush=True)


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def describe_machine() -> dict[str, str]:
    fields = output_of("nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader")
    device, driver, capability = (cell.strip() for cell in fields.splitlines()[0].split(","))
    return {
        "device": device,
        "date": datetime.date.today().isoformat(),
        "driver": driver,
        "compute_capability": capability,
        "ncu": _version(output_of("ncu", "--version")),
        "nvcc": _version(output_of("nvcc", "--version")),
    }


def _version(text: str) -> str:
    found = re.findall(r"\bV?(\d+(?:\.\d+){2,})", text)
    return found[-1] if found else "unknown"


# ---- building ----


def build(cases: Sequence[Case], libraries: Path, architecture: str) -> dict[str, dict[str, dict[str, int]]]:
    """Compiles every file that the cases come from; its memory instructions by file, kernel and opcode."""
    targets = {case.source: libraries / library_name(case) for case in cases}
    targets[FOLDER / "marker.cu"] = libraries / "marker.so"

    def compile_one(source: Path) -> dict[str, dict[str, int]]:
        flags = ["-O3", "-lineinfo", "-std=c++17", f"-arch={architecture}", "-shared", "-Xcompiler", "-fPIC"]
        subprocess.run(["nvcc", *flags, str(source), "-o", str(targets[source])], check=True)
        return memory_instructions(output_of("cuobjdump", "--dump-sass", str(targets[source])))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        sass = list(pool.map(compile_one, targets))
    return {source.relative_to(ROOT).as_posix(): counts for source, counts in zip(targets, sass, strict=True)}


def memory_instructions(dump: str) -> dict[str, dict[str, int]]:
    """How often each opcode that touches memory stands in each function of what cuobjdump printed."""
    functions: dict[str, Counter[str]] = {}
    current: Counter[str] = Counter()
    for line in dump.splitlines():
        if match := re.match(r"\s*Function : (\S+)", line):
            current = functions[match[1]] = Counter()
        elif (match := INSTRUCTION.match(line)) and MEMORY_OPCODE.match(match[1]):
            current[match[1]] += 1
    return {name: dict(sorted(counts.items())) for name, counts in functions.items()}


# ---- profiling ----


def known(metrics: Sequence[str]) -> list[str]:
    """Those that ncu lists for this device; all of them if it lists nothing."""
    listed: set[str] = set()
    for collection in ("profiling", "source"):
        command = ["ncu", "--query-metrics", "--query-metrics-collection", collection]
        done = subprocess.run(command, capture_output=True, text=True)
        listed.update(line.split()[0] for line in done.stdout.splitlines() if line.strip())
    chosen = [metric for metric in metrics if re.split(r"[.[]", metric)[0] in listed or metric in OPCODES]
    return chosen or list(metrics)


def usable(metrics: Sequence[str], works: Callable[[Sequence[str]], bool]) -> list[str]:
    """The metrics that can be collected, found by halving: one name that ncu refuses spoils a whole list."""
    if not metrics or works(metrics):
        return list(metrics)
    if len(metrics) == 1:
        return []
    middle = len(metrics) // 2
    return usable(metrics[:middle], works) + usable(metrics[middle:], works)


def can_collect(metrics: Sequence[str], libraries: Path) -> bool:
    marker = str(libraries / "marker.so")
    program = [sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1]).mark()", marker]
    launches = profile(program, metrics, libraries / "probe.csv", timeout=60)
    return bool(launches) and all(metric in launches[0].metrics for metric in metrics)


def profile(program: Sequence[str], metrics: Sequence[str], log: Path, timeout: float) -> list[Launch]:
    """Runs the program under ncu, whose output goes to `log`; every launch that it profiled, in order."""
    names = dict.fromkeys(metric.partition("[")[0] for metric in metrics)
    command = ["ncu", *OPTIONS, "--log-file", str(log), "--metrics", ",".join(names), *program]
    subprocess.run(command, cwd=ROOT, timeout=timeout, stdout=subprocess.DEVNULL)
    return [Launch(**vars(launch)) for launch in parse_csv(log.read_text(), metrics)] if log.exists() else []


def by_cases(launches: Sequence[Launch], cases: Sequence[Case]) -> dict[str, list[Launch]]:
    """Whose launch is whose: the micro-kernels, which come first, have one each, a rung all that follow its marker."""
    groups: list[list[Launch]] = [[]]
    for launch in launches:
        if MARKER in launch.kernel:
            groups.append([])
        else:
            groups[-1].append(launch)
    groups = [[launch] for launch in groups[0]] + groups[1:]
    if len(groups) != len(cases):
        raise SystemExit(f"{len(groups)} groups of launches for {len(cases)} cases: see ncu.csv")
    return {case.name: group for case, group in zip(cases, groups, strict=True)}


if __name__ == "__main__":
    main()
