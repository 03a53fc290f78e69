"""Of a task's wrong cases: why they are wrong, where asking the reference again tells it."""

from __future__ import annotations

from collections.abc import Sequence

from grader.devices.evidence import CaseRun
from grader.judge.compare import Prepared, results, widen
from grader.judge.variations import Case, cause, worth_asking
from grader.judge.verdict import WITHOUT_CAUSE, CaseGrade


def name_causes(grades: Sequence[CaseGrade], prepared: Sequence[Prepared], runs: Sequence[CaseRun]) -> None:
    """Gives wrong cases the pattern that explains them all, where what they have says only where they are wrong."""
    wrong = [
        (grade, each, run)
        for grade, each, run in zip(grades, prepared, runs, strict=False)
        if grade.status == "wrong_result"
        and grade.details.get("pattern") in (None, "rows_repeated", "blocks_repeated", *WITHOUT_CAUSE)
        and "buffer" in grade.details
    ]
    for buffer in sorted({grade.details["buffer"] for grade, _, _ in wrong}):
        of_buffer = [
            (grade, _case(each, run, buffer)) for grade, each, run in wrong if grade.details["buffer"] == buffer
        ]
        chosen = worth_asking([case for _, case in of_buffer])
        found = cause(chosen) if chosen else None
        for grade, case in of_buffer if found else ():
            known = grade.details.get("pattern") == "scaled" and found and found.name.startswith("input_times")
            if found and not known and case.is_small and (case in chosen or found.explains(case)):
                grade.details |= {"pattern": found.name, "pattern_message": found.message(case)}


def _case(prepared: Prepared, run: CaseRun, buffer: str) -> Case:
    want = prepared.expected[buffer]
    values, _ = prepared.buffers.left([buffer])[buffer]
    return Case(
        call=prepared.call,
        reference=lambda inputs: results(prepared.call, inputs),
        inputs=widen(prepared.inputs),
        buffer=buffer,
        got=values.double(),
        expected=want.values.double(),
        allowed=want.allowed,
        launches=run.launches,
    )
