"""`ladder check` and `ladder submit`: what is graded, and in which forms the grades are told."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import click

from grader.course import catalog, progress
from grader.course.catalog import Entry, UsageError
from grader.grade import read_kernel, shown_path

if TYPE_CHECKING:
    from grader.grade import Progress
    from grader.judge.verdict import Grade
    from grader.report.graded import Graded

PASSED, NOT_PASSED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130
HAND_IN = ".json"  # how the name of a file ends that `ladder submit` wrote, whatever it is called now


@dataclass(frozen=True)
class Options:
    """How to grade."""

    tasks: tuple[str, ...] = ()
    device: str = "auto"
    seed: int | None = None
    reference: bool = False
    sanitize: bool = False
    counted: str | None = None  # `ladder explain --case`


@dataclass(frozen=True)
class Reports:
    """The forms that were asked for, beside the text for people or instead of it."""

    as_json: bool = False
    junit: Path | None = None
    gradescope: Path | None = None
    html: Path | None = None

    def prepare(self) -> None:
        """Raises UsageError if a file cannot be written: before anybody has waited for a grade."""
        if files := self._files():
            from grader.report.graded import check_writable

            check_writable([file for file, _ in files])

    def write(self, graded: Sequence[Graded]) -> None:
        """Writes the files. Raises UsageError."""
        for file, form in self._files():
            from grader.report.graded import write

            write(file, form.dumps(graded))

    def _files(self) -> list[tuple[Path, ModuleType]]:
        """Each with the module that makes its text."""
        if not (self.junit or self.gradescope or self.html):
            return []
        from grader.report import gradescope, html, junit

        asked = ((self.junit, junit), (self.gradescope, gradescope), (self.html, html))
        return [(file, form) for file, form in asked if file]


# ---- one kernel ----


def check(lesson: str, file: Path | None, options: Options, reports: Reports) -> int:
    """Grades one kernel, or one hand-in, and tells of it. Returns the exit code; raises UsageError."""
    reports.prepare()
    if Path(lesson).suffix == HAND_IN:
        return _check_hand_in(Path(lesson), file, options, reports)
    if Path(lesson).suffix == ".cu":
        raise UsageError(f"say for which lesson {lesson} is meant: type `ladder check 01 {lesson}`")
    if file and file.suffix == HAND_IN:
        raise UsageError(f"{file} looks like a hand-in, which names its lesson itself: type `ladder check {file}`")
    if options.reference and file is not None:
        raise UsageError("give either a file or --reference, not both")
    entry = catalog.find(lesson)
    graded = _graded_alone(entry, file, options)
    _remember(entry, graded.grade, complete=not options.tasks and not options.reference)
    _tell(graded, reports, entry.lesson.next_step)
    return PASSED if graded.good else NOT_PASSED


def submit(lesson: str, file: Path | None, options: Options) -> int:
    """Grades a kernel and writes a hand-in, whatever the grade. Returns the exit code; raises UsageError."""
    from grader import submit

    entry = catalog.find(lesson)
    folder = entry.root / "submissions"
    submit.prepare(folder)
    graded = _graded_alone(entry, file, options)
    _remember(entry, graded.grade, complete=True)
    _tell(graded, Reports(), None)
    written = shown_path(submit.write(submit.make(entry, graded.source, graded.grade), folder))
    click.echo(f"Hand in {written}\nIt holds your kernel, its grade, and what it takes to grade it again.")
    if not graded.good:
        click.echo(f"It has not passed yet: type `ladder submit {entry.number:02d}` again when it has.")
    return PASSED if graded.good else NOT_PASSED


def _check_hand_in(file: Path, kernel: Path | None, options: Options, reports: Reports) -> int:
    if kernel or options.reference or options.tasks or options.sanitize or options.seed is not None:
        raise UsageError("a hand-in says itself what to grade: give it alone, or with --device")
    with progress_line(file.name) as tell:
        graded = grade_hand_in(file, options, tell)
    _tell(graded, reports, None)
    return PASSED if graded.good else NOT_PASSED


def _graded_alone(entry: Entry, file: Path | None, options: Options) -> Graded:
    with progress_line(entry.name) as tell:
        return grade_kernel(entry, file, options, tell)


def _tell(graded: Graded, reports: Reports, next_step: str | None) -> None:
    if reports.as_json:
        from grader.report.machine import dumps

        click.echo(dumps(graded.grade, graded.again))
    else:
        _show(graded, next_step)
    reports.write([graded])


def _show(graded: Graded, next_step: str | None) -> None:
    from grader.report.terminal import make_console, show, show_again

    console = make_console()
    show(console, graded.grade, source=graded.source, next_step=next_step)
    if graded.again:
        show_again(console, graded.again)


# ---- many kernels ----


@dataclass(frozen=True)
class Candidate:
    """A kernel or a hand-in that `ladder check --all` has found."""

    name: str  # of the lesson, or of the hand-in's file
    kernel: str  # the file as people write it
    grade: Callable[[Options, Progress], Graded]  # raises UsageError


def check_all(folder: Path | None, options: Options, reports: Reports) -> int:
    """Grades all of a folder, or all references, and tells of it in one table. Returns the exit code.

    What cannot be graded, for whatever reason, is told on stderr, and the others are graded. Raises UsageError.
    """
    reports.prepare()
    candidates = _references() if options.reference else _kernels_in(folder)
    graded, interrupted = [], False
    with _progress_bar(candidates) as tell:
        for candidate in candidates:
            try:
                graded.append(_survive(candidate, options, tell(candidate)))
            except KeyboardInterrupt:
                interrupted = True
                break
    _tell_all(graded, reports)
    reports.write(graded)
    for each in graded:
        if each.problem:
            click.echo(f"ladder: {each.kernel}: {each.problem}", err=True)
    if interrupted:
        click.echo(f"ladder: interrupted; {len(graded)} of {len(candidates)} kernels are graded", err=True)
        return INTERRUPTED
    if any(each.problem for each in graded):
        return WRONG_USAGE
    return PASSED if all(each.good for each in graded) else NOT_PASSED


def _tell_all(graded: Sequence[Graded], reports: Reports) -> None:
    if reports.as_json:
        from grader.report.machine import dumps_all

        click.echo(dumps_all(graded))
    elif graded:
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
    from grader.submit import SUFFIX

    root = catalog.course_root()
    place, entries = folder or root / "work", catalog.entries(root)
    if not place.is_dir():
        hint = "it must be a folder of kernels named NN_name.cu" if folder else "type `ladder start 01` first"
        raise UsageError(f"there is no folder {shown_path(place)}: {hint}")
    kernels = [(entry, place / entry.work_file.name) for entry in entries]
    found = [_candidate(entry, file) for entry, file in kernels if file.exists()]
    found += [_hand_in(file) for file in sorted(place.rglob(f"*{SUFFIX}"))]
    if not found:
        names = " or ".join(entry.work_file.name for entry in entries[:2]) or "NN_name.cu"
        raise UsageError(f"{shown_path(place)} holds no kernel of any lesson: name your files {names}")
    return found


def _candidate(entry: Entry, file: Path | None) -> Candidate:
    def grade(options: Options, tell: Progress) -> Graded:
        graded = grade_kernel(entry, file, options, tell)
        _remember(entry, graded.grade, complete=file is not None)
        return graded

    return Candidate(entry.name, shown_path(file or entry.root / "kernels" / entry.name), grade)


def _hand_in(file: Path) -> Candidate:
    return Candidate(file.name, shown_path(file), lambda options, tell: grade_hand_in(file, options, tell))


# ---- grading ----


def grade_kernel(entry: Entry, file: Path | None, options: Options, tell: Progress) -> Graded:
    """Grades the file, else the reference if that is asked for, else the learner's own. Raises UsageError."""
    from grader.grade import choose_tasks, grade
    from grader.report.graded import Graded

    choose_tasks(entry, options.tasks)  # a slip of the fingers is told first
    file = file or (entry.reference if options.reference else entry.work_file)
    source = read_kernel(file, entry)
    chosen = {
        "device": options.device,
        "tasks": options.tasks or None,
        "seed": options.seed,
        "source": source,
        "counted": options.counted,
    }
    if options.sanitize:
        found = _sanitized(entry, file, tell, chosen)
    else:
        found = grade(entry, file, on_progress=tell, **chosen)
    return Graded(entry.name, found.kernel, source, found, title=entry.lesson.title)


