"""Counts of many elements that are all alike: a counter with too few bits overflows there, and nowhere else.

A block may keep its counters in 8 or 16 bits, as long as none counts more elements than these hold. Where elements are
spread over all counters that takes more of them than any case has.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from grader.course.call import Call
from grader.course.lesson import Case, Task
from grader.devices.buffers import Arena
from grader.devices.evidence import CaseRun
from grader.devices.submission import Submission, run_unwatched
from grader.judge.added_up import is_count
from grader.judge.compare import Context, Output, compare, expect
from grader.judge.inputs import fill
from grader.judge.verdict import CaseGrade, Position, TaskGrade

LEAST_ELEMENTS, MOST_ELEMENTS = 1 << 22, 1 << 25
SIXTEEN_BITS = 1 << 16
_WHY = (
    "All elements are alike in this case, and there are many: does a counter have too few bits for all that a block or"
    " a thread may count?"
)


def many_alike(task: Task, seed: int, blocks: int = 1) -> tuple[Case, int] | None:
    """A case of a task that counts, with a value that all of its elements are to have; None of another task. If it has
    so many blocks, each counts more of them than 16 bits hold, where that many elements are not too many.
    """
    if not task.timed_case or not is_count(task):
        return None
    (size,), dice = task.drawn, random.Random(f"{seed}/{task.name}/alike")
    least = min(max(3 * LEAST_ELEMENTS // 2, 5 * SIXTEEN_BITS * blocks // 4), 3 * MOST_ELEMENTS // 4)
    sizes: dict[str, Any] = {size: dice.randrange(least, 4 * least // 3) | 1}
    if int(task.timed_case.sizes[size]) < MOST_ELEMENTS:
        return None
    return Case(**sizes), dice.randrange(256)


def refuse_overflows(task: Task, submission: Submission, found: TaskGrade, runs: Sequence[CaseRun]) -> None:
    """Takes back the verdict on a kernel that counts otherwise there; `runs` are the checked cases. Raises UsageError,
    NotGraded, Cancelled.
    """
    blocks = max((math.prod(launch["grid"]) for launch in runs[-1].launches), default=1)
    if found.status != "passed" or not (drawn := many_alike(task, submission.seed, blocks)):
        return
    counted = Call(task, task.judged_cases[-1]).facts["input_elements"]
    if found.counters.get("global_atomic_threads", 0) >= counted:  # an atomic each: there are no other counters
        return
    case, value = drawn
    call, name = Call(task, case), task.signature.inputs[0].name
    with Arena.of([call]) as arena, ThreadPoolExecutor(1) as thread:
        inputs = fill(call, arena.cases[0], submission.seed)
        inputs[name] = torch.full_like(inputs[name], value)
        arena.cases[0].fill(name, inputs[name])
        expecting = thread.submit(expect, call, inputs)
        evidence = run_unwatched(call, arena, submission)
        expected = expecting.result()
        if not evidence.cases or not evidence.cases[0].alone:
            return
        left = {each: Output(values, ~unwritten) for each, (values, unwritten) in arena.cases[0].left(expected).items()}
        seen = compare(expected, left, Context(inputs, call=call))
    if seen.status != "passed":
        found.status, found.stars, found.position = seen.status, 0, Position()
        found.cases.append(CaseGrade(call.name, seen.status, f"{seen.message} {_WHY}", details=seen.details))
