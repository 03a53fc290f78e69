"""The timed case with fewer elements, for kernels of which a few blocks tell nothing: all blocks run, and are compared.

A launch that loads what another has stored, or adds to it, leaves something right where all blocks have run alone. So
what hangs on a part of the inputs alone, as a head, is left out of the case, and what remains is as large as all of its
work can be done in a moment, where no access is looked at (devices/emulator/unwatched.py).
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from grader.course.call import Call
from grader.course.lesson import Case, Task
from grader.devices.buffers import Arena
from grader.devices.build.lexer import compared_numbers, hidden_numbers
from grader.devices.submission import Submission, run_unwatched
from grader.judge.compare import Context, Output, Prepared, compare, expect
from grader.judge.inputs import fill
from grader.judge.real_size import cut_along
from grader.judge.verdict import TaskGrade
from grader.judge.wide import refuse_whole

MOST_WORK, MOST_BYTES = 1 << 27, 1 << 24  # operations and bytes of the case
_LARGER = 1.5  # times the largest that is checked: else it is of no use
_STEPS = 64  # in which a size is made smaller
_TRIES = 16  # of other sizes, which are drawn


def with_fewer_elements(task: Task, seed: int, numbers: Collection[int] = ()) -> Case | None:
    """The case, of some that the seed draws the one that goes beyond most of the file's `numbers`; None if all would be
    hardly larger than those that are checked in any size.
    """
    if not task.timed_case or not all(each.type.is_floating for each in task.signature.inputs):
        return None
    real, dice = Call(task, task.timed_case), random.Random(f"{seed}/{task.name}/fewer")
    large = [name for name, values in task.drawn.items() if real.case.sizes[name] > max(values)]
    others = [name for name in large if not _is_of_its_own(real, name, seed)] or large
    found: list[Case] = []
    for _ in range(_TRIES):
        sizes: dict[str, Any] = dict(real.case.sizes)
        sizes |= {name: dice.choice(task.drawn[name]) for name in task.drawn if name not in others}
        case = _made_smaller(task, sizes, others, dice.random())
        if case and any(case.sizes[name] > _LARGER * _largest(task, name) for name in others):
            found.append(case)
    return max(
        found, key=lambda case: sum(case.sizes[name] > each for name in others for each in numbers), default=None
    )


def _is_of_its_own(real: Call, name: str, seed: int) -> bool:
    """Whether a part of all results along this size hangs on that part alone of all inputs that have it."""
    shapes = {key: [each.strip() for each in text.split(",")] for key, text in real.task.shapes.items()}
    having = frozenset(each.name for each in real.signature.inputs if name in shapes[each.name])
    cut = cut_along(real, name, seed)
    return bool(having) and all(cut.get(each.name) == having for each in real.task.results)


def _made_smaller(task: Task, sizes: dict[str, Any], names: Sequence[str], beside: float) -> Case | None:
    for step in range(_STEPS if names else 0):
        share = 2.0 ** (-(step + beside) / 4)
        case = Case(**{**sizes, **{name: int(sizes[name] * share) | 1 for name in names}})
        if _is_affordable(Call(task, case)):
            return case
    return None


def _largest(task: Task, name: str) -> int:
    return max(int(each.sizes[name]) for each in task.judged_cases)


def _is_affordable(call: Call) -> bool:
    work = call.flops or call.terms * call.facts["output_elements"]
    return work <= MOST_WORK and sum(call.bytes.values()) <= MOST_BYTES


def refuse_with_fewer_elements(task: Task, submission: Submission, found: TaskGrade) -> None:
    """Takes back the verdict on a kernel that is wrong there, and is so, too, when all is looked at.

    Raises UsageError, NotGraded, Cancelled.
    """
    numbers = compared_numbers(submission.source) | hidden_numbers(submission.source)
    if found.status != "passed" or not (case := with_fewer_elements(task, submission.seed, numbers)):
        return
    call = Call(task, case)
    with Arena.of([call]) as arena, ThreadPoolExecutor(1) as thread:
        inputs = fill(call, arena.cases[0], submission.seed)
        expecting = thread.submit(expect, call, inputs)
        evidence = run_unwatched(call, arena, submission)
        expected = expecting.result()
        if not evidence.cases or not evidence.cases[0].alone:
            return
        left = {name: Output(values, ~unwritten) for name, (values, unwritten) in arena.cases[0].left(expected).items()}
        if compare(expected, left, Context(inputs, call=call)).status != "passed":
            refuse_whole(found, Prepared(call, arena.cases[0], inputs, expected), arena, submission)
