"""clang's opinion of a kernel file beside g++'s build: it refuses what nvcc refuses, and warns of mistakes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grader.devices.build import diagnostics, frontend, rules
from grader.devices.build.build import build_error
from grader.devices.build.diagnostics import Message
from grader.devices.build.formats import OTHER_VALUE
from grader.devices.build.reading import Reading
from grader.devices.build.spelling import for_clang
from grader.devices.build.suspicions import LOST_BY_COMMA
from grader.devices.evidence import Build, Diagnostic

MOST_WARNINGS = 5
CLANG_IS_MISSING = "CUDA's own rules were not checked, for libclang is missing: type `pip install libclang`"
CLANG_FAILED = "CUDA's own rules were not checked: clang could not read this file"


class ClangsOpinion:
    """As build.SecondOpinion says."""

    def __init__(self, source: str, cache: Path):
        self.source, self.cache = source, cache
        self.reading: Reading | None = None
        self.failed = False

    def begin(self) -> None:
        """Starts to read, if libclang is there."""
        self.reading = frontend.read(self.source, self.cache)

    def weigh(self, build: Build) -> Build:
        """A refusal of clang's comes first, but for what g++ knows better: what the grader calls, and a missing `}`."""
        found = frontend.answer(self.reading)
        if found is None:
            self.failed = self.reading is not None
            return _with(build, [Diagnostic(CLANG_FAILED if self.reading else CLANG_IS_MISSING, level="note")])
        refused, warned = rules.refusals(found), self._own_lines(rules.warnings(found), "warning")
        if not refused and (reasons := _of_printed(build, warned)):  # a structure that is no number, as a half
            return build_error(reasons, self.source)
        if not refused or build.problem == "missing_entry_point" or "a `}` is missing" in build.message:
            return _with(build, warned)
        failed = build_error(rules.messages(refused), self.source, for_clang(self.source))
        wrong = {each.line for each in failed.diagnostics if each.message.startswith("a kernel is launched with")}
        # In `k<<b, t>>(x)` and `k[b, t](x)` the comma is not what is wrong.
        return _with(failed, [each for each in warned if each.line not in wrong or each.message != LOST_BY_COMMA])

    def _own_lines(self, messages: list[Message], level: str) -> list[Diagnostic]:
        said = diagnostics.on_own_lines(messages, self.source, for_clang(self.source).split("\n"))
        return [replace(each, level=level) for each in said][:MOST_WARNINGS]


def _of_printed(build: Build, warned: list[Diagnostic]) -> list[Message]:
    """What is wrong with the value that a line prints, where a build fails for that line."""
    wrong = {each.line for each in build.diagnostics} if build.problem else set()
    shown = [each for each in warned if each.line in wrong and each.message.startswith(OTHER_VALUE)]
    return [Message(each.message, each.line) for each in shown]


def _with(build: Build, more: list[Diagnostic]) -> Build:
    return replace(build, diagnostics=[*build.diagnostics, *more])
