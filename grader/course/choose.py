"""Which tasks of a lesson are graded, and at which case they are counted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grader.course.catalog import Entry, UsageError
from grader.course.lesson import Task


def choose_tasks(entry: Entry, names: Sequence[str] | None) -> list[Task]:
    """The tasks of these names, in the lesson's order; all of them for None. Raises UsageError."""
    known = [task.name for task in entry.lesson.tasks]
    unknown = next((name for name in names or () if name not in known), None)
    if unknown:
        raise UsageError(f"lesson {entry.name} has no task `{unknown}`: type --task {' or --task '.join(known)}")
    return [task for task in entry.lesson.tasks if not names or task.name in names]


def is_there(task: Task, source: str) -> bool:
    """Whether a kernel file has begun with a task: somewhere it says `name(`."""
    return re.search(rf"\b{task.name}\s*\(", source) is not None


def count_at(task: Task, name: str) -> Task:
    """The task, with the case of this name as the counted one, and no targets, which suit the lesson's own choice.

    Raises UsageError.
    """
    case = next((case for case in task.judged_cases if case.name == name), None)
    if case is None:
        known = ", ".join(f"'{case.name}'" for case in task.judged_cases)
        raise UsageError(f"task {task.name} has no case '{name}': type --case and one of {known}")
    return replace(task, counted_case=case, targets=())
