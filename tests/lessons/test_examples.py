"""The two lessons of examples/, a course of their own: they keep every promise of a lesson."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.catalog import Entry, entries
from grader.faces import authoring
from grader.faces.cli import run

EXAMPLES = Path(__file__).parents[2] / "examples"
LESSONS = entries(EXAMPLES)
each_lesson = pytest.mark.parametrize("entry", LESSONS, ids=lambda entry: entry.name)


@each_lesson
def test_what_can_be_read(entry: Entry):
    assert list(authoring.problems(entry, authoring.FORM)) == []
    assert 3 <= len(entry.mistakes) <= 5


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    "entry",
    [LESSONS[0], *(pytest.param(entry, marks=pytest.mark.whole) for entry in LESSONS[1:])],
    ids=lambda entry: entry.name,
)
def test_every_rung_and_mistake_is_what_it_says(entry: Entry):
    assert list(authoring.problems(entry, authoring.GRADED)) == []


def test_the_course_is_the_one_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.chdir(EXAMPLES.parent)
    monkeypatch.delenv("LADDER_COURSE", raising=False)
    assert run(["check-course", "examples/lessons/02_scan", "--form"]) == 2
    assert "is a lesson of another course: type `cd examples` first, or set LADDER_COURSE" in capsys.readouterr().err
    monkeypatch.setenv("LADDER_COURSE", "examples")
    assert run(["check-course", "scan", "--form"]) == 0
    assert "02_scan: all is well (rungs: 5, mistakes: 5)" in capsys.readouterr().out
    monkeypatch.delenv("LADDER_COURSE")
    monkeypatch.chdir(EXAMPLES)
    assert run(["check-course", "lessons/01_convolution", "--form"]) == 0
    monkeypatch.setenv("LADDER_COURSE", str(tmp_path))
    assert run(["check-course"]) == 2 and "which holds no lessons/ folder" in capsys.readouterr().err
