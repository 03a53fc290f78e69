"""What a capture into a graph forbids, and the order of what allocates and frees on a stream."""

from __future__ import annotations

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

HEAD = """
__global__ void k(int* x) { x[threadIdx.x] += 1; }
int main() {
    int *x, *y = nullptr, h[32] = {};
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, FLAGS);
    cudaStreamCreate(&t);
    cudaEventCreate(&e);
"""
CAPTURE = """
    cudaMalloc(&x, 128);
    cudaMemset(x, 0, 128);
    cudaDeviceSynchronize();
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeMODE);
    k<<<1, 32, 0, s>>>(x);
    cudaError_t call = cudaSuccess;
    BODY;
    cudaError_t end = cudaStreamEndCapture(s, &graph);
    if (graph) {
        cudaGraphInstantiate(&made, graph, 0);
        cudaGraphLaunch(made, s);
        cudaStreamSynchronize(s);
        cudaGraphExecDestroy(made);
        cudaGraphDestroy(graph);
    }
    cudaMemcpy(h, x, 128, cudaMemcpyDeviceToHost);
    printf("%d %d %d\\n", call, end, h[5]);
    cudaGetLastError();
    cudaFree(x);
    cudaFree(y);
}
"""


def run(folder, text: str, **words: str) -> str:
    for name, value in words.items():
        text = text.replace(name.upper(), value)
    (folder / "p.cu").write_text(text)
    done = run_ladder(folder, "run", "p.cu")
    return " ".join((done.stdout + done.stderr).split())


# The errors are those of an H200 with CUDA 13.0.
FORBIDDEN = [
    (
        "0",
        "Global",
        "call = cudaStreamSynchronize(s)",
        "900 901 0",
        "p.cu:19 host code cannot wait for a stream",
    ),
    (
        "0",
        "Relaxed",
        "call = cudaDeviceSynchronize()",
        "900 901 0",
        "p.cu:19 host code cannot wait for a stream",
    ),
    ("0", "Global", "call = cudaMalloc(&y, 64)", "900 901 0", "p.cu:19 memory is neither allocated nor freed"),
    ("1", "ThreadLocal", "call = cudaFree(y)", "900 901 0", "memory is neither allocated nor freed"),
    ("0", "Relaxed", "call = cudaMemset(x, 0, 4)", "906 901 0", "p.cu:19 the default stream, which is that of"),
    ("0", "Global", "k<<<1, 32>>>(x); call = cudaGetLastError()", "906 901 0", "the default stream, which is"),
    ("0", "Global", "", "0 0 1", ""),
    ("1", "Global", "int h2; call = cudaMemcpy(&h2, x, 4, cudaMemcpyDeviceToHost)", "0 0 1", ""),
    ("0", "Relaxed", "call = cudaMalloc(&y, 64)", "0 0 1", ""),
]


@pytest.mark.parametrize(("flags", "mode", "body", "prints", "told"), long_tail(FORBIDDEN, every=16, slow=6))
@pytest.mark.slow
def test_a_call_that_a_capture_forbids_fails_and_so_does_its_end(tmp_path, flags, mode, body, prints, told):
    said = run(tmp_path, HEAD + CAPTURE, flags=flags, mode=mode, body=body)
    assert said.startswith(f"{prints} ") and (f"{told}" in said if told else "no findings" in said), said


ALLOCATE = """
    cudaMallocAsync(&x, 128, s);
    BETWEEN;
    cudaMemsetAsync(x, 0, 128, t);
    k<<<1, 32, 0, t>>>(x);
    BEHIND;
    cudaFreeAsync(x, s);
    cudaDeviceSynchronize();
}
"""
RECORD = "cudaEventRecord(e, {0}); cudaStreamWaitEvent({1}, e, 0)"


ORDERS = [
    (RECORD.format("s", "t"), RECORD.format("t", "s"), ""),
    ("cudaStreamSynchronize(s)", "cudaStreamSynchronize(t)", ""),
    ("cudaStreamSynchronize(s)", "", "the cudaFreeAsync of line 16 frees x"),
    ("", "cudaDeviceSynchronize()", "which the cudaMallocAsync of line 11 gives on another stream"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("between", "behind", "told"), long_tail(ORDERS, every=6))
def test_what_a_stream_allocates_is_there_behind_it_and_is_freed_behind_its_uses(tmp_path, between, behind, told):
    said = run(tmp_path, HEAD + ALLOCATE, flags="0", between=between, behind=behind)
    assert (told in said) if told else "no findings" in said, said


@pytest.mark.parametrize(
    ("wait", "told"), long_tail([("cudaDeviceSynchronize()", "no findings"), ("", "and the default stream")], every=4)
)
def test_a_stream_that_waits_for_nothing_may_come_before_a_memset(tmp_path, wait, told):
    body = f"cudaMalloc(&x, 128); cudaMemset(x, 0, 128); {wait}; k<<<1, 32, 0, s>>>(x); cudaStreamSynchronize(s);"
    assert told in run(tmp_path, f"{HEAD}{body} cudaFree(x); }}", flags="cudaStreamNonBlocking")
