"""Stars only ever rise, and a damaged file costs neither the grade nor the file."""

import json
from datetime import date

import pytest

from grader.course.progress import load, predict, record

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
        "lessons": {"01_vector_add": {"stars": 2, "passed": "2025-01-31", "rungs": {}}},
    }
    assert load(tmp_path).stars("01_vector_add") == 2
    assert [file.name for file in (tmp_path / "work").iterdir()] == ["progress.json"]


def test_rungs_are_kept_by_task_and_name_and_need_no_pass(tmp_path):
    record(tmp_path, "03_coalescing", 2, passed=False, rungs={"row_sum": ["one_thread", "tile"]})
    assert (load(tmp_path).stars("03_coalescing"), load(tmp_path).passed("03_coalescing")) == (0, False)
    progress = record(tmp_path, "03_coalescing", 1, passed=True, rungs={"row_sum": ["one_thread"], "transpose": ["a"]})
    assert progress.rungs("03_coalescing", "row_sum") == ["one_thread", "tile"]
    assert load(tmp_path).lessons == progress.lessons and load(tmp_path).rungs("03_coalescing", "transpose") == ["a"]
    assert progress.rungs("03_coalescing", "column_sum") == progress.rungs("01_vector_add", "vector_add") == []


def test_a_file_from_before_there_were_rungs_is_read(tmp_path):
    file = tmp_path / "work" / "progress.json"
    file.parent.mkdir()
    file.write_text('{"schema": 1, "lessons": {"01_vector_add": {"stars": 2, "passed": "2025-01-31"}}}')
    assert (load(tmp_path).stars("01_vector_add"), load(tmp_path).message) == (2, "")
    record(tmp_path, "01_vector_add", 1, passed=True, rungs={"vector_add": ["one_element"]})
    assert load(tmp_path).stars("01_vector_add") == 2
    assert load(tmp_path).rungs("01_vector_add", "vector_add") == ["one_element"]


def test_the_first_prediction_is_kept_and_the_rest_stays(tmp_path):
    record(tmp_path, "01_vector_add", 2, passed=True, today=DAY, rungs={"vector_add": ["one_element"]})
    assert "predictions" not in (tmp_path / "work" / "progress.json").read_text()
    predict(tmp_path, "01_vector_add", "1", "c")
    predict(tmp_path, "01_vector_add", "1", "a")
    progress = record(tmp_path, "01_vector_add", 3, passed=True)
    assert progress.predictions("01_vector_add") == load(tmp_path).predictions("01_vector_add") == {"1": "c"}
    assert (progress.stars("01_vector_add"), progress.rungs("01_vector_add", "vector_add")) == (3, ["one_element"])
    file = tmp_path / "work" / "progress.json"
    file.write_text(file.read_text()[:-3])
    assert load(tmp_path).predictions("01_vector_add") == {"1": "c"}, "of a file cut short, what is legible"
    assert load(tmp_path).predictions("02_warp_divergence") == {}


def test_rungs_in_a_file_cut_short_are_kept_where_they_are_legible(tmp_path):
    for lesson in ("01_vector_add", "02_warp_divergence"):
        record(tmp_path, lesson, 2, passed=True, today=DAY, rungs={"task": ["first", "second"]})
    file = tmp_path / "work" / "progress.json"
    whole = file.read_text()
    file.write_text(whole[: whole.rindex("second")])
    progress = load(tmp_path)
    assert progress.rungs("01_vector_add", "task") == ["first", "second"]
    assert (progress.stars("02_warp_divergence"), progress.rungs("02_warp_divergence", "task")) == (2, [])


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
        '{"schema": 1, "lessons": {"a": {"stars": 0, "passed": null, "rungs": ["one"]}}}',
        '{"schema": 1, "lessons": {"a": {"stars": 0, "passed": null, "rungs": {"task": [1]}}}}',
        '{"schema": 1, "lessons": {"a": {"stars": 0, "passed": null, "predictions": {"1": 2}}}}',
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


def test_what_is_legible_in_a_file_cut_short_is_kept(tmp_path):
    for lesson in ("01_vector_add", "02_warp_divergence"):
        record(tmp_path, lesson, 2, passed=True, today=DAY)
    file = tmp_path / "work" / "progress.json"
    whole = file.read_text()
    file.write_text(whole[: whole.rindex("passed")])
    progress = load(tmp_path)
    assert (progress.stars("01_vector_add"), progress.passed("02_warp_divergence")) == (2, False)
    assert "1 of its lessons could still be read" in progress.message
    assert load(tmp_path).lessons == progress.lessons and load(tmp_path).message == ""


def test_every_damaged_file_is_kept(tmp_path):
    file = tmp_path / "work" / "progress.json"
    file.parent.mkdir()
    for text in ("first", "second"):
        file.write_text(text)
        load(tmp_path)
    assert sorted(each.read_text() for each in file.parent.iterdir()) == ["first", "second"]


def test_more_stars_than_there_are_is_damage(tmp_path):
    file = tmp_path / "work" / "progress.json"
    file.parent.mkdir()
    file.write_text('{"schema": 1, "lessons": {"01_vector_add": {"stars": 99, "passed": "2025-01-31"}}}')
    assert load(tmp_path).stars("01_vector_add") == 0


def with_lessons(root, *names):
    for name in names:
        (root / "lessons" / name).mkdir(parents=True)
        (root / "lessons" / name / "lesson.py").write_text("")


@pytest.mark.parametrize(
    ("old", "present", "new"),
    [
        ("02_coalescing", ["02_warp_divergence", "03_coalescing"], "03_coalescing"),  # another number
        ("01_vector_add", ["01_vector_addition"], "01_vector_addition"),  # other words
        ("01_vector_add", ["01_flash_attention", "02_atomics"], "01_vector_add"),  # gone: remembered all the same
    ],
)
def test_a_renamed_lesson_keeps_its_stars(tmp_path, old, present, new):
    record(tmp_path, old, 3, passed=True, today=DAY)
    with_lessons(tmp_path, *present)
    assert list(load(tmp_path).lessons) == [new]
    assert load(tmp_path).stars(new) == 3
