"""What breaks CUDA's rules only in the run in which the last block begins first, and what says nothing there."""

from __future__ import annotations

import numpy as np
import pytest

from grader.devices.emulator.turned import ends_well, word_turned
from tests.emulator.test_block_order import HEAD, PROTOTYPE
from tests.shared import long_tail

# The last block by its number adds up what others have left: in their order, all of them have been there.
LAST_BY_NUMBER = """
    __shared__ bool last;
    z[i] = x[i];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&next, 1u);
        last = WHO;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += z[k];
        z[0] = sum;
    }"""
PAST_THE_END = """
    if (threadIdx.x == 0) {
        const int ahead = blockIdx.x - (int)atomicAdd(&next, 1u);  // none, if blocks come in their order
        z[blockIdx.x * 64 + ahead * 64] = x[i];
    }"""
RIGHT = {
    "the last block by a ticket": LAST_BY_NUMBER.replace("        atomicAdd(&next, 1u);\n", "").replace(
        "WHO", "atomicAdd(&next, 1u) == gridDim.x - 1"
    ),
    "a flag of the block before": """
    if (threadIdx.x == 0) {
        while (*(volatile unsigned*)&next != blockIdx.x) {}
        __threadfence();
        z[blockIdx.x] = x[i] + (blockIdx.x ? z[blockIdx.x - 1] : 0);
        __threadfence();
        atomicAdd(&next, 1u);
    }""",
    "all blocks wait for all, with volatile reads": """
    z[i] = x[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&next, 1u);
        while (*(volatile unsigned*)&next < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    const float other = z[n - 1 - i];
    if (other < 0) z[i] = 0;""",
    "all blocks wait for all": """
    z[i] = x[i];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&next, 1u);
        while (atomicAdd(&next, 0u) < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    const float other = z[n - 1 - i];
    if (other < 0) z[i] = 0;""",
    "blocks that take work until there is none": """
    __shared__ unsigned tile;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) tile = atomicAdd(&next, 1u);
        __syncthreads();
        if (tile >= n / 64) break;
        z[tile * 64 + threadIdx.x] = x[tile * 64 + threadIdx.x];
    }""",
}


def told(run_kernel, body: str) -> list:
    x = np.random.default_rng(1).random(512, dtype=np.float32)
    source = HEAD.format(name="k", body=body)
    _, case = run_kernel(source, PROTOTYPE, x=x, z=np.zeros_like(x), n=512, checked=True)
    return [found for found in case.findings if found.severity == "error" or found.kind == "block_order"]


def test_a_fault_in_another_order_is_told_with_its_line(run_kernel):
    found = told(run_kernel, PAST_THE_END)
    assert {(each.kind, each.severity) for each in found} == {("out_of_bounds", "error")}
    assert all(each.line and "the last block begins first" in each.message for each in found)


def test_of_what_is_read_too_early_the_outputs_tell(run_kernel):
    found = told(run_kernel, LAST_BY_NUMBER.replace("WHO", "blockIdx.x == gridDim.x - 1"))
    assert [(each.kind, each.severity) for each in found] == [("block_order", "note")]


@pytest.mark.parametrize("how", long_tail(RIGHT, every=4))
def test_what_is_right_in_each_order_is_not(run_kernel, how):
    assert told(run_kernel, RIGHT[how]) == []


def test_what_an_earlier_run_has_left_in_a_variable_is_not_taken_for_the_order(run_kernel):
    source = HEAD.format(name="k", body="    z[atomicAdd(&next, 1u)] = 1;").replace("    cudaMemcpyToSymbol", "    //")
    z = np.zeros(512, np.float32)
    _, case = run_kernel(source, PROTOTYPE, x=np.zeros_like(z), z=z, n=512, checked=True)
    assert [found for found in case.findings if found.severity == "error"] == []


@pytest.mark.parametrize("limit", ["timeout", "deadlock", "crash", "barrier_divergence", "launch_error"])
def test_what_may_be_the_emulators_limit_says_nothing(limit):
    turned = {"findings": [{"kind": kind, "note": False} for kind in ("out_of_bounds", limit)]}
    assert not ends_well(turned) and word_turned(turned, None, {}, None) == []
