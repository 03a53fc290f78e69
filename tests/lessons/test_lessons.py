"""Every lesson on disk keeps its promises: what must pass passes, what must fail fails for the reason it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader import authoring
from grader.course.catalog import Entry, entries

ROOT = Path(__file__).parents[2]
LESSONS = entries(ROOT)
RUNGS = [(entry, rung) for entry in LESSONS for rung in entry.rungs]
MISTAKES = [(entry, mistake) for entry in LESSONS for mistake in entry.mistakes]


LONG = 7  # from this lesson on a kernel takes the emulator seconds, and their mistakes minutes: CI has them


def named(pairs: list) -> dict:
    """The arguments of parametrize for (entry, file) pairs, with readable test names."""
    return {"argvalues": pairs, "ids": [f"{entry.name}-{file.stem}" for entry, file in pairs]}


def slow_from(number: int, pairs: list) -> list:
    """The same arguments, those of lesson `number` and later ones marked slow."""
    return [pytest.param(*pair, marks=pytest.mark.slow) if pair[0].number >= number else pair for pair in pairs]


each_lesson = pytest.mark.parametrize("entry", LESSONS, ids=lambda entry: entry.name)


def kept(problems) -> None:
    """Fails with the sentences that tell which promises are broken."""
    found = list(problems)
    assert not found, "\n".join(found)


# ---- what is read ----


@pytest.mark.parametrize("rule", authoring.FORM, ids=lambda rule: rule.__name__)
@each_lesson
def test_its_files_have_their_form(entry: Entry, rule: authoring.Rule):
    kept(authoring.problems(entry, (rule,)))


@each_lesson
def test_there_are_enough_mistakes(entry: Entry):
    assert len(entry.mistakes) >= authoring.ENOUGH_MISTAKES


# ---- what is graded ----


@each_lesson
def test_the_starter_builds_and_does_not_pass(entry: Entry):
    kept(authoring.starter_does_not_pass(entry))


@each_lesson
def test_the_reference_earns_every_star_that_can_be_counted(entry: Entry):
    kept(authoring.reference_earns_all_stars(entry))


@pytest.mark.parametrize(("entry", "rung"), **named(RUNGS))
def test_every_rung_is_right(entry: Entry, rung: Path):
    kept(authoring.rung_passes(entry, rung))


@pytest.mark.parametrize(("entry", "mistake"), **named(MISTAKES) | {"argvalues": slow_from(LONG, MISTAKES)})
def test_every_mistake_is_told_as_what_it_is(entry: Entry, mistake: Path):
    kept(authoring.mistake_is_told(entry, mistake))
