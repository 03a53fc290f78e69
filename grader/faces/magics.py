"""The notebooks' magics: %%kernel, %hint, %explain, %view, %bench, %ladder; `%load_ext grader.faces.notebook`."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course import hints, progress, work
from grader.course.catalog import Entry, UsageError
from grader.course.choose import choose_rung, choose_task
from grader.faces import exercises, puzzles
from grader.faces.cells import Result, explain, grade
from grader.faces.lookup import task_of
from grader.faces.remember import remember
from grader.faces.view import View, view

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from grader.course.lesson import Task
    from grader.report.pages import Page, Prose

WIDTH = 100  # columns of what a command prints
OPTIONS = ("task", "rung", "device")  # of %%kernel
_typed: dict[Path, str] = {}  # what cells have put into work files: that needs no backup


def register(ipython: InteractiveShell) -> None:
    """Makes the magics known to this shell."""
    ipython.magics_manager.register_function(_kernel_magic, "cell", "kernel")
    lines = {"hint": _hint_magic, "explain": _explain_magic, "view": _view_magic, "bench": _bench_magic,
             "ladder": _ladder_magic}  # fmt: skip
    for name, magic in lines.items():
        ipython.magics_manager.register_function(magic, "line", name)


def _kernel_magic(line: str, cell: str) -> Result | Page:
    """%%kernel 03 [--task NAME] [--rung N] [--device D]: the cell is your kernel, saved and graded.

    It goes to work/NN_name.cu. With --rung it is graded for this rung of one task; a cell that still is as you found it
    goes nowhere, and says what the rung asks for.
    """
    from grader.devices.submission import device_named

    entry, options = _arguments("%%kernel", line, *OPTIONS)
    device = device_named(options.get("device", "emulator"))
    asked = _rung_asked(entry, options)
    if asked and cell.strip() == exercises.starting_point(entry, *asked).strip():
        return exercises.turn(entry, *asked)
    if work.save(entry, cell, known=_typed.get(entry.work_file)):
        print(f"{entry.work_file.relative_to(entry.root)} is this cell now; what was there is kept beside it.")
    _typed[entry.work_file] = cell
    only = asked[0].name if asked else options.get("task")
    result = grade(entry.name, "work", task=only, device=device)
    whole = all(task.bonus or task.name == (only or task.name) for task in entry.lesson.tasks)
    remember(entry, result.grade, cell, complete=whole)
    following = exercises.after(entry, *asked, result.grade) if asked else _next_step(entry, result)
    return replace(result, next_step=following)


def asked(line: str) -> tuple[Entry, tuple[Task, int] | None]:
    """What a line `03 --task row_sum --rung 2` behind %%kernel means: the lesson, and a rung if it says so.

    Raises UsageError.
    """
    entry, options = _arguments("%%kernel", line, *OPTIONS)
    return entry, _rung_asked(entry, options)


def _rung_asked(entry: Entry, options: dict[str, str]) -> tuple[Task, int] | None:
    """The task and the number of its rung that --rung means; None without it. Raises UsageError."""
    number = _number(options.get("rung"), "%%kernel", entry)
    if number is None:
        return None
    task = choose_task(entry, options.get("task"), f"%%kernel {entry.label} --rung {number}")
    return task, choose_rung(task, number, ())


def _next_step(entry: Entry, result: Result) -> str:
    if not result.grade.passed:
        return f"change the cell and run it again; stuck? `%hint {entry.label}`"
    more = any(task.position.next for task in result.grade.tasks)
    return f"{'the next rung, or ' if more else ''}the next notebook"


def _hint_magic(line: str) -> Prose:
    """%hint 03 [--task NAME] [--rung N]: one hint more, for the next rung or for this one."""
    from grader.report.pages import Prose

    entry, options = _arguments("%hint", line, "task", "rung")
    task, number = task_of(entry, options.get("task")), _number(options.get("rung"), "%hint", entry)
    reached = progress.load(entry.root).rungs(entry.name, task.name)
    hint = hints.next_hint(entry, task, choose_rung(task, number, reached))
    return Prose(f"{hint.heading}\n\n{hint.text}")


def _explain_magic(line: str) -> Page:
    """%explain 03 [--task NAME] [--case NAME]: what each line of your kernel costs."""
    entry, options = _arguments("%explain", line, "task", "case")
    return explain(entry.name, "work", top=None, **options)


def _view_magic(line: str) -> View:
    """%view 03 [--task NAME] [--case NAME] [--rung N]: your kernel step by step; with rung N beside it."""
    entry, options = _arguments("%view", line, "task", "case", "rung")
    rung = options.pop("rung", None)
    return view(entry, task=options.get("task"), case=options.get("case"), rung=_number(rung, "%view", entry))


def _number(text: str | None, magic: str, entry: Entry) -> int | None:
    """That of a rung. Raises UsageError."""
    if text is not None and not text.isdecimal():
        raise UsageError(f"`{text}` is no number of a rung: type `{magic} {entry.label} --rung 2`")
    return None if text is None else int(text)


def _bench_magic(line: str) -> None:
    """%bench 03 [--task NAME]: your kernel timed beside all rungs and PyTorch, on a GPU."""
    from grader.faces.bench import bench
    from grader.report.terminal import make_console

    entry, options = _arguments("%bench", line, "task")
    console = make_console()
    console.width = 100
    bench(console, entry, [entry.work_file], tasks=list(options.values()), quick=True)


def _ladder_magic(line: str) -> None:
    """%ladder run program.cu: the command, as a terminal would show it."""
    words = shlex.split(line) or ["--help"]
    command = [sys.executable, "-c", "from grader.faces.cli import main; main()", *words]
    plain = {"COLUMNS": f"{WIDTH}", "NO_COLOR": "1", "FORCE_COLOR": "", "TERM": "dumb"}
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | plain)
    print("\n".join(line.rstrip() for line in (done.stdout + done.stderr).splitlines()))


def _arguments(magic: str, line: str, *known: str) -> tuple[Entry, dict[str, str]]:
    """`03 --task row_sum` as the lesson and {"task": "row_sum"}. Raises UsageError."""
    words = shlex.split(line)
    lesson, names, values = words[:1], words[1::2], words[2::2]
    if not lesson or len(names) != len(values) or any(name.removeprefix("--") not in known for name in names):
        usage = " ".join([magic, "03", *(f"[--{name} NAME]" for name in known)])
        raise UsageError(f"`{magic} {line.strip()}` is not understood: type `{usage}`")
    return puzzles.find(lesson[0]), {name.removeprefix("--"): value for name, value in zip(names, values, strict=True)}
