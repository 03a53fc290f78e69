"""Grades for Gradescope: results.json, as its autograder specification defines it (gradescope-autograders, "Output
format").

A test for each task, worth as many points as it can earn stars. What the autograder prints stays with the instructor.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from grader.judge.advice import all_sectors
from grader.judge.verdict import Grade, TaskGrade
from grader.report.graded import Graded
from grader.report.json_ import SCHEMA
from grader.report.messages import TITLES
from grader.report.terminal import plain_text
from grader.report.words import FULL_MARKS, harmless, where

Json = dict[str, Any]


def dumps(graded: Sequence[Graded]) -> str:
    """The whole file. `score` is the sum of all tasks' stars; bonus tasks are worth none.

    Where a kernel could not be graded there is no score at all: Gradescope then says that the autograder failed, and
    an instructor runs it again, where a 0 would be taken for the student's.
    """
    tests = [test for number, each in enumerate(graded, start=1) for test in _tests(each, number)]
    complete = all(each.grade for each in graded)
    results = {
        **({"score": sum(test.get("score", 0) for test in tests)} if complete else {}),
        "execution_time": round(sum(each.grade.seconds.get("total", 0) for each in graded if each.grade), 3),
        "output": "\n".join(map(_headline, graded)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "leaderboard": [*_leaderboard(graded)],
        "extra_data": {"schema": SCHEMA, "seeds": {each.lesson: each.grade.seed for each in graded if each.grade}},
    }
    return json.dumps(results, ensure_ascii=False, indent=2) + "\n"


def _headline(graded: Graded) -> str:
    """`01_vector_add: passed, 2 of 3 stars (emulated, seed 123)`"""
    if not graded.grade:
        return harmless(f"{graded.lesson}: {graded.problem}")
    grade = graded.grade
    earned = f", {grade.stars} of {FULL_MARKS} stars" if grade.passed else ""
    said = [f"{grade.lesson}: {TITLES[grade.status]}{earned} ({where(grade)}, seed {grade.seed})"]
    said += [f"The hand-in claims another grade: {each}" for each in (graded.again.differs if graded.again else ())]
    return harmless("\n".join(said))


def _tests(graded: Graded, number: int) -> Iterator[Json]:
    if not graded.grade:
        yield _test(str(number), graded.lesson, False, f"not graded: {graded.problem}") | {"max_score": FULL_MARKS}
        return
    for part, task in enumerate(graded.grade.tasks, start=1):
        name = f"{graded.lesson}: {task.name}"
        test = _test(f"{number}.{part}", name, task.status == "passed", plain_text(task, graded.grade, graded.source))
        yield test if task.bonus else test | {"score": task.stars, "max_score": FULL_MARKS}


def _test(number: str, name: str, passed: bool, output: str) -> Json:
    status = "passed" if passed else "failed"
    return {"number": number, "name": name, "status": status, "output": harmless(output), "visibility": "visible"}


def _leaderboard(graded: Sequence[Graded]) -> Iterator[Json]:
    """Stars, rungs, and for each task that is right what it costs: its time on a GPU, else the sectors it moves."""
    grades = [each.grade for each in graded if each.grade]
    yield {"name": "stars", "value": sum(task.stars for grade in grades for task in grade.tasks if not task.bonus)}
    yield {"name": "rungs", "value": sum(task.position.rung for grade in grades for task in grade.tasks)}
    for grade in grades:
        for task in grade.tasks:
            if task.status == "passed":
                yield from _cost(grade, task)


def _cost(grade: Grade, task: TaskGrade) -> Iterator[Json]:
    name = f"{grade.lesson.partition('_')[0]} {task.name}"
    if "median_us" in task.timings:
        yield {"name": f"{name}, µs", "value": round(task.timings["median_us"], 2), "order": "asc"}
    elif task.counters:
        yield {"name": f"{name}, sectors", "value": all_sectors(task.counters), "order": "asc"}