def grade_hand_in(file: Path, options: Options, tell: Progress) -> Graded:
    """Grades a hand-in's source again, with its seed and where it was graded. Raises UsageError."""
    from grader import submit
    from grader.grade import grade
    from grader.report.graded import Graded

    handin = submit.read(file)
    entry = catalog.find(handin.lesson)
    device = handin.device if options.device == "auto" else options.device
    kernel = Path(handin.kernel)  # read from the hand-in, never from there
    found = grade(entry, kernel, device=device, seed=handin.grade.seed, source=handin.source, on_progress=tell)
    again = submit.compare(file, handin, found, submit.environment(entry))
    return Graded(entry.name, shown_path(file), handin.source, found, title=entry.lesson.title, again=again)


def _sanitized(entry: Entry, file: Path, tell: Progress, chosen: dict) -> Grade:
    from grader import tools
    from grader.grade import grade

    if chosen["device"] == "emulator":
        raise UsageError("compute-sanitizer watches a GPU: leave out --device emulator (or --sanitize)")
    sanitizer = tools.ready("compute-sanitizer")
    found = grade(entry, file, on_progress=tell, **chosen | {"device": "cuda"})
    tools.sanitize(sanitizer, entry, found, tell)
    return found


def _remember(entry: Entry, grade: Grade, *, complete: bool) -> None:
    """Notes the stars of a learner's complete grade; says so if that failed."""
    own = (entry.root / "kernels", entry.folder)
    if not complete or any(Path(grade.kernel).absolute().is_relative_to(folder) for folder in own):
        return
    if message := progress.record(entry.root, entry.name, grade.stars, grade.passed).message:
        click.echo(f"ladder: {message}", err=True)


# ---- while it takes ----


@contextlib.contextmanager
def progress_line(name: str) -> Iterator[Progress]:
    """A line on stderr that says what is being done and disappears; nothing at all unless stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda what: None
        return
    from grader.report.terminal import make_console

    with make_console(stderr=True).status(f"{name}: starting") as status:
        yield lambda what: status.update(f"{name}: {what}")


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


# ---- faults of our own ----


def fault(error: Exception) -> str:
    """One sentence for an exception that nobody expected; its traceback goes to a file, which the sentence names."""
    with tempfile.NamedTemporaryFile("w", prefix="ladder-", suffix=".log", delete=False) as file:
        traceback.print_exception(error, file=file)
    text = str(error).strip()
    said = f"{type(error).__name__}: {text.splitlines()[0][:200]}" if text else type(error).__name__
    return f"{said}; this is a fault in Kernel Ladder, see {file.name}"
