"""What waiting between blocks costs the emulator: `make bench-emulator` runs this, too.

Each pattern of tests/emulator/kernels/ beside a kernel that does the same work without an atomic, for 1 to 2,000
blocks of 64 or 256 threads: one of the three below, or, where a pattern does more than these, its own text without the
atomics. Prints processor seconds of all executors together and the ratio, the least of five pairs of runs: one beside
the other, so that both find the machine in the same state. With `--wall` it prints what a learner waits, which means
something on a quiet machine with a core for each executor. What `--wall` has printed on one with 16 cores is committed
(`results/emulator/between_blocks.txt`); `--page` renews the table of docs/ordering.md from it, and measures nothing.
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
from tests.emulator.test_between_blocks import BARRIERS, ENTRY, PATTERNS, SOURCE, TILES, entry

RESULTS = Path(__file__).with_name("results") / "emulator" / "between_blocks.txt"
PAGE_OF_ORDER = Path(__file__).parents[1] / "docs" / "ordering.md"
MARKED = re.compile("(<!-- begin between blocks -->\n).*?(<!-- end between blocks -->)", re.DOTALL)
RUNS = 5
BLOCKS, THREADS = (1, 10, 100, 1000, 2000), (64, 256)
PLAIN = """
__global__ void plain(const unsigned* x, unsigned* out, unsigned* s) {
    const unsigned value = block_sum(mine(x));
    out[blockIdx.x * kThreads + threadIdx.x] = 3 * mine(x);
    if (threadIdx.x == 0) s[1 + blockIdx.x] = value;
}
__global__ void tile_alone(const unsigned* x, unsigned* out, unsigned*) {
    __shared__ unsigned tile;
    if (threadIdx.x == 0) tile = blockIdx.x;
    __syncthreads();
    const unsigned t = tile;
    __syncthreads();
    out[t * kThreads + threadIdx.x] = 3 * x[t * kThreads + threadIdx.x];
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
# What becomes of a pattern's text there: it goes on as if it had waited, or as if the last block came last.
ALONE = {
    "last_thread": [("atomicAdd(s, 1u)", "i")],
    "last_all_store": [("atomicAdd(s, 1u)", "blockIdx.x")],
    "last_all_fence": [("atomicAdd(s, 1u)", "blockIdx.x")],
    "chain_tile": [
        ("while (!look(flags + b - 1)) {}", ";"),
        ("tiles[(b - 1) *", "tiles[b *"),
        ("atomicExch(flags + b, 1u)", "flags[b] = 1"),
    ],
    "look_back_warp": [
        ("volatile ", ""),
        ("while (k >= 0 && !(flag = flags[k])) {}", "if (k >= 0) flag = 1 + flags[b];"),
        ("prefixes[k] : sums[k]", "prefixes[b] : sums[b]"),
    ],
    "lock_block": [
        ("while (atomicExch(s, 1u)) {}", ""),
        ("s[1 + threadIdx.x]", "s[64 + blockIdx.x * kThreads + threadIdx.x]"),
        ("*out = all", "out[blockIdx.x] = all"),
        ("atomicExch(s, 0u)", "s[64 + blockIdx.x * kThreads] = 0"),
    ],
    "tiles_pairs": [
        ("atomicExch(flags + b, 1u)", "flags[b] = 1"),
        ("while (!look(flags + other)) {}", ";"),
        ("other < gridDim.x ? other : b", "b"),
    ],
    "tiles_steal": [
        ("for (unsigned turn = 0;", "for (unsigned turn = 0, taken = 2 * (blockIdx.x % 2);"),
        ("atomicAdd(s + victim, 1u)", "turn ? 2u : taken++"),
    ],
    "strips_stream_k": [
        ("atomicExch(flags + b, 1u)", "flags[b] = 1"),
        ("while (!look(flags + k)) {}", ""),
        ("parts[k]", "parts[b]"),
    ],
}


def alone(name: str) -> str:
    """The name of the kernel that a pattern is measured against."""
    if name in ALONE:
        return f"{name}_alone"
    if name in TILES:
        return "tile_alone"
    return "steps_alone" if name in BARRIERS else "plain"


def text_alone(name: str) -> str:
    """A pattern's kernel without its atomics, and its entry point."""
    text = SOURCE[SOURCE.index(f"__global__ void {name}(") :].partition("\n}\n")[0] + "\n}\n"
    for with_atomics, without in ALONE[name]:
        assert with_atomics in text, f"{name} has no {with_atomics} any more"
        text = text.replace(with_atomics, without)
    return re.sub(rf"\b(run_)?{name}\b", r"\g<0>_alone", text + entry(name))


SHARED = ["plain", "tile_alone", "steps_alone"]
NAMES = [*dict.fromkeys(map(alone, PATTERNS)), *PATTERNS]
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


def build(folder: Path, runtime: Path, threads: int) -> Path:
    """All kernels, in blocks of so many threads."""
    source = (
        SOURCE
        + PLAIN
        + "".join(ENTRY.format(name=name, kernel=name, grid="blocks", more="") for name in SHARED)
        + "".join(map(text_alone, ALONE))
    )
    for of_64, of_these in (("kThreads = 64", f"kThreads = {threads}"), ("80 * blocks", f"{threads + 16} * blocks")):
        assert of_64 in source, f"the patterns have no {of_64} any more"
        source = source.replace(of_64, of_these)
    text, library = folder / "bench.cpp", folder / f"bench{threads}.so"
    text.write_text(translate(source, "bench.cu") + marks(source) + entry_points([*PROTOTYPES.values()]))
    compile_ = ["g++", "-std=c++20", "-fPIC", *emulator.compile_flags(runtime), "-c", str(text), "-o", f"{text}.o"]
    subprocess.run(compile_, check=True)
    subprocess.run(["g++", "-shared", f"{text}.o", "-o", str(library), *emulator.link_flags(runtime)], check=True)
    return library


class Timed:
    """A session whose runs are timed: only the entry point, and not what Python makes of it."""

    def __init__(self, library: Path, threads: int, executors: int, runtime: Path, clock: Callable[[], float]):
        self.clock, self.threads = clock, threads
        self.session = emulator.Session(emulator.open_library(library, "bench.cu"), executors, runtime=runtime)
        self.session.runtime.ladder_session_run = self._timed(self.session.runtime.ladder_session_run)

    def _timed(self, run: Callable[..., int]) -> Callable[..., int]:
        def timed(*arguments: object) -> int:
            start = self.clock()
            given_up = run(*arguments)
            self.took = self.clock() - start
            return given_up

        return timed

    def seconds(self, name: str, blocks: int) -> float:
        """Of one run; NaN if a pattern was not right. What a sum adds without waiting may be a race."""
        n = self.threads * blocks
        buffers = {
            "x": Buffer(np.arange(n, dtype=np.uint32), False),
            "out": Buffer(np.zeros(n, np.uint32), True),
            "scratch": Buffer(np.zeros(n + 16 * blocks + 64, np.uint32), True),
        }
        case = self.session.run(PROTOTYPES[name].name, PROTOTYPES[name], buffers, {"n": n}, seconds=60)
        is_right = name not in PATTERNS or all(found.severity != "error" for found in case.findings)
        return self.took if is_right else float("nan")


def cell(timed: Timed, name: str, blocks: int, runs: int) -> str:
    pairs = [(timed.seconds(alone(name), blocks), timed.seconds(name, blocks)) for _ in range(runs)]
    plain, took = (min(each) for each in zip(*pairs, strict=True))
    return f"{1e3 * took:9.1f} ms {took / plain:5.2f} x"


def ratios(printed: str) -> dict[str, dict[tuple[int, int, int], float]]:
    """By pattern, then executors, threads and number of blocks: how many times as long as without the waiting."""
    found: dict[str, dict[tuple[int, int, int], float]] = {}
    columns: list[tuple[int, int, int]] = []
    for line in printed.splitlines():
        if head := re.match(r"(\d+) executors, (\d+) threads", line):
            executors, threads = map(int, head.groups())
            columns = [(executors, threads, int(blocks)) for blocks in re.findall(r"(\d+) blocks", line)]
        elif row := re.match(r"\w+", line):
            times = map(float, re.findall(r"([\d.]+) x", line))
            found.setdefault(row[0], {}).update(zip(columns, times, strict=True))
    return found


def page_table(printed: str) -> str:
    """The same for the largest number of blocks, as Markdown, without the kernel that each pattern is compared with."""
    of_patterns = {name: row for name, row in ratios(printed).items() if name != "plain"}
    most = max(blocks for *_, blocks in next(iter(of_patterns.values())))
    columns = sorted(column for column in next(iter(of_patterns.values())) if column[-1] == most)
    rows = sorted(of_patterns.items(), key=lambda item: max(item[1][column] for column in columns))
    heads = [f"{executors} executor{'s' * (executors > 1)}, {threads} threads" for executors, threads, _ in columns]
    lines = [["pattern", *heads], ["---", *("---:" for _ in heads)]]
    lines += [[f"`{name}`", *(f"{row[column]:.1f}" for column in columns)] for name, row in rows]
    few = [sum(round(row[column], 1) <= 2 for _, row in rows) for column in columns]
    lines += [["at most 2.0", *(f"{count} of {len(rows)}" for count in few)]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def renewed(page: str) -> str:
    """The page with the table of what is committed."""
    return MARKED.sub(lambda found: found[1] + page_table(RESULTS.read_text()) + found[2], page)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--executors", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--threads", type=int, nargs="+", default=THREADS, help="of a block")
    parser.add_argument("--blocks", type=int, nargs="+", default=BLOCKS)
    parser.add_argument("--patterns", nargs="+", default=PATTERNS)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--wall", action="store_true", help="what a learner waits, not processor seconds")
    parser.add_argument("--page", action="store_true", help="renew the table of docs/ordering.md, measure nothing")
    chosen = parser.parse_args()
    if chosen.page:
        PAGE_OF_ORDER.write_text(renewed(PAGE_OF_ORDER.read_text()))
        return
    clock = time.perf_counter if chosen.wall else time.process_time
    runtime = emulator.runtime_library(cache_root())
    with tempfile.TemporaryDirectory() as folder:
        for threads in chosen.threads:
            library = build(Path(folder), runtime, threads)
            for executors in chosen.executors:
                timed = Timed(library, threads, executors, runtime, clock)
                columns = "".join(f"{f'{blocks} blocks':>20}" for blocks in chosen.blocks)
                print(f"\n{executors} executors, {threads} threads{columns}")
                for name in ["plain", *chosen.patterns]:
                    cells = "".join(cell(timed, name, blocks, chosen.runs) for blocks in chosen.blocks)
                    print(f"{name:20}{cells}", flush=True)


if __name__ == "__main__":
    main()
