"""Right kernels that were made slow: their stars on the emulator and on a GPU, and their modelled times.

    python -m benchmarks.model.held_back emulator    grades those of slow/, and the course's own slow ones
    python -m benchmarks.model.held_back cuda        the same on this GPU, with their times
    python -m benchmarks.model.held_back model       models those that were timed, with nvcc where it is installed
    python -m benchmarks.model.held_back table       renews docs/model.md

Each writes what it found into benchmarks/results/h200/slow.json, beside what the others found there.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.model.agreement import PAGE, figures, recorded
from benchmarks.model.points import CARD, RESULTS, ROOT, Row
from grader.course import catalog
from grader.course.catalog import Entry, UsageError
from grader.course.lesson import Task
from grader.course.mistake import Mistake, mistakes_in
from grader.devices.submission import Submission, device_named, start_server
from grader.grade import grade
from grader.model.predict import predict
from grader.model.times import machine_code, sampled
from grader.model.withheld import WIDE

SLOW = ROOT / "benchmarks" / "model" / "slow"
FOUND = RESULTS / "slow.json"
SEED = 1
BEGIN, END = "<!-- begin held back -->", "<!-- end held back -->"

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
    start, source = time.perf_counter(), slow.text()
    emulated = device == "emulator"
    done = grade(entry, slow.whole, source=source, device=device_named(device), tasks=[task.name], emulator=emulated,
                 seed=SEED)  # fmt: skip
    found = done.tasks[0]
    missed = [f"{goal.metric} {goal.value:.3g}, {goal.goal}" for goal in found.targets if goal.value and not goal.met]
    facts = {"status": found.status, "stars": found.stars, "rung": found.position.rung, "missed": missed[:2]}
    us = {} if emulated else {"us": found.timings.get("median_us"), "case": found.timings.get("case")}
    return {**facts, **us, "message": found.message[:120], "seconds": round(time.perf_counter() - start, 1)}


def model(entry: Entry, task: Task, slow: Mistake) -> Found:
    """Its modelled time on the card, in µs: by nvcc's machine code, and without."""
    assert task.timed_case
    submission = Submission(slow.text(), slow.whole, entry.lesson.tasks, start_server(), SEED, lambda what: None)
    sample = sampled(task, task.timed_case, CARD, submission)
    if not sample:
        return {}
    code = machine_code(task, task.timed_case, CARD, submission)
    estimated = predict(sample, CARD).seconds * 1e6
    compiled = predict({**sample, "code": code}, CARD).seconds * 1e6 if code else None
    return {"estimated": round(estimated, 2), "compiled": compiled and round(compiled, 2)}


# ---- the page ----


def table(rows: Mapping[str, Found]) -> str:
    """The kernels that were graded on both, and how well stars and modelled times agree."""
    both = {name: row for name, row in rows.items() if "emulator" in row and "cuda" in row}
    graded = {name: row for name, row in both.items() if row["cuda"]["status"] in ("passed", "below_target")}
    stars = [(row["emulator"]["stars"], row["cuda"]["stars"]) for row in graded.values()]
    alike, more = sum(a == b for a, b in stars), sum(a > b for a, b in stars)
    text = [f"Of {len(graded)} slow kernels {alike} get as many stars on both, {more} more on the emulator.\n"]
    for kind, title in (("compiled", "with nvcc"), ("estimated", "without")):
        points = [_row(name, row, kind) for name, row in both.items() if _row(name, row, kind)]
        if some := [point for point in points if point]:
            found = figures(some)
            text.append(
                f"Modelled {title}: {found.near:.0%} of {found.count} within 25 %, {found.twice:.0%} within a factor "
                f"of two, mean error {found.error:.0%}. {_noticed(both, some, kind)}\n"
            )
    text.append("\n| kernel | emulator | H200 | measured | with nvcc | without |\n|---|:-:|:-:|--:|--:|--:|\n")
    for name, row in both.items():
        us, modelled = row["cuda"].get("us"), row.get("model", {})
        times = [us, *(modelled.get(kind) for kind in ("compiled", "estimated"))]
        shown = " | ".join(f"{each:,.0f} µs" if each else "" for each in times)
        _, task, kernel = name.split("/")
        text.append(
            f"| {task}: {kernel} | {'★' * row['emulator']['stars']} | {'★' * row['cuda']['stars']} | {shown} |\n"
        )
    return "".join(text)


def _noticed(rows: Mapping[str, Found], some: Sequence[Row], kind: str) -> str:
    """How many of those that are slow by a factor of two the model has as slow, against the rung that they were."""
    rungs = {(row.task, row.rung): row for row in recorded(kind) if row.timed}
    bases = {tuple(name.split("/")[1:]): row["base"] for name, row in rows.items()}
    pairs = [(row, rungs.get((row.task, bases[row.task, row.rung]))) for row in some]
    slow = [(row, base) for row, base in pairs if base and row.measured > WIDE * base.measured]
    seen = sum(row.modelled > WIDE * base.modelled for row, base in slow)
    return (
        f"Of {len(slow)} that take more than twice as long as the rung that they were made of, {seen} are modelled so."
    )


def _row(name: str, row: Found, kind: str) -> Row | None:
    us, modelled = row["cuda"].get("us"), row.get("model", {}).get(kind)
    return Row(*name.split("/")[1:], "", True, us, modelled) if us and modelled else None


def part() -> str:
    """The page's generated part, with its marks."""
    return f"{BEGIN}\n{table(json.loads(FOUND.read_text()))}{END}"


# ---- the commands ----


def run(given: argparse.Namespace, work: Callable[[Entry, Task, Mistake], Found]) -> None:
    """Does it for each kernel, and writes what was found at once."""
    start = time.perf_counter()
    rows: dict[str, Any] = json.loads(given.into.read_text()) if given.into.exists() else {}
    for entry, task, slow in kernels():
        name = f"{entry.name}/{task.name}/{slow.name}"
        known = given.new and given.what in rows.get(name, {})
        untimed = given.what == "model" and not rows.get(name, {}).get("cuda", {}).get("us")
        if given.only not in name or known or untimed or time.perf_counter() - start > given.seconds:
            continue
        try:
            found = work(entry, task, slow)
        except (UsageError, OSError, RuntimeError) as error:
            found = {"status": "not_graded", "message": str(error)[:200]}
        row = rows.setdefault(name, {"base": slow.base.stem if slow.base else "", "sentence": slow.sentence})
        row[given.what] = found
        given.into.write_text(json.dumps(rows, indent=1) + "\n")
        print(name, {key: found[key] for key in found if key not in ("missed", "message")}, flush=True)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("what", choices=("emulator", "cuda", "model", "table"))
    asked.add_argument("--only", default="", help="kernels with this in LESSON/TASK/NAME")
    asked.add_argument("--into", type=Path, default=FOUND)
    asked.add_argument("--new", action="store_true", help="only those of which the file does not know this")
    asked.add_argument("--seconds", type=float, default=1e9, help="begin none after so many")
    given = asked.parse_args()
    if given.what == "table":
        PAGE.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: part(), PAGE.read_text(), flags=re.DOTALL))
    elif given.what == "model":
        run(given, model)
    else:
        run(given, lambda entry, task, slow: look(entry, task, slow, given.what))


if __name__ == "__main__":
    main()
