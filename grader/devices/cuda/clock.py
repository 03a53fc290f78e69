"""Measuring time: what samples say, when there are enough of them, and whether two clocks tell the same.

Pure arithmetic on microseconds, but for JudgeClock, which times what runs in the judge's own process.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

LEAST_SAMPLES = 10
LEAST_GPU_SECONDS = 0.5
QUIET = 0.005  # relative noise below which no more samples are needed
STABLE = 0.0025  # how far the median may have moved since half of the samples, if it is noisy
TOO_NOISY = 0.03  # noise of an unstable measurement that is no result
CLOCKS_AGREE = 0.02
# What the judge's clock sees besides the kernels, once for each batch: messages, a first launch, a last wait, and the
# GPU's turn from one process to the other, which takes most of it. Measured on an H200: 1.1 ms.
BATCH_OVERHEAD_US = 2000.0
LAUNCH_US = 20.0  # shorter kernels wait for the host, so that the judge's clock measures the host


@dataclass(frozen=True)
class Summary:
    """Samples in short: `noise` is the distance between the quartiles, relative to the median."""

    median_us: float
    noise: float
    samples: int


def summarize(samples: Sequence[float]) -> Summary:
    """Of one sample the noise is unknown and counts as 1."""
    median = statistics.median(samples)
    if len(samples) < 2:
        return Summary(median, 1.0, len(samples))
    low, _, high = statistics.quantiles(samples, n=4, method="inclusive")
    return Summary(median, (high - low) / median, len(samples))


def is_stable(samples: Sequence[float]) -> bool:
    """Quiet, or the median has not moved since half of the samples were there."""
    whole = summarize(samples)
    half = statistics.median(samples[: max(len(samples) // 2, 1)])
    return whole.noise < QUIET or abs(whole.median_us - half) < STABLE * whole.median_us


def is_enough(samples: Sequence[float], gpu_seconds: float) -> bool:
    """The stop rule. `gpu_seconds` is the time of all samples of all contenders together."""
    return len(samples) >= LEAST_SAMPLES and gpu_seconds >= LEAST_GPU_SECONDS and is_stable(samples)


def is_too_noisy(samples: Sequence[float]) -> bool:
    """Whether it was stopped for want of time, and means nothing."""
    return not is_stable(samples) and summarize(samples).noise > TOO_NOISY


@dataclass(frozen=True)
class Batch:
    """`runs` runs in a row, and how long they took by the judge's wall clock, in microseconds."""

    runs: int
    wall_us: float


def wall_slope(short: Sequence[Batch], long: Sequence[Batch]) -> float:
    """Microseconds for each further run. The shortest of each kind counts: all that disturbs makes them longer."""
    few, many = (min(batches, key=lambda batch: batch.wall_us) for batches in (short, long))
    return (many.wall_us - few.wall_us) / (many.runs - few.runs)


def clocks_disagree(event_us: float, short: Sequence[Batch], long: Sequence[Batch]) -> float | None:
    """The judge's microseconds for a run if they are more than what the events say; None if the clocks agree.

    The slope leaves out what comes with every batch. It alone would believe a worker that dawdles over the short
    batches; the averages do not. Less than the events say is no wonder: these runs follow each other without a pause.
    """
    if event_us < LAUNCH_US:
        return None
    allowed = (1 + CLOCKS_AGREE) * event_us
    slope = wall_slope(short, long)
    if slope > allowed:
        return slope
    for batches in (short, long):
        best = min(batches, key=lambda batch: batch.wall_us)
        if best.wall_us > best.runs * allowed + BATCH_OVERHEAD_US:
            return best.wall_us / best.runs
    return None


# Flushing keeps the GPU busy while the host prepares what is timed, so that no launch is late: 0.3 ms on an H200, where
# a function of torch takes the host up to 0.1 ms.
FLUSHES = 8


class JudgeClock:
    """Times a function of torch as the worker times a kernel: L2 flushed, between two events."""

    def __init__(self, l2_bytes: int):
        import torch

        self._flush = torch.empty(2 * l2_bytes, dtype=torch.uint8, device="cuda")
        self._start: torch.cuda.Event = torch.cuda.Event(enable_timing=True)
        self._stop: torch.cuda.Event = torch.cuda.Event(enable_timing=True)

    def once(self, call: Callable[[], object]) -> float:
        """Microseconds of one call."""
        for _ in range(FLUSHES):
            self._flush.zero_()
        self._start.record()
        call()
        self._stop.record()
        self._stop.synchronize()
        return 1000.0 * self._start.elapsed_time(self._stop)
