"""An array job of Slurm's that grades a class: each of its tasks grades a part, from a file into a file.

They see nothing of the ledger, as SQLite's locks are not to be trusted on network file systems.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from grader.classroom.ledger import NOT_GRADED, Key, Ledger, Result, Submitted, version
from grader.course.catalog import UsageError

CORES, GIGABYTES = 2, 4  # of one task of the array, which grades as many kernels at a time as it has cores


def write_job(ledger: Ledger, file: Path, parts: int, command: Sequence[str]) -> Path:
    """Writes what is to be graded into so many parts beside the ledger's file, and the script for `sbatch`.

    `command` is `ladder class grade` with its options, as the tasks are to run it.
    """
    _folder(file).mkdir(exist_ok=True)
    todo = ledger.to_grade()
    for number in range(1, parts + 1):
        with _orders(file, number).open("w") as orders:
            orders.write(json.dumps({"grader": ledger.grader, "seed": ledger.seed, "hidden": ledger.hidden}) + "\n")
            for key in todo[number - 1 :: parts]:
                orders.write(json.dumps(asdict(ledger.submitted(key))) + "\n")
    script = file.with_name(f"{file.name}.sbatch")
    script.write_text(_script(file, parts, command))
    return script


def _script(ledger: Path, parts: int, command: Sequence[str]) -> str:
    grade = shlex.join([*command, "--ledger", str(ledger.absolute())])
    card = "#SBATCH --gpus-per-task=1\n" if "cuda" in command else ""
    return f"""\
#!/bin/bash
#SBATCH --job-name=ladder-class
#SBATCH --array=1-{parts}
#SBATCH --cpus-per-task={CORES}
#SBATCH --mem={GIGABYTES}G
{card}#SBATCH --requeue
# A task that is ended and queued again goes on where it was. When all are done: {grade} --merge
cd {shlex.quote(os.getcwd())} || exit
{grade} --jobs {CORES} --part "$SLURM_ARRAY_TASK_ID"
"""


class Part:
    """One part of a class, as those who grade see a ledger: its results go into a file of its own."""

    def __init__(self, ledger: Path, number: int):
        """Raises UsageError."""
        try:
            head, *lines = map(json.loads, _orders(ledger, number).read_text().splitlines())
        except (OSError, ValueError):
            raise UsageError(f"{ledger} has no part {number}: type `ladder class grade --on slurm` first") from None
        self.seed, self.hidden, self._grader = head["seed"], head["hidden"], version(head["hidden"])
        if head["grader"] != self._grader:
            raise UsageError("the grader or the course has changed since: type `ladder class grade --on slurm` again")
        self._file = _found(ledger, number)
        self._all = {each.key: each for each in (Submitted(**line) for line in lines)}

    def to_grade(self) -> list[Key]:
        done = {key for key, result in _read(self._file, self._grader, self.seed) if result.status != NOT_GRADED}
        return [key for key in self._all if key not in done]

    def submitted(self, key: Key) -> Submitted:
        return self._all[key]

    def note(self, found: Submitted, result: Result) -> None:
        """Adds a line, beginning with one of its own for the case that a task was ended in the middle of one."""
        row = {"key": found.key, "grader": self._grader, "seed": self.seed, "result": asdict(result)}
        with self._file.open("a") as file:
            file.write(f"\n{json.dumps(row)}\n")


def merge(ledger: Ledger, file: Path) -> int:
    """Notes what the parts have found; returns how many grades that are."""
    todo, noted = set(ledger.to_grade()), 0
    for part in sorted(_folder(file).glob("*.found.jsonl")):
        for key, result in _read(part, ledger.grader, ledger.seed):
            if key in todo and result.status != NOT_GRADED:
                ledger.note(ledger.submitted(key), result)
                todo.discard(key)
                noted += 1
    return noted


def _folder(ledger: Path) -> Path:
    return ledger.with_name(f"{ledger.name}.parts")


def _orders(ledger: Path, number: int) -> Path:
    return _folder(ledger) / f"{number}.orders.jsonl"


def _found(ledger: Path, number: int) -> Path:
    return _folder(ledger) / f"{number}.found.jsonl"


def _read(file: Path, grader: str, seed: int) -> Iterator[tuple[Key, Result]]:
    """What stands in it of this grader; a line that was not finished does not count."""
    if not file.exists():
        return
    with file.open() as lines:
        for line in lines:
            try:
                row = json.loads(line)
                if (row["grader"], row["seed"]) == (grader, seed):
                    yield Key(*row["key"]), Result(**row["result"])
            except (ValueError, TypeError, LookupError):
                continue
