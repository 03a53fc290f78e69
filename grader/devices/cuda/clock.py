"""Measuring time: what samples say, when there are enough of them, and whether two clocks tell the same.

Pure arithmetic on microseconds, but for JudgeClock, which times what runs in the judge's own process.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

LEAST_SAMPLES = 10
LEAST_GPU_SECONDS = 0.5
QUIET = 0.005  # relative noise below which no more samples are needed
STABLE = 0.0025  # how far the median may have moved since half of the samples, if it is noisy
TOO_NOISY = 0.03  # noise of an unstable measurement that is no result
WILD = 0.5  # noise that is no result, however stable it looks
CLOCKS_AGREE = 0.02
DOUBT = 3.0  # standard errors within which two clocks agree
BATCH_US = 500.0  # that a batch of runs may take longer than an empty one and the runs
QUARTILES = 1.35  # sigmas from one quartile of the normal distribution to the other


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
    """Whether it was stopped for want of time and means nothing, or is stable by chance."""
    noise = summarize(samples).noise
    return noise > WILD or (noise > TOO_NOISY and not is_stable(samples))


@dataclass
class Batches:
    """The judge's wall clock, in microseconds, for batches of `runs` runs, of `fewer`, and of none."""

    runs: int
    fewer: int
    full: list[float] = field(default_factory=list)
    half: list[float] = field(default_factory=list)
    empty: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)  # of the full ones, by the submission's own events

    @property
    def events_us(self) -> float:
        """What a run of a full batch takes by the events."""
        return statistics.median(self.told) / self.runs

    @property
    def slope(self) -> tuple[float, float]:
        """What each further run takes, and the standard error of that.

        What comes with every batch of runs cancels: messages, flushing, a last wait, the GPU's turn from one process to
        the other. It varies by some 100 us on an H200, so medians are compared; the error is that of the median of
        normal numbers, 1.25 sigma / sqrt(n), with sigma from the quartiles.
        """
        many, few = summarize(self.full), summarize(self.half)
        errors = [1.25 * each.noise * each.median_us / QUARTILES / math.sqrt(each.samples) for each in (many, few)]
        more = self.runs - self.fewer
        return (many.median_us - few.median_us) / more, math.hypot(*errors) / more

    @property
    def least(self) -> float:
        """What a run takes at least, whatever a submission does to make the small batches slow: in an empty one it does
        nothing. That costs less than one of runs, by up to 280 us on an H200.
        """
        return (statistics.median(self.full) - statistics.median(self.empty) - BATCH_US) / self.runs


def contradicted(event_us: float, batches: Batches) -> float | None:
    """The microseconds of a run by the wall clock if that certainly sees more than the events; None if they agree.

    Less than the events see is no wonder, as runs in a batch follow each other without a pause.
    """
    slope, error = batches.slope
    sure = [slope] if slope - DOUBT * error > (1 + CLOCKS_AGREE) * event_us else []
    sure += [batches.least] if batches.least > (1 + CLOCKS_AGREE) * event_us else []
    return max(sure, default=None)


def captured(calls: Sequence[Callable[[], object]]) -> Callable[[], object] | None:
    """Functions of torch in a row as one CUDA graph: what runs it; None if one of them cannot be captured."""
    import torch

    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            for call in calls:
                call()
    except RuntimeError:  # it waits for the GPU, for one
        torch.cuda.synchronize()
        return None
    return graph.replay


# Flushing keeps the GPU busy while the host prepares what is timed, so that no launch is late: 0.3 ms on an H200, where
# a function of torch takes the host up to 0.1 ms.
FLUSHES = 8


class JudgeClock:
    """Times a function of torch as the worker times a kernel: L2 flushed, between two events."""

    def __init__(self, l2_bytes: int, flushes: int = FLUSHES):
        import torch

        self._flushes = flushes
        self._flush = torch.empty(2 * l2_bytes, dtype=torch.uint8, device="cuda")
        self._start: torch.cuda.Event = torch.cuda.Event(enable_timing=True)
        self._stop: torch.cuda.Event = torch.cuda.Event(enable_timing=True)

    def once(self, call: Callable[[], object]) -> float:
        """Microseconds of one call."""
        for _ in range(self._flushes):
            self._flush.zero_()
        self._start.record()
        call()
        self._stop.record()
        self._stop.synchronize()
        milliseconds: float = self._start.elapsed_time(self._stop)
        return 1000.0 * milliseconds
