"""What to do where an access leaves an `extern __shared__` array, whose bytes the launch gives."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.judge.causes.sizes import told_apart
from grader.judge.verdict import CaseGrade

TOO_FEW_BYTES = (
    "An `extern __shared__` array is as large as the launch's third number says, in bytes: is it "
    "`n * sizeof(float)` for n floats, and is no index too large?"
)
CARVED = (
    "`{array}` is carved up, in lines {lines}, and is as large as the launch's third number says: do its bytes add up "
    "all of these parts, at every size?"
)


def carved(source: Sequence[str], array: str) -> str:
    """A sentence if several pointers or references into this array are set; "" if not."""
    name = re.escape(array)
    parts = re.compile(rf"=[^;=]*(?<![\w.]){name}\b(?!\s*\[[^]]*\]\s*;)|\(\s*{name}\b(?!\s*\[)")
    declared = re.compile(r"\bextern\s+__shared__")
    lines = [
        number
        for number, text in enumerate(source, 1)
        if not declared.search(text) and parts.search(text.partition("//")[0])
    ]
    if len(lines) < 2:
        return ""
    return CARVED.format(array=array, lines=f"{', '.join(map(str, lines[:-1]))} and {lines[-1]}")


def of_dynamic_bytes(said: str, cases: Sequence[CaseGrade]) -> str:
    """What to add to one of these: the size at which the bytes are too few, where one tells all cases apart."""
    if said != TOO_FEW_BYTES and "is carved up, in lines" not in said:
        return ""
    sizes = [(each, {name: int(size) for name, size in re.findall(r"(\w+)=(-?\d+)", each.name)}) for each in cases]
    right, wrong = (
        [found for each, found in sizes if (each.status == "passed") == passed and found] for passed in (True, False)
    )
    told = told_apart(right, wrong) if all(found.keys() == sizes[0][1].keys() for _, found in sizes) else ""
    return f" {told}" if told else ""
