"""From evidence to a verdict: every case judged, then the task's status, its targets and its stars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch import Tensor

from grader.course.lesson import Case, Counted, Task, Timed
from grader.devices.buffers import CaseBuffers
from grader.devices.evidence import CaseRun, Evidence, Json
from grader.judge.compare import Comparison, Context, Expected, Left, compare, guard_broken, input_modified
from grader.judge.findings import decisive, first_status, status_of
from grader.judge.patterns import place
from grader.judge.targets import judge_targets, stars_earned
from grader.judge.verdict import CaseGrade, TaskGrade

if TYPE_CHECKING:
    from grader.judge.speed import Speed

NO_LAUNCH = "No kernel was launched: the answer comes from host code or from a library, and a kernel should compute it."


@dataclass(frozen=True)
class Prepared:
    """A case with all that the judge knows of it."""

    case: Case
    buffers: CaseBuffers
    inputs: Mapping[str, Tensor]
    expected: Mapping[str, Expected]


def judge_task(task: Task, prepared: Sequence[Prepared], evidence: Evidence, speed: Speed | None = None) -> TaskGrade:
    """Weighs the evidence of one task. Without evidence there is no pass. On a GPU, `speed` is how fast it was."""
    build = evidence.build
    if build is None:
        return TaskGrade(task.name, evidence.problem or "crash", 0, evidence.ended, output=evidence.output)
    if build.problem:
        diagnostics = build.diagnostics
        return TaskGrade(task.name, build.problem, 0, build.message, diagnostics=diagnostics, output=evidence.output)
    cases = judge_cases(prepared, evidence, on_gpu=speed is not None)
    if speed and speed.status != "passed":
        cases.append(CaseGrade(speed.case, speed.status, speed.message, findings=speed.findings))
    elif speed and speed.case and evidence.problem and all(case.status == "passed" for case in cases):
        cases.append(CaseGrade(speed.case, evidence.problem, evidence.ended))
    status = first_status([*(case.status for case in cases), evidence.problem or "passed"])
    result = TaskGrade(task.name, status, 0, cases=cases, output=evidence.output)
    if all(case.status == "passed" for case in cases):
        result.message = evidence.ended if evidence.problem else ""
    if len(evidence.cases) >= len(prepared):
        counted = evidence.cases[len(prepared) - 1]
        at = {p.case.name: run.counters | facts_of(p) for p, run in zip(prepared, evidence.cases, strict=False)}
        result.counters = at[prepared[-1].case.name]
        result.lines, result.kernels = counted.lines, counted.kernels
        result.targets = judge_targets(task.targets, result.counters, speed.values if speed else None, at)
    if speed:
        result.timings, result.kernels = speed.timings, kernels_of(speed.launches)
    if status == "passed":
        result.message = speed.message if speed else ""
        result.stars = stars_earned(task.targets, result.targets, Timed if speed else Counted)
        result.status = "passed" if result.stars else "below_target"
    return result


def judge_cases(prepared: Sequence[Prepared], evidence: Evidence, on_gpu: bool = False) -> list[CaseGrade]:
    """One grade for each case that ran; if not all did, the first that did not has failed and ends the list.

    On a GPU, right answers count only if a kernel was launched; the emulator sees what host code does.
    """
    grades = [
        judge_case(each, run, prepared[at - 1] if at else None)
        for at, (each, run) in enumerate(zip(prepared, evidence.cases, strict=False))
    ]
    problem = evidence.problem or "crash"
    told = any(grade.status == problem for grade in grades)  # a finding of a case that ran says why it was the last
    if len(grades) < len(prepared) and not told:
        grades.append(CaseGrade(prepared[len(grades)].case.name, problem, evidence.ended))
    if on_gpu and not any(run.launches for run in evidence.cases) and all(g.status == "passed" for g in grades):
        grades[-1].status, grades[-1].message = "host_access", NO_LAUNCH
    return grades


def judge_case(prepared: Prepared, run: CaseRun, before: Prepared | None) -> CaseGrade:
    """The case's status is that of its most urgent finding or of what the outputs hold, whichever comes first."""
    outputs = compare_buffers(prepared, run, before)
    finding = decisive(run.findings)
    status = first_status([status_of(finding) if finding else "passed", outputs.status])
    decided_by_finding = finding is not None and status == status_of(finding)
    return CaseGrade(
        name=prepared.case.name,
        status=status,
        message=finding.message if finding and decided_by_finding else outputs.message,
        max_error=outputs.max_error,
        allowed_error=outputs.allowed_error,
        findings=run.findings,
        details=outputs.details,
    )


def compare_buffers(prepared: Prepared, run: CaseRun, before: Prepared | None) -> Comparison:
    """Inputs unchanged, guard bands intact, then the outputs, as DESIGN orders it."""
    buffers = prepared.buffers
    if changed := buffers.changed_input():
        name, flat = changed
        return input_modified(place(name, flat, buffers.slots[name].shape))
    if breach := buffers.broken_guard():
        return guard_broken(breach.buffer, breach.side, breach.byte)
    left = {name: Left(buffers.read(name), ~buffers.unwritten(name)) for name in prepared.expected}
    previous = {name: before.buffers.read(name) for name in before.expected} if before else {}
    return compare(prepared.expected, left, Context(prepared.inputs, previous, run.launches))


def kernels_of(launches: Sequence[Json]) -> list[Json]:
    """Each kernel of a GPU's launches once, as it was launched first."""
    first: dict[str, Json] = {}
    for launch in launches:
        first.setdefault(launch["kernel"], launch)
    return list(first.values())


def facts_of(prepared: Prepared) -> dict[str, int]:
    """What targets need to know of a case beside the device's counters."""
    slots = prepared.buffers.slots.values()
    outputs, inputs = [s for s in slots if s.name in prepared.expected], [s for s in slots if not s.writable]
    return {
        "input_elements": sum(slot.elements for slot in inputs),
        "input_bytes": sum(slot.bytes for slot in inputs),
        "output_elements": sum(slot.elements for slot in outputs),
        "output_bytes": sum(slot.bytes for slot in outputs),
    }
