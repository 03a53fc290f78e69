"""A teacher's own sizes and seed, in a TOML file that lies outside the course.

    seed = 20261201

    [01_vector_add.vector_add]
    cases = [{n = 777}, {n = 65537}]

The cases are judged besides the lesson's, before its last one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from grader.course.catalog import Entry, UsageError
from grader.course.lesson import Case, Lesson, Task, check_lesson

Cases = Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]  # by lesson, then by task: what the file says


@dataclass(frozen=True)
class Hidden:
    """What a file says; nothing where there is none."""

    seed: int | None = None
    cases: Cases = field(default_factory=dict)

    def entry(self, entry: Entry) -> Entry:
        """The lesson as it is to be graded."""
        return LessonWithCases(entry.root, entry.name, self.cases[entry.name]) if entry.name in self.cases else entry


@dataclass(frozen=True)
class LessonWithCases(Entry):
    """A lesson with cases that its lesson.py does not have."""

    hidden: Mapping[str, Sequence[Mapping[str, Any]]]

    @cached_property
    def lesson(self) -> Lesson:
        """Raises UsageError, as for a lesson that is broken."""
        lesson = Entry(self.root, self.name).lesson
        tasks = [_with_cases(task, self.hidden.get(task.name, ())) for task in lesson.tasks]
        found = replace(lesson, tasks=tasks)
        try:
            check_lesson(found)
        except Exception as error:
            raise UsageError(f"the hidden cases of {self.name} are wrong: {error}") from None
        return found


def _with_cases(task: Task, hidden: Sequence[Mapping[str, Any]]) -> Task:
    cases = [Case(**each) for each in hidden]
    return replace(task, cases=[*task.cases[:-1], *cases, task.cases[-1]])


def read(text: str, entries: Sequence[Entry]) -> Hidden:
    """What the text of such a file says. Raises UsageError."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"the file of hidden cases is no TOML ({error})") from None
    seed = found.pop("seed", None)
    if seed is not None and not (isinstance(seed, int) and 0 <= seed < 2**31):
        raise UsageError("the file of hidden cases needs a `seed` from 0 to 2147483647")
    by_name = {entry.name: entry for entry in entries}
    for lesson, tasks in found.items():
        if lesson not in by_name:
            raise UsageError(f"the file of hidden cases names `{lesson}`, which is no lesson: write it as NN_name")
        found[lesson] = _cases(by_name[lesson], tasks)
    hidden = Hidden(seed, found)
    for lesson in found:
        assert hidden.entry(by_name[lesson]).lesson
    return hidden


def _cases(entry: Entry, tasks: Any) -> dict[str, list[Mapping[str, Any]]]:
    names = {task.name: {*task.cases[0].sizes, "variant"} for task in entry.lesson.tasks}
    found = {}
    for task, said in tasks.items() if isinstance(tasks, dict) else ():
        if task not in names:
            raise UsageError(f"the file of hidden cases names {entry.name}.{task}, and there is no such task")
        cases = said.get("cases") if isinstance(said, dict) else None
        if not (isinstance(cases, list) and cases and all(isinstance(each, dict) for each in cases)):
            raise UsageError(f"the file of hidden cases needs `cases = [{{...}}]` in [{entry.name}.{task}]")
        if strange := [name for each in cases for name in each if name not in names[task]]:
            raise UsageError(f"the file of hidden cases has `{strange[0]}`, which {task} does not have")
        found[task] = cases
    return found
