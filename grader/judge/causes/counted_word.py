"""Of a wrong case whose blocks count in a word of the submission's own: that this is why, where a run has told it."""

from __future__ import annotations

from collections.abc import Iterable

from grader.devices.evidence import COUNTED_WORD
from grader.judge.verdict import CaseGrade

OF_RESULTS = ("wrong_result", "not_written")


def name_counted_words(grades: Iterable[CaseGrade]) -> None:
    """Takes the notes on such words from all cases, and gives wrong ones what theirs says."""
    for grade in grades:
        said = next((each.message for each in grade.findings if each.kind == COUNTED_WORD), "")
        grade.findings = [each for each in grade.findings if each.kind != COUNTED_WORD]
        if said and grade.status in OF_RESULTS:
            grade.details |= {"pattern": COUNTED_WORD, "pattern_message": said}
        elif said and grade.status != "passed":
            grade.details["counted_word"] = said
