"""Stars that are withheld: a kernel has them by what was counted, and would be too slow for them on a card.

Counters do not see all that a card punishes: idle multiprocessors, barriers, atomics that meet, banks. So before a
right kernel gets more than one star from the emulator, its time is modelled and held against what the timed goals of
the star's rung allow: benchmarks/results/CARD/stars.json has that in modelled time, too, which cancels most of the
model's errors. A star is withheld only where the time is more than twice that. The model goes without nvcc's machine
code here, whether it is there or not, so that stars are the same on every machine. What was sampled for that is kept
for the modelled time that is told after the verdict (times.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from grader.course.catalog import Entry
from grader.course.lesson import Task
from grader.devices.submission import Submission
from grader.judge.verdict import TaskGrade
from grader.model.card import Card
from grader.model.times import LIMITS, NO_SAMPLE, Sample, from_sample, measured_cards, results_of, sampled

WIDE = 2.0  # times what a timed goal allows: the model is surer than that of nearly all kernels of the course


@dataclass(frozen=True)
class Limit:
    """What a star needs on a card: the rung whose timed goals earn it, and the modelled µs that they allow."""

    rung: int
    us: float


def limits(root: Path, card: Card, task: Task) -> dict[int, Limit]:
    """By star, from the second; none if the file is not there, or is for another case of the task."""
    case = task.timed_case
    try:
        known = json.loads((results_of(root, card) / LIMITS).read_text())["tasks"][task.name]
        if case is None or known["case"] != case.name:
            return {}
        return {int(star): Limit(int(each["rung"]), float(each["us"])) for star, each in known["stars"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def earned(us: float, most: int, needed: Mapping[int, Limit]) -> int:
    """Of at most so many stars of a right kernel those that its modelled time leaves it: one, or more."""
    slow = (star for star, limit in needed.items() if us > WIDE * limit.us)
    return min([most, *(star - 1 for star in slow)])


def withhold(entry: Entry, task: Task, submission: Submission, found: TaskGrade) -> Sample | None:
    """Takes back what stars of an emulated grade the first card that knows the task would not give, and says why.

    Nothing is taken from a kernel that cannot be sampled. Returns what was sampled for that, if anything was. Raises
    UsageError, NotGraded, Cancelled.
    """
    case = task.timed_case
    if found.status != "passed" or found.stars < 2 or case is None:
        return None
    known = ((card, limits(entry.root, card, task)) for card in measured_cards(entry.root))
    card, needed = next((each for each in known if each[1]), (None, {}))
    if card is None:
        return None
    submission.on_progress(f"modelling {task.name}")
    sample = sampled(task, case, card, submission)
    with suppress(*NO_SAMPLE):
        time = from_sample(entry.root, card, sample or {}, task)
        stars = earned(time.median_us, found.stars, needed)
        if stars < found.stars:
            lost, limit = [star for star in needed if stars < star <= found.stars], needed[stars + 1]
            found.withheld = (
                f"{' and '.join('★' * star for star in lost)} withheld: modelled on an {card.name}, this takes "
                f"{time.median_us / limit.us:.2g} times as long as the timed goals of rung {limit.rung} allow, "
                f"bound by {time.words}"
            )
            found.stars = stars
    return sample
