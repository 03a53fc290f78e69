"""`ladder check --all`, and the puzzles of a lesson: many kernels graded one after the other, and told of at once."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click

from grader.course import catalog
from grader.course.catalog import Entry, Puzzle, UsageError
from grader.course.files import shown_path
from grader.faces import puzzles
from grader.faces.check import Options, Reports, grade_hand_in, grade_kernel
from grader.faces.exit import INTERRUPTED, NOT_PASSED, PASSED, WRONG_USAGE, fault
from grader.faces.remember import remember_own

if TYPE_CHECKING:
    from grader.devices.submission import Progress
    from grader.report.graded import Graded


@dataclass(frozen=True)
class Candidate:
    """A kernel or a hand-in that `ladder check --all` has found."""

    name: str  # of the lesson, or of the hand-in's file
    kernel: str  # the file as people write it
    grade: Callable[[Options, Progress], Graded]  # raises UsageError
    person: str = ""  # whose it is, if it lies in a folder of one's own


def check_all(folder: Path | None, options: Options, reports: Reports) -> int:
    """Grades all of a folder, or all references, and tells of it in one table. Returns the exit code.

    What cannot be graded, for whatever reason, is told on stderr, and the others are graded. Raises UsageError.
    """
    reports.prepare()
    return _check_many(_references() if options.reference else _kernels_in(folder), options, reports, _show_table)


def check_puzzles(entry: Entry, options: Options, reports: Reports) -> int:
    """Grades the puzzles that were begun, and tells of the first that is not right. Returns the exit code.

    Raises UsageError if there is none.
    """
    todo = [_candidate(puzzle, puzzle.work_file) for puzzle in puzzles.to_grade(entry)]
    return _check_many(todo, options, reports, partial(puzzles.show_all, entry))


def _check_many(
    candidates: Sequence[Candidate], options: Options, reports: Reports, show: Callable[[Sequence[Graded]], None]
) -> int:
    """Grades one after the other, and tells of it as `show` does. Returns the exit code."""
    graded, interrupted = [], False
    with _progress_bar(candidates) as tell:
        for candidate in candidates:
            try:
                graded.append(_survive(candidate, options, tell(candidate)))
            except KeyboardInterrupt:
                interrupted = True
                break
    reports.write(graded, [each.person for each in candidates[: len(graded)]])  # first: a terminal may take no output
    _tell_all(graded, reports, show)
    for each in graded:
        if each.problem:
            click.echo(f"ladder: {each.kernel}: {each.problem}", err=True)
    if interrupted:
        click.echo(f"ladder: interrupted; {len(graded)} of {len(candidates)} kernels are graded", err=True)
        return INTERRUPTED
    if any(each.problem for each in graded):
        return WRONG_USAGE
    return PASSED if all(each.good for each in graded) else NOT_PASSED


def _tell_all(graded: Sequence[Graded], reports: Reports, show: Callable[[Sequence[Graded]], None]) -> None:
    if reports.as_json:
        from grader.report.json_ import dumps_all

        click.echo(dumps_all(graded))
    elif graded:
        show(graded)


def _show_table(graded: Sequence[Graded]) -> None:
    from grader.report.overview import show_table
    from grader.report.terminal import make_console

    show_table(make_console(), graded)


def _survive(candidate: Candidate, options: Options, tell: Progress) -> Graded:
    """The candidate's grade, or why there is none."""
    from grader.report.graded import Graded

    try:
        return candidate.grade(options, tell)
    except UsageError as error:
        problem = str(error)
    except Exception as error:
        problem = fault(error)
    return Graded(candidate.name, candidate.kernel, problem=problem)


def _references() -> list[Candidate]:
    return [_candidate(entry, None) for entry in catalog.entries()]


def _kernels_in(folder: Path | None) -> list[Candidate]:
    """The kernels of a folder named as lessons are, and its hand-ins, those of its subfolders too."""
    from grader.classroom.handin import SUFFIX

    root = catalog.course_root()
    place, entries = folder or root / "work", catalog.exercises(root)
    if not place.is_dir():
        hint = "it must be a folder of kernels named NN_name.cu" if folder else "type `ladder start 00` first"
        raise UsageError(f"there is no folder {shown_path(place)}: {hint}")
    kernels = [(entry, place / entry.work_file.relative_to(root / "work")) for entry in entries]
    found = [_candidate(entry, file) for entry, file in kernels if file.exists() and not _is_untouched(entry, file)]
    found += [_hand_in(file, place) for file in sorted(place.rglob(f"*{SUFFIX}"))]
    if not found:
        lessons = [entry for entry in entries if not isinstance(entry, Puzzle)]
        names = " or ".join(entry.work_file.name for entry in lessons[:2]) or "NN_name.cu"
        raise UsageError(f"{shown_path(place)} holds no kernel of any lesson: name your files {names}")
    return found


def _is_untouched(entry: Entry, file: Path) -> bool:
    """Whether a puzzle is as `ladder start 00` has left it, which puts all of them there."""
    return isinstance(entry, Puzzle) and file.read_bytes() == entry.starter.read_bytes()


def _candidate(entry: Entry, file: Path | None) -> Candidate:
    def grade(options: Options, tell: Progress) -> Graded:
        graded = grade_kernel(entry, file, options, tell)
        remember_own(entry, graded, complete=file is not None)
        return graded

    return Candidate(entry.name, shown_path(file or entry.root / "kernels" / entry.name), grade)


def _hand_in(file: Path, place: Path) -> Candidate:
    from grader.classroom.exports import owner_of

    within = PurePosixPath(file.relative_to(place))
    owner = owner_of(within, {})
    person = owner.name if owner else within.parts[0] if len(within.parts) > 1 else ""
    return Candidate(file.name, shown_path(file), lambda options, tell: grade_hand_in(file, options, tell), person)


@contextlib.contextmanager
def _progress_bar(candidates: Sequence[Candidate]) -> Iterator[Callable[[Candidate], Progress]]:
    """A bar of all kernels in the same place, on the same condition. Told of each that begins."""
    if not sys.stderr.isatty():
        yield lambda candidate: lambda what: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    from grader.report.terminal import make_console

    columns = (BarColumn(20), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    with Bar(*columns, console=make_console(stderr=True), transient=True) as bar:
        row, begun = bar.add_task("", total=len(candidates)), 0

        def begin(candidate: Candidate) -> Progress:
            nonlocal begun
            bar.update(row, completed=begun)
            begun += 1
            return lambda what: bar.update(row, description=f"{candidate.name}: {what}")

        yield begin
