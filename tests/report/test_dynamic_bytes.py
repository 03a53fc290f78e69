"""Dynamic shared memory that is carved up, and the size at which its bytes are too few, are told."""

from __future__ import annotations

import pytest

from grader.devices.evidence import Finding
from grader.judge.verdict import CaseGrade
from grader.report.advice import advice
from grader.report.dynamic_bytes import carved

HEAD = "extern __shared__ float room[];"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("float* a = room;\nfloat* b = room + n;", "in lines 2 and 3"),
        ("auto& a = *reinterpret_cast<T*>(room);\nauto& b = *reinterpret_cast<T*>(room + 8);", "in lines 2 and 3"),
        ("float x = room[0];\nfloat y = room[1];", ""),
        ("float* a = room;\na[0] = 1;", ""),
    ],
)
def test_what_is_carved_up(text, lines):
    said = carved([HEAD, *text.split("\n")], "room")
    assert lines in said if lines else said == ""


def test_the_size_that_tells_the_cases_apart_is_named():
    details = {"array": "room", "space": "shared", "elements": 64, "index": 64, "access": "write"}
    found = [Finding("out_of_bounds", "writes room[64], past its end", line=2, kernel="k", details=details)]
    found[0].thread, found[0].block = (0, 0, 0), (0, 0, 0)
    cases = [CaseGrade(f"n={n} d=64", "passed") for n in (1, 65, 128)]
    cases += [CaseGrade(f"n={n} d=128", "out_of_bounds", findings=found) for n in (1, 17, 128)]
    said = advice("out_of_bounds", cases[-1], [HEAD, "room[threadIdx.x] = 0;"], cases)
    assert "is it `n * sizeof(float)`" in said
    assert said.endswith("or the bytes of shared memory?") and "right in all cases where d is 64" in said
