"""What is to be told of a program that has ended: its facts, on the lines of its own files."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from grader.devices.build.opinion import MOST_WARNINGS
from grader.devices.emulator.checked import name_array
from grader.devices.emulator.counters import add_up
from grader.devices.emulator.fewer_checks import KIND as FEWER_CHECKS
from grader.devices.emulator.fewer_checks import fewer_checks
from grader.devices.emulator.first_thread import KIND as FIRST_THREAD
from grader.devices.emulator.first_thread import all_store_the_first_threads
from grader.devices.emulator.first_values import unset_locals
from grader.devices.emulator.halved_trees import KIND as HALVED
from grader.devices.emulator.halved_trees import halved_trees
from grader.devices.emulator.own_files import SPAN
from grader.devices.emulator.program import Program
from grader.devices.emulator.reading import Reading
from grader.devices.emulator.wording import word_findings
from grader.devices.evidence import FAULTS, NO_RETURN, Finding, for_missing_return
from grader.devices.worker.program import Ended, How
from grader.report.program import FOLLOWS_A_RACE, WARNING, Run

BY_SIGNAL = 128  # and the signal's number: an exit code as shells have it
# Ways in which host code ends, which are told as the program's end and not as findings.
_ENDS = ("crash", "timeout", "assert")
# What holds for a program and not for a grade.
_BESIDES = {"barrier_divergence": " (a GPU that counts arrivals may run on all the same; CUDA does not promise it)"}
_FROM = re.compile(r"the memory from the (cuda\w+) in line (\d+)")
_MALLOC = re.compile(
    r"(cuda(?:Host)?(?:Malloc|Alloc|Register)\w*)(?:<[^>]*>)?\s*\(\s*"
    r"(?:\([^()]*\)\s*|(?:reinterpret|static|const)_cast\s*<[^<>()]*>\s*\(\s*)?&?\s*([\w.\->\[\]]+)"
)

_CONDITION = re.compile(r"\?|\b(?:if|else|case)\b")


def described(program: Program, ended: Ended, name: str, how: How) -> Run:
    """The run of a program, in its own terms."""
    code = ended.code if ended.code >= 0 else BY_SIGNAL - ended.code
    found = Run(name, code, counted=how.counters)
    if ended.facts is None:
        found.ended = _how_it_ended(ended, [], how)
        return found
    for fact in ended.facts["findings"]:
        if fact["kind"] == "own_array":
            name_array(fact, program.arrays)
    worded = word_findings(ended.facts, program.code, {}, Reading(*program.texts, apart=SPAN))
    placed = [_in_place(each, program) for each in worded]
    ends = [each for each in placed if each.kind in _ENDS and (not each.kernel or ended.stopped)]
    found.ended = _how_it_ended(ended, ends, how)
    found.stopped_at = next((each for each in ends if ended.stopped and each.kernel), None)
    if at := found.stopped_at:
        launch = f"launch {len(ended.facts['launches']):,}" + (f" ({at.file}:{at.line})" if at.line else "")
        found.ended = f"{_stopped(ended, how)} in kernel {at.kernel}, {launch}: {at.message}"
    _name_missing_return(program, placed)
    found.findings = _causes_first([each for each in placed if each.severity == "error" and each not in ends])
    found.notes = [each for each in placed if each.severity == "note" and not _is_excused(each, program.text)]
    found.notes += [Finding(FEWER_CHECKS, fewer_checks(why), "note", file, line) for file, line, why in program.plain]
    seen = [(HALVED, *each) for each in halved_trees(program.texts, ended.facts["launches"])]
    seen += [(FIRST_THREAD, *each) for each in all_store_the_first_threads(program.texts)]
    for kind, number, line, said in seen:
        file, line_there = program.places.of(number * SPAN + line)
        found.notes.append(Finding(kind, said, "note", file, line_there))
    _, found.kernels, lines = add_up(ended.facts, program.code)
    found.findings += _without_first_value(program, {each["line"]: each["kernel"] for each in lines})
    found.notes += _warnings(program, found.findings)
    found.lines = [
        dict(zip(("file", "line"), program.places.of(each.pop("line")), strict=True)) | each for each in lines
    ]
    return found


def _warnings(program: Program, findings: list[Finding]) -> list[Finding]:
    """What is suspicious in the program's text, as far as no finding says the same of its line."""
    told = {(each.file, each.line) for each in findings if each.kind == "never_set"}
    warned = [each for each in program.warned if each[:2] not in told]
    return [Finding(WARNING, said, "note", file, line) for file, line, said in warned[:MOST_WARNINGS]]


def _name_missing_return(program: Program, findings: list[Finding]) -> None:
    place = next((f"line {line} of {file}" for file, line, said in program.warned if said == NO_RETURN), "")
    for each in findings if place else ():
        if each.kernel and each.kind in FAULTS:
            each.message = for_missing_return(each.message, place)


