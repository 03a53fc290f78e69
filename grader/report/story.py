"""A grade for those who write lessons: why it is what it is, and what a learner reads of it."""

from __future__ import annotations

from grader.judge.verdict import Grade


def story(result: Grade) -> str:
    """Why a grade is what it is, for an author."""
    lines = [f"{result.kernel}: {result.status}, {result.stars} stars"]
    for task in result.tasks:
        lines += [f"  {task.name}: {task.status} {task.message}".rstrip()]
        lines += [f"    {d.line}: {d.message}" for d in task.diagnostics]
        wrong = {case.status: case for case in reversed(task.cases) if case.status != "passed"}  # the first of each
        lines += [f"    {case.name}: {case.status} {case.message}" for case in wrong.values()]
        lines += [f"    {t.metric} = {t.value}, {t.goal}, rung {t.rung}" for t in task.targets if t.value is not None]
    return "\n".join(lines)


def as_read(result: Grade, source: str) -> str:
    """What a learner reads of a grade, in one line."""
    from grader.report.terminal import plain_text  # as late as can be: `ladder check-course --form` needs no pages

    return " ".join(" ".join(plain_text(task, result, source) for task in result.tasks).split())
