"""A modelled time in one line. It is never called measured, and always told with its card and its band."""

from __future__ import annotations

from grader.judge.verdict import Position
from grader.model.cause import WORDS
from grader.model.times import ModelledTime
from grader.model.withheld import WIDE
from grader.report.words import percent

ALIKE = 1.1  # rungs measured closer together are not compared in docs/model.md
LEAST = 0.05  # of the whole: less is not told

_UNITS = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"))


def modelled_words(time: ModelledTime, here: Position) -> str:
    """`modelled on an H200: 0.9–1.2 ms, bound by shared memory (line 31) · the course's rung 6: 0.27 ms, modelled`"""
    unsure = "" if time.measured else " (unmeasured: from its data sheet)"
    line = f"modelled on an {time.card_name}{unsure}: {range_text(time.low_us, time.high_us)}, bound by {time.words}"
    return line + _of_course(time, here)


def pace_words(time: ModelledTime, before_us: float | None) -> str:
    """`modelled on an H200: 0.9–1.2 ms, 1.4 times as fast as the last right save`; without `before_us` the time alone.

    What differs by less than a tenth, the model cannot tell apart.
    """
    words = f"modelled on an {time.card_name}: {range_text(time.low_us, time.high_us)}"
    if not before_us:
        return words
    ratio = before_us / time.median_us
    if ratio > ALIKE:
        return f"{words}, {_digits(ratio)} times as fast as the last right save"
    if ratio < 1 / ALIKE:
        return f"{words}, {_digits(1 / ratio)} times as slow as the last right save"
    return f"{words}, about as fast as the last right save"


def doubt_words(time: ModelledTime, stars: int, rung: int) -> str:
    """What a GPU would say to stars that counts alone have given for a rung: one sentence; "" if it would agree.

    A model of times is a rough one: it doubts where a kernel is modelled at more than twice the time of the rung.
    """
    of_rung = next((us for name, us in time.rungs_us.items() if name.startswith(f"{rung}_")), None)
    if stars < 2 or not of_rung or time.median_us <= WIDE * of_rung:
        return ""
    times = _digits(time.median_us / of_rung)
    return (
        f"{'★' * stars} are for what was counted; an {time.card_name} would hardly give them: "
        f"this is modelled at {times} times the course's rung {rung}"
    )


def split_words(time: ModelledTime) -> list[str]:
    """Two lines: how long each part of the card is busy, and which lines have most of what binds."""
    busy = [f"{WORDS[name]} {range_text(us, us)}" for name, us in time.terms_us.items() if us > LEAST * time.median_us]
    costliest = sorted(time.lines.items(), key=lambda line: -line[1])[:3]
    lines = [f"line {line}: {percent(share)}" for line, share in costliest if share > LEAST]
    told = [f"busy, one beside the other: {', '.join(busy)}"] if busy else []
    return told + ([f"of {WORDS[time.bound]}: {', '.join(lines)}"] if lines else [])


def _of_course(time: ModelledTime, here: Position) -> str:
    number = min(here.rung + 1, here.rungs)
    us = next((us for name, us in time.rungs_us.items() if name.startswith(f"{number}_")), None)
    return f" · the course's rung {number}: {range_text(us, us)}" if us else ""


def range_text(low_us: float, high_us: float) -> str:
    size, unit = next(((size, unit) for size, unit in _UNITS if high_us >= size), _UNITS[-1])
    low, high = _digits(low_us / size), _digits(high_us / size)
    return f"{low} {unit}" if low == high else f"{low}–{high} {unit}"


def _digits(number: float) -> str:
    """Two digits are as many as a model has: `0.27`, `3.9`, `120`."""
    return f"{float(f'{number:.2g}'):g}"
