"""Races in random kernels: those that there are, and no others. And what such kernels have found before."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest
from random_kernels import file_of, random_kernel
from random_messages import random_messages

from tests.shared import long_tail

PROTOTYPE = "void f(int* out, int* g, int* flag, cudaStream_t stream)"
KERNELS = 60


def races(run_kernel, source: str) -> dict[str, set[tuple[int, int]]]:
    """Of each kernel: the two lines of each race, the smaller first."""
    arrays = {name: np.zeros(256, np.int32) for name in ("out", "g", "flag")}
    _, case = run_kernel(source, PROTOTYPE, **arrays)
    found: dict[str, set[tuple[int, int]]] = {}
    for finding in case.findings:
        if finding.severity == "error":
            assert finding.kind == "race", finding.message
            lines = sorted((finding.line, finding.details["other_line"]))
            found.setdefault(finding.kernel, set()).add((lines[0], lines[1]))
    return found


@pytest.mark.parametrize(
    ("seed", "draw"),
    long_tail([(seed, draw) for seed in (1, 2) for draw in (random_kernel, random_messages)], every=8),
)
@pytest.mark.slow
def test_a_race_is_found_where_there_is_one(run_kernel, seed, draw):
    source, kernels = file_of(partial(draw, random.Random(seed)), KERNELS)
    raced = {kernel.name: kernel.races for kernel in kernels if kernel.races}
    found = races(run_kernel, source)
    assert found.keys() == raced.keys()
    assert {name: lines - raced[name] for name, lines in found.items() if lines - raced[name]} == {}
    assert KERNELS / 4 < len(raced) < KERNELS * 7 / 8  # or there is nothing to tell apart


BODIES = {
    # Lanes 8 to 31 are done before the others meet, but what they did was not ordered by that.
    "a barrier of some lanes while the others return": (
        "if (t == 5) v = s[9];\nif (t < 8) __syncwarp(255);\nif (t == 31) s[9] = 1;",
        {(1, 3)},
    ),
    "two blocks, each byte by itself": ("((char*)g)[t] = (char)(t + 100 * blockIdx.x);", {(1, 1)}),
    "two blocks, bytes beside each other": ("((char*)g)[2 * t + blockIdx.x] = 1;", set()),
    "two blocks, a byte of a word": ("if (blockIdx.x == 0) ((char*)g)[4 * t + 1] = 1;\nelse g[t] = 2;", {(1, 2)}),
    "a read before one's own atomic": (
        "if (t == 3) v = s[3];\nif (t == 3) atomicAdd(s + 3, 1);\nif (t == 40) atomicAdd(s + 3, 1);",
        {(1, 3)},
    ),
    "a read before one's own exchange of what it found": (
        "if (t == 3) v = s[3];\nif (t == 3) atomicCAS(s + 3, v, 7);\nif (t == 40) atomicAdd(s + 3, 1);",
        set(),
    ),
    "atomics of two warps, and a barrier of one": (
        "if (t == 3 || t == 40) atomicAdd(s + 3, 1);\n__syncwarp();\nif (t == 41) v = s[3];",
        {(1, 3)},
    ),
}


@pytest.mark.parametrize("name", long_tail(list(BODIES), every=3))
def test_what_random_kernels_have_found(run_kernel, name):
    body, expected = BODIES[name]
    before = (
        "__global__ void k(int* out, int* g) { __shared__ int s[64]; const int t = threadIdx.x; int v = 0;"
        " s[t] = 0; __syncthreads();\n"
    )
    after = "\nout[64 * blockIdx.x + t] = v; }\n"
    launch = "cudaMemsetAsync(g, 0, 1024, stream); k<<<2, 64, 0, stream>>>(out, g);"
    entry = f'extern "C" void f(int* out, int* g, int* flag, cudaStream_t stream) {{ {launch} }}\n'
    found = races(run_kernel, before + body + after + entry).get("k", set())
    assert {(line - 1, other - 1) for line, other in found} == expected
