"""What `ladder watch` waits for, each in a thread of its own: a grade, which can be called off, and a page."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from grader.course.catalog import Entry, UsageError
from grader.course.files import shown_path
from grader.course.work import read_kernel
from grader.devices.worker.job import Cancel, Cancelled
from grader.faces.exit import fault
from grader.faces.puzzles import picture
from grader.faces.view import write_page
from grader.grade import grade
from grader.report.terminal import BAD, show
from grader.submission import Device, start_server

if TYPE_CHECKING:
    from grader.judge.verdict import Grade


class Run(threading.Thread):
    """One grading on its way, and then its end: a grade, or a sentence that says why there is none."""

    def __init__(self, entry: Entry, device: Device, tell: Callable[[], None]):
        super().__init__(daemon=True)
        self.entry, self.device, self.tell = entry, device, tell
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
            found = grade(self.entry, device=self.device, on_progress=self._note, cancel=self.cancel)
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

    def _note(self, what: str) -> None:
        self.what = what
        self.tell()

    def show(self, console: Console) -> None:
        if self.grade:
            show(console, self.grade, source=self.source, next_step=None, picture=self.picture)
        else:
            console.print(Text(self.problem, BAD))


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
