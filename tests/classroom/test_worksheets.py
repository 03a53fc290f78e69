"""Stars in the tables of learning management systems: by number or login, else by name, and never in a wrong row."""

from __future__ import annotations

import csv
import io

import pytest

from grader.classroom.gradebook import make_book
from grader.classroom.ledger import Key, Result, Row
from grader.classroom.policy import Policy
from grader.classroom.worksheets import filled
from grader.course.catalog import UsageError

ADD = "01_vector_add"
HANDED_IN = [
    ("Anna Arndt", "Anna Arndt_11_assignsubmission_file_/k.cu", 3),
    ("Kim Lee 21", "Kim Lee_21_assignsubmission_file_/k.cu", 2),
    ("Kim Lee 22", "Kim Lee_22_assignsubmission_file_/k.cu", 1),
    ("bauerben", "bauerben_LATE_31_4_k.cu", 2),
    ("cc33", "Homework_cc33_attempt_2026-11-20-23-05-12_k.cu", 0),
    ("Dora Dietz", "Dora Dietz/k.cu", 1),
]
ROWS = [Row(Key(name, ADD, name), file, 0, Result("passed", stars)) for name, file, stars in HANDED_IN]
BOOK = make_book(ROWS, Policy())
MOODLE = """Identifier,Full name,Grade,Feedback
Participant 21,Kim Lee,,
Participant 99,Kim Lee,,
Participant 11,"Arndt, Anna",1,well
Participant 12,Nobody Else,7,
"""
CANVAS = """Student,ID,SIS Login ID,Lesson 1 (555)
    Points Possible,,,10
"Bauer, Ben",31,bb,
"Bauer, Ben",32,bb2,
"Dietz, Dora",33,dd,
"""


def column(text: str, name: str, points: float = 3) -> tuple[list[str], list[str]]:
    table, missing = filled(text.encode(), BOOK, ADD, name, points)
    return [row[name] for row in csv.DictReader(io.StringIO(table.decode()))], missing


def test_moodle_s_rows_are_found_by_number_and_two_of_one_name_are_not_mixed_up():
    grades, missing = column(MOODLE, "Grade")
    assert grades == ["2", "", "3", "7"] and missing == ["Dora Dietz", "Kim Lee 22", "bauerben", "cc33"]


def test_canvas_s_rows_are_found_by_number_and_by_name():
    assert column(CANVAS, "Lesson 1 (555)", 10)[0] == ["10", "6.66667", "", "3.33333"]  # another Ben Bauer


def test_blackboard_s_rows_are_found_by_login():
    assert column("Last Name,First Name,Username,Work\nC,C,CC33,\nD,D,dd44,\n", "Work")[0] == ["0", ""]


def test_blackboard_s_own_table_stays_as_it_is_but_for_the_grade():
    column = "Lesson 1 [Total Pts: 3 Score] |_4711_1"
    head = ["Last Name", "First Name", "Username", "Student ID", "Last Access", "Availability", column]
    rows = [head, ["Cole", "Cy", "cc33", "9", "2026-11-20", "Yes", ""], ["Dee", "Di", "dd44", "8", "", "Yes", "1"]]
    text = "".join("\t".join(f'"{cell}"' for cell in row) + "\r\n" for row in rows)
    table, _ = filled(text.encode("utf-16"), BOOK, ADD, column, 3)
    found = list(csv.reader(io.StringIO(table.decode("utf-16")), delimiter="\t"))
    rows[1][-1] = "0"
    assert found == rows and table[:2] in (b"\xff\xfe", b"\xfe\xff")


def test_what_is_no_text_is_one_sentence():
    with pytest.raises(UsageError, match="the table cannot be read as text"):
        filled(b"PK\x03\x04\xff", BOOK, ADD, "Grade", 3)


def test_a_column_that_is_not_there_is_one_sentence():
    for text in (MOODLE, ""):
        with pytest.raises(UsageError, match="there is no column `Points` in the table: name one by --column"):
            filled(text.encode(), BOOK, ADD, "Points", 3)
