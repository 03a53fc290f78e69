"""How a run of a whole program is told."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from grader.devices.evidence import Finding
from grader.report.advice import WILD
from grader.report.messages import ADVICE
from grader.report.program import Run, tell


@pytest.mark.parametrize(
    ("kind", "message", "is_of_threads"),
    [
        (
            "race",
            "thread (1, 0, 0) writes s[0] in line 3 while thread (2, 0, 0) reads it in line 4, in any order",
            True,
        ),
        ("race", "host code reads element 5 of m, which the work of line 5 writes", False),
        ("race", "the work of line 9 writes element 0 of x, which that of line 8, on another stream, reads", False),
        (
            "race",
            "the work of line 9 writes element 0 of x, which that of line 8, another node of the graph, reads",
            False,
        ),
        ("out_of_bounds", "thread (9, 0, 0) reads element 9 of x, past its end", True),
        ("out_of_bounds", "the source of this copy is no device memory: is the direction right?", False),
    ],
)
def test_advice_about_threads_stands_beside_faults_of_threads_only(kind, message, is_of_threads):
    console = Console(file=io.StringIO(), width=1000)
    tell(Run("prog.cu", 0, findings=[Finding(kind, message, line=9, file="prog.cu")]), console, notes=False)
    said = console.file.getvalue()
    assert message in said and (ADVICE[kind].split(".")[0] in said) == is_of_threads


def test_a_finding_of_a_usual_kind_gets_the_advice_of_its_own():
    console = Console(file=io.StringIO(), width=1000)
    said = "thread (9, 0, 0) reads address 0x55d0, which is no device memory: a host pointer, or a pointer never set"
    freed = "thread (9, 0, 0) reads x (cudaMalloc in line 3) after it was freed"
    found = [Finding("out_of_bounds", each, line=9, file="prog.cu", thread=(9, 0, 0)) for each in (said, freed)]
    tell(Run("prog.cu", 0, findings=found), console, notes=False)
    assert WILD in console.file.getvalue() and "What was freed is gone" in console.file.getvalue()
    assert ADVICE["out_of_bounds"] not in console.file.getvalue()


def test_a_shuffle_that_goes_too_far_is_told_where_nothing_else_is():
    note = Finding(
        "shuffle_distance", "__shfl_down_sync by 32: a GPU uses the lowest five bits", severity="note", line=3
    )
    for findings, is_told in (([], True), ([Finding("race", "a race", line=9, file="prog.cu")], False)):
        told = io.StringIO()
        console = Console(file=told, width=80)
        tell(Run("prog.cu", 0, findings=findings, notes=[note]), console, notes=False)
        assert ("lowest five bits" in told.getvalue()) == is_told
