"""`ladder run`: the time between two events can be had when host code has waited for the last one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """
#include <cstdio>
__global__ void add(float* x) { x[threadIdx.x] += 1; }
int main() {
    float *x, *pinned, h[32], ms = -1;
    cudaEvent_t a, b;
    cudaStream_t s;
    cudaMalloc(&x, sizeof h), cudaMallocHost(&pinned, sizeof h), cudaMemset(x, 0, sizeof h);
    cudaEventCreate(&a), cudaEventCreate(&b), cudaStreamCreate(&s);
    cudaEventRecord(a, s);
    add<<<1, 32, 0, s>>>(x);
    COPY;
    cudaEventRecord(b, s);
    WAIT;
    cudaError_t error = cudaEventElapsedTime(&ms, a, b);
    printf("%d %d\\n", error, ms >= 0);
    cudaStreamSynchronize(s);
    cudaFree(x), cudaFreeHost(pinned), cudaEventDestroy(a), cudaEventDestroy(b), cudaStreamDestroy(s);
}
"""
WAITS = [
    "cudaEventSynchronize(b)",
    "cudaStreamSynchronize(s)",
    "cudaDeviceSynchronize()",
    "while (cudaEventQuery(b) == cudaErrorNotReady) {}",
    "while (cudaStreamQuery(s) != cudaSuccess) {}",
    "cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost)",
    "cudaMemcpyAsync(h, x, sizeof h, cudaMemcpyDeviceToHost, s)",  # to memory that is not page-locked
]
NO_WAITS = [
    "",
    "cudaEventSynchronize(a)",
    "cudaStreamWaitEvent(0, b)",
    "cudaStreamQuery(s)",  # a look, which waits for nothing
    "cudaEventQuery(b)",
    "cudaMemcpyAsync(pinned, x, sizeof h, cudaMemcpyDeviceToHost, s)",
]
COPIED_TO = [("h", True), ("pinned", False)]


def run(folder: Path, wait: str, copy: str = "") -> str:
    (folder / "t.cu").write_text(PROGRAM.replace("COPY", copy).replace("WAIT", wait))
    done = run_ladder(folder, "run", "t.cu")
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize("wait", long_tail(WAITS, every=12))
def test_behind_a_wait_there_is_a_time(tmp_path, wait):
    said = run(tmp_path, wait)
    assert said.startswith("0 1 ") and "no findings" in said, said


@pytest.mark.parametrize("wait", long_tail(NO_WAITS, every=8))
def test_without_one_there_is_none_and_that_is_told(tmp_path, wait):
    said = run(tmp_path, wait)
    assert said.startswith("600 0 ") and "1. wrong call t.cu:15" in said, said
    assert "gives no time: call cudaEventSynchronize for the last event first" in said


@pytest.mark.parametrize(("to", "is_over"), long_tail(COPIED_TO, every=4))
def test_a_copy_to_memory_that_is_not_page_locked_is_over_when_the_call_returns(tmp_path, to, is_over):
    said = run(tmp_path, "cudaEventSynchronize(a)", f"cudaMemcpyAsync({to}, x, sizeof h, cudaMemcpyDeviceToHost, s)")
    assert ("no findings" in said) == is_over, said


def test_an_event_that_was_made_without_one_has_no_time(tmp_path):
    made = "cudaEventCreateWithFlags(&b, cudaEventDisableTiming)"
    said = run(tmp_path, f"cudaEventDestroy(b), {made}, cudaEventRecord(b, s), cudaEventSynchronize(b)")
    assert said.startswith("400 0 ") and "1. wrong call t.cu:15 one of these two events has no time" in said, said


def test_nor_has_one_that_was_never_recorded(tmp_path):
    said = run(tmp_path, "cudaEventSynchronize(b), cudaEventDestroy(a), cudaEventCreate(&a)")
    assert said.startswith("400 0 ") and "for no cudaEventRecord has met it" in said, said


def test_a_stream_is_ready_until_it_has_got_work(tmp_path):
    ask = "cudaStreamQuery(s), cudaStreamQuery(0)"
    text = "#include <cstdio>\nint main() { cudaStream_t s; cudaStreamCreate(&s); int said[] = {ASK, WORK, ASK};\n"
    text += 'for (int each : said) printf("%d ", each); cudaStreamDestroy(s); }\n'
    work = "cudaMemsetAsync(([] { static void* x; return cudaMalloc(&x, 4), x; })(), 0, 4, s)"
    (tmp_path / "t.cu").write_text(text.replace("ASK", ask).replace("WORK", work))
    assert run_ladder(tmp_path, "run", "t.cu").stdout.startswith("0 0 0 600 600 ")


BETWEEN = """
#include <cstdio>
__global__ void add(float* x) { x[threadIdx.x] += 1; }
int main() {
    float *x, ms;
    cudaEvent_t a, b, c;
    cudaStream_t s, t;
    cudaMalloc(&x, 128), cudaMemset(x, 0, 128);
    cudaEventCreate(&a), cudaEventCreate(&b), cudaEventCreate(&c);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaStreamCreate(&t);
    add<<<1, 32, 0, s>>>(x);
    cudaDeviceSynchronize();
    cudaEventRecord(a, FIRST);
    add<<<1, 32, 0, ON>>>(x);
    BEHIND;
    cudaEventRecord(b, LAST);
    cudaDeviceSynchronize();
    cudaEventElapsedTime(&ms, a, b);
    cudaFree(x), cudaEventDestroy(a), cudaEventDestroy(b), cudaEventDestroy(c), cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}
"""
GRAPH = """cudaGraph_t g; cudaGraphExec_t e; cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 32, 0, s>>>(x); cudaStreamEndCapture(s, &g); cudaGraphInstantiate(&e, g, 0); cudaGraphLaunch(e, t);
    cudaGraphDestroy(g); cudaGraphExecDestroy(e)"""
TIMED = [
    ("0", "s", "", "0", False),
    ("t", "s", "", "t", False),
    ("s", "s", "", "s", True),
    ("0", "t", "", "0", True),
    ("t", "0", "", "t", True),
    ("0", "s", "cudaStreamSynchronize(s)", "0", True),
    ("0", "s", "cudaEventRecord(c, s), cudaStreamWaitEvent(0, c)", "0", True),
    ("t", "s", "cudaStreamSynchronize(s), add<<<1, 32, 0, t>>>(x)", "t", True),
    ("t", "s", "cudaStreamSynchronize(s); " + GRAPH, "t", True),
    ("0", "s", "", "s", True),
]


@pytest.mark.slow
@pytest.mark.parametrize(("first", "on", "behind", "last", "times"), long_tail(TIMED, every=10, slow=2))
def test_two_events_around_work_of_another_stream_time_nothing(tmp_path, first, on, behind, last, times):
    words = {"FIRST": first, "ON": on, "BEHIND": behind, "LAST": last}
    text = BETWEEN
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    (tmp_path / "t.cu").write_text(text)
    done = run_ladder(tmp_path, "run", "t.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert "no findings" in said and (NOTHING in said) != times, said


NOTHING = "has nothing to do with the work of line 14, which runs on another stream"
