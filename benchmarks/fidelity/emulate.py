"""The emulator's side: a micro-kernel in a worker of its own, a rung in a whole grade, as `ladder check` gives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.fidelity.cases import SEED, Case, digest
from grader.course.inline import inlined
from grader.devices.buffers import Arena
from grader.devices.worker.server import Job, server
from grader.grade import grade


@dataclass(frozen=True)
class Emulated:
    counters: Mapping[str, Any]
    inputs: str = ""  # digest; a rung's is not told, nor that of its outputs: the judge has seen to those
    outputs: str = ""


def emulate(case: Case) -> Emulated:
    """What the emulator counts of a case. Raises RuntimeError if it does not build or run, or is not right."""
    return _graded(case) if case.is_rung else _run(case)


def _graded(case: Case) -> Emulated:
    lesson, task = case.name.partition("/")[0], case.prototype.name
    found = grade(lesson, case.source, device="emulator", tasks=[task], seed=SEED, by_counts=True).tasks[0]
    if found.status != "passed":
        raise RuntimeError(f"{case.name}: {found.status}: {found.message}")
    return Emulated(found.counters)


def _run(case: Case) -> Emulated:
    with Arena([(case.prototype, case.shapes)]) as arena:
        buffers, inputs = arena.cases[0], case.inputs()
        for name, tensor in inputs.items():
            buffers.fill(name, tensor)
        outputs = [buffers.read(parameter.name).zero_() for parameter in case.prototype.outputs]
        scalars = {scalar.name: case.sizes[scalar.name] for scalar in case.prototype.scalars}
        source = inlined(case.source)
        job = Job(source, case.source.name, case.prototypes, case.prototype.name, arena, [(case.name, scalars)],
                  with_checks=False)  # fmt: skip
        evidence = server().run(job)
        if not evidence.cases:
            why = evidence.build.message if evidence.build and evidence.build.problem else evidence.ended
            raise RuntimeError(f"{case.name}: {why}")
        run = evidence.cases[0]
        if errors := [finding.message for finding in run.findings if finding.severity == "error"]:
            raise RuntimeError(f"{case.name}: {'; '.join(errors)}")
        return Emulated(run.counters, digest(inputs.values()), digest(outputs))
