"""The emulator's side: every case in a worker of its own, as `ladder check` runs it but for the checking build."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from benchmarks.fidelity.cases import Case, digest
from grader.course.inline import inlined
from grader.devices.buffers import Arena
from grader.devices.evidence import CaseRun
from grader.devices.worker.server import Job, server


@dataclass(frozen=True)
class Emulated:
    run: CaseRun
    inputs: str  # digest
    outputs: str


def emulate(cases: Iterable[Case]) -> dict[str, Emulated]:
    """What the emulator says of each case, by the case's name. Raises RuntimeError if one does not build or run."""
    return {case.name: _run(case) for case in cases}


def _run(case: Case) -> Emulated:
    with Arena([(case.prototype, case.shapes)]) as arena:
        buffers, inputs = arena.cases[0], case.inputs()
        for name, tensor in inputs.items():
            buffers.fill(name, tensor)
        outputs = [buffers.read(parameter.name).zero_() for parameter in case.prototype.outputs]
        scalars = {scalar.name: case.sizes[scalar.name] for scalar in case.prototype.scalars}
        source = inlined(case.source)
        job = Job(source, case.source.name, case.prototypes, case.prototype.name, arena, [(case.name, scalars)])
        job = replace(job, with_checks=case.is_rung)  # a rung's build serves its grade, too
        evidence = server().run(job)
        if not evidence.cases:
            why = evidence.build.message if evidence.build and evidence.build.problem else evidence.ended
            raise RuntimeError(f"{case.name}: {why}")
        return Emulated(evidence.cases[0], digest(inputs.values()), digest(outputs))
