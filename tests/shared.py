"""What several tests need and one works out: kept for the rest of the run, for all of its processes, and no longer."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import filelock
import pytest

from grader import grade
from grader.course.lesson import Task
from grader.grade import Result, Submission

T = TypeVar("T")


class Once:
    """`once(key, make)` is `make()`, or a copy of what that returned when this run first asked for the key.

    Another process that asks meanwhile waits for the first one. What raises is not kept.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def __call__(self, key: Iterable[str | bytes], make: Callable[[], T]) -> T:
        file = self.folder / digest(key)
        with filelock.FileLock(f"{file}.lock"):
            if not file.exists():
                unfinished = file.with_suffix(".unfinished")
                unfinished.write_bytes(pickle.dumps(make()))
                unfinished.replace(file)
        return pickle.loads(file.read_bytes())


def long_tail(values: Iterable[Any], every: int) -> list[Any]:
    """For parametrize: the first of `values` and each `every`th after it run always, the others only with the slow."""
    slow = pytest.mark.slow
    return [
        value if number % every == 0 else pytest.param(*(value if isinstance(value, tuple) else [value]), marks=slow)
        for number, value in enumerate(values)
    ]


def digest(parts: Iterable[str | bytes]) -> str:
    """A hash that tells ("ab", "c") from ("a", "bc")."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode(errors="surrogateescape") if isinstance(part, str) else part
        found.update(len(data).to_bytes(8) + data)
    return found.hexdigest()


def run_folder(base: Path) -> Path:
    """The folder of this test run, from a process's own `tmp_path_factory.getbasetemp()`: xdist's workers share it."""
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def graded_once(once: Once) -> Callable[[Task, Submission], Result]:
    """`grade.grade_task`, but that each source is emulated once a run for each task of a lesson and each seed.

    What a test has changed is graded as ever: a task with other cases, a lesson without a file, a grade that can be
    cancelled; and what runs on a GPU, whose times are never the same.
    """
    grade_task = grade.grade_task

    def grade_once(task: Task, submission: Submission) -> Result:
        lesson = getattr(task.make_inputs, "__globals__", {}).get("__file__")
        is_own = any(task is each for each in submission.tasks)
        if not lesson or not is_own or submission.card or submission.cancel:
            return grade_task(task, submission)
        key: list[Any] = [task.name, submission.source, submission.filename, str(submission.seed)]
        return once([*key, Path(lesson).read_bytes()], lambda: grade_task(task, submission))

    return grade_once
