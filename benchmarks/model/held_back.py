"""Right kernels that were made slow: the stars they get on the emulator beside those on a GPU.

    python -m benchmarks.model.held_back emulator    grades those of slow/, and the course's own slow ones
    python -m benchmarks.model.held_back cuda        the same on this GPU, with their times

Each writes what it found under benchmarks/results/h200/slow.json, beside what the other found there.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader.course import catalog
from grader.course.catalog import Entry, UsageError
from grader.course.lesson import Task
from grader.course.mistake import Mistake, mistakes_in
from grader.grade import grade
from grader.submission import device_named

ROOT = Path(__file__).parents[2]
SLOW = ROOT / "benchmarks" / "model" / "slow"
RESULTS = ROOT / "benchmarks" / "results" / "h200" / "slow.json"
SEED = 1

Found = dict[str, Any]


def kernels() -> Iterator[tuple[Entry, Task, Mistake]]:
    """Every slow kernel with its lesson and the task that it is graded in. Raises UsageError."""
    entries = catalog.entries(ROOT)
    found = [(entry, each) for entry in entries for each in mistakes_in(ROOT, SLOW / entry.name)]
    own = ((entry, each) for entry in entries for each in mistakes_in(ROOT, entry.folder / "mistakes"))
    found += [(entry, each) for entry, each in own if each.expected[0] == "passed"]
    for entry, each in found:
        names = each.tasks or [task.name for task in entry.lesson.tasks]
        yield from ((entry, task, each) for task in entry.lesson.tasks if task.name in names and task.ladder)


def look(entry: Entry, task: Task, slow: Mistake, device: str) -> Found:
    """One grade: its status, stars and rung; on a GPU its time besides."""
    start = time.perf_counter()
    on_gpu = device == "cuda"
    done = grade(
        entry,
        slow.whole,
        source=slow.text(),
        device=device_named(device),
        tasks=[task.name],
        emulator=not on_gpu,
        seed=SEED,
    )
    found = done.tasks[0]
    missed = [f"{goal.metric} {goal.value:.3g}, {goal.goal}" for goal in found.targets if goal.value and not goal.met]
    facts = {"status": found.status, "stars": found.stars, "rung": found.position.rung, "missed": missed[:2]}
    us = {"us": found.timings.get("median_us"), "case": found.timings.get("case")} if on_gpu else {}
    return {**facts, **us, "message": found.message[:120], "seconds": round(time.perf_counter() - start, 1)}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("device", choices=("emulator", "cuda"))
    asked.add_argument("--only", default="", help="kernels with this in LESSON/TASK/NAME")
    asked.add_argument("--into", type=Path, default=RESULTS)
    asked.add_argument("--new", action="store_true", help="only those that the file does not know from this device")
    asked.add_argument("--seconds", type=float, default=1e9, help="begin none after so many")
    given = asked.parse_args()
    start = time.perf_counter()
    rows: dict[str, Any] = json.loads(given.into.read_text()) if given.into.exists() else {}
    for entry, task, slow in kernels():
        name = f"{entry.name}/{task.name}/{slow.name}"
        known = given.new and given.device in rows.get(name, {})
        if given.only not in name or known or time.perf_counter() - start > given.seconds:
            continue
        try:
            found = look(entry, task, slow, given.device)
        except (UsageError, OSError, RuntimeError) as error:
            found = {"status": "not_graded", "message": str(error)[:200]}
        row = rows.setdefault(name, {"base": slow.base.stem if slow.base else "", "sentence": slow.sentence})
        row[given.device] = found
        given.into.write_text(json.dumps(rows, indent=1) + "\n")
        print(name, found.get("status"), found.get("stars"), found.get("rung"), found.get("us"), flush=True)


if __name__ == "__main__":
    main()
