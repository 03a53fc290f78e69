"""Which tasks of a lesson are meant, which rung of a ladder, and at which case a task is counted."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
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


def choose_task(entry: Entry, name: str | None, command: str) -> Task:
    """The task of this name; without one, the only task there is, bonus aside. Raises UsageError with what to type."""
    names = [task.name for task in entry.lesson.tasks if not task.bonus]
    if name is None and len(names) > 1:
        raise UsageError(f"say for which task: `{command} --task {names[0]}` (or {', '.join(names[1:])})")
    return choose_tasks(entry, [name or names[0]])[0]


def choose_rung(task: Task, number: int | None, reached: Collection[str]) -> int:
    """This number, if the task's ladder has such a rung; without one, the rung above the highest of those `reached`, or
    the top; 0 for a task without a ladder. Raises UsageError.
    """
    rungs = task.ladder
    if number is None:
        return min(task.highest(reached) + 1, len(rungs))
    if not rungs:
        raise UsageError(f"{task.name} has no rungs: leave out --rung")
    if not 1 <= number <= len(rungs):
        last = f" to {len(rungs)} ({rungs[-1].title})" if len(rungs) > 1 else ""
        raise UsageError(f"{task.name} has no rung {number}: type --rung and a number, 1 ({rungs[0].title}){last}")
    return number


def is_there(task: Task, source: str) -> bool:
    """Whether a kernel file has begun with a task: somewhere it says `name(`."""
    return re.search(rf"\b{task.name}\s*\(", source) is not None


def count_at(task: Task, name: str) -> Task:
    """The task, with the case of this name as the counted one, and no ladder, whose goals suit the lesson's own choice.

    What a name says in brackets may be left out. Raises UsageError.
    """
    case = next((case for case in task.judged_cases if name in (case.name, case.name.partition(" [")[0])), None)
    if case is None:
        known = ", ".join(f"'{case.name}'" for case in task.judged_cases)
        raise UsageError(f"task {task.name} has no case '{name}': type --case and one of {known}")
    return replace(task, counted_case=case, ladder=(), stars={}, floor=())
