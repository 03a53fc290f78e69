"""Hints one at a time: work/hints.json remembers how many of a task's hints were shown."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path

from grader.course import files
from grader.course.catalog import Entry, UsageError


@dataclass(frozen=True)
class Hint:
    """`text` is Markdown; `number` counts from 1 to `total`."""

    number: int
    total: int
    text: str

    def heading(self, task: str) -> str:
        """`Hint 1 of 3 for row_sum`"""
        return f"Hint {self.number} of {self.total} for {task}"


def next_hint(entry: Entry, task: str) -> Hint:
    """The first hint that was not shown yet, or the last one again. Raises UsageError if the task has none."""
    hints = entry.hints(task)
    if not hints:
        raise UsageError(f"there are no hints for {task} in lessons/{entry.name}/hints.md yet")
    file = entry.root / "work" / "hints.json"
    key = f"{entry.name}/{task}"
    with files.alone(file.parent):
        shown = _read(file)
        number = min(shown.get(key, 0) + 1, len(hints))
        with contextlib.suppress(OSError):  # a hint that cannot be remembered is shown again
            files.replace(file, json.dumps({**shown, key: number}).encode())
    return Hint(number, len(hints), hints[number - 1])


def _read(file: Path) -> dict[str, int]:
    """An unreadable file only means that the hints start again."""
    try:
        shown = json.loads(file.read_text())
        return {str(key): int(number) for key, number in shown.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
