"""Many lessons at a glance: the course with its stars, and the table of several grades."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.course import catalog, predictions
from grader.course.catalog import Entry, Puzzle, UsageError
from grader.course.hunt import Hunt, Score
from grader.course.progress import Progress
from grader.report.graded import Graded
from grader.report.messages import TITLES
from grader.report.terminal import BAD, DIM, GOOD, HEAD, mark, stars
from grader.report.words import FULL_MARKS, bar, has_stars, lowest_rung


def show_table(console: Console, graded: Sequence[Graded]) -> None:
    """One line for each kernel."""
    claimed = any(each.again for each in graded)
    titles = ["", "lesson", "kernel", "verdict", "stars", "rung", *(["hand-in"] if claimed else ["build", "run"])]
    if not any(each.grade and lowest_rung(each.grade) for each in graded):
        titles.remove("rung")
    if all(Path(each.kernel).name == f"{each.lesson}.cu" for each in graded):
        titles.remove("kernel")  # it says nothing new
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in titles:
        table.add_column(title, justify="right" if title in ("build", "run") else "left", overflow="fold")
    for each, name in zip(graded, _names(graded), strict=True):
        cells = _cells(each, name)
        table.add_row(*(cells[title] for title in titles))
    console.print(table)


def _names(graded: Sequence[Graded]) -> list[str]:
    """Of the files, from the folder in which all of them lie."""
    folders = [os.path.abspath(Path(each.kernel).parent) for each in graded]
    return [os.path.relpath(each.kernel, os.path.commonpath(folders)) for each in graded]


def _cells(graded: Graded, kernel: str) -> dict[str, Text | str]:
    """What stands in each column, by its title."""
    grade = graded.grade
    verdict = TITLES[grade.status] if grade else "not graded"
    seconds = grade.seconds if grade else {}
    claim = Text("stands", GOOD) if graded.again and graded.again.stands else Text("does not stand", BAD)
    return {
        "": mark(graded.good),
        "lesson": graded.lesson,
        "kernel": Text(kernel, DIM),
        "verdict": Text(verdict, GOOD if grade and grade.passed else BAD),
        "stars": "" if grade and grade.passed and not has_stars(grade) else stars(grade.stars if grade else 0),
        "rung": lowest_rung(grade) if grade else "",
        "hand-in": claim if graded.again else "",
        **{key: f"{seconds[key]:.1f} s" if key in seconds else "" for key in ("build", "run")},
    }


@dataclass(frozen=True)
class Row:
    """A lesson in the overview of the course. `puzzles`: how many are right, and how many there are."""

    entry: Entry
    title: str
    stars: int
    started: bool
    passed: bool
    hunted: Score | None = None
    ladders: tuple[tuple[int, int], ...] = ()  # of each task, bonus aside: the highest rung reached, and of how many
    puzzles: tuple[int, int] | None = None
    predicted: tuple[int, int, int] = (0, 0, 0)  # rightly, at all, and how many questions the lesson asks


def course_rows(root: Path, done: Progress, hunt: Hunt | None = None) -> list[Row]:
    """A row for each lesson; one that is broken says so in place of its title, and does not hide the others."""
    rows = []
    for entry in catalog.entries(root):
        ladders: tuple[tuple[int, int], ...] = ()
        predicted = (0, 0, 0)
        try:
            title, tasks = entry.lesson.title, [task for task in entry.lesson.tasks if not task.bonus and task.ladder]
            ladders = tuple((task.highest(done.rungs(entry.name, task.name)), len(task.ladder)) for task in tasks)
            predicted = predictions.score(entry, done)
        except UsageError as error:
            title = str(error)
        row = _row(entry, title, done, hunt.score(entry) if hunt else None, ladders)
        rows.append(replace(row, predicted=predicted))
    return rows


def _row(entry: Entry, title: str, done: Progress, hunted: Score | None, ladders: tuple[tuple[int, int], ...]) -> Row:
    if puzzles := entry.puzzles:
        right, started = sum(done.passed(puzzle.name) for puzzle in puzzles), puzzles[0].work_file.exists()
        return Row(entry, title, 0, started, right == len(puzzles), hunted, puzzles=(right, len(puzzles)))
    started, passed = entry.work_file.exists(), done.passed(entry.name)
    return Row(entry, title, done.stars(entry.name), started, passed, hunted, ladders)


def progress_bar(entry: Entry, done: Progress, width: int) -> Text:
    """`━━━━━━━━━━────────── 2 of 4 lessons · 5 of 12 stars`, in at most `width` columns, at least the words.

    Of all lessons that have stars; of a puzzle, `3 of 16 puzzles` of its lesson.
    """
    others = entry.of.puzzles if isinstance(entry, Puzzle) else catalog.entries(entry.root)
    names = [other.name for other in others if not other.puzzles]
    passed, total = sum(map(done.passed, names)), len(names)
    words = f" {passed} of {total} lessons · {sum(map(done.stars, names))} of {FULL_MARKS * total} stars"
    words = f" {passed} of {total} puzzles" if isinstance(entry, Puzzle) else words
    room = max(width - len(words), 0)
    filled = room * passed // max(total, 1)
    return Text("━" * filled, GOOD) + Text("─" * (room - filled), DIM) + Text(words)


def show_course(console: Console, rows: Sequence[Row]) -> None:
    """The course at a glance and what to type next."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for row in rows:
        beside = [Text(_beside(row), DIM)] if _beside(row) else []
        table.add_row(mark(True) if row.passed else "", row.entry.name, row.title, _state(row), *beside)
    console.print(Text("Kernel Ladder", HEAD))
    console.print(table)
    if not rows:
        console.print("There is no lesson in lessons/ yet.")
        return
    todo = next((row for row in rows if not row.passed), None)
    if todo is None:
        better = next((row for row in rows if row.stars < FULL_MARKS and not row.puzzles), None)
        todo_text = "All lessons are passed." if better is None else f"Next: more stars, `ladder check {_no(better)}`"
    else:
        todo_text = f"Next: `ladder {'watch' if todo.started else 'start'} {_no(todo)}`"
    console.print(Text(f"\n{todo_text}", HEAD))


def _state(row: Row) -> Text:
    """`★★☆ ▮▮▮▯▯▯`, `3 of 16 puzzles`, or `started`"""
    if row.puzzles:
        return Text(f"{row.puzzles[0]} of {row.puzzles[1]} puzzles", "" if row.started else DIM)
    reached = any(rung for rung, _ in row.ladders)
    drawn = Text(" ".join(bar(*ladder) for ladder in row.ladders) if reached else "", GOOD)
    if row.passed:
        return stars(row.stars) + " " + drawn
    return drawn if reached else Text("started" if row.started else "", DIM)


def _beside(row: Row) -> str:
    """`predictions 5 of 7 · hunt: 2 of 54`: of the questions that were answered, those answered rightly."""
    right, told, _ = row.predicted
    parts = [f"predictions {right} of {told}" if told else ""]
    parts += [f"hunt: {row.hunted.points} of {row.hunted.most}" if row.hunted else ""]
    return " · ".join(filter(None, parts))


def _no(row: Row) -> str:
    return row.entry.name.partition("_")[0]
