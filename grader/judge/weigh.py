"""From evidence to a verdict: every case judged, then the task's status, its goals, its rung and its stars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import replace

from grader.course.lesson import Task
from grader.devices.buffers import Breach
from grader.devices.evidence import (
    COUNTED_WORD,
    FAULTS,
    NO_RETURN,
    CaseRun,
    Diagnostic,
    Evidence,
    Finding,
    Json,
    for_missing_return,
)
from grader.judge.causes.elements import element_name
from grader.judge.compare import Comparison, Context, Output, Prepared, compare, guard_broken, input_modified
from grader.judge.ladder import climb, is_below_floor, stars_earned
from grader.judge.orders import BLOCK_ORDER, are_right, settle_orders
from grader.judge.printed import judge_print
from grader.judge.targets import judge_goals
from grader.judge.verdict import CaseGrade, Speed, TaskGrade, decide, decisive, first_status, status_named

NO_LAUNCH = "No kernel was launched: the answer comes from host code or from a library, and a kernel should compute it."
NO_REASON = "Why is not told, for a fault of the grader's own ({error}): please report it, with this file."
DRAWN = " This size is drawn for each grade: a kernel must be right for others than the lesson's, too."


def judge_task(task: Task, prepared: Sequence[Prepared], evidence: Evidence, speed: Speed | None = None) -> TaskGrade:
    """Weighs the evidence of one task. Without evidence there is no pass. On a GPU, `speed` is how fast it was."""
    build = evidence.build
    if build is None:
        return TaskGrade(task.name, status_named(evidence.problem), 0, evidence.ended, output=evidence.output)
    if build.problem:
        status, diagnostics = status_named(build.problem), build.diagnostics
        return TaskGrade(task.name, status, 0, build.message, diagnostics=diagnostics, output=evidence.output)
    on_gpu = speed is not None
    cases = judge_cases(prepared, evidence, on_gpu)
    if _is_slow_besides(cases):
        cases, evidence = cases[:-1], replace(evidence, problem=None, cut=True)
    _name_reasons(cases, prepared, evidence.cases)
    _name_missing_return(cases, build.diagnostics)
    is_explained = evidence.problem == "crash" and _put_causes_first(cases)
    if task.prints and len(cases) == len(prepared) and all(case.status == "passed" for case in cases):
        signs = [run.printed_signs for run in evidence.cases]
        judge_print([each.call for each in prepared], [each.inputs for each in prepared], evidence.output, cases, signs)
    cases = _without_drawn(task, cases)
    if speed and speed.status != "passed":
        cases.append(CaseGrade(speed.case, speed.status, speed.message, findings=speed.findings))
    elif speed and speed.case and evidence.problem and all(case.status == "passed" for case in cases):
        cases.append(CaseGrade(speed.case, status_named(evidence.problem), evidence.ended))
    ended = [status_named(evidence.problem)] if evidence.problem and not is_explained else []
    status = first_status([*(case.status for case in cases), *ended])
    result = TaskGrade(task.name, status, 0, cases=cases, diagnostics=build.diagnostics, output=evidence.output)
    result.not_run = len(prepared) - len(evidence.cases) if evidence.cut else 0
    if all(case.status == "passed" for case in cases):
        result.message = evidence.ended if evidence.problem else ""
    if len(evidence.cases) >= len(prepared):
        counted = evidence.cases[len(prepared) - 1]
        pairs = zip(prepared, evidence.cases, strict=False)
        at = {each.call.name: run.counters | each.call.facts for each, run in pairs}
        result.counters = at[prepared[-1].call.name]
        result.lines, result.kernels, result.requests = counted.lines, counted.kernels, counted.requests
        result.targets = judge_goals(task, result.counters, speed.values if speed else None, at)
    if speed:
        result.timings, result.kernels = speed.timings, kernels_of(speed.launches)
    if status == "passed":
        result.message = speed.message if speed else ""
        if is_below_floor(task, result.targets, on_gpu):
            result.status = "below_target"
        else:
            result.position = climb(task, result.targets, on_gpu)
            result.stars = stars_earned(task, result.position.rung, on_gpu)
    return result


def _name_reasons(cases: Sequence[CaseGrade], prepared: Sequence[Prepared], runs: Sequence[CaseRun]) -> None:
    """Gives cases the reason that the others tell, by rooms that most grades do not enter."""
    if wrong := [case for case in cases if case.status in ("wrong_result", "not_written")]:
        from grader.judge.why import name_all

        try:
            name_all(cases, prepared, runs)
        except Exception as error:  # a reason is a help: for want of one no verdict is lost
            said = NO_REASON.format(error=type(error).__name__)
            wrong[0].details["pattern_message"] = f"{wrong[0].details.get('pattern_message', '')} {said}".strip()
    if any(each.kind == COUNTED_WORD for case in cases for each in case.findings):
        from grader.judge.causes.counted_word import name_counted_words

        def is_right(number: int, note: Finding) -> bool | None:
            return are_right(note, prepared[number].buffers, prepared[number].expected)

        name_counted_words(cases, is_right)
    if cases and cases[-1].status == "timeout":
        from grader.judge.all_work import name_all_work

        name_all_work(cases, runs)


def _without_drawn(task: Task, grades: Sequence[CaseGrade]) -> list[CaseGrade]:
    """The cases that the lesson names, and the one that a seed has drawn besides if it fails as no other does."""
    named = {case.name for case in task.judged_cases}
    told = {"passed", *(grade.status for grade in grades if grade.name in named)}
    for grade in grades:
        grade.message += "" if grade.name in named else DRAWN
    return [grade for grade in grades if grade.name in named or grade.status not in told]


def judge_cases(prepared: Sequence[Prepared], evidence: Evidence, on_gpu: bool = False) -> list[CaseGrade]:
    """One grade for each case that ran; if not all did, the first that did not has failed and ends the list.

    On a GPU, right answers count only if a kernel was launched; the emulator sees what host code does.
    """
    grades = [
        judge_case(each, run, prepared[at - 1] if at else None)
        for at, (each, run) in enumerate(zip(prepared, evidence.cases, strict=False))
    ]
    problem = status_named(evidence.problem)
    told = any(grade.status == problem for grade in grades)  # a finding of a case that ran says why it was the last
    is_cut = evidence.cut and any(grade.status != "passed" for grade in grades)
    if len(grades) < len(prepared) and not told and not is_cut:
        grades.append(CaseGrade(prepared[len(grades)].call.name, problem, evidence.ended))
    if on_gpu and not any(run.launches for run in evidence.cases) and all(g.status == "passed" for g in grades):
        grades[-1].status, grades[-1].message = "host_access", NO_LAUNCH
    return grades


def is_any_wrong(prepared: Sequence[Prepared], evidence: Evidence) -> bool:
    """Whether a case that has run so far is wrong; what is not written may be so as what takes long never ends."""
    so_far = deepcopy(evidence.cases)  # a grade settles what was found
    pairs = zip(prepared, so_far, strict=False)
    return any(judge_case(each, run, None).status not in ("passed", "not_written") for each, run in pairs)


def _is_slow_besides(grades: Sequence[CaseGrade]) -> bool:
    """Whether all that is known of the last case is that it takes long, and one before it is wrong."""
    last = decisive(grades[-1].findings) if grades and grades[-1].status == "timeout" else None
    return bool(last and last.details.get("slow")) and any(grade.status != "passed" for grade in grades[:-1])


def _put_causes_first(grades: list[CaseGrade]) -> bool:
    """Where a small case tells of an index that has left a local array, a kernel's fault in a large one comes of it: is
    that so?
    """
    errors = [decisive(grade.findings) for grade in grades]
    faults = [
        grade for grade, error in zip(grades, errors, strict=True) if error and error.kernel and error.kind in FAULTS
    ]
    if not faults or not any(error and error.kind == "own_array" for error in errors):
        return False
    for grade in faults:
        grade.status = "out_of_bounds"
    return True


def _name_missing_return(grades: Iterable[CaseGrade], diagnostics: Iterable[Diagnostic]) -> None:
    line = next((each.line for each in diagnostics if each.message == NO_RETURN), None)
    for grade in grades if line else ():
        faults = [each for each in grade.findings if each.kernel and each.kind in FAULTS]
        for each in faults:
            each.message = for_missing_return(each.message, f"line {line}")
        if faults and grade.status == "crash":
            grade.message = (decisive(grade.findings) or faults[0]).message


def judge_case(prepared: Prepared, run: CaseRun, before: Prepared | None) -> CaseGrade:
    """The case's status is that of its most urgent finding or of what the outputs hold, whichever comes first."""
    outputs = compare_buffers(prepared, run, before)
    if any(finding.kind == BLOCK_ORDER for finding in run.findings):
        settle_orders(run.findings, prepared.buffers, prepared.expected, is_right=outputs.status == "passed")
    status, finding = decide(run.findings, outputs.status)
    if outputs.details.get("pattern") == "first_block" and outputs.status == "not_written":
        _look_at_other_blocks(outputs, run)
    return CaseGrade(
        name=prepared.call.name,
        status=status,
        message=finding.message if finding else outputs.message,
        max_error=outputs.max_error,
        allowed_error=outputs.allowed_error,
        findings=run.findings,
        details=outputs.details,
    )


