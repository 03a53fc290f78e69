"""A process that grades for a class: orders come as lines of JSON, and each is answered by one.

    python -m grader.classroom.grading

An order has "lesson", "source", "hidden" (the text of a file, hidden.py), "seed" (None: that file's, else any), and
what `grade` takes besides: "device", "sandbox".
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

from grader.classroom.hidden import Hidden
from grader.classroom.hidden import read as read_hidden
from grader.classroom.ledger import NOT_GRADED, Result
from grader.course import catalog
from grader.course.catalog import UsageError

_PR_SET_PDEATHSIG = 1


def answer(order: dict[str, Any]) -> Result:
    """Grades one kernel. Whatever keeps it from being graded is told in the result."""
    from grader.grade import grade
    from grader.report.json_ import to_json

    start = time.monotonic()
    try:
        hidden = _hidden(order.pop("hidden", ""))
        entry = hidden.entry(catalog.find(order.pop("lesson")))
        order["seed"] = hidden.seed if order["seed"] is None else order["seed"]
        file = Path(entry.work_file.name)  # for its name: the text is in the order
        found = grade(entry, file, **order)
    except UsageError as error:
        return Result(NOT_GRADED, message=str(error), seconds=time.monotonic() - start)
    except Exception as error:
        return Result(NOT_GRADED, message=f"the grader failed ({type(error).__name__}: {error})"[:500])
    for task in found.tasks:
        task.lines, task.kernels = [], []  # many, and of use only beside the source
    rungs = {task.name: task.position.rung for task in found.tasks}
    message = next((task.message for task in found.tasks if task.message), "")
    return Result(found.status, found.stars, rungs, message, to_json(found), time.monotonic() - start)


@cache
def _hidden(text: str) -> Hidden:
    return read_hidden(text, catalog.entries())


def main() -> None:
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        return
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what anything prints is no answer
    for line in sys.stdin:
        result = answer(json.loads(line))
        answers.write(json.dumps(result.__dict__) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
