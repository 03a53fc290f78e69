"""What a notebook shows of modelled times, beside a prediction and before what was measured."""

from __future__ import annotations

import json
from collections.abc import Iterator

from grader.course.catalog import Entry, UsageError
from grader.course.lesson import Task
from grader.faces.cells import SEED
from grader.faces.lookup import Kernel, find_lesson, kernel_of, shown_in, task_of
from grader.model.card import Card
from grader.model.cause import WORDS
from grader.model.times import RESULTS, agreement, measured_cards, modelled_times, results_of
from grader.report.modelled import range_text
from grader.report.pages import Table

Row = tuple[str, float, str]  # a kernel, its modelled µs, and what holds it up


def modelled(lesson: str | int, *kernels: Kernel, task: str | None = None) -> Table:
    """The modelled times of kernels at the timed case of a task: of all of its rungs, if none is named.

    Those of the course's rungs are kept with its results, and are the same on every machine; any other kernel is
    sampled now. `table[kernel]` is its time in µs. Raises UsageError.
    """
    entry = find_lesson(lesson)
    asked = task_of(entry, task)
    cards = measured_cards(entry.root)
    if not asked.timed_case or not cards:
        raise UsageError(f"nothing can be modelled for {entry.name}: it has no timed case, or no card is measured")
    card = cards[0]
    rows = [_row(entry, asked, card, kernel) for kernel in kernels] or list(_rungs(entry, asked, card))
    low, high = (agreement(entry.root, card)[end] for end in ("low", "high"))
    return Table(
        f"{asked.name} at {asked.timed_case.name}, modelled on an {card.name}",
        ["", "time", "bound by"],
        [[name, range_text(us / high, us / low), why] for name, us, why in rows],
        note="Estimates from counts: 8 of 10 rungs lie within such a range where they were measured (docs/model.md).",
        numbers={name: us for name, us, _ in rows},
    )


def _rungs(entry: Entry, task: Task, card: Card) -> Iterator[Row]:
    """Those of the course, as benchmarks/results/CARD/model.json has them: the model without nvcc's machine code."""
    assert task.timed_case
    known = agreement(entry.root, card)["rungs"].get(task.name, {})
    file = results_of(entry.root, card) / RESULTS
    bounds = json.loads(file.read_text())["bounds"].get(task.name, {}) if known else {}
    for rung in entry.rungs_of(task.name):
        if us := known.get(rung.stem, {}).get(task.timed_case.name):
            yield rung.stem, us, WORDS[bounds[rung.stem]]


def _row(entry: Entry, task: Task, card: Card, kernel: Kernel) -> Row:
    from grader.devices.submission import Submission, start_server

    file, source = kernel_of(entry, kernel)
    for row in _rungs(entry, task, card) if file in entry.rungs_of(task.name) else ():
        if row[0] == file.stem:
            return row
    submission = Submission(source, file, entry.lesson.tasks, start_server(), SEED, lambda what: None)
    time = next((time for time in modelled_times(entry, task, submission) if time.card == card.label), None)
    if time is None:
        raise UsageError(f"{shown_in(entry, file)} cannot be modelled: see what grade(...) says of it")
    return file.stem, time.median_us, time.words
