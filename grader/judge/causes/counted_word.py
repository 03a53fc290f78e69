"""Of a wrong case whose blocks count in a word of the submission's own: that this is why, where a run has told it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from grader.devices.evidence import COUNTED_WORD, Finding
from grader.judge.verdict import CaseGrade

OF_RESULTS = ("wrong_result", "not_written")


def name_counted_words(grades: Iterable[CaseGrade], is_right: Callable[[int, Finding], bool | None]) -> None:
    """Takes the notes on such words from all cases, and gives wrong ones what theirs says, if the run that it tells of
    is right: `is_right` of a case's number and its note.
    """
    for number, grade in enumerate(grades):
        notes = [each for each in grade.findings if each.kind == COUNTED_WORD]
        said = next((each.message for each in notes if is_right(number, each) is not False), "")
        grade.findings = [each for each in grade.findings if each.kind != COUNTED_WORD]
        if said and grade.status in OF_RESULTS:
            grade.details |= {"pattern": COUNTED_WORD, "pattern_message": said}
        elif said and grade.status != "passed":
            grade.details["counted_word"] = said
