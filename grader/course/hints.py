"""Hints one at a time: work/hints.json remembers how many of a rung's were shown, and where `ladder start` began."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course import files
from grader.course.catalog import Entry, UsageError

if TYPE_CHECKING:
    from grader.course.lesson import Task


@dataclass(frozen=True)
class Hint:
    """`text` is Markdown; `number` counts from 1 to `total`. `about` is `matmul, rung 3: shared tile`."""

    number: int
    total: int
    text: str
    about: str

    @property
    def heading(self) -> str:
        """`Hint 1 of 3 for matmul, rung 3: shared tile`"""
        return f"Hint {self.number} of {self.total} for {self.about}"


def begin_at(entry: Entry, tasks: Iterable[Task], rung: int) -> None:
    """Remembers that the learner goes on to this rung of these tasks from the one below; 0: from the starter."""
    file = entry.root / "work" / "hints.json"
    with files.alone(file.parent), contextlib.suppress(OSError):
        shown = _read(file)
        begun = {_begun(entry, task): rung for task in tasks if task.ladder}
        if any(shown.get(key, 0) != rung for key in begun):
            files.replace(file, json.dumps(shown | begun).encode())


def begun_at(entry: Entry, task: Task) -> int:
    """The rung that `begin_at` was told of last, if the task still has one of this number; else 0."""
    rung = _read(entry.root / "work" / "hints.json").get(_begun(entry, task), 0)
    return rung if 0 <= rung <= len(task.ladder) else 0


def _begun(entry: Entry, task: Task) -> str:
    return f"{entry.name}/{task.name}/"  # no rung has an empty name


def next_hint(entry: Entry, task: Task, rung: int) -> Hint:
    """The first hint for rung number `rung` that was not shown yet, or the last one again; of a task without a ladder,
    its own. Raises UsageError if there is none.
    """
    step = task.ladder[rung - 1] if task.ladder else None
    about = f"{task.name}, rung {rung}: {step.title}" if step else task.name
    hints = [text for text in entry.hints(task.name, step.name if step else None) if text]
    if not hints:
        raise UsageError(f"there are no hints for {about} in lessons/{entry.name}/hints.md yet")
    file = entry.root / "work" / "hints.json"
    key = "/".join([entry.name, task.name, *([step.name] if step else [])])
    with files.alone(file.parent):
        shown = _read(file)
        number = min(shown.get(key, 0) + 1, len(hints))
        with contextlib.suppress(OSError):  # a hint that cannot be remembered is shown again
            files.replace(file, json.dumps({**shown, key: number}).encode())
    return Hint(number, len(hints), hints[number - 1], about)


def _read(file: Path) -> dict[str, int]:
    """An unreadable file only means that the hints start again."""
    try:
        shown = json.loads(file.read_text())
        return {str(key): int(number) for key, number in shown.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
