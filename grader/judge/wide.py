"""A case with more work than a kernel of few blocks does in one round, of which a few blocks run, drawn at random.

A kernel whose blocks go round may have a second round only where there is more to do than small cases have: more rows
than the 2,048 blocks that it launches, say. To run all blocks takes too long, so the emulator runs eight. What a block
writes is right or wrong by itself, as long as no block waits for another, adds to what another has written, or reads
what an earlier launch has left (counters.stands_alone). The judge compares the elements that these eight have written,
and passes over all others. Where they have written so little that not all would be, all blocks are run after all.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from grader.course.call import Call
from grader.course.drawing import Condition
from grader.course.lesson import Case, Task
from grader.devices.buffers import Arena, CaseBuffers
from grader.devices.build.conditions import conditions_of
from grader.devices.build.lexer import compared_numbers, hidden_numbers
from grader.devices.evidence import CaseRun
from grader.devices.submission import Submission, run, run_few
from grader.judge.compare import Comparison, Context, Expected, Output, Prepared, compare, expect
from grader.judge.inputs import fill
from grader.judge.verdict import CaseGrade, Position, TaskGrade, status_of

_BEYOND = (
    "This case goes beyond a number that the file names, and a few of its blocks run: what is done otherwise there?"
)
_SMALL_NUMBERS = 10_000  # of a file, and smaller ones: those of blocks and tiles, as a rule
_MOST_BYTES = 1 << 28  # of all buffers of a case that is made wider
_CANDIDATES = 400  # sizes that are held against what a file asks of one
_WHOLE = "This case is larger than the lesson's: what is done otherwise there?"
_MUCH = 0.96  # of the outputs: of fewer, if all blocks write as much as those that ran, some may be left out
_MOST_WORK = 1 << 24  # operations or elements of a case of which all blocks are run
_MOST_OF_NOTHING = 1 << 27  # the same where the few blocks have written nothing
_SOME = "Of this case a few blocks run, and what they leave is compared: do all rounds do what a block's first does?"


def wider(
    task: Task, numbers: Collection[int], runs: Sequence[CaseRun], conditions: Sequence[Condition] = (), seed: int = 0
) -> Case | None:
    """The task's wide case with so many elements that a size, or the number of blocks, goes beyond a number that the
    file names and that no case went beyond, or that a size meets what the file asks of one and no case meets; where it
    names a large number of something else, the `seed` draws them. None if there is no such number or size, no room, or
    nothing that ran, as of a file that the emulator cannot build.
    """
    if not task.wide_case or not runs:
        return None
    (name, widest), counted = next(iter(task.wide_case.sizes.items())), task.judged_cases[-1].sizes
    grid = max((launch["grid"][0] for launch in runs[-1].launches), default=1)
    share = max(counted[name] / grid, 1.0)  # of a block
    beyond = [number for number in numbers if number > grid and number * share > counted[name]]
    room = widest * _MOST_BYTES // sum(Call(task, task.wide_case).bytes.values())
    size = max((min(room, int(2 * number * each)) for number in beyond for each in (1.0, share)
                if number * each < room), default=0)  # fmt: skip
    for other in task.wide_case.sizes:
        room_of = room * task.wide_case.sizes[other] // widest
        if other in task.drawn and (met := _that_meets(task, other, counted[other], room_of, conditions)):
            return Case(**{**task.wide_case.sizes, other: met})
    is_told = any(_SMALL_NUMBERS < number < room for number in numbers)  # of threads, say, and each takes several
    if size <= counted[name] < room and is_told:
        size = int(counted[name] * (room / counted[name]) ** random.Random(seed).random())
    return Case(**{**task.wide_case.sizes, name: size | 1}) if size > counted[name] else None


def _that_meets(task: Task, name: str, counted: int, room: int, conditions: Sequence[Condition]) -> int:
    """The size between these that meets the most of what neither a case nor the timed one meets; 0 if none does."""
    any_name = len(task.drawn) == 1  # of several sizes it is not known which a name stands for
    asked = [holds for of, holds in conditions if of == name or (any_name and of not in task.drawn)]
    if not asked or room <= counted + 1:
        return 0
    timed = [task.timed_case] if task.timed_case else []
    known = np.array([each.sizes[name] for each in (*task.judged_cases, *timed)])
    sizes = np.geomspace(counted + 1, room, _CANDIDATES).astype(np.int64) | 1
    met = np.array([~holds(known).any() & holds(sizes) for holds in asked]).sum(axis=0)
    return int(sizes[met.argmax()]) if met.any() else 0


def refuse_beyond(task: Task, submission: Submission, found: TaskGrade, runs: Sequence[CaseRun]) -> None:
    """The same as `refuse_wide` in the case that goes beyond what the file names or asks for, if there is one."""
    told = compared_numbers(submission.source) | hidden_numbers(submission.source)
    numbers = [number for number in told if number > _SMALL_NUMBERS]
    if case := wider(task, numbers, runs, conditions_of(submission.source), submission.seed):
        refuse_wide(task, submission, found, case)


def refuse_wide(task: Task, submission: Submission, found: TaskGrade, case: Case | None = None) -> None:
    """Takes back the verdict on a kernel that is right in all other cases and wrong in this one, by default the task's
    wide one. Raises UsageError, NotGraded, Cancelled.
    """
    looked_at, why = case or task.wide_case, _BEYOND if case else _SOME
    if found.status != "passed" or looked_at is None:
        return
    call = Call(task, looked_at)
    with Arena.of([call]) as arena, ThreadPoolExecutor(1) as thread:
        inputs = fill(call, arena.cases[0], submission.seed)
        expecting = thread.submit(expect, call, inputs)
        evidence = run_few(call, arena, submission)
        expected = expecting.result()
        for refused in (each for run in evidence.cases for each in run.findings):
            return _take_back(found, CaseGrade(call.name, status_of(refused), refused.message, findings=[refused]))
        if not evidence.cases or not (evidence.cases[0].alone or not evidence.cases[0].launches):
            return
        context = Context(inputs, launches=evidence.cases[0].launches, call=call)
        outputs = _written(arena.cases[0], expected, context)
        is_right = outputs.status == "passed"
        if is_right and _may_leave_out(call, arena.cases[0], expected, evidence.cases[0]):
            return refuse_whole(found, Prepared(call, arena.cases[0], inputs, expected), arena, submission)
    if not is_right:
        wrong = CaseGrade(call.name, outputs.status, f"{outputs.message} {why}", details=outputs.details)
        wrong.max_error, wrong.allowed_error = outputs.max_error, outputs.allowed_error
        _take_back(found, wrong)


def _may_leave_out(call: Call, buffers: CaseBuffers, expected: Mapping[str, Expected], ran: CaseRun) -> bool:
    """Whether all blocks together would leave a part of the outputs unwritten, if all write as much as these few."""
    from grader.devices.emulator.checking_runs import FEW_BLOCKS

    work = call.flops or call.facts["input_elements"] + call.facts["output_elements"]
    blocks = max((math.prod(launch["grid"]) for launch in ran.launches), default=0)
    masks = [unwritten for _, unwritten in buffers.left(expected).values()]
    all_, written = sum(each.numel() for each in masks), sum(int((~each).sum()) for each in masks)
    if blocks and work > (_MOST_WORK if written else _MOST_OF_NOTHING):
        return False
    return written * max(blocks, 1) < _MUCH * all_ * min(FEW_BLOCKS, max(blocks, 1))


def refuse_whole(found: TaskGrade, prepared: Prepared, arena: Arena, submission: Submission, why: str = _WHOLE) -> None:
    """The verdict of this case with all of its blocks, where that is that something is wrong."""
    from grader.judge.weigh import judge_cases

    fill(prepared.call, prepared.buffers, submission.seed)
    evidence = run([prepared.call], arena, submission, None)
    for grade in judge_cases([prepared], evidence) if evidence.cases else ():
        if grade.status in ("wrong_result", "not_written", "out_of_bounds", "misaligned"):
            grade.message += f" {why}"
            _take_back(found, grade)


def _take_back(found: TaskGrade, case: CaseGrade) -> None:
    found.status, found.stars, found.position = case.status, 0, Position()
    found.cases.append(case)


def _written(buffers: CaseBuffers, expected: Mapping[str, Expected], context: Context) -> Comparison:
    """The verdict on what was written."""
    want, left = {}, {}
    for name, (values, unwritten) in buffers.left(expected).items():
        want[name] = Expected(expected[name].values.masked_fill(unwritten, 0), expected[name].allowed)
        left[name] = Output(values.masked_fill(unwritten, 0), torch.ones_like(unwritten))
    return compare(want, left, context)
