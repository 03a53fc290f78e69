"""What waiting between blocks costs the emulator: `make bench-emulator` runs this, too.

Each pattern of tests/emulator/kernels/ beside a kernel that does the same work without an atomic, for 1 to 2,000
blocks. Prints processor seconds of all executors together and the ratio, the least of five pairs of runs: one beside
the other, so that both find the machine in the same state. With `--wall` it prints what a learner waits, which means
something on a quiet machine with a core for each executor. What `--wall` has printed on one with 16 cores is committed
(`results/emulator/between_blocks.txt`); `--page` renews the table of docs/emulator.md from it, and measures nothing.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.emulator import PAGE
from grader.course.prototype import parse_prototype
from grader.devices.build.build import entry_points
from grader.devices.cache import cache_root
from grader.devices.emulator import session as emulator
from grader.devices.emulator.sides import marks
from grader.devices.emulator.translate import translate
from tests.emulator.test_between_blocks import ENTRY, PATTERNS, SOURCE

RESULTS = Path(__file__).with_name("results") / "emulator" / "between_blocks.txt"
PAGE_OF_EMULATOR = Path(__file__).parents[1] / "docs" / "emulator.md"
MARKED = re.compile("(<!-- begin between blocks -->\n).*?(<!-- end between blocks -->)", re.DOTALL)
RUNS = 5
BLOCKS = (1, 10, 100, 1000, 2000)
PLAIN = """
__global__ void plain(const unsigned* x, unsigned* out, unsigned* s) {
    const unsigned value = block_sum(mine(x));
    out[blockIdx.x * kThreads + threadIdx.x] = 3 * mine(x);
    if (threadIdx.x == 0) s[1 + blockIdx.x] = value;
}
__device__ void barrier_alone(unsigned*, unsigned) {
    __syncthreads();
    __syncthreads();
}
__global__ void steps_alone(const unsigned* x, unsigned* out, unsigned* s) {
    const unsigned b = blockIdx.x, blocks = gridDim.x;
    unsigned* numbers[2] = {s + 64 + blocks, s + 64 + 2 * blocks};
    const unsigned value = block_sum(mine(x));
    if (threadIdx.x == 0) numbers[0][b] = value;
    barrier_alone(s, 1);
    for (unsigned step = 0; step < 3; ++step) {
        const unsigned *from = numbers[step % 2];
        if (threadIdx.x == 0) numbers[1 - step % 2][b] = from[b] + from[b] + from[b];
        barrier_alone(s, step + 2);
    }
    if (threadIdx.x == 0) out[b] = numbers[1][b];
}
"""
NAMES = ["plain", "steps_alone", *PATTERNS]
PROTOTYPES = {
    name: parse_prototype(
        f"void run_{name}(const unsigned* x, unsigned* out, unsigned* scratch, int n, cudaStream_t stream)"
    )
    for name in NAMES
}


class Buffer:
    def __init__(self, array: np.ndarray, writable: bool):
        memory = np.zeros(array.nbytes + 2 * PAGE, np.uint8)
        start = -memory.ctypes.data % PAGE
        self.array = memory[start : start + array.nbytes].view(array.dtype)
        self.array[:] = array
        self.address, self.bytes, self.writable = self.array.ctypes.data, array.nbytes, writable


def build(folder: Path, runtime: Path) -> Path:
    source = (
        SOURCE
        + PLAIN
        + "".join(ENTRY.format(name=name, kernel=name, grid="blocks", more="") for name in ("plain", "steps_alone"))
    )
    text, library = folder / "bench.cpp", folder / "bench.so"
    text.write_text(translate(source, "bench.cu") + marks(source) + entry_points([*PROTOTYPES.values()]))
    compile_ = ["g++", "-std=c++20", "-fPIC", *emulator.compile_flags(runtime), "-c", str(text), "-o", f"{text}.o"]
    subprocess.run(compile_, check=True)
    subprocess.run(["g++", "-shared", f"{text}.o", "-o", str(library), *emulator.link_flags(runtime)], check=True)
    return library


class Timed:
    """A session whose runs are timed: only the entry point, and not what Python makes of it."""

    def __init__(self, library: Path, threads: int, runtime: Path, clock: Callable[[], float]):
        self.clock = clock
        self.session = emulator.Session(emulator.open_library(library, "bench.cu"), threads, runtime=runtime)
        self.session.runtime.ladder_session_run = self._timed(self.session.runtime.ladder_session_run)

    def _timed(self, run: Callable[..., int]) -> Callable[..., int]:
        def timed(*arguments: object) -> int:
            start = self.clock()
            given_up = run(*arguments)
            self.took = self.clock() - start
            return given_up

        return timed

    def seconds(self, name: str, blocks: int) -> float:
        """Of one run; NaN if it was not right."""
        buffers = {
            "x": Buffer(np.arange(64 * blocks, dtype=np.uint32), False),
            "out": Buffer(np.zeros(64 * blocks, np.uint32), True),
            "scratch": Buffer(np.zeros(80 * blocks + 64, np.uint32), True),
        }
        case = self.session.run(PROTOTYPES[name].name, PROTOTYPES[name], buffers, {"n": 64 * blocks}, seconds=60)
        is_right = all(found.severity != "error" for found in case.findings)
        return self.took if is_right else float("nan")


def cell(timed: Timed, name: str, blocks: int, runs: int) -> str:
    alone = "steps_alone" if name.startswith("barrier_") else "plain"
    pairs = [(timed.seconds(alone, blocks), timed.seconds(name, blocks)) for _ in range(runs)]
    plain, took = (min(each) for each in zip(*pairs, strict=True))
    return f"{1e3 * took:9.1f} ms {took / plain:5.2f} x"


def ratios(printed: str) -> dict[str, dict[tuple[int, int], float]]:
    """By pattern, then executors and blocks: how many times as long as a kernel without the waiting."""
    found: dict[str, dict[tuple[int, int], float]] = {}
    columns: list[tuple[int, int]] = []
    for line in printed.splitlines():
        if head := re.match(r"(\d+) threads", line):
            columns = [(int(head[1]), int(blocks)) for blocks in re.findall(r"(\d+) blocks", line)]
        elif row := re.match(r"\w+", line):
            times = map(float, re.findall(r"([\d.]+) x", line))
            found.setdefault(row[0], {}).update(zip(columns, times, strict=True))
    return found


def page_table(printed: str) -> str:
    """The same as Markdown, without the kernel that each pattern is compared with; the slowest come last."""
    of_patterns = {name: row for name, row in ratios(printed).items() if name != "plain"}
    columns = sorted(next(iter(of_patterns.values())))
    rows = sorted(of_patterns.items(), key=lambda item: max(item[1].values()))
    heads = [f"{executors} executors, {blocks} blocks" for executors, blocks in columns]
    lines = [["pattern", *heads], ["---", *("---:" for _ in heads)]]
    lines += [[f"`{name}`", *(f"{row[column]:.1f}" for column in columns)] for name, row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def renewed(page: str) -> str:
    """The page with the table of what is committed."""
    return MARKED.sub(lambda found: found[1] + page_table(RESULTS.read_text()) + found[2], page)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="numbers of executors")
    parser.add_argument("--blocks", type=int, nargs="+", default=BLOCKS)
    parser.add_argument("--patterns", nargs="+", default=PATTERNS)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--wall", action="store_true", help="what a learner waits, not processor seconds")
    parser.add_argument("--page", action="store_true", help="renew the table of docs/emulator.md, measure nothing")
    chosen = parser.parse_args()
    if chosen.page:
        PAGE_OF_EMULATOR.write_text(renewed(PAGE_OF_EMULATOR.read_text()))
        return
    clock = time.perf_counter if chosen.wall else time.process_time
    runtime = emulator.runtime_library(cache_root())
    with tempfile.TemporaryDirectory() as folder:
        library = build(Path(folder), runtime)
        for threads in chosen.threads:
            timed = Timed(library, threads, runtime, clock)
            columns = "".join(f"{f'{blocks} blocks':>20}" for blocks in chosen.blocks)
            print(f"\n{f'{threads} threads':20}{columns}")
            for name in ["plain", *chosen.patterns]:
                cells = "".join(cell(timed, name, blocks, chosen.runs) for blocks in chosen.blocks)
                print(f"{name:20}{cells}", flush=True)


if __name__ == "__main__":
    main()
