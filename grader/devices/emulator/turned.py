"""What is wrong in a run in which the last block of each launch begins first, and in no other run of the case.

CUDA promises no order of blocks: what breaks its rules in one order is wrong on every GPU. But the emulator runs few
blocks at once, and gives this run a second. Blocks that wait for each other may then come to a limit that is the
emulator's own, and what comes of that says nothing of the kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.devices.emulator.checked import Checked
from grader.devices.emulator.reading import Reading
from grader.devices.emulator.symbols import CodeMap
from grader.devices.emulator.wording import word_findings
from grader.devices.evidence import Finding

COPY = "copy.so"  # where such runs are if there is no checking build: the library's own variables stay as they are
# Seen at the very access. All others (a loop that does not end, threads that are waited for) may come of waiting.
AT_AN_ACCESS = frozenset({"out_of_bounds", "misaligned", "input_modified"})
# The run goes on with what it has read, and its outputs say whether that matters. A race is among them: of blocks that
# wait for a flag by `volatile` reads, which work on every GPU, one is told where the flag is not set at the first look.
GOES_ON = frozenset({"race", "uninitialized_read"})


def copy_beside(library: Path, code: CodeMap) -> Checked | None:
    """The copy of a library that has no checking build; None if there is none."""
    copy = library.with_name(COPY)
    return Checked(str(copy), code=code, is_copy=True) if copy.exists() else None


def ends_well(turned: Mapping[str, Any]) -> bool:
    """Whether the outputs of such a run are what the kernel makes of its inputs in this order."""
    return _kinds(turned) <= GOES_ON


def _kinds(turned: Mapping[str, Any]) -> set[str]:
    return {each["kind"] for each in turned["findings"] if not each["note"]}


def word_turned(
    turned: Mapping[str, Any], code: CodeMap, element_bytes: Mapping[str, int], reading: Reading
) -> list[Finding]:
    """The errors of such a run that are the kernel's for sure. None if the run may have come to a limit besides."""
    if not _kinds(turned) <= AT_AN_ACCESS | GOES_ON:
        return []
    errors = [each for each in turned["findings"] if each["kind"] in AT_AN_ACCESS and not each["note"]]
    findings = word_findings({**turned, "findings": errors}, code, element_bytes, reading)
    for finding in findings:
        finding.message += " (in a run in which the last block begins first: a GPU promises no order of blocks)"
    return findings
