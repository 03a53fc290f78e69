"""`ladder class`: collects what a class has handed in, grades it, and makes a grade book of it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.course import catalog
from grader.course.catalog import UsageError
from grader.faces.exit import INTERRUPTED, NOT_PASSED, PASSED

if TYPE_CHECKING:
    from grader.classroom.ledger import Ledger, Result, Submitted
    from grader.classroom.policy import Policy

LEDGER = click.option("--ledger", type=click.Path(path_type=Path), default="class.sqlite", show_default=True,
                      metavar="FILE", help="Where all of it is kept.")  # fmt: skip
PLACE = click.Path(path_type=Path, exists=True)


@click.group("class")
def command() -> None:
    """Grade a class: collect, grade, gradebook, similar.

    \b
    ladder class collect submissions.zip     kernels, hand-ins and notebooks, one folder a person
    ladder class grade --jobs 4              all that has no grade yet; may be stopped at any time
    ladder class gradebook --csv marks.csv   people and lessons
    ladder class similar                     which kernels look alike
    """


@command.command()
@click.argument("places", nargs=-1, required=True, type=PLACE)
@LEDGER
@click.option("--pattern", default="", metavar="REGEX", help="Finds the name in a file's path: (?P<learner>...).")
@click.pass_context
def collect(context: click.Context, places: tuple[Path, ...], ledger: Path, pattern: str) -> None:
    """Note what FOLDERs and ZIP files hold. A kernel that is there already is noted once."""
    from grader.classroom import collect
    from grader.classroom.ledger import Ledger, Submitted

    reader = collect.Reader(catalog.entries(), pattern)
    with Ledger(ledger, new=True) as book:
        new = known = 0
        strange = []
        for found in collect.collect(places, reader):
            if isinstance(found, Submitted):
                added = book.add(found)
                new, known = new + added, known + (not added)
            else:
                strange.append(found)
                book.add_unknown(*found)
    click.echo(f"{new} new kernels, {known} known ones, {len(strange)} files that are none")
    for file, reason in strange:
        click.echo(f"{_plain(file)}: {_plain(reason)}", err=True)
    context.exit(PASSED if new + known else NOT_PASSED)


@command.command()
@LEDGER
@click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Kernels at a time, on GPUs at most three a card.  [default: as many as cores]",
)
@click.option("--timeout", type=click.FloatRange(1), metavar="S", help="Seconds for one kernel; then it is a timeout.")
@click.option("--resume/--again", default=True, help="Grade what has no grade yet [default], or all anew.")
@click.option("--on", "engine", type=click.Choice(["local", "ray", "slurm"]), default="local", show_default=True,
              help="ray: nodes of a Ray cluster. slurm: write an array job, LEDGER.sbatch.")  # fmt: skip
@click.option("--address", metavar="HOST:PORT", help="Of Ray's cluster, or `auto`.  [default: Ray on this machine]")
@click.option("--parts", type=click.IntRange(1), default=32, show_default=True, help="Of the array job.")
@click.option("--part", type=click.IntRange(1), metavar="I", help="Grade one part, into a file beside the ledger.")
@click.option("--merge", is_flag=True, help="Take in what the parts have found; grade nothing.")
@click.option("--hidden", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE",
              help="Sizes and a seed of your own, kept in the ledger.")  # fmt: skip
@click.option("--device", type=click.Choice(["auto", "emulator", "cuda"]), default="emulator", show_default=True)
@click.option("--sandbox", type=click.Choice(["none", "basic", "strict"]), default="basic", show_default=True)
@click.pass_context
def grade(context: click.Context, /, ledger: Path, jobs: int | None, timeout: float | None, resume: bool, engine: str,
          address: str | None, parts: int, part: int | None, merge: bool, hidden: Path | None,
          **options: str) -> None:  # fmt: skip
    """Grade what was collected. What is graded stays graded, whatever ends this command."""
    from grader.classroom import slurm
    from grader.classroom.ledger import Ledger

    at_once = jobs or len(os.sched_getaffinity(0))
    if part:
        _grade_part(ledger, part, at_once, timeout, options)
        return
    with Ledger(ledger) as book:
        if hidden:
            book.hide(hidden.read_text())
        if not resume:
            book.forget_grades()
        if merge:
            click.echo(f"{slurm.merge(book, ledger)} grades are noted.")
        elif engine == "slurm":
            script = slurm.write_job(book, ledger, parts, _command(timeout, options))
            click.echo(f"Type `sbatch {script}`, and when it is done `ladder class grade --ledger {ledger} --merge`.")
        else:
            _grade_all(context, book, engine, address, at_once, timeout, options)


def _grade_part(ledger: Path, number: int, jobs: int, timeout: float | None, options: dict[str, str]) -> None:
    """What a task of Slurm's array does."""
    from grader.classroom.executors import grade_here
    from grader.classroom.slurm import Part

    part = Part(ledger, number)
    todo = len(part.to_grade())
    grade_here(part, jobs, timeout, options, lambda *_: None)
    click.echo(f"{todo} kernels were to grade, {len(part.to_grade())} are left")


