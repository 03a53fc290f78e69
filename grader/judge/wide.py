"""A case with more work than a kernel of few blocks does in one round, of which a few blocks run, drawn at random.

A kernel whose blocks go round may have a second round only where there is more to do than small cases have: more rows
than the 2,048 blocks that it launches, say. To run all blocks takes too long, so the emulator runs eight. What a block
writes is right or wrong by itself, as long as no block waits for another, adds to what another has written, or reads
what an earlier launch has left (counters.stands_alone). The judge compares the elements that these eight have written,
and passes over all others.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import torch

from grader.course.call import Call
from grader.course.lesson import Task
from grader.devices.buffers import Arena, CaseBuffers
from grader.devices.submission import Submission, run_few
from grader.judge.compare import Comparison, Context, Expected, Output, compare, expect
from grader.judge.inputs import fill
from grader.judge.verdict import CaseGrade, Position, TaskGrade, status_of

_SOME = "Of this case a few blocks run, and what they leave is compared: do all rounds do what a block's first does?"


def refuse_wide(task: Task, submission: Submission, found: TaskGrade) -> None:
    """Takes back the verdict on a kernel that is right in all other cases and wrong in the task's wide one. Raises
    UsageError, NotGraded, Cancelled.
    """
    if found.status != "passed" or task.wide_case is None:
        return
    call = Call(task, task.wide_case)
    with Arena.of([call]) as arena, ThreadPoolExecutor(1) as thread:
        inputs = fill(call, arena.cases[0], submission.seed)
        expecting = thread.submit(expect, call, inputs)
        evidence = run_few(call, arena, submission)
        expected = expecting.result()
        for refused in (each for run in evidence.cases for each in run.findings):
            return _take_back(found, CaseGrade(call.name, status_of(refused), refused.message, findings=[refused]))
        if not evidence.cases or not evidence.cases[0].alone:
            return
        context = Context(inputs, launches=evidence.cases[0].launches, call=call)
        outputs = _written(arena.cases[0], expected, context)
    if outputs.status != "passed":
        case = CaseGrade(call.name, outputs.status, f"{outputs.message} {_SOME}", details=outputs.details)
        case.max_error, case.allowed_error = outputs.max_error, outputs.allowed_error
        _take_back(found, case)


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
