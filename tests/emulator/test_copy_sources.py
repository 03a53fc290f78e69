"""What an asynchronous copy reads stays as it is until its thread has waited for it: no one writes there before."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.shared import long_tail

SOURCE = """
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
__global__ void k(float* x, float* z) {{
    __shared__ float s[2][64];
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    const int t = threadIdx.x;
    auto block = cg::this_thread_block();
    auto own = cuda::make_pipeline();
    if (t == 0) init(&all, 64);
    x[t] = x[64 + t] = t;
    __syncthreads();
    {body}
    z[t] = s[0][63 - t];
}}
extern "C" void f(float* x, float* z, cudaStream_t stream) {{ k<<<1, 64, 0, stream>>>(x, z); }}
"""
COPY = "__pipeline_memcpy_async(&s[0][t], &x[t], 4); __pipeline_commit();"
NEXT = "__pipeline_memcpy_async(&s[1][t], &x[64 + t], 4); __pipeline_commit();"
WAIT = "__pipeline_wait_prior(0); __syncthreads();"
PTX = (
    'asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"'
    ' :: "r"((unsigned)__cvta_generic_to_shared(&s[0][t])), "l"(&x[t]) : "memory");'
)
MAY = "may still read it"
WRONG = {
    "own element": (
        f"{COPY} x[t] = 7; {WAIT}",
        r"the copy that it began in line \d+ may still read it.*wait_prior\(n\), n",
    ),
    "behind a barrier alone": (
        f"{COPY} __syncthreads(); x[63 - t] = 7; {WAIT}",
        r"the copy that thread \(63, 0, 0\).*may still",
    ),
    "of the group that may be under way": (f"{COPY} {NEXT} __pipeline_wait_prior(1); x[64 + t] = 7; {WAIT}", MAY),
    "of a cooperative group": ("cg::memcpy_async(block, s[0], x, 256); if (t == 0) x[0] = 7; cg::wait(block);", MAY),
    "bound to a barrier": (
        "cuda::memcpy_async(&s[0][t], &x[t], 4, all); x[t] = 7; all.arrive_and_wait();",
        "may still read it, for that is under way: wait for it first, with arrive_and_wait",
    ),
    "of a pipeline": (
        "own.producer_acquire(); cuda::memcpy_async(&s[0][t], &x[t], 4, own); own.producer_commit(); x[t] = 7;"
        " own.consumer_wait(); __syncthreads(); own.consumer_release();",
        r"with producer_commit\(\) and consumer_wait\(\) of its pipeline",
    ),
    "in PTX": (f'{PTX} x[t] = 7; asm volatile("cp.async.wait_all;" ::: "memory"); __syncthreads();', MAY),
    "updated by an atomic": (f"{COPY} atomicAdd(&x[t], 1); {WAIT}", "updates x.0. in line .*may still read it"),
}
RIGHT = {
    "written behind the wait": f"{COPY} {WAIT} x[63 - t] = 7;",
    "own element behind the wait": f"{COPY} __pipeline_wait_prior(0); x[t] = 7; __syncthreads();",
    "of the group that is there": f"{COPY} {NEXT} __pipeline_wait_prior(1); x[t] = 7; {WAIT}",
    "other elements": f"{COPY} x[64 + t] = 7; {WAIT}",
    "of a cooperative group": "cg::memcpy_async(block, s[0], x, 256); cg::wait(block); x[t] = 7;",
    "bound to a barrier": "cuda::memcpy_async(&s[0][t], &x[t], 4, all); all.arrive_and_wait(); x[63 - t] = 7;",
    "in place, again": f"for (int i = 0; i < 3; ++i) {{ {COPY} {WAIT} x[t] = s[0][63 - t]; __syncthreads(); }}",
    "zeros alone": f"__pipeline_memcpy_async(&s[0][t], &x[t], 4, 4); __pipeline_commit(); x[t] = 7; {WAIT}",
    "in PTX": f'{PTX} asm volatile("cp.async.wait_all;" ::: "memory"); x[t] = 7; __syncthreads();',
}


def findings(run_kernel, body):
    x = np.arange(128, dtype=np.float32)
    _, case = run_kernel(
        SOURCE.format(body=body), "void f(float* x, float* z, cudaStream_t stream)", x=x, z=np.zeros(64, np.float32)
    )
    return [found.message for found in case.findings]


@pytest.mark.parametrize("name", long_tail(list(WRONG), every=9))
def test_the_source_of_a_copy_that_is_under_way_is_not_written(run_kernel, name):
    body, said = WRONG[name]
    told = findings(run_kernel, body)
    assert any(re.search(said, message) for message in told), told


@pytest.mark.parametrize("name", long_tail(list(RIGHT), every=9))
def test_behind_the_wait_it_may_be(run_kernel, name):
    assert findings(run_kernel, RIGHT[name]) == []
