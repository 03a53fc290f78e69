"""Cases with more blocks than eight or sixteen bits count, of which all blocks run.

An index, or a number of blocks, that is kept in a narrow type is right as long as it fits, and no checked case has so
many blocks. Where a file has such a type, or leaves work out at the timed case, the task is run with more than 256
blocks, and with more than 65,536, for whose elements a float does not count by ones, either. Blocks that run alone
do not tell: each does what another does, too, and writes what is right there. Only where all of them do not end in
time, some run alone, and what they write is held against what others write besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from grader.course.call import Call
from grader.course.lesson import Case, Task
from grader.devices.buffers import Arena
from grader.devices.build.lexer import lex
from grader.devices.evidence import CaseRun
from grader.devices.submission import Submission, run_unwatched
from grader.judge.compare import Context, Output, Prepared, compare, expect
from grader.judge.inputs import fill
from grader.judge.verdict import CaseGrade, Position, TaskGrade
from grader.judge.wide import refuse_whole

EIGHT_BITS, SIXTEEN_BITS = 256, 65_536
_TRIES = 3  # of a size, each by how many blocks there were in the one before
_SPARE = 1.06  # times as many: beyond 2^24 elements for 256 threads a block
_MOST_BYTES, _MOST_WORK = 1 << 28, 1 << 29  # of a case
_MOST_WATCHED = 1 << 21  # operations or elements of a case that is run again where all accesses are looked at
_LONG = 1.0  # seconds: what takes longer, and does not end, was stopped for that
_FEW = 8  # values of a size: it takes no others
_EIGHT = re.compile(r"(?<![\w:])(?:(?:un)?signed char|char|uchar|u_?int8_t)\b")
_SIXTEEN = re.compile(r"(?<![\w:])(?:short|ushort|u_?int16_t)\b")
# A variable, a parameter, a cast or a field of bits, and no array, pointer or function.
_HELD = re.compile(r"\s*(?:[)>(]|(?:int )?\w+ (?:[=,;){:]|$))")
_BITS = re.compile(r"(?<![\w:])(?:unsigned|int|uint32_t|unsigned int) \w+ : \d")
_FIRST = 32  # blocks, which write what those behind 65,536 write again
_WHY = "This case is larger than most: does an index, or what counts blocks, hold as many?"


def narrow_types(source: str) -> list[int]:
    """Of how many blocks an index in one of the file's narrow variables may begin again."""
    text = " ".join(token.text for token in lex(source).code)
    eight = any(_HELD.match(text, found.end()) for found in _EIGHT.finditer(text))
    sixteen = any(_HELD.match(text, found.end()) for found in _SIXTEEN.finditer(text)) or bool(_BITS.search(text))
    return [EIGHT_BITS] * (eight or sixteen) + [SIXTEEN_BITS] * sixteen


def refuse_more_blocks(task: Task, submission: Submission, found: TaskGrade, counts: Sequence[int]) -> None:
    """Takes back the verdict on a kernel that is wrong with more than one of these numbers of blocks, or elements along
    a size. Raises UsageError, NotGraded, Cancelled.
    """
    for blocks in counts:
        for name, values in task.drawn.items():
            if found.status == "passed" and len(set(values)) > _FEW:
                _refuse_along(task, name, submission, found, blocks)


def _refuse_along(task: Task, name: str, submission: Submission, found: TaskGrade, blocks: int) -> None:
    """First with so many elements along a size, which may have an index each, then with so many blocks."""
    size, launched, most = blocks, blocks, _largest(task, name)
    for _ in range(_TRIES):
        before, size = size, min(int(_SPARE * size * blocks / launched) | 1, most)
        call = Call(task, Case(**{**_smallest(task), name: size}))
        if found.status != "passed" or size <= before or not _is_affordable(call):
            return
        launched = _run(call, submission, found)
        if not 0 < launched <= blocks:
            return


