"""Which grade counts, and how it is told to a spreadsheet."""

from __future__ import annotations

import csv
import io
from datetime import datetime

import pytest

from grader.classroom.gradebook import as_csv, make_book, overview
from grader.classroom.ledger import Key, Result, Row
from grader.classroom.policy import Policy, Rule, read_policy
from grader.course.catalog import UsageError

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
    assert make_book(before, Policy(Rule("last")))["ann"][ADD].stars == 0


def test_what_is_late_does_not_count_or_is_marked():
    due = told(Policy(Rule(due=2.5)))
    assert due["ann"][:5] == ["2", "2", "passed", "f:2", "2"] and "dan" not in due
    late = told(Policy(Rule(due=2.5, late_counts=True)))
    assert late["ann"][:6] == ["3", "3", "passed", "f:3", "3", "late"]


def test_the_overview_says_who_stands_where():
    first, second = overview(make_book(ROWS, Policy()), [ADD, MAX])
    assert first == "01_vector_add: 3 of 4 people: 1 with ★★★, 1 with ★★, 1 not graded"
    assert second == "02_relu: 2 of 4 people: 1 with none, 1 not graded (race 1)"


POLICY = """
keep = "last"
due = 1970-01-01T00:00:05Z
late = "marked"
grace_minutes = 0.05
best_lessons = 1
[lessons.02_relu]
keep = "best"
due = 1970-01-01T00:00:02.5Z
late = "refused"
[extensions]
ann = 1
"=cmd()" = {02_relu = 0.001, 01_vector_add = 0}
"""


def test_a_policy_file_says_what_counts_lesson_by_lesson():
    policy = read_policy(POLICY, [ADD, MAX])
    found = told(policy)
    assert found["ann"][1:6] == ["3", "passed", "f:3", "3", ""]  # has an hour more than the 5 s, of which 3 s are grace
    assert found["'=cmd()"][6:8] == ["0", "race"] and found["ben"][8] == ""
    without = read_policy(POLICY.partition("[extensions]")[0], [ADD, MAX])
    assert told(without)["ann"][1:6] == ["3", "passed", "f:3", "3", "late"] and "'=cmd()" in told(without)
    strict = read_policy(POLICY.partition("[extensions]")[0].replace("0.05", "0"), [ADD, MAX])
    assert "'=cmd()" not in told(strict)  # 3 s is after 2.5 s


def test_so_many_lessons_are_added_up():
    rows = [row("ann", ADD, 1, "passed", 3), row("ann", MAX, 1, "passed", 2)]
    stars = [as_csv(make_book(rows, Policy()), [ADD, MAX], best).splitlines()[1][:5] for best in (None, 1)]
    assert stars == ["ann,5", "ann,3"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("keep = 1", '`keep = "best"` or "last", and not 1'),
        ('due = "2026-11-30"', "a time without quotes"),
        ("due =", "is no TOML"),
        ('late = "half"', '`late = "refused"` or "marked"'),
        ("penalty = 1", "has `penalty`, which is none of keep, due and late"),
        ("[lessons.09_none]", "names `09_none`, which is no lesson"),
        ("[extensions]\nann = 'a day'", "needs hours for `ann`"),
        ("best_lessons = 0", "`best_lessons`, 1 or more"),
        ("grace_minutes = -1", "a number of minutes"),
        ("lessons = 3", "needs a table [lessons]"),
    ],
)
def test_a_policy_that_means_nothing_is_one_sentence(text, said):
    with pytest.raises(UsageError) as told:
        read_policy(text, [ADD, MAX])
    assert said in str(told.value)


def test_a_date_alone_ends_with_its_last_second():
    policy = read_policy("due = 2026-11-30", [ADD])
    assert policy.usual.due == datetime(2026, 11, 30, 23, 59, 59).timestamp()