def _command(timeout: float | None, options: dict[str, str]) -> list[str]:
    """What such a task is to type."""
    said = [word for name, value in options.items() for word in (f"--{name}", value)]
    said += ["--timeout", f"{timeout:g}"] if timeout else []
    return [shutil.which("ladder") or "ladder", "class", "grade", *said]


def _grade_all(context: click.Context, book: Ledger, engine: str, address: str | None, jobs: int,
               timeout: float | None, options: dict[str, str]) -> None:  # fmt: skip
    """Here, or on Ray's nodes."""
    from grader.classroom import executors, ray_cluster

    todo, sandboxes = len(book.to_grade()), Counter[str]()
    try:
        with _bar(todo, sandboxes) as tell:
            if engine == "ray":
                ray_cluster.grade_on_ray(book, address, jobs, timeout, options, tell)
            else:
                executors.grade_here(book, jobs, timeout, options, tell)
    except KeyboardInterrupt:
        left = len(book.to_grade())
        click.echo(f"ladder: interrupted; {left} kernels are left: type `ladder class grade` to go on", err=True)
        context.exit(INTERRUPTED)
    _tell_grades(book, todo)
    for said, count in sandboxes.most_common():
        click.echo(f"{count} kernels were held by {said}")


def _tell_grades(book: Ledger, graded: int) -> None:
    from grader.classroom.gradebook import make_book, overview
    from grader.classroom.policy import Policy

    marks = make_book(book.rows(), Policy())
    lessons = sorted({lesson for each in marks.values() for lesson in each})
    click.echo(
        "\n".join([f"{graded} kernels were to grade, {len(book.to_grade())} are left", *overview(marks, lessons)])
    )


@contextlib.contextmanager
def _bar(total: int, sandboxes: Counter[str]) -> Iterator[Callable[[Submitted, Result], None]]:
    """Progress on stderr, if that is a terminal; counts what held the kernels."""
    from grader.report.words import layers

    def count(result: Result) -> None:
        if sandbox := (result.grade or {}).get("sandbox"):
            sandboxes[layers(sandbox)] += 1

    if not sys.stderr.isatty():
        yield lambda submitted, result: count(result)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from grader.report.terminal import make_console

    columns = (
        BarColumn(20),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=make_console(stderr=True), transient=True) as bar:
        row = bar.add_task("", total=total)

        def tell(submitted: Submitted, result: Result) -> None:
            count(result)
            bar.update(row, advance=1, description=_plain(f"{submitted.learner}, {submitted.lesson}: {result.status}"))

        yield tell