def _look_at_other_blocks(outputs: Comparison, run: CaseRun) -> None:
    """Without blockIdx in its index each block writes the first one's elements again, and that is found, too."""
    if not any("the same value" in finding.message for finding in run.findings):
        first = outputs.details["pattern_message"].partition(":")[0]
        outputs.details["pattern_message"] = (
            f"{first}, and no other block writes an element: does their index go too far, as with a number in the place"
            " of blockDim.x, or does an `if` or a `return` keep them away?"
        )


def compare_buffers(prepared: Prepared, run: CaseRun, before: Prepared | None) -> Comparison:
    """Inputs unchanged, guard bands intact, then the outputs, as DESIGN orders it."""
    buffers = prepared.buffers
    match buffers.damage():
        case (name, flat):
            return input_modified(element_name(name, flat, prepared.call.shapes[name]))
        case Breach(buffer, side, byte):
            return guard_broken(buffer, side, byte)
    found = buffers.left(prepared.expected)
    left = {name: Output(values, ~unwritten) for name, (values, unwritten) in found.items()}
    previous = before.buffers.read_all(before.expected) if before else {}
    return compare(prepared.expected, left, Context(prepared.inputs, previous, run.launches, prepared.call))


def kernels_of(launches: Sequence[Json]) -> list[Json]:
    """Each kernel of a GPU's launches once, as it was launched first."""
    first: dict[str, Json] = {}
    for launch in launches:
        first.setdefault(launch["kernel"], launch)
    return list(first.values())
