"""Right patterns between blocks: none is refused, none hangs, whatever the number of blocks and of executors.

The orders of blocks in these patterns are what a GPU guarantees, and no more: forward progress of resident blocks, and
blocks that start in the order of their numbers.
"""

from __future__ import annotations

import re
import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from grader.devices.cache import cache_root
from grader.devices.emulator.library import runtime_library
from grader.devices.evidence import CaseRun
from tests.shared import long_tail

KERNELS = Path(__file__).parent / "kernels"
LAST = ["inc", "modulo", "all_store", "all_fence", "thread", "warp", "of_groups", "cas"]
CHAINS = ["chain_volatile", "chain_atomic", "chain_ticket", "chain_tile"]
LOOK_BACK = ["look_back_packed", "look_back_flags", "look_back_warp", "look_back_volatile"]
LOCKS = ["lock_swap", "lock_ticket", "lock_block", "lock_semaphore", "lock_chain"]
TILES = ["tiles_dynamic", "tiles_warp", "tiles_queue", "tiles_pairs", "tiles_stack", "tiles_steal"]
PARTS = ["segments_look_back", "strips_stream_k"]
BARRIERS = ["barrier_count", "barrier_volatile", "barrier_sense", "barrier_flags"]
PATTERNS = [*(f"last_{name}" for name in LAST), *CHAINS, *LOOK_BACK, *LOCKS, *TILES, *PARTS, *BARRIERS]

ENTRY = """
extern "C" void run_{name}(const unsigned* x, unsigned* out, unsigned* scratch, int n, cudaStream_t stream) {{
    const unsigned blocks = n / kThreads;
    cudaMemsetAsync(scratch, 0, (80 * blocks + 64) * sizeof(unsigned), stream);
    {kernel}<<<{grid}, kThreads, 0, stream>>>(x, out, scratch{more});
}}
"""


def entry(name: str) -> str:
    if name in TILES:
        grid = "(blocks + 3) / 4" if name in ("tiles_dynamic", "tiles_warp") else "blocks"
        return ENTRY.format(name=name, kernel=name, grid=grid, more=", blocks")
    kernel = f"steps<{name}>" if name in BARRIERS else name
    return ENTRY.format(name=name, kernel=kernel, grid="blocks", more="")


FILES = [(KERNELS / name).read_text() for name in ("between_blocks.cu", "grid_barriers.cu", "more_between_blocks.cu")]
SOURCE = "".join(text.replace('#include "between_blocks.cu"\n', "") for text in FILES) + "".join(map(entry, PATTERNS))


