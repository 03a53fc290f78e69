"""`ladder start`, `ladder hint` and `ladder solution`: the way from one rung to the next."""

from __future__ import annotations

import sys

import click

from grader.course import progress, work
from grader.course.catalog import Entry, UsageError
from grader.course.choose import choose_rung, choose_task, choose_tasks
from grader.course.files import shown_path
from grader.course.halves import for_halves
from grader.course.hints import begin_at, begun_at, next_hint
from grader.course.inline import inlined
from grader.course.lesson import Task
from grader.faces import puzzles


def start(entry: Entry, task: str | None, rung: int | None) -> None:
    """Puts the starter into work/ unless there is a file, or the rung below this one in any case. Raises UsageError."""
    if rung is not None:
        _start_below(entry, task, rung)
        return
    if task:
        raise UsageError("--task says whose rung is meant: add --rung, or leave it out")
    if puzzles.start(entry):
        return
    file = shown_path(entry.work_file)
    copied = work.start(entry)
    click.echo(f"{file} is yours now." if copied else f"{file} is already there and stays as it is.")
    asked = entry.lesson
    click.echo(f"{asked.title}: {asked.summary}" if asked.summary else asked.title)
    click.echo(f"Next: edit {file}, then type `ladder check {entry.label}`")


def _start_below(entry: Entry, name: str | None, number: int) -> None:
    task, *others = _tasks_with(entry, name, number, "start")
    file = shown_path(entry.work_file)
    rung, lesson = task.ladder[number - 1], entry.label
    below = work.below(entry, task, number)
    backup = work.start_at(entry, below)
    begin_at(entry, [task, *others], number)
    what = f"rung {number - 1} now: {task.ladder[number - 2].idea}." if number > 1 else "the starter now."
    click.echo(f"{file} is {what}" + (f" What you had is in {shown_path(backup)}." if backup else ""))
    click.echo(f"Your turn, rung {number} of {len(task.ladder)}: {rung.idea}")
    only = f" --task {task.name}" if entry.task_of(below) else ""
    if only:
        rest = " and ".join(other.name for other in entry.lesson.tasks if other is not task and not other.bonus)
        kept = f" What you had written of {rest} is in {shown_path(backup)}: copy it from there." if backup else ""
        click.echo(f"It holds {task.name} alone, with empty functions for {rest}.{kept}")
    hint = f"ladder hint {lesson}{f' --task {name}' if name else ''} --rung {number}"
    click.echo(f"Next: edit {file}, then type `ladder check {lesson}{only}`; stuck? `{hint}`")


def _tasks_with(entry: Entry, name: str | None, number: int, command: str) -> list[Task]:
    """The task of this name; without one all tasks, bonus aside, if this rung and the one below have the same files in
    all of them. Raises UsageError.
    """
    tasks = choose_tasks(entry, [name]) if name else [task for task in entry.lesson.tasks if not task.bonus]
    chosen = {choose_rung(task, number, ()) for task in tasks}
    files = {
        (*entry.rungs_of(task.name)[:1], *(rung.name for rung in task.ladder[max(at - 2, 0) : at]))
        for task in tasks
        for at in chosen
    }
    if len(files) > 1:
        choose_task(entry, name, f"ladder {command} {entry.label} --rung {number}")
    return tasks


def hint(entry: Entry, name: str | None, rung: int | None) -> None:
    """Shows the next hint for a rung: without a number, for the next one to reach, or the one that `start --rung` began
    with, if that is higher. Raises UsageError.
    """
    number = entry.label
    task = choose_task(entry, name, f"ladder hint {number}")
    chosen = choose_rung(task, rung, progress.load(entry.root).rungs(entry.name, task.name))
    chosen = chosen if rung else max(chosen, begun_at(entry, task))
    found = next_hint(entry, task, chosen)
    said = f"{found.heading}\n\n{found.text}\n"
    if sys.stdout.isatty():
        from grader.report.markdown import show_markdown
        from grader.report.terminal import make_console

        show_markdown(make_console(), said)
        click.echo()
    else:
        click.echo(said)
    left = found.total - found.number
    asked = f" {number}{f' --task {name}' if name else ''}"
    again = f"ladder hint{asked}{f' --rung {rung}' if rung else ''}"
    more = f": `ladder solution{asked} --rung {chosen} --reveal` shows the course's kernel" if chosen else "."
    click.echo(f"{left} hint{'s' if left > 1 else ''} left: `{again}`" if left else f"That was the last hint{more}")


def solution(entry: Entry, name: str | None, rung: int | None, reveal: bool, half: bool = False) -> None:
    """Shows the highest rung to those who have passed, or a rung to those who have reached it; with `half`, in half
    precision (course/halves.py). Raises UsageError."""
    from grader.report.solution import show_solution
    from grader.report.terminal import make_console

    done, number = progress.load(entry.root), entry.label
    if rung is None:
        if name:
            raise UsageError("--task says whose rung is meant: add --rung, or leave it out")
        earned, lacking = done.passed(entry.name), f"lesson {entry.name} is not passed yet"
        file, asked = entry.reference, number
    else:
        task, *others = _tasks_with(entry, name, rung, "solution")
        earned = all(each.highest(done.rungs(entry.name, each.name)) >= rung for each in (task, *others))
        lacking = f"rung {rung} of {task.name} is not reached yet"
        file = entry.rung_file(task.name, task.ladder[rung - 1].name)
        asked = f"{number}{f' --task {name}' if name else ''} --rung {rung}"
    if not earned and not reveal:
        raise UsageError(f"{lacking}: try `ladder hint {asked}`, or type `ladder solution {asked} --reveal`")
    text = for_halves(inlined(file), shown_path(file)) if half else inlined(file)
    show_solution(make_console(widest=160), text, shown_path(file))
