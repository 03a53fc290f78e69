"""What a case that stays inside its arrays tells of an index that leaves them in another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.devices.evidence import Finding
from grader.judge.verdict import CaseGrade

OF_INDEX = ("input_begins_at", "input_columns")  # patterns of an input that is read elsewhere


def known_elsewhere(finding: Finding, cases: Sequence[CaseGrade]) -> str:
    """Where a kernel leaves an array, the cause that its results show where it leaves none; "" if there is no such."""
    array = finding.details.get("array")
    if finding.kind != "out_of_bounds" or finding.details.get("space") == "shared" or not array:
        return ""
    for case in cases:
        pattern, said = case.details.get("pattern") or "", case.details.get("pattern_message", "")
        is_of_array = f" of {array} " in said or f" for {array} " in said
        if min(map(int, re.findall(r"=(\d+)", case.name)), default=1) < 2:
            continue  # where a size is 1, other indices do the same
        if case.status == "wrong_result" and pattern.startswith(OF_INDEX) and is_of_array:
            return f"At {case.name}, where all indices stay inside, more is known. {said}"
    return ""
