"""One hand-in, graded where a learning system has put it: in a container of Gradescope's or PrairieLearn's.

    python -m grader.classroom.harness gradescope LESSON [ROOT] [HIDDEN]

Contracts: gradescope-autograders, "Autograder Specifications" (submission/ and results/results.json below
/autograder); PrairieLearn, "External grading" (student/ and results/results.json below /grade). Where the grader itself
fails there is no file of results and the exit code is 1, so that the system says so and gives no marks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.classroom.collect import Reader, collect
from grader.classroom.grading import answer
from grader.classroom.ledger import NOT_GRADED, Result, Submitted
from grader.course import catalog
from grader.course.catalog import Entry, UsageError
from grader.report import gradescope, json_
from grader.report.graded import Graded
from grader.report.messages import TITLES
from grader.report.terminal import plain_text
from grader.report.words import FULL_MARKS, harmless

Json = dict[str, Any]


@dataclass(frozen=True)
class System:
    """Where a learning system keeps things, below its root, and how it wants to be told."""

    root: str
    handed_in: str
    results: Callable[[Graded], Json]
    refusal: Callable[[str], Json]  # for a hand-in without a kernel: the student is to know, and may hand in again


def of_prairielearn(graded: Graded) -> Json:
    """Points are stars; the score is that of the weakest task, as everywhere."""
    grade = graded.verdict
    tests = [
        {
            "name": f"{graded.lesson}: {task.name}",
            "points": task.stars,
            "max_points": FULL_MARKS,
            "output": harmless(plain_text(task, grade, graded.source)),
        }
        for task in grade.tasks
        if not task.bonus
    ]
    return {"gradable": True, "score": grade.stars / FULL_MARKS, "message": TITLES[grade.status], "tests": tests}


SYSTEMS = {
    "gradescope": System(
        "/autograder",
        "submission",
        lambda graded: dict(json.loads(gradescope.dumps([graded]))),
        lambda reason: {"score": 0, "output": reason, "stdout_visibility": "hidden"},
    ),
    "prairielearn": System(
        "/grade", "student", of_prairielearn, lambda reason: {"gradable": False, "message": reason, "score": 0}
    ),
}


def handed_in(folder: Path, entry: Entry) -> Submitted:
    """The one kernel of the lesson that lies there. Raises UsageError for none, and for several."""
    reader = Reader([entry], r"(?P<learner>)")
    found = [each for each in collect([folder], reader) if isinstance(each, Submitted)]
    if len({each.text for each in found}) != 1:
        many = f"{len(found)} kernels" if found else "no kernel"
        raise UsageError(f"there is {many} of lesson {entry.label} in the hand-in: hand in one file, {entry.name}.cu")
    return found[0]


def run(system: System, entry: Entry, root: Path, hidden: str) -> str:
    """Grades and writes the results; returns why not, "" if that went well."""
    results = root / "results" / "results.json"
    results.parent.mkdir(parents=True, exist_ok=True)
    results.unlink(missing_ok=True)
    try:
        submitted = handed_in(root / system.handed_in, entry)
    except UsageError as error:
        results.write_text(json.dumps(system.refusal(str(error))))
        return ""
    order = {"lesson": entry.name, "source": submitted.text, "hidden": hidden, "device": "emulator", "seed": None}
    found: Result = answer(order)
    if found.status == NOT_GRADED or not found.grade:
        return found.message
    graded = Graded(entry.name, submitted.file, submitted.text, json_.from_json(found.grade))
    results.write_text(json.dumps(system.results(graded), ensure_ascii=False, indent=2) + "\n")
    return ""


def main(arguments: Sequence[str]) -> int:
    """0 if there are results."""
    name, lesson, root, hidden = [*arguments, "", ""][:4]
    system = SYSTEMS[name]
    try:
        text = Path(hidden).read_text() if hidden else ""
        problem = run(system, catalog.find(lesson), Path(root or system.root), text)
    except (UsageError, OSError) as error:
        problem = str(error)
    if problem:
        print(f"ladder: not graded: {problem}", file=sys.stderr)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
