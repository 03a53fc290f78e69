"""`ladder bench --modelled`: the ladder of modelled times beside what was measured on that card, without a GPU."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from grader.course.catalog import Entry, UsageError
from grader.course.choose import choose_tasks
from grader.course.files import shown_path
from grader.course.lesson import Task
from grader.course.work import read_kernel, tasks_in
from grader.devices.cuda.machine_code import tools
from grader.devices.submission import Submission, start_server
from grader.faces.check import progress_line
from grader.model.card import Card
from grader.model.times import ModelledTime, agreement, measured_cards, modelled_times
from grader.report.bench import time_text

SEED = 1


def is_all_there_is(console: Console, entry: Entry) -> bool:
    """Whether there is no GPU to measure on, and times can be modelled instead; then it says so. Raises UsageError."""
    from grader.devices.cuda.card import find_card

    card, reason = find_card()
    if card or not measured_cards(entry.root):
        return False
    console.print(f"Nothing is measured here ({reason}). What is modelled, beside what was measured before:")
    return True


def bench_modelled(console: Console, entry: Entry, files: Sequence[Path], tasks: Sequence[str]) -> None:
    """Prints a table for each task and card; `files` are the learner's, modelled now. Raises UsageError."""
    chosen = [task for task in choose_tasks(entry, tasks or None) if task.timed_case]
    cards = measured_cards(entry.root)
    if not chosen or not cards:
        raise UsageError(f"nothing can be modelled for {entry.name}: it has no timed case, or no card is measured")
    own = [(file, times) for file in files for times in [_model(entry, file, chosen)]]
    for task in chosen:
        for card in cards:
            console.print(_table(entry, task, card, own))
    console.print("Modelled times are estimates from counts: docs/model.md says how good they are.", style="dim")


Own = tuple[Path, dict[str, list[ModelledTime]]]


def _model(entry: Entry, file: Path, chosen: Sequence[Task]) -> dict[str, list[ModelledTime]]:
    """A file's modelled times by task."""
    source = read_kernel(file, entry)
    wanted = tasks_in(file, entry)
    with progress_line(entry.name) as tell:
        submission = Submission(source, file, entry.lesson.tasks, start_server(), SEED, tell)
        tell(f"modelling {shown_path(file)}")
        some = [task for task in chosen if not wanted or task.name in wanted]
        return {task.name: list(modelled_times(entry, task, submission)) for task in some}


def _table(entry: Entry, task: Task, card: Card, own: Sequence[Own]) -> Table:
    assert task.timed_case
    case = task.timed_case.name
    table = Table(title=f"{task.name}, {case}, on an {card.name}", title_justify="left")
    for head in ("", "modelled", "measured"):
        table.add_column(head, justify="right" if head else "left")
    known = agreement(entry.root, card, compiled=tools() is not None)["rungs"].get(task.name, {})
    measured = dict(_measured(entry, task, card, case))
    for rung in entry.rungs_of(task.name):
        table.add_row(rung.stem, time_text(known.get(rung.stem, {}).get(case)), time_text(measured.get(rung.stem)))
    for file, times in own:
        for time in times.get(task.name, []):
            if time.card == card.label:
                table.add_row(shown_path(file), time_text(time.median_us), "")
    return table


def _measured(entry: Entry, task: Task, card: Card, case: str) -> Iterator[tuple[str, float]]:
    """What was measured on that card: rungs and their µs. What `ladder bench` has written comes last, and so holds."""
    folder = entry.root / "benchmarks" / "results" / card.label
    for rounds in sorted(folder.glob("*/measured.json")):  # of a card that the model had not seen
        for row in json.loads(rounds.read_text()):
            if row["task"] == task.name and row["us"]:
                yield row["rung"], row["us"]
    file = folder / f"{entry.name}.json"
    tasks = json.loads(file.read_text())["tasks"] if file.exists() else []
    for each in tasks:
        for found in each["cases"] if each["name"] == task.name else ():
            if found["name"] == case:
                yield from ((result["name"], result["median_us"]) for result in found["results"])
