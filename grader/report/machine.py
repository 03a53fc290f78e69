"""A grade for programs: JSON, the fields of judge.verdict.Grade, schema 1."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from grader.judge.verdict import Grade

SCHEMA = 1


def to_json(grade: Grade) -> dict[str, Any]:
    """A grade as plain data. inf and NaN, which JSON lacks, become the strings "inf", "-inf" and "nan"."""
    return {"schema": SCHEMA, **_plain(asdict(grade))}


def dumps(grade: Grade) -> str:
    return json.dumps(to_json(grade), ensure_ascii=False)


def dumps_all(grades: Sequence[Grade]) -> str:
    """Several grades as one object: {"schema": 1, "grades": [...]}, each like to_json's."""
    return json.dumps({"schema": SCHEMA, "grades": [to_json(grade) for grade in grades]}, ensure_ascii=False)


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case float() if not math.isfinite(value):
            return str(value)
    return value
