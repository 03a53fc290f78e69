"""A pattern that another wrong case contradicts asks for nothing."""

import pytest

from grader.judge.verdict import CaseGrade
from grader.judge.why import withdraw_chance


def wrong(pattern, message, bad=20, total=40):
    details = {"buffer": "out", "bad": bad, "total": total}
    return CaseGrade("n=1", "wrong_result", details=details | ({"pattern": pattern, "pattern_message": message}))


TIMES = "Every element of out is 32 times what it should be: does every thread of the block add?"


@pytest.mark.parametrize(
    ("message", "pattern", "other", "told"),
    [
        (TIMES, "scaled", None, "Every element of out is 32 times what it should be. In other cases it is not so."),
        (TIMES, "scaled", "as_often", TIMES),
        (TIMES, "scaled", "nan", TIMES),
        (
            "Every element is 0.3 times what it should be.",
            "scaled",
            None,
            "Every element is 0.3 times what it should be.",
        ),
        (
            "Only the last element is wrong.",
            "tail",
            None,
            "Only the last element is wrong. In other cases it is not so.",
        ),
        ("All rows are the same: is it?", "rows_repeated", None, "All rows are the same. In other cases it is not so."),
        ("Only the last element is wrong.", "tail", "head", "Only the last element is wrong."),
        ("No element is more than 1: is it?", "ones", None, "No element is more than 1. In other cases it is not so."),
    ],
)
def test_a_pattern_of_one_case_alone(message, pattern, other, told):
    first, second = wrong(pattern, message), wrong(other, "")
    withdraw_chance([first, second])
    assert first.details["pattern_message"] == told


def test_a_smaller_case_does_not_contradict_a_place():
    first = wrong("tail", "Everything from out[20] on is wrong.")
    withdraw_chance([first, wrong(None, "", total=30)])
    assert first.details["pattern"] == "tail"


def test_a_factor_that_another_case_has_without_it_asks_for_nothing():
    first = wrong("as_often", "out[1] is 2 times what it should be: does every block add what should be added once?")
    other = wrong("scaled", "Every element of out is 2 times what it should be.")
    withdraw_chance([first, other])
    assert first.details["pattern_message"] == "out[1] is 2 times what it should be."


@pytest.mark.parametrize(("other", "stays"), [(None, False), ("columns", False), ("transposed", True), ("nan", True)])
def test_what_is_right_elsewhere_in_one_case_alone_is_taken_back(other, stays):
    first = wrong("belongs", "What is wrong in out is right elsewhere: out[0] holds what belongs in out[1].")
    withdraw_chance([first, wrong(other, "", total=30)])
    assert (first.details.get("pattern") == "belongs") == stays


def test_what_is_right_elsewhere_stands_beside_few_wrong_elements():
    first = wrong("belongs", "What is wrong in out is right elsewhere.")
    withdraw_chance([first, wrong(None, "", bad=1)])
    assert first.details["pattern"] == "belongs"