@command.command()
@LEDGER
@click.option("--csv", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write a table there.")
@click.option("--policy", "rules", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE",
              help="What counts, lesson by lesson, and who has more time: TOML.")  # fmt: skip
@click.option("--keep", type=click.Choice(["best", "last"]), help="Which of several counts.  [default: best]")
@click.option("--due", metavar="TIME", help="As 2026-11-30T23:59, by this machine's clock; later ones do not count.")
@click.option("--late", is_flag=True, help="Late ones count, and are marked.")
@click.option("--html", "pages", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
              help="Write pages there: class.html, and one for each person.")  # fmt: skip
@click.option("--fill", "table", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="TABLE",
              help="Fill a column of this table of a learning system's; --csv is the new one.")  # fmt: skip
@click.option("--lesson", metavar="NN", help="Whose stars to fill in.")
@click.option("--column", default="Grade", show_default=True, metavar="NAME", help="The column to fill.")
@click.option("--points", type=click.FloatRange(0), default=3, show_default=True, help="Of three stars, to fill in.")
def gradebook(ledger: Path, file: Path | None, rules: Path | None, keep: Any, due: str | None, late: bool,
              pages: Path | None, table: Path | None, lesson: str | None, column: str,
              points: float) -> None:  # fmt: skip
    """Say what counts for each person and lesson."""
    from grader.classroom import class_pages, worksheets
    from grader.classroom.gradebook import as_csv, make_book, overview
    from grader.classroom.ledger import Ledger
    from grader.course import files
    from grader.report.graded import check_writable, write

    if table and not (file and lesson):
        raise UsageError("--fill needs --lesson NN, whose stars are filled in, and --csv FILE for the new table")
    if file:
        check_writable([file])
    with Ledger(ledger) as book:
        policy = _policy(rules, keep, due, late)
        marks = make_book(book.rows(), policy)
        lessons = sorted({each for theirs in marks.values() for each in theirs})
        if pages:
            pages.mkdir(parents=True, exist_ok=True)
            for name, text in class_pages.write_pages(pages, book, marks, lessons, policy.best_lessons):
                write(name, text)
    if file and table and lesson:
        filled, missing = worksheets.filled(table.read_bytes(), marks, catalog.find(lesson).name, column, points)
        files.replace(file, filled)
        for learner in missing:
            click.echo(f"not in {table}: {_plain(learner)}", err=True)
    elif file:
        write(file, as_csv(marks, lessons, policy.best_lessons))
    click.echo("\n".join(overview(marks, lessons)))


def _policy(file: Path | None, keep: Any, due: str | None, late: bool) -> Policy:
    from grader.classroom.policy import Policy, Rule, read_policy

    if file is None:
        return Policy(Rule(keep or "best", _time(due), late))
    if keep or due or late:
        raise UsageError("--policy says what counts: leave out --keep, --due and --late, or write them into its file")
    return read_policy(file.read_text(), [entry.name for entry in catalog.entries()])


def _time(text: str | None) -> float | None:
    try:
        return datetime.fromisoformat(text).timestamp() if text else None
    except ValueError:
        raise UsageError(f"--due takes a time as 2026-11-30T23:59: `{text}` is none") from None


@command.command()
@LEDGER
@click.option("--at-least", type=click.IntRange(1, 100), default=60, show_default=True, metavar="PERCENT",
              help="Of the shorter kernel that is in the other.")  # fmt: skip
def similar(ledger: Path, at_least: int) -> None:
    """List kernels that look alike, names and numbers aside, and those that look like one of the course's."""
    from grader.classroom.ledger import Ledger
    from grader.classroom.similarity import alike

    found = 0
    with Ledger(ledger) as book:
        last = {row.key[:2]: row.key for row in book.rows()}  # by time: the last one of each person stays
        for entry in catalog.entries():
            keys = [key for key in last.values() if key.lesson == entry.name]
            kernels = {key.learner: book.submitted(key).text for key in keys}
            course = {f"the course's {file.stem}": file.read_text() for file in entry.rungs} if kernels else {}
            for pair in alike(entry.name, kernels, course, at_least / 100):
                found += 1
                click.echo(_plain(f"{100 * pair.share:3.0f} %  {pair.lesson}  {pair.one}  {pair.other}"))
    click.echo(f"{found} pairs share {at_least} % or more. That proves nothing: look at both.")


@command.command("package")
@click.argument("system", type=click.Choice(["gradescope", "prairielearn"]))
@click.argument("lesson", metavar="NN")
@click.argument("place", type=click.Path(path_type=Path), metavar="OUT")
@click.option("--hidden", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE",
              help="Gradescope: sizes and a seed of your own, besides the lesson's.")  # fmt: skip
def package(system: str, lesson: str, place: Path, hidden: Path | None) -> None:
    """Make what a learning system grades a lesson with.

    \b
    gradescope     OUT is a ZIP file for "Configure Autograder"
    prairielearn   OUT is the folder of a question; its image is built from the Containerfile
    """
    from grader.classroom import packages
    from grader.classroom.hidden import read
    from grader.course import files

    entry = catalog.find(lesson)
    text = hidden.read_text() if hidden else ""
    if text:
        read(text, catalog.entries())
    if system == "gradescope":
        files.replace(place, packages.gradescope(entry, text))
        click.echo(f"{place}: choose it at Gradescope, Configure Autograder, with Ubuntu 22.04 or newer.")
        return
    if text:
        raise UsageError("--hidden is for Gradescope: into PrairieLearn's image copy the file yourself")
    place.mkdir(parents=True, exist_ok=True)
    for name, data in packages.prairielearn(entry).items():
        files.replace(place / name, data.encode())
    click.echo(f"{place}: a question. Build its image by `podman build -t {packages.IMAGE} .` in the repository.")


def _plain(text: str) -> str:
    """Without what would move a cursor."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
