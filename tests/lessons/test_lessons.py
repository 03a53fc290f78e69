"""Every lesson on disk keeps its promises: what must pass passes, what must fail fails for the reason it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.catalog import Entry
from grader.course.inline import inlined
from grader.course.mistake import Mistake, without_comments
from grader.faces import authoring
from tests.lessons.tiers import (
    LESSONS,
    LONG,
    MISTAKES,
    RUNGS,
    a_mistake_is_fast,
    a_mistake_is_slow,
    a_rung_is_fast,
    a_rung_is_slow,
    named,
)

pytestmark = pytest.mark.usefixtures("graded_lessons")
MOST_LINES, MOST_MORE = 180, 100  # of code: in a rung, and more than in the one below
each_lesson = pytest.mark.parametrize("entry", LESSONS, ids=lambda entry: entry.name)
GRADED = [(entry,) if entry.number < LONG else pytest.param(entry, marks=pytest.mark.slow) for entry in LESSONS]


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


def lines_of_code(text: str) -> int:
    return sum(bool(line.strip()) for line in without_comments(text).splitlines())


@each_lesson
def test_rungs_are_small_and_so_are_their_steps(entry: Entry):
    """A header that rungs share is no line of theirs, but a step is, at the first rung that includes it."""
    for task in entry.lesson.tasks:
        rungs = entry.rungs_of(task.name)
        assert {rung.name: lines for rung in rungs if (lines := lines_of_code(rung.read_text())) > MOST_LINES} == {}
        whole = {rung.name: lines_of_code(inlined(rung)) for rung in rungs}
        steps = {name: whole[name] - below for name, below in zip([*whole][1:], whole.values(), strict=False)}
        assert {name: step for name, step in steps.items() if step > MOST_MORE} == {}


# ---- what is graded ----


@pytest.mark.parametrize(("entry",), GRADED, ids=[entry.name for entry in LESSONS])
def test_the_starter_builds_and_does_not_pass(entry: Entry):
    kept(authoring.starter_does_not_pass(entry))


@pytest.mark.parametrize(("entry",), GRADED, ids=[entry.name for entry in LESSONS])
def test_the_reference_earns_every_star_that_can_be_counted(entry: Entry):
    kept(authoring.reference_earns_all_stars(entry))


@pytest.mark.parametrize(("entry", "rung"), **named(RUNGS, a_rung_is_fast, a_rung_is_slow))
def test_every_rung_is_right_and_told_from_the_next(entry: Entry, rung: Path):
    kept(authoring.rung_is_reached(entry, rung))


@pytest.mark.parametrize(("entry", "mistake"), **named(MISTAKES, a_mistake_is_fast, a_mistake_is_slow))
def test_every_mistake_is_told_as_what_it_is(entry: Entry, mistake: Mistake):
    kept(authoring.mistake_is_told(entry, mistake))
