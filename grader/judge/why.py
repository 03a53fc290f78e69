"""Of a task's wrong cases: why they are wrong, where asking the reference again tells it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from grader.devices.evidence import CaseRun
from grader.judge.causes.all_threads import causes_of_large
from grader.judge.causes.answers import ENOUGH
from grader.judge.causes.asked import CLOSE, MOST_IN_PART, ROUNDED, Case, Cause, Output
from grader.judge.causes.belongs import MOST_ELEMENTS
from grader.judge.causes.half_warps import why_of_lanes
from grader.judge.causes.indices import index_of, rest_of
from grader.judge.causes.infinities import why_infinite
from grader.judge.causes.nans import Values, why_nan
from grader.judge.causes.sizes import FOR_ONE, told_apart
from grader.judge.causes.variations import cause, causes_of_middling, causes_seen, worth_asking
from grader.judge.causes.written import Written
from grader.judge.compare import Prepared, results, widen
from grader.judge.verdict import WITHOUT_CAUSE, CaseGrade, Status

# Of what is not written: where it is.
VAGUE = (None, "head", "tail", "first_block", "columns", "every_kth", "nothing_written")
# Patterns that would hold in all cases if they were more than chance.
OF_VALUES = ("scaled", "scaled_alike", "as_often", "constant", "all_zeros", "rows_scaled")
OF_PLACES = ("head", "tail", "first_block", "columns", "every_kth")
OF_REPEATS = ("rows_repeated", "blocks_repeated")
OF_COUNTS = ("ones",)
IN_PART = "This is so of what is wrong, and all else is right: "
MOST_RIGHT = 8  # cases that a cause of wrong ones must leave right
MOST_CASES_IN_PART = 2  # that are asked once more
FAMILIES = (OF_VALUES, OF_PLACES, OF_REPEATS, OF_COUNTS)
WITHOUT_WHY = (None, "nan", *WITHOUT_CAUSE)
MANY = 8  # wrong elements of a case: of fewer most may be 0, which has no place of its own
SAYS_LITTLE = ("nan", "lost_nan", "imprecise", "chance")  # of whether another pattern is one


def name_all(grades: Sequence[CaseGrade], prepared: Sequence[Prepared], runs: Sequence[CaseRun]) -> None:
    """Gives cases that are wrong, or lack elements, the reason that holds in all of them, where one is known."""
    if any(grade.status == "wrong_result" for grade in grades):
        name_causes(grades, prepared, runs)
        name_nans(grades, prepared, runs)
        name_infinities(grades, prepared, runs)
        name_lanes(grades, prepared, runs)
        withdraw_chance(grades)
        name_sizes(grades, prepared)
    if any(grade.status == "not_written" for grade in grades):
        withdraw_grids(grades, runs)
        name_indices(grades, prepared, runs)
        name_sizes(grades, prepared, "not_written", OF_PLACES)


def name_causes(grades: Sequence[CaseGrade], prepared: Sequence[Prepared], runs: Sequence[CaseRun]) -> None:
    """Gives wrong cases the pattern that explains them all, where what they have says only where they are wrong."""
    wrong = [
        (grade, each, run)
        for grade, each, run in zip(grades, prepared, runs, strict=False)
        if grade.status == "wrong_result"
        and grade.details.get("pattern")
        in (None, "copied", "rows_repeated", "blocks_repeated", "shifted", *WITHOUT_CAUSE)
        and "buffer" in grade.details
    ]
    for buffer in sorted({grade.details["buffer"] for grade, _, _ in wrong}):
        named = [each for each in wrong if each[0].details["buffer"] == buffer]
        copied = [grade.details.get("pattern") == "copied" for grade, _, _ in named]
        others = any(
            not each and grade.details["bad"] >= ENOUGH for each, (grade, _, _) in zip(copied, named, strict=True)
        )
        if 2 * sum(copied) > len(named) and not others:
            continue  # that says it all, where it is not by chance, as of one element
        # A number alone may agree with a cause by chance; several are given more room.
        of_buffer = [(grade, _case(each, run, buffer, len(named) > 2)) for grade, each, run in named]
        cases = [case for _, case in of_buffer]
        seen = worth_asking(case for case in cases if case.is_of_a_size)
        asked = worth_asking(case for case in cases if case.is_small)
        few = [] if asked else worth_asking(case for case in cases if case.is_middling)
        right = _right_beside(asked, grades, prepared, runs, buffer)
        found = (cause(seen, causes_seen) if seen else None) or (cause(asked, right=right) if asked else None)
        found = found or (cause(few, causes_of_middling) if few else None)
        if not found and not asked and (large := [case for case in cases if case.got.numel() == 1][-1:]):
            found, asked, seen = cause(large, causes_of_large), large, large
        in_part = [] if found else parts_of(asked or few)
        if asked and in_part:  # what agrees with few rows of small cases need not agree with a larger one
            in_part += parts_of(worth_asking(case for case in cases if case.is_middling and not case.is_small))[:1]
        if in_part and (found := cause(in_part, None if asked else causes_of_middling)):
            of_buffer = [(grade, replace(case, in_part=True, answers={})) for grade, case in of_buffer]
            seen = [case for _, case in of_buffer if case.is_middling and case.is_wrong_in_part]
        for grade, case in of_buffer if found else ():
            known = grade.details.get("pattern") == "scaled" and found and found.name.startswith("input_times")
            if found and not known and (case.is_small or case in seen) and found.agrees(case):
                told = f"{IN_PART}{found.message(case)}" if case.in_part else found.message(case)
                grade.details |= {"pattern": found.name, "pattern_message": told}
        if found and not in_part:
            _name_alike(found, buffer, grades, prepared, runs)


def _right_beside(
    asked: Sequence[Case],
    grades: Sequence[CaseGrade],
    prepared: Sequence[Prepared],
    runs: Sequence[CaseRun],
    buffer: str,
) -> list[Case]:
    """Right cases of a single number that the same kernels have left: what explains the wrong ones, of which little is
    known, must leave these right.
    """
    if not asked or any(case.got.numel() > 1 for case in asked):
        return []
    kernels = [launch["kernel"] for launch in asked[0].launches]
    alike = [
        _case(each, run, buffer, True)
        for grade, each, run in zip(grades, prepared, runs, strict=False)
        if grade.status == "passed" and [launch["kernel"] for launch in run.launches] == kernels
    ]
    return [case for case in alike if case.is_small][:MOST_RIGHT]


def _name_alike(
    found: Cause, buffer: str, grades: Sequence[CaseGrade], prepared: Sequence[Prepared], runs: Sequence[CaseRun]
) -> None:
    """Gives the cause of other cases to one of which it is known only how its values are, as that all are 0."""
    for grade, each, run in zip(grades, prepared, runs, strict=False):
        if grade.details.get("pattern") in ("all_zeros", "constant") and grade.details.get("buffer") == buffer:
            case = _case(each, run, buffer, True)
            if grade.status == "wrong_result" and case.is_small and found.agrees(case):
                grade.details |= {"pattern": found.name, "pattern_message": found.message(case)}


def parts_of(cases: Sequence[Case]) -> list[Case]:
    """Cases to be asked about what is wrong in them alone; none where nearly all of one is wrong."""
    if any(int(case.wrong.sum()) > MOST_IN_PART * case.got.numel() for case in cases):
        return []
    return [replace(case, in_part=True, answers={}) for case in cases if case.is_wrong_in_part][:MOST_CASES_IN_PART]


def name_nans(grades: Sequence[CaseGrade], prepared: Sequence[Prepared], runs: Sequence[CaseRun]) -> None:
    """Gives cases with NaN the reason that foretells where it is in all of them, and that there is none elsewhere."""
    judged = [
        (grade, each, run)
        for grade, each, run in zip(grades, prepared, runs, strict=False)
        if grade.status in ("passed", "wrong_result")
    ]
    wrong = [grade for grade, _, _ in judged if _is_nan(grade)]
    for buffer in sorted({grade.details["buffer"] for grade in wrong}):
        values = [_values(each, run, buffer) for _, each, run in judged]
        if said := why_nan(buffer, values):
            for grade in wrong:
                if grade.details["buffer"] == buffer:
                    grade.details |= {"pattern": "why_nan", "pattern_message": said}


def name_infinities(grades: Sequence[CaseGrade], prepared: Sequence[Prepared], runs: Sequence[CaseRun]) -> None:
    """Gives cases that are -inf, or should be, the reason that holds in all of them, where one is known."""
    judged = [
        (grade, each, run)
        for grade, each, run in zip(grades, prepared, runs, strict=False)
        if grade.status in ("passed", "wrong_result")
    ]
    wrong = [grade for grade, _, _ in judged if -math.inf in (grade.details.get("got"), grade.details.get("expected"))]
    for buffer in sorted({grade.details["buffer"] for grade in wrong}):
        if said := why_infinite(buffer, [_values(each, run, buffer) for _, each, run in judged]):
            for grade in wrong:
                if grade.details["buffer"] == buffer:
                    grade.details |= {"pattern": "why_infinite", "pattern_message": said}


def name_lanes(grades: Sequence[CaseGrade], prepared: Sequence[Prepared], runs: Sequence[CaseRun]) -> None:
    """Gives cases without a reason, whose results are no numbers in some lanes of each warp, that one."""
    wrong = [
        (grade, each, run)
        for grade, each, run in zip(grades, prepared, runs, strict=False)
        if grade.status == "wrong_result" and "buffer" in grade.details and grade.details.get("pattern") in WITHOUT_WHY
    ]
    for buffer in sorted({grade.details["buffer"] for grade, _, _ in wrong}):
        named = [each for each in wrong if each[0].details["buffer"] == buffer]
        if said := why_of_lanes(buffer, [_values(each, run, buffer) for _, each, run in named]):
            for grade, _, _ in named:
                grade.details |= {"pattern": "why_of_lanes", "pattern_message": said}


def _is_nan(grade: CaseGrade) -> bool:
    got = grade.details.get("got")
    return grade.status == "wrong_result" and isinstance(got, float) and math.isnan(got)


def _values(prepared: Prepared, run: CaseRun, buffer: str) -> Values:
    values, _ = prepared.buffers.left([buffer])[buffer]
    expected = {name: want.values for name, want in prepared.expected.items()}
    right = expected[buffer]
    return Values(values.reshape(right.shape), right, prepared.inputs, expected, prepared.call.scalars, run.launches)


def withdraw_chance(grades: Sequence[CaseGrade]) -> None:
    """Takes its question back from a pattern that another wrong case of the same output does not show.

    What a case has by chance, as a factor of 32 where a row has one element, is true of it and asks for what is no
    cause. A factor without a question stands: of a single row it is that row's.
    """
    wrong = [grade for grade in grades if grade.status == "wrong_result" and "buffer" in grade.details]
    withdraw_places(wrong)
    for grade in wrong:
        family = next((each for each in FAMILIES if grade.details.get("pattern") in each), ())
        others = [each for each in wrong if each.details["buffer"] == grade.details["buffer"]]
        told, asks, _ = grade.details.get("pattern_message", "").partition(": ")
        if family is OF_VALUES and asks and any(_is_as_large(each, told, asks) for each in others):
            grade.details |= {"pattern": "scaled", "pattern_message": f"{told}."}
            continue
        # What was held against all cases stands, as does what says how far the calculation came.
        stands = grade.details.get("pattern") == ("rows_scaled" if asks else "scaled") or _is_infinite(grade)
        if family and not stands and any(_contradicts(each, grade, family) for each in others):
            said = f"{told.removesuffix('.')}. In other cases it is not so."
            grade.details |= {"pattern": "chance", "pattern_message": said}


def withdraw_places(wrong: Sequence[CaseGrade]) -> None:
    """Takes back that wrong elements hold what belongs in others, where that is not so in another case of the output.

    A row's largest share of 1 has the value that another lane's has where it subtracts another maximum.
    """
    found = [grade for grade in wrong if grade.details.get("pattern") == "belongs"]
    for grade in found:
        others = (each for each in wrong if each not in found and each.details["buffer"] == grade.details["buffer"])
        if any(
            each.details["bad"] >= MANY and each.details["total"] <= MOST_ELEMENTS
            and each.details.get("pattern") in (None, *OF_VALUES, *OF_PLACES)
            for each in others
        ):  # fmt: skip
            del grade.details["pattern"], grade.details["pattern_message"]


def name_sizes(
    grades: Sequence[CaseGrade],
    prepared: Sequence[Prepared],
    status: Status = "wrong_result",
    patterns: Sequence[str | None] = (None, "chance"),
) -> None:
    """Says of cases with a status and a pattern that says little, or none, which sizes tell them from the right ones,
    where one does.
    """
    calls = [(grade, each.call.scalars) for grade, each in zip(grades, prepared, strict=False)]
    sizes = [
        (grade, {name: value for name, value in scalars.items() if isinstance(value, int)}) for grade, scalars in calls
    ]
    right = [each for grade, each in sizes if grade.status == "passed"]
    said = told_apart(right, [each for grade, each in sizes if grade.status != "passed"])
    for grade in grades if said else ():
        if grade.status == status and grade.details.get("pattern") in patterns:
            before = grade.details.get("pattern_message", "")  # of this case alone
            if "?" in before and FOR_ONE not in said:
                continue  # which asks for a cause already
            grade.details |= {"pattern": "sizes", "pattern_message": f"{before} {said}".strip()}


def _is_infinite(grade: CaseGrade) -> bool:
    got = grade.details.get("got")
    return grade.details.get("pattern") == "constant" and isinstance(got, float) and not math.isfinite(got)


def _is_as_large(other: CaseGrade, told: str, asks: str) -> bool:
    """Whether another case is as many times too large, and there it is not what this one asks."""
    factor, said = re.search(r" is (\S+ times) what", told), other.details.get("pattern_message", "")
    return bool(factor and other.details.get("bad", 0) > 0 and f" is {factor[1]} what" in said and asks not in said)


def _contradicts(other: CaseGrade, grade: CaseGrade, family: Sequence[str]) -> bool:
    """Whether a case with enough wrong elements, and as many in all where places are told, shows another pattern."""
    enough = other.details["bad"] >= ENOUGH and (
        family is OF_VALUES or other.details["total"] >= grade.details["total"]
    )
    return enough and other.details.get("pattern") not in (*family, *SAYS_LITTLE)


def withdraw_grids(grades: Sequence[CaseGrade], runs: Sequence[CaseRun]) -> None:
    """Takes a swapped grid back where another case lacks elements in a way that it does not explain."""
    left = [
        grade
        for grade, run in zip(grades, runs, strict=False)
        if grade.status == "not_written"
        and "buffer" in grade.details
        and not all(launch["grid"][0] == launch["grid"][1] for launch in run.launches)  # these tell nothing
    ]
    for buffer in {grade.details["buffer"] for grade in left}:
        named = [grade for grade in left if grade.details["buffer"] == buffer]
        if any(grade.details.get("pattern") != "swapped_grid" for grade in named):
            for grade in named:
                if grade.details.get("pattern") == "swapped_grid":
                    del grade.details["pattern"], grade.details["pattern_message"]
                    grade.details |= grade.details.get("otherwise", {})
    for grade in grades:
        grade.details.pop("otherwise", None)


def name_indices(grades: Sequence[CaseGrade], prepared: Sequence[Prepared], runs: Sequence[CaseRun]) -> None:
    """Gives cases that lack elements the index that stands in the place of the right one, where one fits them all."""
    told = [
        grade
        for grade in grades
        if grade.status == "not_written" and grade.details.get("pattern") in VAGUE and "buffer" in grade.details
    ]
    for buffer in sorted({grade.details["buffer"] for grade in told}):
        cases = {
            grade.name: _written(each, run, buffer)
            for grade, each, run in zip(grades, prepared, runs, strict=False)
            if grade.status in ("not_written", "passed", "wrong_result") and run.launches
        }
        named = [grade for grade in told if grade.details["buffer"] == buffer]
        alone = {name: case for name, case in cases.items() if case.launches == 1}
        found = index_of(list(alone.values())) if all(grade.name in alone for grade in named) else None
        if all(grade.name in cases for grade in named) and (found := found or rest_of(list(cases.values()))):
            for grade in named:
                grade.details |= {"pattern": "index", "pattern_message": found.said(cases[grade.name])}


def _written(prepared: Prepared, run: CaseRun, buffer: str) -> Written:
    _, unwritten = prepared.buffers.left([buffer])[buffer]
    names = [name.strip() for name in prepared.call.task.shapes[buffer].split(",")]
    launch = run.launches[0]
    return Written(~unwritten, launch["grid"], launch["block"], names, len(run.launches))


def _case(prepared: Prepared, run: CaseRun, buffer: str, is_one_of_many: bool) -> Case:
    want = prepared.expected[buffer]
    values, _ = prepared.buffers.left([buffer])[buffer]
    return Case(
        call=prepared.call,
        reference=lambda inputs: results(prepared.call, inputs),
        inputs=widen(prepared.inputs),
        buffer=buffer,
        got=values.double(),
        expected=want.values.double(),
        allowed=want.allowed,
        launches=run.launches,
        outputs=_outputs(prepared),
        close=max(CLOSE, ROUNDED * prepared.call.terms) if is_one_of_many else CLOSE,
    )


def _outputs(prepared: Prepared) -> dict[str, Output]:
    left = prepared.buffers.left(prepared.expected)
    return {
        name: Output(left[name][0].double().reshape(want.values.shape), want.values.double(), want.allowed)
        for name, want in prepared.expected.items()
    }
