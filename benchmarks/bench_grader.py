"""How long a learner waits: prints the median of several rounds beside the time it may take (`make bench-grader`)."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from grader.course import catalog
from grader.course.inline import inlined
from grader.course.lesson import Case, Task, Tolerance
from grader.devices.submission import Submission
from grader.devices.worker.server import server
from grader.faces.standby_place import Place
from grader.grade import grade, grade_task

LADDER = [sys.executable, "-P", "-c", "from grader.faces.standby import main; main()"]  # as the console script does
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
    first, second, alone, overview = zip(*[learner(entry) for _ in range(options.rounds)], strict=True)
    busy = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    print(f"lesson {entry.name}, medians of {options.rounds} rounds, {busy}")
    show("ladder", overview, 0.2)
    show("ladder check, the first one", [check["wall"] for check in first], 1.5)
    show("ladder check, the next one", [check["wall"] for check in second], 1.0)
    show("  building the kernel", [check["build"] for check in second], 1)
    show("  running all cases", [check["run"] for check in second], 1)
    show("ladder check, without a server", [check["wall"] for check in alone])
    show("grading again, same process", repeat(options.rounds, lambda: regrade(entry)))
    show("import grader", repeat(options.rounds, import_grader), 0.2)
    show(f"tiled matmul {SIZE}^3, emulated", repeat(options.rounds, emulated_matmul), 2)


def show(what: str, seconds: Sequence[float], limit: float | None = None) -> None:
    median = statistics.median(seconds)
    verdict = f"   goal {limit:g} s: {'met' if median <= limit else 'over'}" if limit else ""
    print(f"{what:32}{median:6.2f} s   ({min(seconds):.2f} to {max(seconds):.2f}){verdict}")


def repeat(rounds: int, measure: Callable[[], float]) -> list[float]:
    return [measure() for _ in range(rounds)]


def learner(entry: catalog.Entry) -> tuple[dict[str, float], dict[str, float], dict[str, float], float]:
    """Checks of a changed file: one that starts a standby server, one that finds it there, and one that uses none.

    Last the seconds that `ladder` takes.
    """
    with own_course(entry) as environment:
        first, second = edit_and_check(entry, environment), edit_and_check(entry, environment)
        alone = edit_and_check(entry, environment | {"LADDER_SERVER": "0"})
        start = time.perf_counter()
        subprocess.run(LADDER, capture_output=True, check=True, env=environment)
        return first, second, alone, time.perf_counter() - start


@contextlib.contextmanager
def own_course(entry: catalog.Entry) -> Iterator[dict[str, str]]:
    """The environment of a course without progress or server, so that neither is the user's. Ends its servers."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("lessons", "kernels", "cards", "benchmarks"):  # with the last two, stars are held against a model
            (Path(folder) / name).symlink_to(entry.root / name)
        kept = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTHONDONTWRITEBYTECODE")}
        try:
            yield kept | {"LADDER_COURSE": folder, "XDG_RUNTIME_DIR": folder, "LADDER_SERVER": "1"}
        finally:
            with Place.at(Path(folder) / "kernel-ladder") as place:
                for _, process in place.servers():
                    os.kill(process, signal.SIGKILL)


def edit_and_check(entry: catalog.Entry, environment: Mapping[str, str]) -> dict[str, float]:
    """Grades a file that was never built before, as a new process; seconds by name."""
    file = Path(environment["LADDER_COURSE"]) / "edited.cu"
    file.write_text(f"{inlined(entry.reference)}\n// edit {time.time_ns()}\n")
    start = time.perf_counter()
    command = [*LADDER, "check", entry.name, str(file), "--json"]
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
    code = "import time; s = time.perf_counter(); import grader, grader.faces.cli; print(time.perf_counter() - s)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def emulated_matmul() -> float:
    """Seconds of the one case, all checks on."""
    submission = Submission(MATMUL, Path("matmul.cu"), [MATMUL_TASK], server(), 1, lambda what: None)
    result = grade_task(MATMUL_TASK, submission)
    assert result.grade.status == "passed", result.grade
    return result.evidence.cases[0].seconds


if __name__ == "__main__":
    main()
