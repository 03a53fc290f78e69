"""`ladder hunt`: hands a mistake out, grades what the learner made of it, hears an answer, shows what it was."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.course import catalog, hunt
from grader.course.catalog import Entry, Puzzle, UsageError
from grader.course.files import shown_path
from grader.course.handout import Handout, changes, kind_of, kinds
from grader.course.hunt import MENDED, NAMED, Handed, Hunt
from grader.course.work import read_kernel
from grader.faces.check import Options, grade_kernel, progress_line
from grader.faces.exit import NOT_PASSED, PASSED

if TYPE_CHECKING:
    from grader.course.mistake import Mistake
    from grader.devices.submission import Progress
    from grader.judge.verdict import Grade

Found = tuple[Handout, Handed]


@click.command("hunt")
@click.argument("lesson", required=False)
@click.option("--answer", nargs=2, metavar="LINE KIND", help="Say where the mistake is, and of what kind.")
@click.option("--give-up", is_flag=True, help="Show what is wrong, and what mends it.")
@click.pass_context
def command(context: click.Context, lesson: str | None, answer: tuple[str, str] | None, give_up: bool) -> None:
    """Find a mistake: hands one out in work/hunt/, or grades how you mended the one that you have.

    \b
    ladder hunt 04                    a kernel with a mistake; once you have changed it: is it mended?
    ladder hunt 04 --answer 38 race   or say in which line it is, and of what kind
    ladder hunt                       goes on with the lesson of the last one
    """
    if answer and give_up:
        raise UsageError("give either --answer or --give-up, not both")
    root = catalog.course_root()
    state = hunt.load(root)
    if state.message:
        click.echo(f"ladder: {state.message}", err=True)
    entry = catalog.find(lesson, root) if lesson else state.goes_on(catalog.entries(root))
    entry = entry.of if isinstance(entry, Puzzle) else entry
    if entry is None:
        click.echo("No mistake is left in the whole course: `ladder` shows your points.")
        return
    if answer:
        context.exit(_hear(entry, *answer))
    if give_up:
        _show(entry)
    else:
        context.exit(_go_on(entry))


def look(root: Path) -> Hunt:
    """The hunt as it is, for those who only show it: what keeps it from being read is its message."""
    try:
        return hunt.load(root)
    except UsageError as error:
        return Hunt(root, 0, message=str(error))


def _go_on(entry: Entry) -> int:
    """Hands out the next mistake, says again what to do with it, or grades it. Returns the exit code."""
    with hunt.changing(entry.root) as state:
        found = state.open(entry)
        if found and found[1].points and not _changed(entry, found):  # named, and not to be mended
            found[1].open = False
        is_new = found is None or not found[1].open
        if is_new:
            found = state.hand_out(entry)
    if found is None:
        click.echo(f"No mistake is left here. {_score(state, entry)}\nNext: `ladder hunt`")
        return PASSED
    if not is_new and _changed(entry, found):
        return _grade(entry, found)
    _tell_what_to_do(state, entry, found, is_new)
    return PASSED


def _tell_what_to_do(state: Hunt, entry: Entry, found: Found, is_new: bool) -> None:
    file, number, tasks = _file(entry, found), f"{entry.number:02d}", found[0].mistake.tasks or []
    check = " ".join([f"ladder check {number} {file}", *(f"--task {task}" for task in tasks)])
    click.echo(f"One mistake is hidden in {file}{'' if is_new else ', which is as it was handed out'}.")
    click.echo(f"  Mend it, in a few lines, and type `ladder hunt {number}`.")
    click.echo(f"  Or say in which line it is, and of what kind: `ladder hunt {number} --answer LINE KIND`.")
    click.echo(f"  The kinds of this lesson: {', '.join(kinds(entry))}.")
    click.echo(f"`{check}` shows what the grader says, `ladder hunt {number} --give-up` what is wrong.")
    click.echo(_score(state, entry))


# ---- a repair ----


def _grade(entry: Entry, found: Found) -> int:
    """Tells the grade of what the learner made of it, and whether that mends it. Returns the exit code."""
    from grader.report.terminal import make_console, show

    handout, handed = found
    file, tasks = hunt.file_of(entry, handed.number), tuple(handout.mistake.tasks or ())
    with progress_line(entry.name) as tell:
        graded = grade_kernel(entry, file, Options(tasks, "emulator"), tell)
        lacks = _lacks(entry, handout, graded.verdict, _changed(entry, found), tell)
    show(make_console(), graded.verdict, source=graded.source, next_step=None)
    if not lacks:
        _note(entry, found, MENDED)
        return PASSED
    again = f"ladder hunt {entry.number:02d}"
    click.echo(lacks)
    click.echo(f"Next: change {shown_path(file)} and type `{again}`; `{again} --give-up` shows what is wrong.")
    if graded.verdict.passed:
        click.echo(f"Without {shown_path(file)}, `{again}` writes it again as it was handed out.")
    return NOT_PASSED


def _lacks(entry: Entry, handout: Handout, mine: Grade, changed: int, tell: Progress) -> str:
    """Why a graded file is no repair, a sentence; "" if it is one."""
    most = handout.most_changes
    if not mine.passed:
        return "It is not mended yet."
    if most is not None and changed > most:
        return f"It passes, but it is a rewrite: {changed} lines are removed or added, and a repair has {most} at most."
    if all(target.met or target.value is None for task in mine.tasks for target in task.targets):
        return ""
    if most is None:
        stars = handout.mistake.expected[1]
        return "" if mine.stars > stars else "It is right, but it earns no more stars than what was handed out."
    tell("the kernel from which the mistake was made")
    missed = ", ".join(_missed(entry, handout.mistake, mine))
    return missed and f"It is right, but a target is missed that a repair meets: {missed}."


def _missed(entry: Entry, mistake: Mistake, mine: Grade) -> list[str]:
    """What people call the targets that the mistake's base meets, and a grade of the same tasks does not."""
    from grader.grade import grade
    from grader.judge.verdict import falls_behind
    from grader.report.words import metric_title

    base = grade(entry, mistake.base, device="emulator", tasks=mistake.tasks, seed=mine.seed)
    return list(dict.fromkeys(metric_title(target.metric) for target in falls_behind(mine, base)))


