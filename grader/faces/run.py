"""`ladder run prog.cu`: any CUDA program, built with its main() and run on the emulator, which tells what it sees."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course.catalog import UsageError
from grader.devices.build.toolchain import missing_compiler
from grader.devices.cache import cache_root
from grader.devices.evidence import Finding
from grader.faces.exit import NOT_PASSED

if TYPE_CHECKING:
    from rich.console import Console

    from grader.devices.emulator.own_files import Places
    from grader.devices.emulator.program import Program
    from grader.devices.worker.program import Ended
    from grader.report.program import Run

TIMED_OUT, KILLED = 124, 128  # as `timeout` and shells have it


@dataclass(frozen=True)
class Options:
    """How to run a program, and how to tell of it."""

    folders: tuple[Path, ...] = ()
    definitions: tuple[str, ...] = ()
    standard: str = "c++17"
    timeout: float | None = None
    exit_zero: bool = False
    notes: bool = False
    as_json: bool = False


def run(files: Sequence[Path], arguments: Sequence[str], options: Options) -> int:
    """Builds and runs the program of these files and tells of it. Returns the exit code; raises UsageError."""
    from grader.devices.emulator.program import NotBuilt, Wanted, build_program
    from grader.devices.worker.program import How, run_program
    from grader.report import program as report

    _check(files)
    wanted = Wanted(files, options.folders, options.definitions, options.standard)
    try:
        program = build_program(wanted, cache_root())
    except NotBuilt as error:
        for each in error.build.diagnostics:
            print(each.message, *([f"    {each.source.strip()}"] if each.source else []), sep="\n", file=sys.stderr)
        raise UsageError(f"{files[0].name} cannot be built for the emulator") from None
    except subprocess.CalledProcessError as error:
        raise UsageError(f"the emulator does not compile with this g++ ({error.stderr.splitlines()[:1]})") from error
    out = sys.stderr.fileno() if options.as_json else None
    ended = run_program(program, [str(files[0].with_suffix("")), *arguments], How(timeout=options.timeout), out)
    found = described(program, ended, str(files[0]))
    if options.as_json:
        print(json.dumps(found.to_json()))
    else:
        report.tell(found, _console(), options.notes)
    if ended.stopped == "timeout":
        return TIMED_OUT
    if found.findings and not options.exit_zero:
        return NOT_PASSED
    return found.exit_code


def _check(files: Sequence[Path]) -> None:
    from grader.devices.emulator.program import is_source

    if missing := missing_compiler():
        raise UsageError(missing)
    for file in files:
        if not file.is_file():
            raise UsageError(f"there is no file {file}")
        if not is_source(file):
            raise UsageError(f"{file} is no source file: name .cu, .cpp or .c files (headers are found by themselves)")


def described(program: Program, ended: Ended, name: str) -> Run:
    """What is to be told of a program that has ended."""
    from grader.devices.emulator.counters import add_up
    from grader.devices.emulator.wording import word_findings
    from grader.report.program import Run, how_it_ended

    code = ended.code if ended.code >= 0 else KILLED - ended.code
    found = Run(name, code, how_it_ended(ended.code))
    if ended.facts is None:
        return found
    placed = [in_place(each, program.places) for each in word_findings(ended.facts, program.code, {}, program.text)]
    found.findings = [each for each in placed if each.severity == "error"]
    found.notes = [each for each in placed if each.severity == "note"]
    _, found.kernels, found.lines = add_up(ended.facts, program.code)
    return found


def in_place(finding: Finding, places: Places) -> Finding:
    """A finding on the line of its own file."""
    file, line = places.of(finding.line)
    return replace(finding, file=file, line=line, message=places.in_words(finding.message, file))


def _console() -> Console:
    from rich.console import Console

    return Console(stderr=True, soft_wrap=True, highlight=False)
