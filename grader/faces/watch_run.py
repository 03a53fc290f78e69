"""What `ladder watch` waits for, each in a thread of its own: a grade, which can be called off, and a page.

A right kernel is modelled after its verdict is told, which nothing waits for: one line says how its time stands to that
of the last right save. The next save calls that off, too.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from grader.course.catalog import Entry, UsageError
from grader.course.files import shown_path
from grader.course.work import read_kernel
from grader.devices.submission import Device, Submission, second_server, start_server
from grader.devices.worker.job import Cancel, Cancelled
from grader.faces.exit import fault
from grader.faces.puzzles import picture
from grader.faces.view import write_page
from grader.grade import grade
from grader.report.terminal import BAD, DIM, show

if TYPE_CHECKING:
    from grader.judge.verdict import Grade


class Run(threading.Thread):
    """One grading on its way, and then its end: a grade, or a sentence that says why there is none."""

    def __init__(
        self, entry: Entry, device: Device, tell: Callable[[], None], before: Mapping[str, float] | None = None
    ):
        """`before` has the modelled µs of the last right save, by task."""
        super().__init__(daemon=True)
        self.entry, self.device, self.tell = entry, device, tell
        self.us = dict(before or {})  # and then those of this one, if it is right
        self.samples: dict[str, Any] = {}  # that the grade has made of the timed cases, by task
        self.pace, self.paced = "", False  # both beside each other, in words, and whether that was shown
        self.cancel = Cancel()
        self.what = "starting"
        self.source = ""
        self.grade: Grade | None = None
        self.picture: list[Text] = []  # of what a puzzle's kernel did
        self.problem = ""
        self.done = False

    def run(self) -> None:
        try:
            self.source = read_kernel(self.entry.work_file, self.entry)
            second_server()  # what stars hang on is modelled there, beside the last cases of each save
            found = grade(
                self.entry, device=self.device, on_progress=self._note, cancel=self.cancel, samples=self.samples
            )
            self.picture = picture(self.entry, found, self.source)
            self.grade = found
        except Cancelled:
            pass
        except UsageError as error:
            self.problem = str(error)
        except Exception as error:
            self.problem = fault(error)
        self.done = True
        self.tell()
        try:
            self.pace = self._model()
        except Cancelled:
            return
        except UsageError as error:
            self.pace = f"not modelled: {error}"
        except Exception as error:
            self.pace = f"not modelled: {fault(error)}"
        self.tell()

    def _model(self) -> str:
        """How the modelled time of each right task stands to that of the last right save. Raises as a grade does."""
        if not self.grade or self.grade.device["kind"] != "emulator":
            return ""
        from grader.model.times import modelled_times
        from grader.report.modelled import pace_words

        entry, now, said = self.entry, {}, []
        codes: dict[str, Any] = {}
        right = {task.name for task in self.grade.tasks if task.status == "passed"}
        submission = Submission(self.source, entry.work_file, entry.lesson.tasks, start_server(), self.grade.seed,
                                lambda what: None, cancel=self.cancel)  # fmt: skip
        for task in entry.lesson.tasks:
            known = self.samples.get(task.name)
            times = modelled_times(entry, task, submission, known=known, codes=codes) if task.name in right else ()
            if time := next(iter(times), None):
                now[task.name] = time.median_us
                said.append(f"{task.name}: " * (len(right) > 1) + pace_words(time, self.us.get(task.name)))
        self.us |= now
        return "\n".join(said)

    def _note(self, what: str) -> None:
        self.what = what
        self.tell()

    def show(self, console: Console) -> None:
        if self.grade:
            show(console, self.grade, source=self.source, next_step=None, picture=self.picture)
            self.show_pace(console)
        else:
            console.print(Text(self.problem, BAD))

    def show_pace(self, console: Console) -> None:
        """Once it is known, which is after the verdict."""
        if self.pace:
            console.print(Text(self.pace, DIM))
            self.paced = True


class Steps(threading.Thread):
    """The page of `ladder view` on its way, and then a sentence: where it is, or why there is none."""

    def __init__(self, entry: Entry, task: str, tell: Callable[[], None]):
        super().__init__(daemon=True)
        self.entry, self.task, self.tell = entry, task, tell
        self.said = ""

    def run(self) -> None:
        try:
            page, _ = write_page(self.entry, task=self.task)
            self.said = f"{shown_path(page)} shows it step by step: open it in a browser"
        except UsageError as error:
            self.said = str(error)
        except Exception as error:
            self.said = fault(error)
        self.tell()


def warm_up() -> None:
    """What the first grade would wait for. Whatever is missing, that grade will say."""
    with contextlib.suppress(Exception):
        start_server()
        import grader.judge.weigh  # noqa: F401
