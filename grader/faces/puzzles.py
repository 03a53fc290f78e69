"""The puzzles of a lesson: which one a learner is at, all that were begun graded at once, and who touches what."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.course import catalog, progress, work
from grader.course.call import Call
from grader.course.catalog import Entry, Puzzle, UsageError
from grader.course.files import shown_path

if TYPE_CHECKING:
    from rich.text import Text

    from grader.course.lesson import Case
    from grader.judge.verdict import Grade
    from grader.report.graded import Graded

DRAWN_ELEMENTS = 16  # of an array, at most: a larger case is not drawn
# What leaves nothing to draw, or would take its time once more.
NOT_DRAWN = ("build_error", "missing_entry_point", "not_emulated", "crash", "timeout", "launch_error", "host_access")


def find(lesson: str, file: Path | None = None) -> Entry:
    """What has a kernel file of its own: the lesson of this name; of one with puzzles, `one`. Raises UsageError."""
    return one(catalog.find(lesson), file)


def is_named(file: str) -> bool:
    """Whether a file is called as one of the course's puzzles: 03_guard.cu."""
    name = Path(file).stem
    return any(puzzle.stem == name for entry in catalog.entries() for puzzle in entry.puzzles)


def one(entry: Entry, file: Path | None = None, tasks: Sequence[str] = ()) -> Entry:
    """The puzzle that is meant by a lesson of puzzles: the task's, the file's, or the next. Any other entry is itself.

    Raises UsageError if the file is called like no puzzle.
    """
    if not entry.puzzles:
        return entry
    if file is None and not tasks:
        return next_to_do(entry) or entry.puzzles[-1]
    named = next((each for each in entry.puzzles if each.slug in tasks or (file and each.stem == file.stem)), None)
    first = entry.puzzles[0]
    if named is None and file:
        raise UsageError(
            f"say which puzzle {shown_path(file)} is for: type `ladder check {first.label} {shown_path(file)}`"
        )
    if named is None:
        raise UsageError(f"lesson {entry.name} has no task `{tasks[0]}`: type --task {first.slug}, or another")
    return named


def next_to_do(entry: Entry) -> Puzzle | None:
    """The first puzzle that was never right; None if all were."""
    done = progress.load(entry.root)
    return next((puzzle for puzzle in entry.puzzles if not done.passed(puzzle.name)), None)


def start(entry: Entry) -> bool:
    """Of a lesson with puzzles, or one of these, puts all starters into work/ and says where to begin.

    False for any other entry, of which nothing is copied. Raises UsageError.
    """
    entry = entry.of if isinstance(entry, Puzzle) else entry
    if not entry.puzzles:
        return False
    copied = [puzzle for puzzle in entry.puzzles if work.start(puzzle)]
    number, folder = len(entry.puzzles), shown_path(entry.puzzles[0].work_file.parent)
    left = " Those that were there stay as they are." if 0 < len(copied) < number else ""
    click.echo(f"{folder}/ holds {number} puzzles, which are yours now.{left}" if copied
               else f"{folder}/ is already there and stays as it is.")  # fmt: skip
    click.echo(f"{entry.lesson.title}: {entry.lesson.summary}")
    click.echo(f"Next: {words_for_next(entry)}")
    return True


def words_for_next(entry: Entry) -> str:
    """`edit work/00_first_steps/04_two_d.cu, then type ...`; after the last puzzle, the lesson's own words."""
    puzzle = next_to_do(entry)
    if puzzle is None:
        return entry.lesson.next_step
    if not puzzle.work_file.exists():
        return f"`ladder start {entry.label}`"
    return f"edit {shown_path(puzzle.work_file)}, then type `ladder check {entry.label}`"


def to_grade(entry: Entry) -> list[Puzzle]:
    """Those that were begun, else the first. Raises UsageError if there is not even that."""
    begun = [puzzle for puzzle in entry.puzzles if puzzle.begun]
    first = entry.puzzles[0]
    if not begun and not first.work_file.exists():
        raise UsageError(f"there is no file {shown_path(first.work_file)}: type `ladder start {entry.label}`")
    return begun or [first]


def show_all(entry: Entry, graded: Sequence[Graded]) -> None:
    """How many are right; then the first that is not, else the one saved last, with its picture; and what is next."""
    from rich.text import Text

    from grader.report.terminal import BAD, GOOD, HEAD, make_console, show

    console, done = make_console(), progress.load(entry.root)
    right = [puzzle.slug for puzzle in entry.puzzles if done.passed(puzzle.name)]
    told = next((each for each in graded if not each.good), None) or max(graded, key=_saved)
    others = [_label(each) for each in graded if not each.good and each is not told]
    if right:
        console.print(Text(f"✓ {len(right)} of {len(entry.puzzles)} are right: {', '.join(right)}", GOOD))
    if others:
        console.print(Text(f"✗ begun, and not right: {', '.join(others)}", BAD))
    if told.grade:
        drawn = picture(catalog.find(told.lesson, entry.root), told.grade, told.source)
        show(console, told.grade, source=told.source, next_step=None, picture=drawn)
    again = f"change {told.kernel} and type `ladder check {entry.label}`; stuck? `ladder hint {_label(told)}`"
    console.print(Text(f"Next: {words_for_next(entry) if told.good else again}", HEAD))


def _saved(graded: Graded) -> float:
    """When its file was written, in a clock's seconds; 0 if it has gone meanwhile."""
    with contextlib.suppress(OSError):
        return Path(graded.kernel).stat().st_mtime
    return 0.0


def _label(graded: Graded) -> str:
    return graded.lesson.partition("_")[0]


def picture(entry: Entry, found: Grade, source: str) -> list[Text]:
    """Who touches what in the graded kernel, as lines of text; none for a lesson, or if there is nothing to be seen."""
    from grader.faces.record import record
    from grader.report.touches import touches

    if not isinstance(entry, Puzzle) or found.status in NOT_DRAWN:
        return []
    call = Call(entry.lesson.tasks[0], _telling(entry, found))
    try:
        recording = record(entry, Path(found.kernel), source=source, case=call.name, block=None, seed=found.seed)
    except UsageError:  # it launches nothing
        return []
    return touches(recording, call)


def _telling(entry: Entry, grade: Grade) -> Case:
    """The first case that fails, if it is small enough to be drawn; else the task's first."""
    (task,) = entry.lesson.tasks
    failed = {case.name for each in grade.tasks for case in each.cases if case.status != "passed"}
    small = (case for case in task.cases if max(_elements(Call(task, case))) <= DRAWN_ELEMENTS)
    return next((case for case in small if case.name in failed), task.cases[0])


def _elements(call: Call) -> list[int]:
    return [call.bytes[buffer.name] // buffer.type.bytes for buffer in call.signature.buffers]
