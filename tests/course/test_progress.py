"""Stars only ever rise, and a damaged file costs neither the grade nor the file."""

import json
from datetime import date

import pytest

from grader.course.progress import load, record

DAY = date(2025, 1, 31)


def test_nothing_is_known_at_first(tmp_path):
    progress = load(tmp_path)
    assert progress.lessons == {} and progress.message == ""
    assert progress.stars("01_vector_add") == 0 and not progress.passed("01_vector_add")


def test_best_stars_and_the_first_day_are_kept(tmp_path):
    record(tmp_path, "01_vector_add", 2, passed=True, today=DAY)
    record(tmp_path, "01_vector_add", 1, passed=True, today=date(2025, 2, 1))
    record(tmp_path, "01_vector_add", 0, passed=False)
    record(tmp_path, "02_warp_divergence", 0, passed=False)
    assert json.loads((tmp_path / "work" / "progress.json").read_text()) == {
        "schema": 1,
        "lessons": {"01_vector_add": {"stars": 2, "passed": "2025-01-31"}},
    }
    assert load(tmp_path).stars("01_vector_add") == 2
    assert [file.name for file in (tmp_path / "work").iterdir()] == ["progress.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "\x00\xff",
        '{"schema": 2, "lessons": {}}',
        '{"schema": 1, "lessons": {"a": {"stars": "3", "passed": null}}}',
        '{"schema": 1, "lessons": {"a": 3}}',
    ],
)
def test_a_damaged_file_is_set_aside(tmp_path, text):
    file = tmp_path / "work" / "progress.json"
    file.parent.mkdir()
    file.write_text(text)
    progress = record(tmp_path, "01_vector_add", 1, passed=True, today=DAY)
    assert (file.parent / "progress.json.damaged").read_text() == text
    assert load(tmp_path).lessons == progress.lessons != {}
    assert load(tmp_path).message == ""


def test_the_learner_is_told_of_the_damage(tmp_path):
    file = tmp_path / "work" / "progress.json"
    file.parent.mkdir()
    file.write_text("{")
    assert "was damaged: it is now progress.json.damaged" in load(tmp_path).message
