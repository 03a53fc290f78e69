"""`ladder run prog.cu --view`: a launch of a whole program on the page of `ladder view`, once the program has ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from grader.course.catalog import UsageError
from grader.devices.emulator.own_files import SPAN
from grader.devices.emulator.recording import LAST_BLOCK, LINE, BlockToRecord, describe, one_launch, steps_from_json
from grader.faces.ran import allocated_in
from grader.faces.view import ROOM, launches_in_words
from grader.report.viewer.page import Side, dumps
from grader.report.viewer.places import Part, Shape, blocks_of, elsewhere

if TYPE_CHECKING:
    from grader.devices.emulator.program import Program
    from grader.devices.evidence import Finding, Json
    from grader.devices.worker.program import Ended
    from grader.report.program import Run

SOME = (1, 16, LAST_BLOCK)  # besides block 0: its neighbour, the next of its multiprocessor, the last


@dataclass(frozen=True)
class Asked:
    """The launch to view: its number from 1, among those of a kernel or (empty) of all; blocks besides block 0."""

    kernel: str = ""
    launch: int | None = None
    blocks: tuple[int, ...] = ()

    @property
    def to_record(self) -> BlockToRecord:
        """What the emulator is told. Where nothing was asked for, each kernel's first launch: one may be at fault."""
        more = tuple(dict.fromkeys(filter(None, self.blocks))) or SOME
        room, each = ROOM // (1 + len(more)), not self.kernel and self.launch is None
        return BlockToRecord((self.launch or 1) - 1, more=more, room=room, kernel=self.kernel, each_kernel=each)


def view_of(program: Program, ended: Ended, run: Run, asked: Asked) -> tuple[str, list[str]]:
    """The page, and what is to be said of it, a sentence or two a line. Raises UsageError, one sentence, if there is
    nothing to show: no such launch, or one that did nothing.
    """
    if ended.facts is None:
        raise UsageError(f"{run.program} cannot be viewed: {run.ended or 'its process could not tell what it did'}")
    if ended.facts.get("recorded_launch") is None:
        raise UsageError(f"{run.program} cannot be viewed: {_what_there_is(ended.facts['launches'], asked)}")
    launches = ended.facts["launches"]
    recording = describe(ended.facts, asked.to_record, program.code.line_of)
    for array in (each for part in recording["parts"] for each in part["arrays"]):
        array["name"] = allocated_in(program, array["line"], array["name"]) or array["name"]
    file, parts = _in_one_file(_parts(recording, launches, run.findings), program)
    if not parts:
        number, kernel = recording["launch"], recording["kernel"]
        own = (each.message for each in run.findings if each.kernel == kernel)
        why = next(own, "the kernel does nothing, or the program ended before it ran")
        raise UsageError(f"launch {number + 1} of {run.program}, {kernel}, cannot be viewed: {why}")
    _have(asked.blocks, recording)
    facts, kernels = launches_in_words(parts, len(launches)), list(dict.fromkeys(part.kernel for part in parts))
    lines = [each for each in run.lines if each["file"] == file]
    side = Side(
        file,
        facts,
        _text_of(program, file),
        parts,
        _in_file(sorted(run.findings, key=lambda each: elsewhere(each, parts) != ""), file),
        lines,
        "program",
    )
    shown = " and ".join(f"`{each}`" for each in kernels)
    title = f"{run.program}: {', '.join(kernels)}"
    html = dumps([side], title, f"{shown} of `{run.program}`, as the emulator ran it.")
    cut = any(part.steps.cut for part in parts)
    beyond = ["Their steps go on beyond the first ones, which the page holds."] if cut else []
    return html, [facts, *beyond, *_elsewhere(run.findings, parts, launches, asked)]


