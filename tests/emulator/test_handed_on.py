"""Queues, stacks, barriers and schedulers between blocks, most by `cuda::atomic_ref`: right ones, and wrong ones."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.shared import long_tail

RIGHT = {  # by what the beginning of `out` holds
    "total": ["mpmc", "treiber", "red_fence"],
    "scan": ["flag_in_shared", "vote_on_flag"],
    "ring": ["ring_hierarchical", "ring_backoff"],
    "sums": ["megakernel"],
    "one": ["double_buffer"],
}
WRONG = [
    *(
        "mpmc_relaxed_put",
        "mpmc_relaxed_get",
        "ring_no_fence",
        "ring_relaxed",
        "ring_block_fence",
        "megakernel_relaxed",
    ),
    *("megakernel_no_wait", "red_block_fence", "red_none", "reads_early"),
]
NAMES = [(kind, name) for kind, names in RIGHT.items() for name in names]
ENTRY = """
extern "C" void run_{name}(const unsigned* x, unsigned* out, unsigned* s, int n, cudaStream_t stream) {{
    cudaMemsetAsync(s, 0, (4 * n + 256) * sizeof(unsigned), stream);
    {name}<<<{grid}, kT, 0, stream>>>(x, out, s{more});
}}
"""


def entry(name: str) -> str:
    shared_out = name.startswith("megakernel")
    return ENTRY.format(name=name, grid="8" if shared_out else "n", more=", n" if shared_out else "")


KERNELS = Path(__file__).parent / "kernels" / "handed_on.cu"
SOURCE = KERNELS.read_text() + "".join(entry(name) for name in [*(name for _, name in NAMES), *WRONG])


def run(call, name: str, blocks: int, threads: int, errors: bool = False):
    x = np.random.default_rng(blocks).integers(0, 1000, 64 * blocks, dtype=np.uint32)
    space = {"out": np.empty(64 * blocks, np.uint32), "s": np.empty(4 * blocks + 256, np.uint32)}
    sums = x.reshape(-1, 64).sum(axis=1, dtype=np.uint32)
    return sums, call(f"run_{name}", x=x, n=blocks, threads=threads, mapped=True, errors=errors, **space)


def expected(kind: str, sums: np.ndarray) -> np.ndarray:
    if kind == "ring":
        for _ in range(3):
            sums = sums + np.roll(sums, 1) + np.roll(sums, -1)
    if kind == "one":
        return np.ones(1, np.uint32)
    return {"total": sums.sum(dtype=np.uint32)[None], "scan": np.cumsum(sums, dtype=np.uint32)}.get(kind, sums)


def check(call, kind: str, name: str, blocks: int, threads: int) -> None:
    sums, found = run(call, name, blocks, threads)
    right = expected(kind, sums)
    assert np.array_equal(found["out"][: len(right)], right)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("kind", "name"), NAMES)
def test_a_right_pattern_passes(call, kind, name, threads):
    check(call, kind, name, 100, threads)


SIZES = [(*each, *size) for each in NAMES for size in product((2, 8, 1000, 2000), (2, 16))]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name", "blocks", "threads"), long_tail(SIZES, every=len(SIZES), slow=13))
def test_a_right_pattern_passes_at_every_size(call, kind, name, blocks, threads):
    check(call, kind, name, blocks, threads)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_variant_is_a_race(call, name):
    _, found = run(call, name, 40, 2, errors=True)
    assert "race" in {each.kind for each in found.run.findings if each.severity == "error"}


# In round r a block signals the one 2^r further on: what it knows of the others' work comes through chains of them.
DISSEMINATION = """
__device__ unsigned look(unsigned* p) { return atomicAdd(p, 0u); }
__device__ void barrier(unsigned* flags, unsigned phase) {
    const unsigned b = blockIdx.x, n = gridDim.x;
    for (unsigned d = 1, round = 0; d < n; d *= 2, ++round) {
        __threadfence();
        atomicAdd(flags + round * n + (b + d) % n, 1u);
        while (look(flags + round * n + b) < phase) {}
        __threadfence();
    }
}
__global__ void k(unsigned* z, unsigned* s) {
    const unsigned b = blockIdx.x, n = gridDim.x;
    for (unsigned step = 1; step <= 4; ++step) {
        z[b + step % 2 * n] = step == 1 ? b : z[(b + 1) % n + (1 - step % 2) * n];
        barrier(s, step);
    }
}
extern "C" void run(unsigned* z, unsigned* s, int n, cudaStream_t stream) {
    cudaMemsetAsync(s, 0, 16 * n * sizeof(unsigned), stream);
    k<<<n, 1, 0, stream>>>(z, s);
}
"""


@pytest.mark.parametrize("blocks", [37, pytest.param(2000, marks=pytest.mark.slow)])
def test_what_a_chain_of_blocks_knows(run_kernel, blocks):
    """Of 2,000 blocks it was looked for longer than the time allows."""
    prototype = "void run(unsigned* z, unsigned* s, int n, cudaStream_t stream)"
    arrays = {"z": np.zeros(2 * blocks, np.uint32), "s": np.zeros(16 * blocks, np.uint32)}
    outputs, case = run_kernel(DISSEMINATION, prototype, threads=2, mapped=True, n=blocks, **arrays)
    assert [found.message for found in case.findings if found.severity == "error"] == []
    assert outputs["z"][:blocks].tolist() == np.roll(np.arange(blocks), -3).tolist()