def _without_first_value(program: Program, kernels: Mapping[int, str]) -> list[Finding]:
    """Local variables that device code uses and never sets. `kernels` are those that executed a line, by its number."""
    found = []
    for number, unset in enumerate(unset_locals(program.texts), start=1):
        for each in unset:
            executed = [kernels[line] for row in each.block if (line := number * SPAN + row) in kernels]
            if executed:
                message = f"`{each.name}` is used before it has a value: give it one in line {each.declared}"
                file, at = program.places.of(number * SPAN + each.used)
                found.append(Finding("never_set", message, file=file, line=at, kernel=executed[0]))
    return found


def _causes_first(findings: list[Finding]) -> list[Finding]:
    """A race for an element, and only then that it is read before anything was written there: a barrier mends both, and
    with them what the line reads of other shared arrays.
    """
    raced = {
        (array, line)
        for race in findings
        if race.kind == "race"
        for array in (race.details.get("array"), race.details.get("space"))
        for line in (race.line, race.details.get("other_line"))
    }

    def follows(finding: Finding) -> bool:
        shared = finding.details.get("space") == "shared" and ("shared", finding.line) in raced
        return finding.kind == "uninitialized_read" and (
            shared or (finding.details.get("array"), finding.line) in raced
        )

    for each in filter(follows, findings):
        each.details = each.details | {FOLLOWS_A_RACE: True}
    return sorted(findings, key=follows)


def _is_excused(note: Finding, text: str) -> bool:
    """Whether a library's kernel has left elements as they were, which has as many threads as it needs, or zeros are
    what a __constant__ variable is written with, or what it has because its copy is one that need not be.
    """
    if note.kind == "constant_never_set":
        name = re.escape(note.message.split("`")[1].rpartition("::")[2])
        first = rf"__constant__[^;={{}}]*\b{name}\b[^;,]*[={{]"
        copied = rf"(?:Symbol|ymbolAddress|Copy\w*|set\w*)\w*\s*(?:<[^<>()]*>)?\s*\([^;]*\b{name}\b"
        either = first if note.details.get("other_line") else f"{first}|{copied}"
        return bool(re.search(either, text, re.IGNORECASE))
    return note.kind == "untouched" and (note.kernel or "").startswith(("thrust::", "cub::"))


def _in_place(finding: Finding, program: Program) -> Finding:
    """A finding on the line of its own file, with the names that its arrays have there."""
    file, line = program.places.of(finding.line)
    said = program.places.in_words(_with_names(finding, program), file) + _BESIDES.get(finding.kind, "")
    details: dict[str, Any] = finding.details
    order = details.get("array_order")
    if found := _FROM.search(details.get("array", "")):
        details = details | {"array": allocated_in(program, int(found[2]), found[1], order) or details["array"]}
    if other := details.get("other_line"):
        where = program.places.of(other)
        details = details | {"other_file": where[0], "other_line": where[1]}
    return replace(finding, file=file, line=line, message=said, details=details)


def _with_names(finding: Finding, program: Program) -> str:
    """`y (cudaMalloc in line 16)` for memory whose variable the text tells, and from then on just `y`."""
    message, order = finding.message, finding.details.get("array_order")
    for found in list(_FROM.finditer(message))[:1]:
        if int(found[2]) < SPAN:  # a line of thrust's, not of the program's
            return message.replace(found[0], "the memory that a library allocated")
        if name := allocated_in(program, int(found[2]), found[1], order):
            message = message.replace(found[0], f"{name} ({found[1]} in line {found[2]})", 1).replace(found[0], name)
    return message


def allocated_in(program: Program, line: int, function: str, order: int | None = None) -> str:
    """The variable for which the line with this number allocates memory; "" if its text does not tell.

    A line may do so for several: `order` is how often it had done so before, and `function` says on which side.
    """
    text = program.line(line) or ""
    found = _MALLOC.findall(text)
    if len(found) > 1 and order is not None and not _CONDITION.search(text):
        found = [found[order % len(found)]]
    found = [each for each in found if len(found) == 1 or _sides(each[0]) == _sides(function)]
    return found[0][1] if len({name for _, name in found}) == 1 else ""


def _sides(function: str) -> tuple[bool, bool]:
    return "Host" in function, "Managed" in function


def _stopped(ended: Ended, how: How) -> str:
    return f"stopped after {how.timeout:g} s" if ended.stopped == "timeout" else "interrupted"


def _how_it_ended(ended: Ended, ends: list[Finding], how: How) -> str:
    """One sentence, if the program did not come to an end of its own."""
    said = next((f": {each.message}" + (f" ({each.file}:{each.line})" if each.line else "") for each in ends), "")
    if ended.stopped:
        return f"{_stopped(ended, how)}{said}"
    if ended.code < 0:
        return f"the program was ended by signal {-ended.code} ({signal.strsignal(-ended.code)}){said}"
    return ""
