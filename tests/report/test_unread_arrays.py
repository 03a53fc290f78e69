"""An input that a kernel takes and never reads is told where nothing more is known."""

from __future__ import annotations

import pytest

from grader.judge.verdict import CaseGrade
from grader.report.advice import advice
from grader.report.messages import ADVICE
from grader.report.unread_arrays import unread_input, unread_shared

TWICE = [
    "__global__ void k(const float* a, const float* b,",
    "                  float* c, int n) {",
    "    if (n) {",
    "        c[0] = a[0] * a[1];",
    "    }",
    "}",
]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (TWICE, "The kernel k takes `b` in line 1, and no line of it reads that: is another array named where"),
        ([line.replace("a[1]", "b[1]") for line in TWICE], ""),
        (["__global__ void k(const float* a, float* c, float* scratch) { c[0] = a[1]; }"], ""),
        (["__global__ void k(const float* a, float* c) { c[0] = 1; }"], ""),
        (["__global__ void k(const float* a, const float* b, float* c);"], ""),
    ],
)
def test_an_input_that_no_line_reads(lines, said):
    told = unread_input(lines)
    assert said in told and bool(said) == bool(told)


def test_it_is_told_where_nothing_more_is_known():
    wrong = CaseGrade("n=1", "wrong_result")
    assert advice("wrong_result", wrong, TWICE) == unread_input(TWICE)
    assert advice("wrong_result", wrong, [*TWICE, "#define I a + b", "int f() { return 2 * I; }"]).startswith(
        "`I` stands"
    )
    assert advice("timeout", CaseGrade("n=1", "timeout"), TWICE) == ADVICE["timeout"]


TILES = "__shared__ float sa[4][4], sb[4][4];\nsa[y][x] = a[i];\nsb[y][x] = b[i];\n"


@pytest.mark.parametrize(
    ("uses", "said"),
    [
        ("sum += sa[y][k] * sa[k][x];", "The shared array `sb` is filled in line 3, and no line reads it: is another"),
        ("sum += sa[y][k] * sb[k][x];", ""),
        ("sum += sa[y][k]; f(sb);", ""),  # by a function
        ("sum += sa[y][k]; const float* p = &sb[0][0];", ""),
        ("sum = 1;", ""),  # neither is read: not one for the other
    ],
)
def test_a_shared_array_that_no_line_reads(uses, said):
    told = unread_shared((TILES + uses).splitlines())
    assert said in told and bool(said) == bool(told)
