"""Stars that are withheld: a kernel has them by what was counted, and would be too slow for them on a card.

Counters do not see all that a card punishes: idle multiprocessors, barriers, atomics that meet, banks. So before a
right kernel gets more than one star from the emulator, its time is modelled and held against what the timed goals of
the star's rung allow: benchmarks/results/CARD/stars.json has that in modelled time, too, which cancels most of the
model's errors. A star is withheld only where the time is more than twice that, and all but the first where the kernel
fails or leaves out work there that checked cases show it to do (left_out.py). The model goes without nvcc's machine
code here, whether it is there or not, so that stars are the same on every machine. What was sampled for that is kept
for the modelled time that is told after the verdict (times.py).
"""

from __future__ import annotations

import json
import select
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.course.call import Call
from grader.course.catalog import Entry
from grader.course.lesson import Task
from grader.devices.evidence import CaseRun, Evidence, Finding, Json
from grader.devices.submission import Submission, spare_server
from grader.devices.worker.job import Cancel
from grader.judge.grids import may_outgrow_a_grid
from grader.judge.host_ways import refuse_other_ways
from grader.judge.more_blocks import EIGHT_BITS, SIXTEEN_BITS, narrow_types, refuse_more_blocks
from grader.judge.outside_world import asked_outside
from grader.judge.verdict import CaseGrade, Position, TaskGrade, status_of
from grader.model.card import Card
from grader.model.left_out import HALF, NEARLY, failure, left_out, share_stored, stores_each_once, surely_wrong
from grader.model.times import (
    LIMITS,
    NO_SAMPLE,
    Sample,
    example_of,
    from_sample,
    measured_cards,
    results_of,
    sample_in,
    tried,
)

_LOOK_AGAIN = 0.01  # seconds
BRIEFLY = 4.0  # seconds of processor time for a kernel that has no star to lose
WIDE = 2.0  # times what a timed goal allows: the model is surer than that of nearly all kernels of the course


@dataclass(frozen=True)
class Limit:
    """What a star needs on a card: the rung whose timed goals earn it, and the modelled µs that they allow."""

    rung: int
    us: float


