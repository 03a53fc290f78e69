"""Sizes for which host code launches something else than in all cases, however it works that out.

What a file asks of a size in so many words is read in its text (course/drawing.py). What hides in loops, tables and
functions of host code is found by asking it: it is called with many sizes, where kernels are not run, and what it
launches is compared. Of each way that no case has gone one size is run as a case.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from grader.course.call import Call, graded_calls
from grader.course.lesson import Case, Task
from grader.devices.buffers import Arena
from grader.devices.build.conditions import conditions_of
from grader.devices.build.lexer import hidden_numbers, lex, whole_numbers
from grader.devices.submission import Submission, run_host_ways
from grader.judge.compare import Prepared, expect
from grader.judge.inputs import fill
from grader.judge.verdict import TaskGrade
from grader.judge.wide import refuse_whole

SIZES = 2000  # that are asked about
MOST_WAYS = 4  # that are run
_MOST_SIZE = 1 << 15  # of the only size of a task
_SIDES = ("__global__", "__device__")
# In host code: loops, tables that are read, and functions of the library's but for these. Remainders and bits of a size
# are read in the text (build/conditions.py). A loop that only doubles, halves or counts, as many work out a block's
# width, is none of these: its ways show in the cases.
_CONSTANT = r"(?:k[A-Z]\w*|[A-Z]\w*|\d+)"
_HIDES = re.compile(
    rf" goto |[\w)\]] (?<!return )\[ (?!{_CONSTANT} \])"
    rf"| std :: (?!min|max|ceil|floor|swap|u?int|sqrt \( (?:static_cast < \w+ > \( )?{_CONSTANT} \))\w+ "
    r"(?:< [^()]* > )?\( "
)
_LOOPS, _MIXES = ("for", "while", "do"), re.compile(r" [%^~\[] | > > | < < ")
# A statement's beginning that names a type, or declares an array: no table is read there.
_DECLARED = re.compile(
    r" (?:template < .* > )?using .*| (?:alignas \( .*? \) )?(?!return|case|else)\w[\w:<>,*& ]* \w+ \[ [^=]*"
)
_WHY = "For this size host code launches something else than in all cases: is that right?"


def may_hide(source: str) -> bool:
    """Whether host code has a table, a loop that mixes a number's bits or takes remainders, or a call of a function of
    the library's in it.
    """
    texts = _host_texts(source)
    statements = re.split(r"[;{}]", _plain(texts))
    read = (_undeclared(f" {each.strip()} ") if "[" in each else f" {each} " for each in statements)
    return any(map(_HIDES.search, read)) or any(_MIXES.search(f" {_plain(loop)} ") for loop in _loops(texts))


def _undeclared(statement: str) -> str:
    found = _DECLARED.match(statement)
    return statement[found.end() :] if found else statement


def _plain(texts: Sequence[str]) -> str:
    return " ".join(texts).replace("> > >", "").replace("< < <", "")


def _loops(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Each from its word to the end of what it repeats, as far as that is known."""
    for at, text in enumerate(texts):
        if text not in _LOOPS:
            continue
        depth, end = 0, at + 1
        while end < len(texts):
            depth += (texts[end] in "({") - (texts[end] in ")}")
            ends = texts[end] == ";" or (texts[end] == "}" and texts[at] != "do")
            end += 1
            if depth <= 0 and ends:
                break
        yield texts[at:end]


def _host_texts(source: str) -> list[str]:
    """The signs of a file without its functions and variables that have __device__ or __global__."""
    texts, kept, at = [each.text for each in lex(source).code], list[str](), 0
    while at < len(texts):
        if texts[at] not in _SIDES:
            kept.append(texts[at])
            at += 1
            continue
        while at < len(texts) and texts[at] not in ("{", ";"):
            at += 1
        depth = 0
        while at < len(texts):
            depth += (texts[at] == "{") - (texts[at] == "}")
            at += 1
            if depth == 0:
                break
    return kept


def refuse_other_ways(task: Task, submission: Submission, found: TaskGrade) -> None:
    """Takes back the verdict on a kernel that is wrong for a size of which host code launches what it has launched in
    no case. Raises UsageError, NotGraded, Cancelled.
    """
    source = submission.source
    if found.status != "passed" or not task.drawn or not may_hide(source):
        return
    numbers = whole_numbers(source) | hidden_numbers(source)
    known = [call.case for call in graded_calls(task, submission.seed, numbers, conditions_of(source))]
    drawn = _drawn(task, submission.seed)
    cases = [*known, *drawn]
    # Known cases may be larger: none of what they have is touched but by copies of host code.
    largest: dict[str, Any] = {name: max(case.sizes[name] for case in drawn) for name in drawn[0].sizes}
    call = Call(task, Case(**largest))
    with Arena.of([call]) as arena:
        runs = run_host_ways(call, [Call(task, case).scalars for case in cases], arena, submission).cases
    ways = [each["way"] for each in runs[0].launches] if runs else []
    seen, others = set(ways[: len(known)]), dict[str, Case]()
    for case, way in zip(cases[len(known) :], ways[len(known) :], strict=False):
        if way not in seen:
            others.setdefault(way, case)
    for case in list(others.values())[:MOST_WAYS] if len(ways) > len(known) else ():
        _run(Call(task, case), submission, found)


def _drawn(task: Task, seed: int) -> list[Case]:
    """Sizes, the smallest first."""
    dice, sizes = random.Random(f"{seed}/{task.name}/ways"), task.judged_cases[-1].sizes
    if len(task.drawn) == 1:
        ((name, values),) = task.drawn.items()
        most = min(max(*values, sizes[name]), _MOST_SIZE)
        chosen = sorted(dice.sample(range(min(values), most), min(SIZES, most - min(values))))
        return [Case(**{**sizes, name: each}) for each in chosen]
    found = [{**sizes, **{name: dice.choice(values) for name, values in task.drawn.items()}} for _ in range(SIZES)]
    return [Case(**each) for each in found]


def _run(call: Call, submission: Submission, found: TaskGrade) -> None:
    if found.status != "passed":
        return
    with Arena.of([call]) as arena:
        inputs = fill(call, arena.cases[0], submission.seed)
        refuse_whole(found, Prepared(call, arena.cases[0], inputs, expect(call, inputs)), arena, submission, _WHY)
