"""What a thread copies with a barrier or a block's pipeline is there once it has waited, not once it has arrived."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

SOURCE = """
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <utility>
__global__ void k(const int* x, int* z) {{
    __shared__ int s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> b, own;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    const auto block = cooperative_groups::this_thread_block();
    const int t = threadIdx.x;
    if (t == 0) init(&b, 64), init(&own, 1);
    __syncthreads();
    auto p = cuda::make_pipeline(block, &state);
    {body}
}}
extern "C" void run(const int* x, int* z, cudaStream_t stream) {{
    k<<<1, 64, 0, stream>>>(x, z);
}}
"""
BY_BARRIER = "cuda::memcpy_async(s + t, x + t, cuda::aligned_size_t<4>(4), b); auto token = b.arrive(); "
BY_PIPELINE = """p.producer_acquire(); cuda::memcpy_async(block, s, x, cuda::aligned_size_t<4>(256), p);
    p.producer_commit();
    {} p.consumer_release();"""
WRONG = {
    "of a pipeline": (BY_PIPELINE.format("z[t] = s[t]; p.consumer_wait();"), "consumer_wait() of its pipeline"),
    "of a barrier": (BY_BARRIER + "z[t] = s[t]; b.wait(std::move(token));", "arrive_and_wait() of its barrier"),
}
RIGHT = {
    "of a pipeline": BY_PIPELINE.format("p.consumer_wait(); z[t] = s[t];"),
    "of a barrier": BY_BARRIER + "b.wait(std::move(token)); z[t] = s[t];",
    "by parity": BY_BARRIER + "b.wait_parity(false); z[t] = s[t];",
    "another waits": BY_BARRIER + "if (t % 32 == 0) b.wait(std::move(token)); __syncwarp(); z[t] = s[t];",
    "another waits for all": BY_BARRIER + "if (t == 0) b.wait(std::move(token)); __syncthreads(); z[t] = s[t];",
    "of one thread": """z[t] = 0; if (t == 0) {
        cuda::memcpy_async(s, x, cuda::aligned_size_t<16>(256), own);
        own.arrive_and_wait(); z[0] = s[5];
    }""",
}


def errors(run_kernel, body: str) -> list[str]:
    x = np.arange(64, dtype=np.int32)
    prototype = "void run(const int* x, int* z, cudaStream_t stream)"
    _, case = run_kernel(SOURCE.format(body=body), prototype, x=x, z=np.zeros_like(x))
    return [each.message for each in case.findings if each.severity == "error"]


@pytest.mark.parametrize("what", long_tail(WRONG, every=2))
def test_who_has_only_arrived_may_not_read_its_own_copy(run_kernel, what):
    body, wait = WRONG[what]
    (said,) = errors(run_kernel, body)
    assert "while the copy that it began in line" in said and wait in said


@pytest.mark.parametrize("what", long_tail(RIGHT, every=3))
def test_who_has_waited_may(run_kernel, what):
    assert errors(run_kernel, RIGHT[what]) == []
