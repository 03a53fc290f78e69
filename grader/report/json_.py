"""A grade for programs: JSON, the fields of judge.verdict.Grade, schema 1."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from grader.devices.evidence import Diagnostic, finding_from_json
from grader.judge.again import Again
from grader.judge.verdict import STATUSES, CaseGrade, Grade, Position, TargetResult, TaskGrade
from grader.report.graded import Graded

SCHEMA = 1


def to_json(grade: Grade) -> dict[str, Any]:
    """A grade as plain data. inf and NaN, which JSON lacks, become the strings "inf", "-inf" and "nan"."""
    return {"schema": SCHEMA, **_plain(asdict(grade))}


def dumps(grade: Grade, again: Again | None = None) -> str:
    """A grade as one object; that of a hand-in also says whether the claimed one stands."""
    return json.dumps(to_json(grade) | _claim(again), ensure_ascii=False)


def dumps_all(graded: Sequence[Graded]) -> str:
    """Several as one object: {"schema": 1, "grades": [...], "problems": [...]}, like those of the other two."""
    grades = [to_json(each.grade) | _claim(each.again) for each in graded if each.grade]
    problems = [_problem(each) for each in graded if each.problem]
    return json.dumps({"schema": SCHEMA, "grades": grades, "problems": problems}, ensure_ascii=False)


def dumps_problem(graded: Graded) -> str:
    """One kernel that could not be graded, as one object: it has a status and a message, and no stars."""
    return json.dumps({"schema": SCHEMA, "lesson": graded.lesson, **_problem(graded)}, ensure_ascii=False)


def _problem(graded: Graded) -> dict[str, str]:
    return {"kernel": graded.kernel, "status": "not_graded", "message": graded.problem}


def _claim(again: Again | None) -> dict[str, Any]:
    return {"hand_in": {"stands": again.stands, **asdict(again)}} if again else {}


def from_json(data: dict[str, Any]) -> Grade:
    """The grade that this was made of; "inf" and the like stay strings. Raises TypeError, LookupError or ValueError."""
    fields = {name: value for name, value in data.items() if name != "schema"}
    if data["schema"] != SCHEMA or data["status"] not in STATUSES or not isinstance(data["device"]["kind"], str):
        raise ValueError("no grade of this schema")
    return Grade(**fields | {"tasks": [_task(task) for task in data["tasks"]]})


def _task(data: dict[str, Any]) -> TaskGrade:
    cases = [
        CaseGrade(**case | {"findings": [finding_from_json(finding) for finding in case["findings"]]})
        for case in data["cases"]
    ]
    targets = [TargetResult(**target) for target in data["targets"]]
    diagnostics = [Diagnostic(**diagnostic) for diagnostic in data["diagnostics"]]
    position = Position(**data.get("position", {}))  # which older grades lack
    known = {"cases": cases, "targets": targets, "diagnostics": diagnostics, "position": position}
    return TaskGrade(**data | known)


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case float() if not math.isfinite(value):
            return str(value)
    return value
