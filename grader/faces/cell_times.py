"""What a notebook shows of modelled times, beside a prediction and before what was measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from grader.course.catalog import Entry, UsageError
from grader.course.lesson import Task
from grader.faces.cells import SEED
from grader.faces.lookup import Kernel, find_lesson, kernel_of, shown_in, task_of
from grader.model.cause import WORDS
from grader.model.times import LIMITS, RESULTS, measured_cards, modelled_times
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
    kept = _kept(entry)
    if not asked.timed_case or not kept:
        raise UsageError(f"nothing can be modelled for {entry.name}: it has no timed case, or no card is measured")
    rungs = list(_rungs(entry, asked, kept))
    rows = [_row(entry, asked, kept["card"], kernel, rungs) for kernel in kernels] or rungs
    low, high = kept["estimated"]["band"]
    return Table(
        f"{asked.name} at {asked.timed_case.name}, modelled on an {kept['card'].upper()}",
        ["", "time", "bound by"],
        [[name, range_text(us / high, us / low), why] for name, us, why in rows],
        note="Estimates from counts: 8 of 10 rungs lie within such a range where they were measured (docs/model.md).",
        numbers={name: us for name, us, _ in rows},
    )


def _kept(entry: Entry) -> dict[str, Any]:
    """What is kept of the card on which the course's stars were measured; empty without one."""
    folders = sorted(file.parent for file in (entry.root / "benchmarks" / "results").glob(f"*/{LIMITS}"))
    return dict(json.loads((folders[0] / RESULTS).read_text())) if folders else {}


def _rungs(entry: Entry, task: Task, kept: dict[str, Any]) -> Iterator[Row]:
    """Those of the course, by the model without nvcc's machine code."""
    assert task.timed_case
    times, bounds = (of.get(task.name, {}) for of in (kept["estimated"]["rungs"], kept["bounds"]))
    for rung in entry.rungs_of(task.name):
        if us := times.get(rung.stem, {}).get(task.timed_case.name):
            yield rung.stem, us, WORDS[bounds[rung.stem]]


def _row(entry: Entry, task: Task, card: str, kernel: Kernel, rungs: list[Row]) -> Row:
    from grader.devices.submission import Submission, start_server

    file, source = kernel_of(entry, kernel)
    if file in entry.rungs_of(task.name) and (row := next((row for row in rungs if row[0] == file.stem), None)):
        return row
    if card not in [each.label for each in measured_cards(entry.root)]:
        raise UsageError(f"the course has no cards/{card}.toml, by which other kernels than its own are modelled")
    submission = Submission(source, file, entry.lesson.tasks, start_server(), SEED, lambda what: None)
    time = next((time for time in modelled_times(entry, task, submission) if time.card == card), None)
    if time is None:
        raise UsageError(f"{shown_in(entry, file)} cannot be modelled: see what grade(...) says of it")
    return file.stem, time.median_us, time.words