def _parts(recording: Json, launches: Sequence[Json], findings: Sequence[Finding]) -> list[Part]:
    """Of the launches that were recorded, those with a finding in one of the recorded blocks; else the first."""
    every = [one_launch(recording, launches, number) for number in {part["launch"]: 0 for part in recording["parts"]}]
    parts = [
        Part(each["launch"], each["kernel"], Shape(each["grid"], each["threads"]), steps_from_json(each))
        for each in every
    ]
    parts = [part for part in parts if len(part.steps.table)]
    return [part for part in parts if any(not elsewhere(each, [part]) for each in findings)] or parts[:1]


def _what_there_is(launches: Sequence[Json], asked: Asked) -> str:
    """Why there is no such launch."""
    counts = Counter(each["kernel"] for each in launches)
    if not counts:
        return "it launched no kernel"
    if not asked.kernel:
        return f"it made {_many(len(launches), 'launch', 'launches')}, and there is no launch {asked.launch or 1}"
    fitting = sum(count for name, count in counts.items() if asked.kernel in (name, name.partition("<")[0]))
    if fitting:
        times = _many(fitting, "time", "times")
        return f"it launched {asked.kernel} {times}, and there is no launch {asked.launch or 1} of it"
    return f"it launched no kernel `{asked.kernel}`, but {' and '.join(f'`{name}`' for name in counts)}"


def _many(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


def _have(blocks: Sequence[int], recording: Json) -> None:
    """Raises UsageError if a block that was asked for is not in the grid."""
    x, y, z = recording["grid"]
    if beyond := [block for block in blocks if block >= x * y * z]:
        there = f"has blocks 0 to {x * y * z - 1:,}"
        raise UsageError(f"this launch of {recording['kernel']} {there}: block {beyond[0]:,} is not among them")


def _in_one_file(parts: Sequence[Part], program: Program) -> tuple[str, list[Part]]:
    """The file in which most steps are, and the steps with its lines; those of other files have the line 0."""
    lines = np.concatenate([np.empty(0, np.int64), *(part.steps.table[:, LINE] for part in parts)])
    own = np.bincount(np.clip(lines // SPAN, 0, len(program.places.names)), minlength=2)
    own[0] = 0  # no file of the program's
    most = max(int(own.argmax()), 1)
    return program.places.names[most - 1], [_of_file(part, most) for part in parts]


def _of_file(part: Part, number: int) -> Part:
    table = part.steps.table.copy()
    table[:, LINE] = np.where(table[:, LINE] // SPAN == number, table[:, LINE] % SPAN, 0)
    return replace(part, steps=replace(part.steps, table=table))


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


def _elsewhere(
    findings: Sequence[Finding], parts: Sequence[Part], launches: Sequence[Json], asked: Asked
) -> Iterator[str]:
    """Which finding the page cannot show at its step, and what to type for it. Who names a kernel means no other."""
    for number, finding in enumerate(findings, start=1):
        if not finding.kernel or not (where := elsewhere(finding, parts)):
            continue
        if asked.kernel and finding.kernel not in (part.kernel for part in parts):
            continue
        shown = next((part for part in parts if part.launch + 1 == finding.details.get("launch")), None)
        if shown:
            missing = sorted(set(blocks_of(finding, shown.shape)) - set(shown.blocks))
            hint = "add `" + " ".join(f"--block {each}" for each in missing) + "`"
        else:
            hint = f"type `{_typed(finding, launches)}`"
        yield f"Finding {number} is in {where}, not on the page: {hint}."
        return


def _typed(finding: Finding, launches: Sequence[Json]) -> str:
    """The options that show a finding's own launch, and its blocks."""
    at = finding.details.get("launch", 0)
    said = f"--view {finding.kernel}"
    if not at:
        return said
    launch = launches[at - 1]
    said += f" --launch {sum(each['kernel'] == launch['kernel'] for each in launches[:at])}"
    blocks = sorted(set(blocks_of(finding, Shape(launch["grid"], launch["block"]))) - {0})
    return said + "".join(f" --block {each}" for each in blocks)
