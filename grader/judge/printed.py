"""What kernels print, where a task asks for that: each line once, and no other line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grader.course.call import Call
from grader.judge.verdict import CaseGrade


def judge_print(
    calls: Sequence[Call],
    inputs: Sequence[Mapping[str, Any]],
    output: str,
    grades: Sequence[CaseGrade],
    signs: Sequence[int | None] = (),
) -> None:
    """Turns the grade of the case whose line is missing, or else of the first one, if other lines are printed, too.

    `output` is what all cases have printed, one after the other; a line may begin with who has printed it. `signs` are
    how many of each the kernels have printed, spaces aside, where that is known: the others are host code's.
    """
    left = [line.strip() for line in output.splitlines() if line.strip()]
    for call, given, grade, by_kernels in zip(calls, inputs, grades, signs or [None] * len(calls), strict=True):
        assert call.task.prints
        lines = call.task.prints(**given, **call.scalars)
        for wanted in lines:
            found = next((line for line in left if line.endswith(wanted)), None)
            if found is None:
                instead = f"; it prints `{left[0]}`" if left else ""
                grade.status, grade.message = (
                    "wrong_result",
                    f"The kernel should print `{wanted}`, and does not{instead}.",
                )
                return
            left.remove(found)
        if by_kernels is not None and by_kernels < sum(len("".join(line.split())) for line in lines):
            grade.status, grade.message = (
                "wrong_result",
                f"Host code prints `{lines[0]}`: call printf in the kernel, where the thread has its value.",
            )
            return
    if left:
        grades[0].status, grades[0].message = (
            "wrong_result",
            f"The kernel also prints `{left[0]}`, which is not asked for.",
        )
