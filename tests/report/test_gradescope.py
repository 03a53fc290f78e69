"""results.json, by Gradescope's autograder specification."""

import json
from dataclasses import replace

from grades import OUT_OF_BOUNDS, PASSED, TIMED, UNGRADED, WRONG, as_graded

from grader.judge.again import Again
from grader.judge.verdict import TaskGrade
from grader.report.gradescope import dumps

# What the specification knows; other keys would be ignored without a word.
TOP = {"score", "execution_time", "output", "output_format", "test_output_format", "test_name_format", "visibility",
       "stdout_visibility", "extra_data", "tests", "leaderboard"}  # fmt: skip
TEST = {"score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags",
        "visibility", "extra_data"}  # fmt: skip
FORMATS = {"text", "html", "simple_format", "md", "ansi"}


def results(*graded):
    found = json.loads(dumps(graded))
    assert set(found) <= TOP and all(set(test) <= TEST for test in found["tests"])
    assert {found["output_format"], found["test_output_format"]} <= FORMATS
    assert {found["visibility"], *(test["visibility"] for test in found["tests"])} == {"visible"}
    return found


def test_a_test_for_each_task_worth_its_stars():
    found = results(as_graded(PASSED), as_graded(WRONG), as_graded(PASSED))
    assert found["score"] == 4 and found["execution_time"] == 3.6
    first, second, _ = found["tests"]
    assert (first["name"], first["score"], first["max_score"]) == ("01_vector_add: vector_add", 2, 3)
    assert (first["status"], second["status"], second["score"]) == ("passed", "failed", 0)
    assert [first["number"], second["number"]] == ["1.1", "2.1"]
    assert "rung 1 of 3: one element" in first["output"]
    assert "z[7] is 0, but should be 0.25" in second["output"]


def test_the_output_says_the_verdict_the_seed_and_the_device():
    found = results(as_graded(PASSED), as_graded(OUT_OF_BOUNDS), UNGRADED)
    lines = found["output"].splitlines()
    assert lines[0] == "01_vector_add: passed, 2 of 3 stars (emulated, seed 123)"
    assert lines[1].startswith("01_vector_add: out of bounds (") and lines[2] == "09_gone: It is gone."
    assert "score" not in found and "score" not in found["tests"][2]  # not even a 0
    assert found["stdout_visibility"] == "hidden"


def test_a_bonus_task_is_shown_and_worth_nothing():
    bonus = TaskGrade("backward", "passed", 3, cases=PASSED.tasks[0].cases, bonus=True)
    found = results(as_graded(replace(PASSED, tasks=[*PASSED.tasks, bonus])))
    assert found["score"] == 2
    assert found["tests"][1]["status"] == "passed" and "max_score" not in found["tests"][1]


def test_the_leaderboard_has_stars_and_what_right_answers_cost():
    counted = {"global_load_sectors": 70, "global_store_sectors": 30}
    task = replace(PASSED.tasks[0], counters=counted)
    board = results(as_graded(replace(PASSED, tasks=[task])))["leaderboard"]
    sectors = {"name": "01 vector_add, sectors", "value": 100, "order": "asc"}
    assert board == [{"name": "stars", "value": 2}, {"name": "rungs", "value": 1}, sectors]
    timed = replace(task, timings=TIMED | {"median_us": 738.004})
    time = {"name": "01 vector_add, µs", "value": 738.0, "order": "asc"}
    assert results(as_graded(replace(PASSED, tasks=[timed])))["leaderboard"][2] == time
    nothing = [{"name": "stars", "value": 0}, {"name": "rungs", "value": 0}]
    assert results(as_graded(WRONG))["leaderboard"] == nothing


def test_a_hand_in_that_does_not_stand_is_told():
    found = results(as_graded(PASSED, again=Again(("3 stars then, 2 now",))))
    assert "The hand-in claims another grade: 3 stars then, 2 now" in found["output"]


def test_text_that_no_json_reader_chokes_on():
    task = replace(WRONG.tasks[0].cases[1], message="\x00\udc80 here")
    graded = as_graded(replace(WRONG, tasks=[replace(WRONG.tasks[0], cases=[task])]))
    dumps([graded]).encode()
    assert "here" in results(graded)["tests"][0]["output"]