def _run(call: Call, submission: Submission, found: TaskGrade) -> int:
    """How many blocks a launch has had, at most; 0 if that is not known. Takes back the verdict on what is wrong."""
    with Arena.of([call]) as arena, ThreadPoolExecutor(1) as thread:
        inputs = fill(call, arena.cases[0], submission.seed)
        expecting = thread.submit(expect, call, inputs)
        cases = run_unwatched(call, arena, submission).cases
        expected = expecting.result()
        is_done = bool(cases) and cases[0].alone
        if cases and not is_done and cases[0].seconds > _LONG:
            _refuse_overwritten(call, submission, found)
            return 0
        left = {name: Output(values, ~unwritten) for name, (values, unwritten) in arena.cases[0].left(expected).items()}
        compared = compare(expected, left, Context(inputs, launches=cases[0].launches if cases else (), call=call))
        if compared.status != "passed" and _work(call) <= _MOST_WATCHED:
            refuse_whole(found, Prepared(call, arena.cases[0], inputs, expected), arena, submission, _WHY)
        elif compared.status != "passed" and is_done:
            found.status, found.stars, found.position = compared.status, 0, Position()
            message = f"{compared.message} {_WHY}"
            found.cases.append(CaseGrade(call.name, compared.status, message, details=compared.details))
    return _most_blocks(cases[0]) if cases else 0


def _refuse_overwritten(call: Call, submission: Submission, found: TaskGrade) -> None:
    """Where so many blocks do not end in time: the first of them run alone, and then beside those behind 65,536.

    Where each block writes a share of the elements, that is as many more. Not so where the blocks of a launch draw
    numbers, or add up: these write too few, or too many, or as many more.
    """
    first = range(_FIRST)
    few, launched = _written(call, submission, first)
    more, _ = _written(call, submission, [*first, *range(SIXTEEN_BITS, SIXTEEN_BITS + _FIRST)])
    total = sum(written.numel() for written in few.values())
    share = launched / _FIRST * sum(int(written.sum()) for written in few.values())
    each_has_a_share = launched > SIXTEEN_BITS + _FIRST and 0.9 * total < share < 1.1 * total
    if each_has_a_share and more and all(bool((more[name] == written).all()) for name, written in few.items()):
        message = f"Blocks from number 65,536 on write the elements of the first ones again. {_WHY}"
        found.status, found.stars, found.position = "not_written", 0, Position()
        found.cases.append(CaseGrade(call.name, "not_written", message))


def _written(call: Call, submission: Submission, only: Sequence[int]) -> tuple[dict[str, Any], int]:
    """Which elements of the outputs these blocks write, by name, and how many blocks the launch has; none if the run
    did not come to its end.
    """
    with Arena.of([call]) as arena:
        inputs = fill(call, arena.cases[0], submission.seed)
        cases = run_unwatched(call, arena, submission, only).cases
        if not cases or not cases[0].alone:
            return {}, 0
        left = arena.cases[0].left(expect(call, inputs))
        return {name: ~unwritten for name, (_, unwritten) in left.items()}, _most_blocks(cases[0])


def _most_blocks(run: CaseRun) -> int:
    return max((max(launch["grid"]) for launch in run.launches), default=1)


def _smallest(task: Task) -> dict[str, Any]:
    sizes: dict[str, Any] = dict(task.judged_cases[-1].sizes)
    return sizes | {name: min(values) for name, values in task.drawn.items() if len(set(values)) > _FEW}


def _largest(task: Task, name: str) -> int:
    """What the lesson itself asks for somewhere."""
    named: Iterator[Case | None] = iter((*task.judged_cases, *task.bench_cases, task.timed_case, task.wide_case))
    return max(int(each.sizes[name]) for each in named if each)


def _work(call: Call) -> float:
    return call.flops or call.facts["input_elements"] + call.facts["output_elements"]


def _is_affordable(call: Call) -> bool:
    return _work(call) <= _MOST_WORK and sum(call.bytes.values()) <= _MOST_BYTES
