"""Streams of one's own: they wait for the stream that was given, for each other, and are joined before the end."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

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
    told = [found.kind for found in case.findings]
    assert "other_stream" not in told  # how it is joined has been looked at
    return [found for found in case.findings if found.kind == "race"]


@pytest.mark.parametrize("join", long_tail(list(JOINED), every=6))
def test_work_that_is_joined(run_kernel, join):
    assert races(run_kernel, WORK + join) == []


@pytest.mark.parametrize("join", long_tail(list(NOT_JOINED), every=6))
def test_work_that_nothing_joins_is_a_race(run_kernel, join):
    (race,) = races(run_kernel, WORK + join)
    assert race.severity == "error" and race.line == 14
    assert "nothing joins the work of line 14" in race.message and "cudaStreamSynchronize(yours)" in race.message


def test_work_on_the_given_stream_needs_no_join(run_kernel):
    assert races(run_kernel, "add<<<1, 32, 0, stream>>>(z, 1);") == []


CLEAR = "cudaMemsetAsync(y, 0, 128, stream); cudaMemsetAsync(z, 0, 128, stream); "
START = "cudaEventRecord(before, stream); cudaStreamWaitEvent(mine, before); "
END = "cudaEventRecord(done, mine); cudaStreamWaitEvent(stream, done);"
PAIR = """__constant__ float table[64]; __global__ void look(float* z) {{ z[threadIdx.x] = table[threadIdx.x]; }}
__global__ void put(float* z, float value) {{ z[threadIdx.x] = value; }}
__global__ void twice(const float* x, float* z) {{ z[threadIdx.x] = 2 * x[threadIdx.x]; }}
__global__ void total(const float* x, float* z) {{ atomicAdd(z, x[threadIdx.x]); }}
extern "C" void f(const float* x, float* y, float* z, cudaStream_t stream) {{
    cudaStream_t mine;
    cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking);
    cudaEvent_t before, done;
    cudaEventCreate(&before), cudaEventCreate(&done);
{body}
    cudaEventDestroy(before), cudaEventDestroy(done);
    cudaStreamDestroy(mine);
}}
"""


def pair(run_kernel, *lines: str):
    """The races of a host code whose first line is line 10."""
    arrays = {name: np.zeros(32, np.float32) for name in ("x", "y", "z")}
    source = PAIR.format(body="\n".join(lines))
    _, case = run_kernel(source, "void f(const float* x, float* y, float* z, cudaStream_t stream)", **arrays)
    assert {found.kind for found in case.findings} <= {"race", "other_stream"}
    races = [found for found in case.findings if found.kind == "race"]
    return [(found.line, found.details.get("other_line"), found.message) for found in races]


ORDERED = {
    "apart": (START, "put<<<1, 32, 0, stream>>>(y, 1);", "twice<<<1, 32, 0, mine>>>(x, z);", END),
    "both read": (START, "twice<<<1, 32, 0, stream>>>(x, y);", "twice<<<1, 32, 0, mine>>>(x, z);", END),
    "one after the other": ("put<<<1, 32, 0, stream>>>(y, 1);", START, "twice<<<1, 32, 0, mine>>>(y, z);", END),
    "there and back": (START, "put<<<1, 32, 0, mine>>>(y, 1);", END, "twice<<<1, 32, 0, stream>>>(y, z);"),
    "both add": (CLEAR + START, "total<<<1, 32, 0, stream>>>(x, z);", "total<<<1, 32, 0, mine>>>(x, z);", END),
    "host waits": (
        "put<<<1, 32, 0, stream>>>(y, 1);",
        "cudaStreamSynchronize(stream);",
        "twice<<<1, 32, 0, mine>>>(y, z);",
        "cudaStreamSynchronize(mine);",
    ),
    "halves of a constant": (
        START,
        "look<<<1, 32, 0, stream>>>(z);",
        "cudaMemcpyToSymbolAsync(table, x, 128, 128, cudaMemcpyDeviceToDevice, mine);",
        END,
    ),
    "a constant for the next kernel": (
        START,
        "cudaMemcpyToSymbolAsync(table, x, 128, 0, cudaMemcpyDeviceToDevice, mine);",
        END,
        "look<<<1, 32, 0, stream>>>(z);",
    ),
    "halves of words": (
        START,
        "cudaMemsetAsync((char*)y, 0, 2, stream);",
        "cudaMemsetAsync((char*)y + 2, 0, 2, mine);",
        END,
    ),
}
UNORDERED = {  # which line does what to what of which line's, each on a stream of its own
    "reads too early": (
        (START, "put<<<1, 32, 0, stream>>>(y, 1);", "twice<<<1, 32, 0, mine>>>(y, z);", END),
        (12, 11, "reads y[0], which that of line 11, on another stream, writes"),
    ),
    "overwrites too early": (
        (CLEAR + START, "twice<<<1, 32, 0, mine>>>(y, z);", "put<<<1, 32, 0, stream>>>(y, 1);", END),
        (12, 11, "writes y[0], which that of line 11, on another stream, reads"),
    ),
    "both write": (
        (START, "put<<<1, 32, 0, stream>>>(y, 1);", "put<<<1, 32, 0, mine>>>(y, 1);", END),
        (12, 11, "writes y[0]"),
    ),
    "zeroed too late": (
        (START, "cudaMemsetAsync(z, 0, 4, mine);", "total<<<1, 32, 0, stream>>>(x, z);", END),
        (12, 11, "z[0], which that of line 11, on another stream, writes"),
    ),
    "copied too early": (
        (START, "put<<<1, 32, 0, stream>>>(y, 1);",
         "cudaMemcpyAsync(z, y, 128, cudaMemcpyDeviceToDevice, mine);", END),
        (12, 11, "reads y[0]"),
    ),
    "a constant of a kernel that may run": (
        (START, "look<<<1, 32, 0, stream>>>(z);",
         "cudaMemcpyToSymbolAsync(table, x, 128, 0, cudaMemcpyDeviceToDevice, mine);", END),
        (12, 11, "writes table[0], which that of line 11, on another stream, reads"),
    ),
    "a constant that may not be there": (
        (START, "cudaMemcpyToSymbolAsync(table, x, 128, 0, cudaMemcpyDeviceToDevice, mine);",
         "look<<<1, 32, 0, stream>>>(z);", END),
        (12, 11, "reads table[0]"),
    ),
    "an event too early": (
        ("put<<<1, 32, 0, stream>>>(y, 1);", START, "put<<<1, 32, 0, stream>>>(y, 2);",
         "twice<<<1, 32, 0, mine>>>(y, z);", END),
        (13, 12, "reads y[0]"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("lines",), long_tail([(each,) for each in ORDERED.values()], every=4), ids=ORDERED)
def test_streams_that_wait_for_each_other(run_kernel, lines):
    assert pair(run_kernel, *lines) == []


@pytest.mark.parametrize(("lines", "expected"), long_tail(UNORDERED.values(), every=4), ids=UNORDERED)
def test_work_that_does_not_wait_for_what_it_needs_is_a_race(run_kernel, lines, expected):
    ((line, other, message),) = pair(run_kernel, *lines)
    assert (line, other) == expected[:2] and expected[2] in message
    assert f"cudaStreamWaitEvent(yours, event) above line {line}" in message


@pytest.mark.parametrize(
    "early",
    [
        "twice<<<1, 32, 0, mine>>>(x, z);",
        "cudaEventRecord(before, mine); cudaStreamWaitEvent(mine, before); twice<<<1, 32, 0, mine>>>(x, z);",
        "cudaStreamWaitEvent(mine, before); cudaEventRecord(before, stream); twice<<<1, 32, 0, mine>>>(x, z);",
    ],
)
def test_work_that_does_not_wait_for_the_inputs_is_a_race(run_kernel, early):
    ((line, _, message),) = pair(run_kernel, early, END)
    assert (
        line == 10
        and "may begin before the inputs are there" in message
        and "cudaEventRecord(event, stream)" in message
    )


def test_a_function_of_the_host_in_a_stream(run_kernel):
    source = """
