"""Times that no honest kernel has. Each function raises Refused, with one sentence that says why."""

from __future__ import annotations

from grader.devices.cuda.clock import Summary
from grader.judge.timing.timed_sets import Refused

FRESH_AGREES = 0.03
FRESH_JITTER_US = 2.0  # of a run that is launched by itself
LATE_SHARE = 0.25  # of the time of a batch, that something may still run when it is said to be done ...
LATE_US = 500.0  # ... and this much more
FLOOR = 1.3  # nothing moves bytes this many times as fast as a copy; reading alone can be a little faster
ON_THE_STREAM = "All work must be on the stream that is handed over, and must be done when that is done."


def refuse_wonder(us: float, moved: int, copy_rate: float) -> None:
    """A run that moves its bytes faster than this card can, at so many bytes a second."""
    floor = moved / (FLOOR * copy_rate) * 1e6
    if us < floor:
        said = f"{us:.1f} us is too good to be true: moving {moved / 1e6:,.0f} MB takes this card {floor:.1f} us."
        raise Refused("impossible_speed", said)


def refuse_memory(fresh: Summary, seen: Summary, in_a_row_us: float, jitter_us: float) -> None:
    """Runs that are faster on inputs that were seen before, one by one and `in_a_row`.

    New inputs and what is expected of them are computed just before a run on them. An H100 is hot then, as it is after
    other runs, and both take 5 % longer than a run by itself.
    """
    known_us = max(seen.median_us, in_a_row_us)
    if fresh.median_us > (1 + FRESH_AGREES + max(fresh.noise, seen.noise)) * known_us + jitter_us:
        raise Refused(
            "impossible_speed",
            f"A run takes {fresh.median_us:.1f} us on new inputs and {known_us:.1f} us on those seen before: "
            "it must not remember anything from one run to the next.",
        )


def refuse_contradiction(events_us: float, wall_us: float, most_us: float) -> None:
    """Runs that take longer by the judge's clock than by the submission's events, by more than this."""
    if wall_us - events_us > most_us:
        raise Refused(
            "impossible_speed",
            f"Two clocks disagree: {events_us:.1f} us a run by the events in the submission's process, but "
            f"{wall_us:.1f} us by the judge's own. {ON_THE_STREAM}",
        )


def refuse_late_work(late_us: float, events_us: float, runs: int) -> None:
    """Work that a thread puts on the GPU when the answer has come: it delays the check of the outputs by so much.

    Even without it the first check takes up to 50 us longer for each set.
    """
    if late_us > LATE_SHARE * events_us * runs + LATE_US:
        raise Refused(
            "impossible_speed",
            f"Runs that take {events_us:.1f} us go on for {late_us / runs:.1f} us when they are said to be done. "
            f"{ON_THE_STREAM}",
        )
