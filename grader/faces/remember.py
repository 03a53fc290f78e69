"""What a grade leaves behind: stars and rungs in work/progress.json."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.course import progress, work
from grader.course.catalog import Entry, Puzzle
from grader.course.inline import inlined

if TYPE_CHECKING:
    from grader.judge.verdict import Grade
    from grader.report.graded import Graded


def remember(entry: Entry, grade: Grade, source: str, *, complete: bool = True) -> progress.Progress:
    """Notes the rungs of the tasks that are right, and the stars of a pass if the grade is `complete`: of all tasks.

    The course's own rungs, which `ladder start --rung` hands out, are no progress. A puzzle's few lines may be theirs.
    """
    rungs_ = () if isinstance(entry, Puzzle) else entry.rungs
    if copied := next((rung for rung in rungs_ if source in (inlined(rung), work.with_stubs(entry, rung))), None):
        done = progress.load(entry.root)
        done.message = done.message or f"this is the course's own {copied.name}: it is not noted as yours"
        return done
    rungs = {
        task.name: [rung.name for rung in entry.lesson.task(task.name).ladder[: task.position.rung]]
        for task in grade.tasks
        if task.position.rung
    }
    return progress.record(entry.root, entry.name, grade.stars, grade.passed and complete, rungs=rungs)


def remember_own(entry: Entry, graded: Graded, *, complete: bool) -> None:
    """Does so for a file of the learner's own, and says on stderr what went wrong."""
    if not work.is_own(entry, Path(graded.verdict.kernel)):
        return
    if message := remember(entry, graded.verdict, graded.source, complete=complete).message:
        click.echo(f"ladder: {message}", err=True)
