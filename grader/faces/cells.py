"""What a notebook's cell asks for: a grade, shown as `ladder check` shows it, or the lines that waste most."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course.catalog import Entry, UsageError
from grader.faces import puzzles
from grader.faces.lookup import Kernel, find_lesson, kernel_of, task_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from grader.devices.evidence import Finding
    from grader.devices.submission import Device
    from grader.judge.verdict import Grade, TaskGrade
    from grader.report.pages import Page

SEED = 7


@dataclass(frozen=True)
class Result:
    """A grade. A notebook shows it as `ladder check` does, without the times."""

    grade: Grade
    source: str
    next_step: str = ""
    picture: Sequence[Text] = ()  # of a puzzle: who touches what

    @property
    def status(self) -> str:
        return self.grade.status

    @property
    def stars(self) -> int:
        return self.grade.stars

    @property
    def counters(self) -> dict[str, Any]:
        """What the emulator counted at the counted case. Raises UsageError if several tasks were graded."""
        return self._task.counters

    @property
    def findings(self) -> list[Finding]:
        """Of all cases and tasks, in their order."""
        return [finding for task in self.grade.tasks for case in task.cases for finding in case.findings]

    @property
    def _task(self) -> TaskGrade:
        tasks = [task for task in self.grade.tasks if not task.bonus] or self.grade.tasks
        if len(tasks) > 1:
            names = " or ".join(f'"{task.name}"' for task in tasks)
            raise UsageError(f"lesson {self.grade.lesson} has several tasks: say which, grade(..., task={names})")
        return tasks[0]

    def __repr__(self) -> str:
        return self._page.text

    def _repr_html_(self) -> str:
        return self._page.html

    @property
    def _page(self) -> Page:
        from grader.report.pages import page

        return page(self._print)

    def _print(self, console: Console) -> None:
        from grader.report.terminal import show

        show(console, self.grade, source=self.source, next_step=None, read=False, picture=self.picture)
        if self.next_step:
            console.print(f"Next: {self.next_step}", style="bold")


def grade(lesson: str | int, kernel: Kernel = None, *, task: str | None = None, device: Device = "emulator",
          case: str | None = None) -> Result:  # fmt: skip
    """Grades a kernel at all cases of a lesson, or of one task; or at `case` alone: quick, and without targets."""
    entry = find_lesson(lesson)
    file, source = kernel_of(entry, kernel)
    found = graded(entry, file, source, task, case, device, alone=case is not None)
    return Result(found, source, picture=puzzles.picture(entry, found, source))


def explain(lesson: str | int, kernel: Kernel = None, *, task: str | None = None, case: str | None = None,
            top: int | None = 5) -> Page:  # fmt: skip
    """The lines of a kernel that waste most, and what the `top` costliest lines cost, as `ladder explain` tells it.

    None for `top` shows all lines.
    """
    from grader.report.explain import show_explanation
    from grader.report.pages import page

    entry = find_lesson(lesson)
    asked = task_of(entry, task)
    file, source = kernel_of(entry, kernel)
    found = graded(entry, file, source, asked.name, case, "emulator", alone=True)
    if not found.tasks[0].lines:
        return Result(found, source)._page
    return page(lambda console: show_explanation(console, found, source, most=top))


def graded(
    entry: Entry, file: Path, source: str, task: str | None, case: str | None, device: Device, alone: bool
) -> Grade:
    """A grade with paths as seen from the course, and no times. The emulator is asked once for each question."""
    ask = _ask if device == "emulator" else _ask.__wrapped__
    return ask(entry, file, source, task, case, device, alone)


def counted(entry: Entry, file: Path, source: str, task: str, case: str | None) -> Grade:
    """The same for who wants one case's counters alone: no checking build is made, which may find more."""
    return _ask(entry, file, source, task, case, "emulator", alone=True, with_checks=False)


@functools.lru_cache
def _ask(
    entry: Entry, file: Path, source: str, task: str | None, case: str | None, device: Device, alone: bool,
    with_checks: bool = True,
) -> Grade:  # fmt: skip
    from grader.grade import grade

    tasks = [task] if task else None
    with contextlib.chdir(entry.root):
        found = grade(
            entry, file, source=source, tasks=tasks, device=device, counted=case, alone=alone, with_checks=with_checks,
            seed=SEED,
        )  # fmt: skip
    return replace(found, seconds={})
