"""Streams of one's own: what is done there must be joined to the stream that was given, or waited for by the host."""

from __future__ import annotations

import numpy as np
import pytest

KERNEL = """
__global__ void add(float* z, float by) {{ z[threadIdx.x] += by; }}
extern "C" void f(float* z, cudaStream_t stream) {{
    static cudaStream_t mine = nullptr, other = nullptr;
    static cudaEvent_t before, done, further;
    if (mine == nullptr) {{
        cudaStreamCreate(&mine);
        cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
        for (cudaEvent_t* event : {{&before, &done, &further}}) cudaEventCreate(event);
    }}
    cudaMemsetAsync(z, 0, 32 * sizeof(float), stream);
    cudaEventRecord(before, stream);
    cudaStreamWaitEvent(mine, before);
    {body}
}}
"""
WORK = "add<<<1, 32, 0, mine>>>(z, 1); "
JOINED = [
    "cudaStreamSynchronize(mine);",
    "cudaDeviceSynchronize();",
    "cudaEventRecord(done, mine); cudaStreamWaitEvent(stream, done);",
    "cudaEventRecord(done, mine); cudaStreamWaitEvent(stream, done); add<<<1, 32, 0, stream>>>(z, 1);",
    "cudaEventRecord(done, mine); cudaEventSynchronize(done);",
    "cudaEventRecord(done, mine); cudaStreamWaitEvent(other, done); cudaEventRecord(further, other);"
    " cudaStreamWaitEvent(stream, further);",
    "cudaEventRecord(done, mine); cudaStreamWaitEvent(other, done); cudaStreamSynchronize(other);",
]
NOT_JOINED = [
    "",
    "cudaEventRecord(done, mine);",
    "cudaStreamSynchronize(stream);",
    "cudaStreamSynchronize(other);",
    "cudaEventRecord(done, mine); cudaStreamWaitEvent(other, done);",
    "cudaEventRecord(done, stream); cudaStreamWaitEvent(stream, done);",
    "cudaStreamWaitEvent(stream, done); cudaEventRecord(done, mine);",
    "cudaEventRecord(done, mine); cudaMemsetAsync(z, 0, 4, mine); cudaStreamWaitEvent(stream, done);",
    "cudaStreamDestroy(mine); mine = nullptr;",
]


def races(run_kernel, body: str):
    source = KERNEL.format(body=body)
    _, case = run_kernel(source, "void f(float* z, cudaStream_t stream)", z=np.zeros(32, np.float32))
    # The streams of the builds before, which kept them, look as if this one had lost them.
    assert {found.kind for found in case.findings if found.severity == "error"} <= {"race", "leak"}
    return [found for found in case.findings if found.kind == "race"]


@pytest.mark.parametrize("join", JOINED)
def test_work_that_is_joined(run_kernel, join):
    assert races(run_kernel, WORK + join) == []


@pytest.mark.parametrize("join", NOT_JOINED)
def test_work_that_nothing_joins_is_a_race(run_kernel, join):
    (race,) = races(run_kernel, WORK + join)
    assert race.severity == "error" and race.line == 14
    assert "nothing joins the work of line 14" in race.message and "cudaStreamSynchronize(yours)" in race.message


def test_work_on_the_given_stream_needs_no_join(run_kernel):
    assert races(run_kernel, "add<<<1, 32, 0, stream>>>(z, 1);") == []
