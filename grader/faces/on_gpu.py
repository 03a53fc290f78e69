"""`ladder check-course --device cuda`: whether each rung's kernel stands, by its times on this GPU, where it should."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

from grader.course.catalog import Entry, UsageError
from grader.course.lesson import FRACTION_OF, SPEED_AGAINST, Task
from grader.judge.ladder import climb, is_told
from grader.judge.targets import judge_goals

# Of one rung's kernel: lesson, task, rung, number, status, stars, reached, values (by the metric's name).
Row = dict[str, Any]


def check(entries: list[Entry], tell: Callable[[str], None], out: Path | None = None) -> bool:
    """Grades every rung at its own task, without the emulator; True if all stand where they should.

    `out` gets what was measured, as JSON, after each rung: what is there of other lessons stays.
    Raises UsageError.
    """
    from grader.devices.cuda.card import find_card
    from grader.faces.bench import versions

    card, reason = find_card()
    if card is None:
        raise UsageError(f"`ladder check-course --device cuda` needs an NVIDIA GPU ({reason}): leave --device out")
    chosen = {entry.name for entry in entries}
    rows = [row for row in _kept(out, card.name) if row["lesson"] not in chosen] if out else []
    about = {"device": card.to_json(), "date": date.today().isoformat(), "versions": versions(entries[0].root)}
    all_is_well = True
    for row, said in (found for entry in entries for found in _rungs(entry)):
        rows.append(row)
        all_is_well &= not said
        tell(said or f"{row['lesson']}: rung {row['number']} of {row['task']}, {row['rung']}: {'★' * row['stars']}")
        if out:
            out.write_text(json.dumps(about | {"rungs": rows}, indent=1) + "\n")
    return all_is_well


def _kept(out: Path, card: str) -> list[Row]:
    """What was measured on this card before. Raises UsageError if the file is of another one, or of none."""
    if not out.exists():
        return []
    try:
        data = json.loads(out.read_text())
        rows: list[Row] = [row for row in data["rungs"] if row["lesson"]]
        measured_on = data["device"]["name"]
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(f"{out} was not written by `ladder check-course`: name another file behind --out") from None
    if measured_on != card:
        raise UsageError(
            f"{out} was measured on an {measured_on}, and this is an {card}: name another file behind --out"
        )
    return rows


def _rungs(entry: Entry) -> Iterator[tuple[Row, str]]:
    """What was measured of each rung, and a sentence about what is wrong with it, or ""."""
    from grader.grade import grade

    for task in entry.lesson.tasks:
        for number, rung in enumerate(task.ladder, start=1):
            file = entry.rung_file(task.name, rung.name)
            found = grade(entry, file, device="cuda", tasks=[task.name], emulator=False).tasks[0]
            values = {goal.metric: goal.value for goal in found.targets if goal.value is not None}
            row = {"lesson": entry.name, "task": task.name, "rung": rung.name, "number": number, "status": found.status,
                   "stars": found.stars, "reached": found.position.rung, "values": values}  # fmt: skip
            yield row, misplaced(task, row, found.message)


def misplaced(task: Task, row: Row, message: str = "") -> str:
    """A sentence, if a kernel of rung `number` does not stand there by these goals and its measured `values`.

    It stands below if no time tells that rung from the one below it.
    """
    number, values = row["number"], row["values"]
    kernel = f"{row['lesson']}: rung {number} of {task.name}, {row['rung']},"
    if row["status"] != "passed":
        return f"{kernel} is {row['status']}: {message}"
    should = max(at for at, each in enumerate(task.ladder[:number], start=1) if at == 1 or is_told(each, on_gpu=True))
    here = climb(task, judge_goals(task, {}, values), on_gpu=True)
    timed = ", ".join(
        f"{name} {value:.3g}" for name, value in values.items() if name.startswith((SPEED_AGAINST, FRACTION_OF))
    )
    if here.rung != should:
        return f"{kernel} stands on rung {here.rung} instead of {should}: {timed}"
    return ""
