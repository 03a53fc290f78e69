"""Which rungs and mistakes of the lessons are graded at every run of the tests, and which with the long tail.

Other tables that want a grade of a kernel of the course choose among these: each file is then graded once.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.course.catalog import Entry, entries
from grader.course.mistake import Mistake

ROOT = Path(__file__).parents[2]
LESSONS = [entry for entry in entries(ROOT) if not entry.puzzles]  # those have a test of their own: test_first_steps.py
RUNGS = [(entry, rung) for entry in LESSONS for rung in entry.rungs]
MISTAKES = [(entry, mistake) for entry in LESSONS for mistake in entry.mistakes]
LONG = 3  # from this lesson on a kernel takes the emulator a second, or several: the whole of the tests has them all
RUNGS_APART, MISTAKES_APART = 18, 32  # of a long lesson: those that run with SLOW=1

Chosen = Callable[[Entry, Any], bool]


def named(pairs: list[tuple[Entry, Any]], is_fast: Chosen, is_slow: Chosen) -> dict:
    """The arguments of parametrize for (entry, kernel) pairs: with readable names; what is neither fast nor slow runs
    where the whole is asked for.
    """
    marks = [() if is_fast(*pair) else pytest.mark.slow if is_slow(*pair) else pytest.mark.whole for pair in pairs]
    values = [pytest.param(*pair, marks=mark) for pair, mark in zip(pairs, marks, strict=True)]
    return {"argvalues": values, "ids": [f"{entry.name}-{Path(kernel.name).stem}" for entry, kernel in pairs]}


def a_rung_is_fast(entry: Entry, rung: Path) -> bool:
    """Of the first lesson the lowest and the highest."""
    return entry.number == 1 and rung in (entry.rungs[0], entry.reference)


def a_rung_is_slow(entry: Entry, rung: Path) -> bool:
    """Of a short lesson all, of a long one the lowest and a few above it."""
    return entry.number < LONG or entry.rungs.index(rung) % RUNGS_APART == 0


def a_mistake_is_fast(entry: Entry, mistake: Mistake) -> bool:
    """Of the first lesson the last with its status; the first that passes has each block do everything, for seconds."""
    return entry.number == 1 and mistake == alike(entry, mistake)[-1]


def a_mistake_is_slow(entry: Entry, mistake: Mistake) -> bool:
    """Of a short lesson the last with its status, of a long one a few; and the first with its status of all."""
    if entry.number < LONG:
        return mistake == alike(entry, mistake)[-1]
    first = next(each for _, each in MISTAKES if each.expected[0] == mistake.expected[0])
    return entry.mistakes.index(mistake) % MISTAKES_APART == 0 or mistake == first


def is_first_of_its_status(entry: Entry, mistake: Mistake) -> bool:
    return mistake == alike(entry, mistake)[0]


def alike(entry: Entry, mistake: Mistake) -> list[Mistake]:
    """The lesson's mistakes with this one's status and stars."""
    return [each for each in entry.mistakes if each.expected == mistake.expected]