def segmented(sums: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """The running sums, begun anew at each head."""
    total, found = np.uint32(0), []
    for value, is_head in zip(sums, heads, strict=True):
        total = value if is_head else total + value
        found.append(total)
    return np.array(found, np.uint32)


def expected(name: str, x: np.ndarray) -> np.ndarray:
    """What the beginning of `out` holds."""
    sums = x.reshape(-1, 64).sum(axis=1, dtype=np.uint32)
    if name in TILES:
        return 3 * x
    if name in BARRIERS:
        for _ in range(3):
            sums = sums + np.roll(sums, 1) + np.roll(sums, -1)
        return sums
    if name == "strips_stream_k":
        return np.add.reduceat(x, np.arange(0, len(x), 96), dtype=np.uint32)
    if name == "segments_look_back":
        return segmented(sums, x[::64] % 3 == 0)
    return np.cumsum(sums, dtype=np.uint32) if name in (*CHAINS, *LOOK_BACK) else sums.sum(dtype=np.uint32)[None]


def check(call, name: str, blocks: int, threads: int) -> CaseRun:
    x = np.random.default_rng(blocks).integers(0, 1000, 64 * blocks, dtype=np.uint32)
    space = {"out": np.empty(64 * blocks, np.uint32), "scratch": np.empty(80 * blocks + 64, np.uint32)}
    found = call(f"run_{name}", x=x, n=64 * blocks, threads=threads, mapped=True, **space)
    right = expected(name, x)
    assert np.array_equal(found["out"][: len(right)], right)
    return found.run


@pytest.mark.parametrize("name", PATTERNS)
def test_a_right_pattern_passes(call, name):
    check(call, name, blocks=100, threads=2)


def test_the_page_shows_the_committed_times():
    from benchmarks import between_blocks as measured  # which imports this file

    page = measured.PAGE_OF_ORDER.read_text()
    assert measured.renewed(page) == page
    assert {*measured.ratios(measured.RESULTS.read_text())} == {"plain", *PATTERNS}


SHORT = "    __threadfence();\n"
FENCE, BARRIER = "        __threadfence();\n", "    __syncthreads();\n"
# A pattern, what is taken out of it, and what comes in its place.
WRONG = {
    "no fence before the ticket": ("last_inc", FENCE, ""),
    "no barrier behind the ticket": ("last_inc", BARRIER + "    if (is_last)", "    if (is_last)"),
    "the ticket before the part": ("last_modulo", "s[1 + blockIdx.x] = value;\n" + FENCE, ""),
    "no fence before a volatile flag": ("chain_volatile", f"{SHORT}    flags[b]", "    flags[b]"),
    "the flag before its data": ("chain_volatile", f"    out[b] = before + value;\n{SHORT}", ""),
    "no fence before an atomic flag": ("chain_atomic", f"{SHORT}    atomicExch", "    atomicExch"),
    "no fence before the prefix's state": ("look_back_flags", f"before + value;\n{SHORT}", "before + value;\n"),
    "no fence for a volatile prefix": ("look_back_warp", f"before + value;\n{FENCE}", "before + value;\n"),
    "no fence before unlocking": ("lock_swap", f"{SHORT}    atomicExch", "    atomicExch"),
    "no fence between two locks": ("lock_chain", f"{SHORT}    atomicAdd(posts", "    atomicAdd(posts"),
    "no fence before the item is ready": ("tiles_queue", f"    {FENCE}", ""),
    "no barrier behind the item": ("tiles_queue", BARRIER + "    out[item", "    out[item"),
    "no barrier before the next tile": ("tiles_dynamic", f"t = tile;\n    {BARRIER}", "t = tile;\n"),
    "no fence before the part of a strip": ("strips_stream_k", f"{FENCE}        atomicExch", "        atomicExch"),
    "no fence in a segment": ("segments_look_back", f"value;\n{SHORT}    atomic", "value;\n    atomic"),
}
AT_THE_END = {
    "the ticket before the part": "    if (threadIdx.x == 0) s[1 + blockIdx.x] = value;\n",
    "the flag before its data": "    out[b] = before + value;\n",
}


@pytest.mark.parametrize("wrong", long_tail(list(WRONG), every=6))
def test_a_wrong_variant_is_a_race(run_kernel, wrong):
    name, was, now = WRONG[wrong]
    helpers = SOURCE.partition("// ---- the last to arrive")[0]
    kernel = SOURCE[SOURCE.index(f"__global__ void {name}(") :].partition("\n}\n")[0] + "\n"
    assert kernel.count(was) == 1
    source = f"{helpers}\n{kernel.replace(was, now)}{AT_THE_END.get(wrong, '')}}}\n{entry(name)}"
    prototype = f"void run_{name}(const unsigned* x, unsigned* out, unsigned* scratch, int n, cudaStream_t stream)"
    space = {"out": np.zeros(64 * 20, np.uint32), "scratch": np.zeros(80 * 20 + 64, np.uint32)}
    x = np.arange(64 * 20, dtype=np.uint32)
    _, case = run_kernel(source, prototype, x=x, n=64 * 20, threads=2, mapped=True, **space)
    assert "race" in [found.kind for found in case.findings if found.severity == "error"]


# A block that fails while others wait for it, at a barrier of the grid and at a word. Those above it may have run.
FAILS = """
#include <cooperative_groups.h>
__device__ void fails(float* z, int n) {
    if (blockIdx.x == 3) z[n + 5] = 1;
    if (blockIdx.x > 3) z[n + blockIdx.x] = 1;
}
__global__ void at_the_grid(const float* x, float* z, int n) {
    fails(z, n);
    cooperative_groups::this_grid().sync();
    z[blockIdx.x] = x[0];
}
__global__ void at_a_word(const float* x, float* z, int n) {
    if (blockIdx.x == 0) while (atomicAdd(z, 0.0f) != 1) {}
    fails(z, n);
    atomicExch(z, 1.0f);
}
extern "C" void run_grid(const float* x, float* z, int n, cudaStream_t stream) {
    void* arguments[] = {&x, &z, &n};
    cudaLaunchCooperativeKernel((void*)at_the_grid, dim3(40), dim3(64), arguments, 0, stream);
}
extern "C" void run_word(const float* x, float* z, int n, cudaStream_t stream) {
    cudaMemsetAsync(z, 0, n * sizeof(float), stream);
    at_a_word<<<40, 64, 0, stream>>>(x, z, n);
}
"""


@pytest.mark.parametrize("name", ["run_grid", "run_word"])
def test_a_block_that_fails_ends_those_that_wait_for_it(run_kernel, name):
    prototypes = [
        f"void {each}(const float* x, float* z, int n, cudaStream_t stream)" for each in ("run_grid", "run_word")
    ]
    (prototype,) = [each for each in prototypes if name in each]
    values = {"x": np.ones(64, np.float32), "z": np.zeros(64, np.float32), "n": 64}
    for threads in (1, 2, 5):
        _, case = run_kernel(FAILS, prototype, among=prototypes, threads=threads, **values)
        (message,) = [found.message for found in case.findings if found.severity == "error"]
        assert "thread (0, 0, 0) of block (3, 0, 0) writes z[69]" in message


def facts(run) -> list:
    return [run.counters, run.lines, run.kernels, [found.message for found in run.findings]]


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [37, pytest.param(300, marks=pytest.mark.whole)])
@pytest.mark.parametrize("name", PATTERNS)
def test_everything_is_the_same_on_any_number_of_executors(call, name, blocks):
    alone, *others = [facts(check(call, name, blocks, threads)) for threads in (1, 2, 16, 16)]
    assert all(each == alone for each in others)


SIZES = list(product(PATTERNS, (1, 2, 37, 1000, 2000), (1, 2, 16)))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "blocks", "threads"), long_tail(SIZES, every=len(SIZES), slow=62))
def test_a_right_pattern_passes_at_every_size(call, name, blocks, threads):
    check(call, name, blocks, threads)


def test_what_comes_next_is_fetched_ahead():
    """gcc takes a function that only fetches for one that does nothing, and leaves out the calls of it."""
    code = subprocess.run(["objdump", "-d", runtime_library(cache_root())], capture_output=True, text=True, check=True)
    functions = {body.split(">", 1)[0]: body for body in re.split(r"\n[0-9a-f]+ <", code.stdout)}
    that_fetch = {name for name, body in functions.items() if re.search(r"\tprefetch|\tprfm", body)}
    called = set(re.findall(r"\t(?:call|bl)\s.*<([^>+]+)>", code.stdout))
    assert len(that_fetch) >= 2 and that_fetch <= called  # the next block's memory, the next thread's stack
