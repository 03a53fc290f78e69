"""Every rung at every size that was measured on a card: its measured time, and what sampling finds of it."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.course import catalog
from grader.course.call import Call
from grader.course.catalog import Entry
from grader.course.inline import inlined
from grader.course.lesson import Case, Task
from grader.devices.cuda.machine_code import MachineCode
from grader.model.card import Card, load_card
from grader.model.predict import Modelled, predict

ROOT = Path(__file__).parents[2]
CARD = load_card(ROOT / "cards" / "h200.toml")
RESULTS = ROOT / "benchmarks" / "results" / CARD.label
SEED = 1


@dataclass(frozen=True)
class Row:
    """A rung of a task at a case: measured and modelled, in µs."""

    task: str
    rung: str
    case: str
    timed: bool  # the case of the task's timed goals
    measured: float
    modelled: float

    @property
    def ratio(self) -> float:
        return self.modelled / self.measured

    @property
    def chooses(self) -> bool:
        """Whether constants may be chosen by it: half of the rungs, by a hash of the name. The others only report."""
        return hashlib.sha256(f"{self.task}/{self.rung}".encode()).digest()[0] % 2 == 0


@dataclass(frozen=True)
class Point(Row):
    """The same as it was sampled now: what the model found, and what it finds by nvcc's machine code."""

    sample: Mapping[str, Any]
    found: Modelled
    by_code: Modelled | None = None  # None: nvcc or nvdisasm is missing, or took too long

    @property
    def compiled(self) -> Row | None:
        """The row with nvcc's machine code."""
        us = self.by_code.seconds * 1e6 if self.by_code else 0.0
        return Row(self.task, self.rung, self.case, self.timed, self.measured, us) if us else None


Measured = Mapping[tuple[str, str, str], tuple[float, bool]]  # by task, rung, case: µs, and whether it is the timed one


def measured(folder: Path = RESULTS) -> Measured:
    """What `ladder bench` has measured of the course's rungs."""
    found = {}
    for file in sorted(folder.glob("[0-9]*_*.json")):
        for task in json.loads(file.read_text())["tasks"]:
            for case in task["cases"]:
                for result in case["results"]:
                    if result["kind"] == "rung" and result["median_us"]:
                        us = float(result["median_us"])
                        found[task["name"], result["name"], case["name"]] = us, bool(case["is_timed_case"])
    return found


def points(kept: Path, timed: bool = False, new: bool = True, card: Card = CARD, nvcc: bool = True) -> Iterator[Point]:
    """Points of the `timed` cases alone, or of all; with nvcc's machine code, if it is to be asked.

    Samples are kept in a folder and taken from there; it is for one version of the emulator and of the kernels. Unless
    they may be `new`, there are no others.
    """
    known = measured()
    for entry in catalog.entries(ROOT):
        for task in entry.lesson.tasks:
            for file in entry.rungs_of(task.name):
                cases = [c for c in task.timed_cases if (task.name, file.stem, c.name) in known]
                cases = [c for c in cases if c == task.timed_case or not timed]
                for case, sample in samples(entry, task, file, cases, kept, new).items():
                    us, is_timed = known[task.name, file.stem, case]
                    found, code = predict(sample, card), machine_code(entry, file, kept, new) if nvcc else {}
                    by_code = predict({**sample, "code": code}, card) if code else None
                    if not (by_code and by_code.main and by_code.main.launch.flow):
                        by_code = None  # nvcc has not compiled the kernel that takes longest
                    yield Point(task.name, file.stem, case, is_timed, us, found.seconds * 1e6, sample, found, by_code)


def machine_code(entry: Entry, file: Path, kept: Path, new: bool) -> dict[str, Any]:
    """What nvcc makes of a rung's kernels; nothing where it is not installed."""
    place = kept / f"{entry.name}__{file.parent.name}__{file.stem}__code.json"
    if new and not place.exists():
        with tempfile.TemporaryDirectory() as folder:
            code = MachineCode(inlined(file), file.name, CARD.architecture, Path(folder), most_seconds=600)
            code.begin()
            code.finish()
        place.write_text(json.dumps(code.kernels))
    return dict(json.loads(place.read_text())) if place.exists() else {}


def samples(entry: Entry, task: Task, file: Path, cases: list[Case], kept: Path, new: bool) -> dict[str, Any]:
    """What a worker finds of a rung at these cases, by their names; without those that cannot be sampled."""
    found: dict[str, Any] = {}
    variants = {(case.variant, case == task.timed_case) for case in cases}
    for variant, timed in sorted(variants, key=str):
        alike = [case for case in cases if case.variant == variant and (case == task.timed_case) == timed]
        which = f"{'timed' if timed else 'other'}__{variant}".replace(" ", "_")
        place = kept / f"{entry.name}__{task.name}__{file.stem}__{which}.json"
        if not place.exists() and not new:
            continue
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps(_sample(entry, task, file, alike)))
        rows = json.loads(place.read_text())
        found |= {name: row["sample"] for name, row in rows.items() if row["sample"] and not row["findings"]}
    return found


def _sample(entry: Entry, task: Task, file: Path, cases: list[Case]) -> dict[str, Any]:
    from grader.devices.buffers import Arena
    from grader.devices.submission import Submission, run_sampled, start_server
    from grader.judge.inputs import fill
    from grader.model.times import example_of

    example, calls = example_of(task, cases[0]), [Call(task, case) for case in cases]
    submission = Submission(inlined(file), file, entry.lesson.tasks, start_server(), SEED, lambda what: None)
    with Arena.of([example] * len(calls)) as arena:
        for buffers in arena.cases:
            fill(example, buffers, SEED)
        evidence = run_sampled(calls, arena, submission, int(CARD.multiprocessors), int(CARD.l1_bytes))
    return {
        run.name: {"sample": run.sample, "seconds": run.seconds, "findings": [each.message for each in run.findings]}
        for run in evidence.cases
    }