def limits(root: Path, card: Card, task: Task) -> dict[int, Limit]:
    """By star, from the second; none if the file is not there, or is for another case of the task."""
    case = task.timed_case
    try:
        known = json.loads((results_of(root, card) / LIMITS).read_text())["tasks"][task.name]
        if case is None or known["case"] != case.name:
            return {}
        return {int(star): Limit(int(each["rung"]), float(each["us"])) for star, each in known["stars"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def earned(us: float, most: int, needed: Mapping[int, Limit]) -> int:
    """Of at most so many stars of a right kernel those that its modelled time leaves it: one, or more."""
    slow = (star for star, limit in needed.items() if us > WIDE * limit.us)
    return min([most, *(star - 1 for star in slow)])


def decisive(entry: Entry, task: Task) -> tuple[Card | None, dict[int, Limit]]:
    """The first card that knows the task, and what the task's stars need there; none where no card does."""
    known = ((card, limits(entry.root, card, task)) for card in measured_cards(entry.root))
    return next((each for each in known if each[1]), (None, {}))


class Ahead:
    """Samples a task on a second server while the task's last cases still run on the first.

    Only where a second server has been started already: to start one for this alone takes longer than it saves. Leaving
    the block stops the samples that `withhold` has not called `tried` for, as those of a kernel that failed.
    """

    def __init__(self, entry: Entry, tasks: Sequence[Task], submission: Submission):
        self._entry, self._submission = entry, submission
        self._tasks = {task.name: task for task in tasks}
        self._server = spare_server()
        self._cancel, self._thread = Cancel(), ThreadPoolExecutor(1)
        self._begun: dict[str, Future[Evidence | None]] = {}
        self._blocks: dict[str, Future[Finding | None]] = {}

    def begin(self, name: str) -> None:
        """Begins with this task, once, if there is a server for it and stars hang on it."""
        if self._server and name not in self._begun:
            self._begun[name] = self._thread.submit(self._try, self._tasks[name])

    def _try(self, task: Task) -> Evidence | None:
        card, needed = decisive(self._entry, task)
        if not (card and needed and self._server and task.timed_case):
            return None
        quiet = replace(self._submission, server=self._server, cancel=self._cancel, on_progress=lambda what: None)
        evidence = tried(task, task.timed_case, card, quiet)
        if sample := sample_in(evidence):
            self._blocks[task.name] = self._thread.submit(wrong_at_real_size, task, quiet, sample)
        return evidence

    def tried(self, task: Task, card: Card, seconds: float | None) -> Evidence | None:
        """What `times.tried` finds, begun before or now, of at most so many `seconds`. Raises what it raises."""
        if not (found := self._begun.get(task.name)):
            assert task.timed_case
            return tried(task, task.timed_case, card, self._submission, seconds=seconds)
        self._await(found)
        return found.result()

    def wrong_at_real_size(self, task: Task, sample: Sample) -> Finding | None:
        """What the function of this name finds, begun before or now. Raises what it raises."""
        if not (found := self._blocks.get(task.name)):
            return wrong_at_real_size(task, self._submission, sample)
        self._await(found)
        return found.result()

    def _await(self, found: Future[Any]) -> None:
        while not wait([found], _LOOK_AGAIN).done:
            if (cancel := self._submission.cancel) and select.select([cancel.fd], [], [], 0)[0]:
                self._cancel.set()

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._cancel.set()
        self._thread.shutdown()


def wrong_at_real_size(task: Task, submission: Submission, sample: Sample) -> Finding | None:
    """What the blocks that ran of the timed case have left wrong, or one more of them. Raises UsageError, NotGraded,
    Cancelled.
    """
    from grader.judge.one_block import wrong_in_one_block
    from grader.judge.real_size import tile_bytes, wrong_at

    assert task.timed_case
    real, example = Call(task, task.timed_case), example_of(task, task.timed_case)
    if not (sample["tells"] and stores_each_once(real, sample)):
        return None
    wrong = wrong_at(real, example, submission.seed, sample, tile_bytes(real, submission.seed))
    return wrong or wrong_in_one_block(real, example, submission, sample)


def withhold(
    entry: Entry, task: Task, submission: Submission, found: TaskGrade, checked: Evidence, ahead: Ahead
) -> Sample | None:
    """Takes back what stars of an emulated grade the first card that knows the task would not give, and says why.

    `checked` is what the grade was formed from. Nothing is taken from a kernel that cannot be sampled, but what surely
    fails; one that is surely wrong at that size has not passed. Returns what was sampled for that: {} if it came to
    nothing, None if nothing was tried. Raises UsageError, NotGraded, Cancelled.
    """
    refuse_more_blocks(task, submission, found, narrow_types(submission.source))
    refuse_other_ways(task, submission, found)
    if found.status != "passed" or (found.stars < 2 and in_one_block(checked.cases[-1].kernels)):
        return None
    card, needed = decisive(entry, task)
    if card is None or not (evidence := _tried(task, submission, card, ahead, found.stars)):
        return None
    if wrong := surely_wrong(evidence, [each.name for each in task.signature.inputs]):
        _refuse(found, evidence.cases[0].name, wrong)
        return None
    sample = sample_in(evidence) or {}
    if _is_wrong_beyond(task, submission, found, checked.cases, sample, ahead):
        return None
    if found.stars > 1 and (name := asked_outside(submission.source)):
        outside = "what no case can vary, of files, the machine or its compiler"
        _take_back(found, 1, f"`{name}` asks for {outside}: leave it out")
    if found.stars < 2:
        return sample
    with suppress(*NO_SAMPLE):
        longest = WIDE * max(limit.us for limit in needed.values()) * 1e-6
        if why := _absent(task, evidence, sample, checked, longest * card.clock):
            refuse_more_blocks(task, submission, found, (EIGHT_BITS, SIXTEEN_BITS))
            if found.status == "passed":
                _take_back(found, 1, why)
            return sample
        time = from_sample(entry.root, card, sample, task)
        stars = earned(time.median_us, found.stars, needed)
        if stars < found.stars:
            limit = needed[stars + 1]
            longer = f"{time.median_us / limit.us:.2g} times as long as the timed goals of rung {limit.rung} allow"
            _take_back(found, stars, f"modelled on an {card.name}, this takes {longer}, bound by {time.words}")
    return sample


def _is_wrong_beyond(
    task: Task, submission: Submission, found: TaskGrade, runs: Sequence[CaseRun], sample: Sample, ahead: Ahead
) -> bool:
    """Whether it is wrong at sizes of which a few blocks run: the verdict is that, then."""
    from grader.judge.added_up import wrong_total
    from grader.judge.fewer_elements import refuse_with_fewer_elements
    from grader.judge.one_value import refuse_overflows

    _look_wide(task, submission, found, runs, sample)
    refuse_overflows(task, submission, found, runs)
    if found.status != "passed" or not task.timed_case:
        return found.status != "passed"
    real, example = Call(task, task.timed_case), example_of(task, task.timed_case)
    wrong = wrong_total(real, example, submission.seed, sample, found.counters) if sample else None
    if sample and (wrong := wrong or ahead.wrong_at_real_size(task, sample)):
        _refuse(found, real.name, wrong)
    elif not sample or not (sample["tells"] and stores_each_once(real, sample)):
        refuse_with_fewer_elements(task, submission, found)
    return found.status != "passed"


def _look_wide(
    task: Task, submission: Submission, found: TaskGrade, runs: Sequence[CaseRun], sample: Sample | None
) -> None:
    from grader.judge.wide import refuse_beyond, refuse_wide

    if _goes_round_more(task, sample, runs) or may_outgrow_a_grid(task, runs) or _seems_to_skip(task, sample):
        refuse_wide(task, submission, found)
    refuse_beyond(task, submission, found, runs)


def _tried(task: Task, submission: Submission, card: Card, ahead: Ahead, stars: int) -> Evidence | None:
    submission.on_progress(f"modelling {task.name}")
    return ahead.tried(task, card, BRIEFLY if stars < 2 else None)


def _absent(task: Task, evidence: Evidence, sample: Sample | None, checked: Evidence, clocks: float) -> str:
    """Why the timed case tells nothing of a kernel that is right in the checked ones, or too little: words, or ""."""
    assert task.timed_case
    real, counted, run = Call(task, task.timed_case), Call(task, task.judged_cases[-1]), checked.cases[-1]
    return left_out(real, sample, counted, run) if sample else failure(evidence, real, run, clocks)


def in_one_block(kernels: Sequence[Json]) -> bool:
    """Whether each launch has one: it goes round as often as it must in a small case, too, and has been seen to."""
    return all(kernel["blocks"] <= kernel["launches"] for kernel in kernels)


def _goes_round_more(task: Task, sample: Sample | None, checked: Sequence[CaseRun]) -> bool:
    """Whether blocks have more to do at the timed case than in any that was checked: more of them are launched there
    than in any, yet far fewer than would have as many outputs each as in the counted one.
    """
    assert task.timed_case
    real, counted = Call(task, task.timed_case), Call(task, task.judged_cases[-1])
    with suppress(*NO_SAMPLE):
        there = sum(each["blocks"] * each["repeats"] for each in (sample or {})["launches"])
        *others, here = (sum(kernel["blocks"] for kernel in run.kernels) for run in checked)
        share = counted.facts["output_elements"] / real.facts["output_elements"]
        return bool(there > max([*others, here]) and there * share < HALF * here)
    return False


def _seems_to_skip(task: Task, sample: Sample | None) -> bool:
    """Whether the few blocks that ran of the timed case store less than their share of the results."""
    assert task.timed_case
    return sample is not None and bool(sample) and 0 < share_stored(Call(task, task.timed_case), sample) < NEARLY


def _refuse(found: TaskGrade, case: str, why: Finding) -> None:
    found.status, found.stars, found.position = status_of(why), 0, Position()
    found.cases.append(CaseGrade(case, found.status, why.message, findings=[why]))


def _take_back(found: TaskGrade, stars: int, why: str) -> None:
    lost = " and ".join("★" * star for star in range(stars + 1, found.stars + 1))
    found.withheld, found.stars = f"{lost} withheld: {why}", stars
