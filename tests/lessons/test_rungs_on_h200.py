"""The goals that a GPU judges, held against what was measured of the rungs on an H200 and is committed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docs import readme
from grader.course.catalog import Entry, entries
from grader.course.lesson import Task
from grader.faces.on_gpu import misplaced
from grader.judge.ladder import climb, is_below_floor, is_told, stars_earned
from grader.judge.targets import judge_goals
from grader.report.bench import deciding_case

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "h200"


def measured(lesson: str, task: Task) -> dict[str, dict[str, float]]:
    """What the goals' metrics are, by rung: ratios to baselines and ceilings at the timed case."""
    tasks = json.loads((RESULTS / f"{lesson}.json").read_text())["tasks"]
    case = deciding_case(next(each for each in tasks if each["name"] == task.name))
    us = {each["name"]: each["median_us"] for each in case["results"] if each["median_us"]}
    found = {}
    for rung in (each["name"] for each in case["results"] if each["kind"] == "rung" and each["name"] in us):
        ratios = {f"x_{name}": us[name] / us[rung] for name in task.baselines}
        for name in ("copy", "read"):
            ratios[f"fraction_of_{name}"] = case["bytes"] / case["ceilings"][name]["rate"] / us[rung] * 1e6
        found[rung.partition("_")[2]] = ratios
    return found


TASKS = [
    pytest.param(task, found, id=f"{entry.name}-{task.name}")
    for entry in entries(ROOT)
    if (RESULTS / f"{entry.name}.json").is_file()
    for task in entry.lesson.tasks
    if (found := measured(entry.name, task))
]


@pytest.mark.parametrize(("task", "found"), TASKS)
def test_each_rung_that_a_gpu_can_tell_is_reached_and_not_the_next(task: Task, found: dict[str, dict[str, float]]):
    told = [number for number, rung in enumerate(task.ladder, start=1) if is_told(rung, on_gpu=True) or number == 1]
    for number, rung in enumerate(task.ladder, start=1):
        if rung.name in found:  # a new rung may not have been measured yet
            results = judge_goals(task, {}, found[rung.name])
            assert not is_below_floor(task, results, on_gpu=True), rung.name
            assert climb(task, results, on_gpu=True).rung == max(each for each in told if each <= number), rung.name


@pytest.mark.parametrize(("task", "found"), TASKS)
def test_the_highest_rung_earns_every_star(task: Task, found: dict[str, dict[str, float]]):
    if task.ladder and task.ladder[-1].name in found:
        here = climb(task, judge_goals(task, {}, found[task.ladder[-1].name]), on_gpu=True)
        assert stars_earned(task, here.rung, on_gpu=True) == 3


GRADED = json.loads((RESULTS / "rungs.json").read_text())["rungs"]  # by `ladder check-course --device cuda --out`
UNTIMED = readme.untimed()


@pytest.mark.parametrize("entry", entries(ROOT), ids=lambda entry: entry.name)
def test_grades_of_rungs_on_the_gpu_are_those_that_the_lesson_names(entry: Entry):
    for task in entry.lesson.tasks:
        rows = [row for row in GRADED if (row["lesson"], row["task"]) == (entry.name, task.name)]
        assert [row["rung"] for row in rows] == ([] if entry in UNTIMED else [rung.name for rung in task.ladder])
        for row in rows:
            assert not misplaced(task, row)
            assert row["stars"] == stars_earned(task, row["reached"], on_gpu=True)
            slow = row | {"values": {name: value / 1000 for name, value in row["values"].items()}}
            assert row["reached"] == 1 or f"instead of {row['reached']}" in misplaced(task, slow)


def test_only_the_newest_lessons_may_be_untimed_and_their_pages_say_so():
    lessons = [entry for entry in entries(ROOT) if not entry.puzzles]
    assert lessons[len(lessons) - len(UNTIMED) :] == UNTIMED, "a lesson is timed before the next one is begun"
    for entry in lessons:
        for page in (entry.folder / "README.md", entry.notebook):
            assert (readme.not_timed(entry) in page.read_text()) == (entry in UNTIMED), page
