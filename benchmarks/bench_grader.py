"""How long a learner waits: prints the median of several rounds beside the time it may take (`make bench-grader`)."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from grader.course import catalog
from grader.course.lesson import Case, Task, Tolerance
from grader.devices import forkserver
from grader.grade import Submission, grade, grade_task

LADDER = [sys.executable, "-c", "from grader.cli import main; main()"]
SIZE, TILE = 256, 16

MATMUL = f"""
#include <cuda_runtime.h>

constexpr int TILE = {TILE};

__global__ void multiply(const float* a, const float* b, float* c, int n) {{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < n; start += TILE) {{
        As[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
        Bs[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }}
    c[row * n + col] = sum;
}}

extern "C" void matmul(const float* a, const float* b, float* c, int n, cudaStream_t stream) {{
    dim3 block(TILE, TILE), grid(n / TILE, n / TILE);
    multiply<<<grid, block, 0, stream>>>(a, b, c, n);
}}
"""
MATMUL_TASK = Task(
    prototype="void matmul(const float* a, const float* b, float* c, int n, cudaStream_t stream)",
    shapes={"a": "n, n", "b": "n, n", "c": "n, n"},
    cases=[Case(n=SIZE)],
    make_inputs=lambda draw, variant, n: {"a": draw.normal(n, n), "b": draw.normal(n, n)},
    reference=lambda a, b, n: {"c": a @ b},
    tolerance=Tolerance(terms="n", magnitude=lambda a, b, n: {"c": a.abs() @ b.abs()}),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lesson", default="01")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    entry = catalog.find(options.lesson)
    grade(entry, reference=True)  # compiles the emulator's runtime, once for a machine
    checks = [edit_and_check(entry, number) for number in range(options.rounds)]
    print(f"lesson {entry.name}, medians of {options.rounds} rounds")
    show("edit to verdict, new process", [check["wall"] for check in checks], 4)
    show("  building the kernel", [check["build"] for check in checks], 1)
    show("  running all cases", [check["run"] for check in checks], 1)
    show("grading again, same process", repeat(options.rounds, lambda: regrade(entry)))
    show("import grader", repeat(options.rounds, import_grader), 0.2)
    show(f"tiled matmul {SIZE}^3, emulated", repeat(options.rounds, emulated_matmul), 2)


def show(what: str, seconds: list[float], limit: float | None = None) -> None:
    goal = f"   may take {limit:g} s" if limit else ""
    spread = f"{min(seconds):.2f} to {max(seconds):.2f}"
    print(f"{what:32}{statistics.median(seconds):6.2f} s   ({spread}){goal}")


def repeat(rounds: int, measure: Callable[[], float]) -> list[float]:
    return [measure() for _ in range(rounds)]


def edit_and_check(entry: catalog.Entry, number: int) -> dict[str, float]:
    """Grades a file that was never built before, as `ladder check` does; seconds by name."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("lessons", "kernels"):  # a course of its own, so that nobody's progress changes
            (Path(folder) / name).symlink_to(entry.root / name)
        file = Path(folder) / "edited.cu"
        file.write_text(f"{entry.reference.read_text()}\n// edit {time.time_ns()} {number}\n")
        command = [*LADDER, "check", entry.name, str(file), "--json"]
        environment = {**os.environ, "LADDER_COURSE": folder}
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        wall = time.perf_counter() - start
    found = json.loads(done.stdout)
    assert found["status"] == "passed", found["status"]
    return {"wall": wall, **found["seconds"]}


def regrade(entry: catalog.Entry) -> float:
    start = time.perf_counter()
    assert grade(entry, reference=True).passed
    return time.perf_counter() - start


def import_grader() -> float:
    code = "import time; s = time.perf_counter(); import grader, grader.cli; print(time.perf_counter() - s)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def emulated_matmul() -> float:
    """Seconds of the one case, all checks on."""
    submission = Submission(MATMUL, Path("matmul.cu"), [MATMUL_TASK], forkserver.server(), 1, lambda what: None)
    result = grade_task(MATMUL_TASK, submission)
    assert result.grade.status == "passed", result.grade
    return result.evidence.cases[0].seconds


if __name__ == "__main__":
    main()