# ---- an answer ----


def _hear(entry: Entry, line: str, kind: str) -> int:
    """Says whether the mistake is there, and of that kind. Returns the exit code. Raises UsageError."""
    with hunt.changing(entry.root) as state:
        found = _open(state, entry)
        handout, handed = found
        mine = _mine(entry, found)
        line, kind = (kind, line) if kind.isdecimal() else (line, kind)
        last, kind = len(mine.removesuffix("\n").split("\n")), _kind(entry, kind)
        if not line.isdecimal() or not 1 <= int(line) <= last:
            raise UsageError(f"`{line}` is no line of {_file(entry, found)}: say a number from 1 to {last}")
        there, so = handout.is_at(int(line), mine), kind == kind_of(handout.mistake)
        if not ((there and so) or handed.points):
            handed.wrong += 1
    if there and so:
        _note(entry, found, NAMED)
        return PASSED
    if there:
        click.echo(f"The mistake is at line {line}, but it is not `{kind}`.")
    elif so:
        click.echo(f"The kind is `{kind}`, but the mistake is not at line {line}.")
    else:
        click.echo(f"The mistake is not at line {line}, and it is not `{kind}`.")
    click.echo(_score(state, entry))
    return NOT_PASSED


def _kind(entry: Entry, said: str) -> str:
    """The lesson's kind that is meant, by its beginning, too. Raises UsageError."""
    known, said = kinds(entry), said.lower().replace("-", "_").replace(" ", "_")
    meant = [kind for kind in known if kind == said] or [kind for kind in known if kind.startswith(said)]
    if len(meant) != 1:
        raise UsageError(f"`{said}` is no kind of this lesson: say {', '.join(known)}")
    return meant[0]


def _note(entry: Entry, found: Found, points: int) -> None:
    """Keeps the points of what was found, and tells of them."""
    handout = found[0]
    with hunt.changing(entry.root) as state:
        handed = state.handed[state.key(entry, handout.mistake)]
        handed.points = max(handed.points, points)
        handed.open = points < MENDED
    s = "s" if handed.points > 1 else ""
    click.echo(f"✓ {'mended' if points == MENDED else 'found'}, {handed.points} point{s}: {handout.mistake.sentence}")
    click.echo(_score(state, entry))
    more = f"mend it for {MENDED - NAMED} point more, or leave it and " if handed.open else ""
    leave = " --give-up" if handed.open and _changed(entry, found) else ""  # else it would be graded
    click.echo(f"Next: {more}type `{_next(state, entry)}{leave}`")


# ---- what it was ----


def _show(entry: Entry) -> None:
    """Shows what is wrong, and what mends it; the mistake is done with. Raises UsageError."""
    from grader.report.solution import show_solution
    from grader.report.terminal import make_console

    with hunt.changing(entry.root) as state:
        found = _open(state, entry)
        found[1].open = False
    handout, file = found[0], _file(entry, found)
    click.echo(f"{handout.mistake.sentence} ({kind_of(handout.mistake)})")
    if handout.mended is not None:
        before, after = (text.splitlines(keepends=True) for text in (handout.text, handout.mended))
        difference = "".join(difflib.unified_diff(before, after, file, file, n=2))
        show_solution(make_console(widest=160), difference, file, "diff")
    click.echo(f"{_score(state, entry)}\nNext: type `{_next(state, entry)}`")


def _open(state: Hunt, entry: Entry) -> Found:
    found = state.open(entry)
    if found is None:
        number = f"{entry.number:02d}"
        raise UsageError(f"you have no mistake of lesson {number} in hand: `ladder hunt {number}` hands one out")
    return found


def _mine(entry: Entry, found: Found) -> str:
    """The learner's text of the file, which is written again if it is gone. Raises UsageError."""
    file = hunt.file_of(entry, found[1].number)
    if not file.exists():
        hunt.write(entry, found[0], iter([file]))
    return read_kernel(file, entry)


def _changed(entry: Entry, found: Found) -> int:
    """How many lines the learner has changed."""
    return changes(found[0].text, _mine(entry, found))


def _file(entry: Entry, found: Found) -> str:
    return shown_path(hunt.file_of(entry, found[1].number))


def _next(state: Hunt, entry: Entry) -> str:
    """What to type for the next mistake: of this lesson, or of another if it has none left."""
    score = state.score(entry)
    return "ladder hunt" if score and score.left == 0 else f"ladder hunt {entry.number:02d}"


def _score(state: Hunt, entry: Entry) -> str:
    """`04_tiled_matmul: 3 of 22 points, 2 of 11 mistakes, 1 wrong answer`"""
    score = state.score(entry)
    if score is None:
        return f"{entry.name} has no mistakes."
    wrong = f", {score.wrong} wrong answer{'s' if score.wrong > 1 else ''}" if score.wrong else ""
    return f"{entry.name}: {score.points} of {score.most} points, {score.done} of {score.mistakes} mistakes{wrong}"
