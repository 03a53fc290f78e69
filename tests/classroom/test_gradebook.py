"""Which grade counts, and how it is told to a spreadsheet."""

from __future__ import annotations

import csv
import io

from grader.classroom.gradebook import Policy, as_csv, make_book, overview
from grader.classroom.ledger import Key, Result, Row

ADD, MAX = "01_vector_add", "02_relu"


def row(learner: str, lesson: str, when: float, status: str = "", stars: int = 0, rung: int = 0) -> Row:
    result = Result(status, stars, {"f": rung}) if status else None
    return Row(Key(learner, lesson, f"{learner}{when}"), "x.cu", when, result)


ROWS = [
    row("ann", ADD, 1, "passed", 2, 2),
    row("ann", ADD, 2, "race"),
    row("ann", ADD, 9, "passed", 3, 3),
    row("ben", ADD, 1, "passed", 2, 1),
    row("ben", ADD, 2, "passed", 2, 2),
    row("ben", MAX, 2, "not_graded"),
    row("=cmd()", MAX, 3, "race"),
    row("dan", ADD, 3),
]


def told(policy: Policy) -> dict[str, list[str]]:
    lines = list(csv.reader(io.StringIO(as_csv(make_book(ROWS, policy), [ADD, MAX]))))
    assert lines[0][:3] == ["learner", "stars", f"{ADD} stars"] and len({len(line) for line in lines}) == 1
    return {line[0]: line[1:] for line in lines[1:]}


def test_the_best_counts_or_the_last():
    best = told(Policy())
    assert best["ann"] == ["3", "3", "passed", "f:3", "3", "", "", "", "", "", ""]
    assert best["ben"] == ["2", "2", "passed", "f:2", "2", "", "", "not_graded", "", "1", ""]
    assert best["'=cmd()"][6:9] == ["0", "race", "f:0"]  # no formula
    assert best["dan"][:3] == ["0", "", "not_graded"]
    before = [each for each in ROWS if each.handed_in < 9]
    assert make_book(before, Policy("last"))["ann"][ADD].stars == 0


def test_what_is_late_does_not_count_or_is_marked():
    due = told(Policy(due=2.5))
    assert due["ann"][:5] == ["2", "2", "passed", "f:2", "2"] and "dan" not in due
    late = told(Policy(due=2.5, late_counts=True))
    assert late["ann"][:6] == ["3", "3", "passed", "f:3", "3", "late"]


def test_the_overview_says_who_stands_where():
    first, second = overview(make_book(ROWS, Policy()), [ADD, MAX])
    assert first == "01_vector_add: 3 of 4 people: 1 with ★★★, 1 with ★★, 1 not graded"
    assert second == "02_relu: 2 of 4 people: 1 with none, 1 not graded (race 1)"
