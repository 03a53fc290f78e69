"""What must be printed: each line once, and no other one."""

from __future__ import annotations

import pytest

from grader.course.call import Call
from grader.course.lesson import Case, Task
from grader.judge.printed import judge_print
from grader.judge.verdict import CaseGrade


def nothing(*_: object) -> dict:
    return {}


TASK = Task(
    "void f(const float* x, float* z, int n, cudaStream_t stream)",
    {"x": "n", "z": "n"},
    [Case(n=1), Case(n=2)],
    nothing,
    nothing,
    prints=lambda x, n: [f"{n} has {x}"],
)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("1 has 5\n2 has 6\n", ["", ""]),
        ("\n  2 has 6\n1 has 5", ["", ""]),  # in any order, and blanks do not count
        ("block (0,0,0) thread (3,0,0): 1 has 5\n2 has 6\n", ["", ""]),  # --print-threads
        ("", ["The kernel should print `1 has 5`, and does not.", ""]),
        ("1 has 5\n2 has 7\n", ["", "The kernel should print `2 has 6`, and does not; it prints `2 has 7`."]),
        ("1 has 5\n1 has 5\n2 has 6\n", ["The kernel also prints `1 has 5`, which is not asked for.", ""]),
    ],
)
def test_what_was_printed(output, said):
    grades = [CaseGrade("n=1", "passed"), CaseGrade("n=2", "passed")]
    judge_print([Call(TASK, case) for case in TASK.cases], [{"x": 5}, {"x": 6}], output, grades)
    assert [grade.message for grade in grades] == said
    assert [grade.status for grade in grades] == ["wrong_result" if each else "passed" for each in said]