static int heard;
void CUDART_CB hears(void* how_often) { ++*static_cast<int*>(how_often); }
__global__ void put(float* z, int value) { z[threadIdx.x] = value; }
extern "C" void f(float* z, cudaStream_t stream) {
    cudaLaunchHostFunc(stream, hears, &heard);
    cudaStreamSynchronize(stream);
    put<<<1, 32, 0, stream>>>(z, heard);
}
"""
    left, case = run_kernel(source, "void f(float* z, cudaStream_t stream)", z=np.zeros(32, np.float32))
    assert not case.findings and left["z"].min() == left["z"].max() >= 1


ON_STREAMS = [
    ("cudaMemset(z, 0, 128);", True),
    ("cudaMemsetAsync(z, 0, 128);", True),
    ("cudaMemcpyAsync(z, z + 16, 64, cudaMemcpyDeviceToDevice);", True),
    ("cudaMemcpyAsync(z, z + 16, 64, cudaMemcpyDeviceToDevice, stream);", False),
    ("float h[4]; cudaMemcpy(h, z, 16, cudaMemcpyDeviceToHost);", False),  # the host waits for it
]


@pytest.mark.parametrize(("body", "is_told"), long_tail(ON_STREAMS, every=4))
def test_work_on_the_default_stream_is_noted(run_kernel, body, is_told):
    source = KERNEL.format(body=body + WORK + "cudaStreamSynchronize(mine);")
    source = source.replace("cudaStreamCreate(&mine)", "mine = stream").replace("cudaEventRecord(before, stream);", "")
    source = source.replace("cudaStreamWaitEvent(mine, before);", "")
    _, case = run_kernel(source, "void f(float* z, cudaStream_t stream)", z=np.zeros(32, np.float32))
    notes = [finding for finding in case.findings if finding.kind == "other_stream"]
    assert [finding.severity for finding in notes] == ["note"] * is_told
    assert not notes or "write cudaMemcpyAsync or cudaMemsetAsync, with `stream`" in notes[0].message
