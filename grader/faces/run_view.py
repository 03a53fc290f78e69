"""`ladder run prog.cu --view`: a launch of a whole program on the page of `ladder view`, once the program has ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from grader.course.catalog import UsageError
from grader.devices.emulator.own_files import SPAN
from grader.devices.emulator.recording import LINE, BlockToRecord, Steps, describe, steps_from_json
from grader.faces.ran import allocated_in
from grader.faces.view import MOST_BLOCKS, MULTIPROCESSORS, ROOM, launch_facts
from grader.report.viewer.page import Side, dumps
from grader.report.viewer.places import Shape, blocks_of

if TYPE_CHECKING:
    from grader.devices.emulator.program import Program
    from grader.devices.evidence import Finding, Json
    from grader.devices.worker.program import Ended
    from grader.report.program import Run

SOME = tuple(MULTIPROCESSORS * turn for turn in range(1, MOST_BLOCKS))  # besides block 0


@dataclass(frozen=True)
class Asked:
    """The launch to view: its number from 1, among those of a kernel or (empty) of all; blocks besides block 0."""

    kernel: str = ""
    launch: int = 1
    blocks: tuple[int, ...] = ()

    @property
    def to_record(self) -> BlockToRecord:
        """What the emulator is told."""
        more = tuple(dict.fromkeys(filter(None, self.blocks))) or SOME
        return BlockToRecord(self.launch - 1, more=more, room=ROOM // (1 + len(more)), kernel=self.kernel)


def view_of(program: Program, ended: Ended, run: Run, asked: Asked) -> tuple[str, list[str]]:
    """The page, and what is to be said of it, a sentence or two a line. Raises UsageError, one sentence, if there is
    nothing to show: no such launch, or one that did nothing.
    """
    if ended.facts is None:
        raise UsageError(f"{run.program} cannot be viewed: {run.ended or 'its process could not tell what it did'}")
    number = ended.facts.get("recorded_launch")
    if number is None:
        raise UsageError(f"{run.program} cannot be viewed: {_what_there_is(ended.facts['launches'], asked)}")
    recording = describe(ended.facts, asked.to_record, program.code.line_of)
    kernel, shape = recording["kernel"], Shape(recording["grid"], recording["threads"])
    findings = [each for each in run.findings if each.kernel == kernel]
    for array in (each for part in recording["parts"] for each in part["arrays"]):
        array["name"] = allocated_in(program, array["line"]) or array["name"]
    steps = steps_from_json(recording)
    if not len(steps.table):
        why = next((each.message for each in findings), "the kernel does nothing, or the program ended before it ran")
        raise UsageError(f"launch {number + 1} of {run.program}, {kernel}, cannot be viewed: {why}")
    blocks = sorted(set(steps.table[:, 0].tolist()))
    _have(asked.blocks, recording)
    file, steps = _in_one_file(steps, program)
    facts = launch_facts(recording, number, blocks)
    lines = [each for each in run.lines if each["file"] == file]
    side = Side(file, facts, _text_of(program, file), shape, steps, _in_file(findings, file), lines, "program")
    html = dumps([side], f"{run.program}: {kernel}", f"`{kernel}` of `{run.program}`, as the emulator ran it.")
    cut = ["Their steps go on beyond the first ones, which the page holds."] if steps.cut else []
    return html, [facts, *cut, *_elsewhere(run.findings, kernel, shape, set(blocks))]


def _what_there_is(launches: Sequence[Json], asked: Asked) -> str:
    """Why there is no such launch."""
    counts = Counter(each["kernel"] for each in launches)
    if not counts:
        return "it launched no kernel"
    if not asked.kernel:
        return f"it made {_many(len(launches), 'launch', 'launches')}, and there is no launch {asked.launch}"
    fitting = sum(count for name, count in counts.items() if asked.kernel in (name, name.partition("<")[0]))
    if fitting:
        return (
            f"it launched {asked.kernel} {_many(fitting, 'time', 'times')}, and there is no launch {asked.launch} of it"
        )
    return f"it launched no kernel `{asked.kernel}`, but {' and '.join(f'`{name}`' for name in counts)}"


def _many(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


def _have(blocks: Sequence[int], recording: Json) -> None:
    """Raises UsageError if a block that was asked for is not in the grid."""
    x, y, z = recording["grid"]
    if beyond := [block for block in blocks if block >= x * y * z]:
        there = f"has blocks 0 to {x * y * z - 1:,}"
        raise UsageError(f"this launch of {recording['kernel']} {there}: block {beyond[0]:,} is not among them")


def _in_one_file(steps: Steps, program: Program) -> tuple[str, Steps]:
    """The file in which most steps are, and the steps with its lines; those of other files have the line 0."""
    numbers, table = steps.table[:, LINE] // SPAN, steps.table.copy()
    own = np.bincount(np.clip(numbers, 0, len(program.places.names)))
    own[0] = 0  # no file of the program's
    most = max(int(own.argmax()), 1)
    table[:, LINE] = np.where(numbers == most, table[:, LINE] % SPAN, 0)
    return program.places.names[most - 1], Steps(table, steps.places, steps.arrays, steps.cut)


def _text_of(program: Program, file: str) -> str:
    return program.texts[list(program.places.names).index(file)]


def _in_file(findings: Sequence[Finding], file: str) -> list[Finding]:
    """With lines of this file only."""
    found = []
    for each in findings:
        other = each.details.get("other_line") if each.details.get("other_file") == file else None
        line = each.line if each.file == file else None
        found.append(replace(each, line=line, details=each.details | {"other_line": other}))
    return found


def _elsewhere(findings: Sequence[Finding], kernel: str, shape: Shape, blocks: set[int]) -> Iterator[str]:
    """Which findings of the kernel the page cannot show at their step, and what to type for that."""
    for number, finding in enumerate(findings, start=1):
        missing = sorted(set(blocks_of(finding, shape)) - blocks) if finding.kernel == kernel else []
        if missing:
            which = f"block{'' if len(missing) == 1 else 's'} {' and '.join(f'{each:,}' for each in missing)}"
            add = " ".join(f"--block {each}" for each in missing)
            yield f"Finding {number} is in {which}, not on the page: add `{add}`."
            return
