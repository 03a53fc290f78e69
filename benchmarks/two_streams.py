"""Lesson 07's two gradients one after the other, on two streams, and each alone, on this machine's GPU.

    python -m benchmarks.two_streams > benchmarks/results/h200/two_streams.json

Rungs with a kernel for each gradient are changed so that the second one runs on a stream of its own. Events make that
stream wait for the inputs, and the given one for the result. A time is the lowest of 30, each of 20 calls in a row:
whatever else uses the GPU meanwhile only ever adds to it.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Callable

import torch

from grader.faces.notebook import load, show

RUNGS = ("1_one_thread", "4_register_tiles", "6_pipeline")
SIZES = (16, 32, 64, 128, 256, 512)
BATCH = 8
RUNS, CALLS, WARM_UP = 30, 20, 10
LAUNCH = r"^    gradient_of_{}<<<.*?;$"
FORK = """
    static cudaStream_t other = nullptr;
    static cudaEvent_t begun = nullptr, done = nullptr;
    if (!other) {
        cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    }
    cudaEventRecord(begun, stream);
    cudaStreamWaitEvent(other, begun, 0);
"""
JOIN = "\n    cudaEventRecord(done, other);\n    cudaStreamWaitEvent(stream, done, 0);"
FORWARD = """
extern "C" void log_bmm(const float* a, const float* b, float* out, int batch, int n, int m, int p,
                        cudaStream_t stream) {}
"""


def variants(text: str) -> dict[str, str]:
    """A backward rung as it is, on two streams, and with one of its two launches."""
    a, b = (re.search(LAUNCH.format(which), text, re.MULTILINE | re.DOTALL)[0] for which in "ab")  # type: ignore[index]
    both, two = f"{a}\n{b}", FORK + a + "\n" + b.replace("stream>>>", "other>>>") + JOIN
    found = {"one_stream": both, "two_streams": two, "a_alone": a, "b_alone": b}
    return {name: text.replace(both, launches) + FORWARD for name, launches in found.items()}


def lowest_us(call: Callable[[], None]) -> float:
    """Microseconds of one call."""
    found = []
    for _ in range(RUNS + WARM_UP):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(CALLS):
            call()
        stop.record()
        stop.synchronize()
        found.append(1000 * start.elapsed_time(stop) / CALLS)
    return round(min(found[WARM_UP:]), 1)


def main() -> None:
    if not torch.cuda.is_available():
        sys.exit("two_streams: there is no GPU here")
    rows = []
    for rung in RUNGS:
        text = show("07", f"log_bmm_backward/{rung}").text
        kernels = {name: load("07", each).log_bmm_backward for name, each in variants(text).items()}
        for n in SIZES:
            a, b, grad_out = (torch.randn(BATCH, n, n, device="cuda") for _ in range(3))
            out = (a[..., None] + b[:, None]).logsumexp(2)
            given = (a, b, out, grad_out, torch.empty_like(a), torch.empty_like(b), BATCH, n, n, n)
            times = {name: lowest_us(functools.partial(kernel, *given)) for name, kernel in kernels.items()}
            rows.append({"rung": rung, "n": n, **times})
    device = torch.cuda.get_device_name()
    print(json.dumps({"device": device, "batch": BATCH, "runs": RUNS, "calls": CALLS, "results": rows}, indent=1))


if __name__ == "__main__":
    main()
