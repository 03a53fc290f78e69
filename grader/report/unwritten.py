"""What a teacher says next of elements that are not written, of an output or of shared memory."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.devices.evidence import COUNTED_WORD
from grader.judge.verdict import CaseGrade
from grader.report.guards import or_swapped

RUBBISH = "The output starts with rubbish on purpose, and some of it is still there."
ENOUGH_THREADS = (
    f"{RUBBISH} There are {{threads:,}} threads for {{elements:,}} elements. That is enough, unless several share an "
    "element or the grid is too small in one direction: does one return too early, or does a condition or an index "
    "keep it from its element?"
)
NO_STORE = (
    "The output starts with rubbish on purpose, and all of it is still there: no thread comes to a line that stores in"
    " {buffer}. Is there one, `{buffer}[i] = ...;`, and does a condition, a loop or an early `return` keep all threads"
    " from it?"
)
SHARED_ELEMENTS = (
    f"{RUBBISH} There are {{threads:,}} threads for {{elements:,}} elements, which is enough, but several write the "
    "same one, as the note says: each needs an index of its own."
)

NOT_YET_WRITTEN = (
    "Shared memory is not zeroed: which thread was to write this element? No thread does where the block has too few, "
    "where one returns first, where a loop steps too far or ends too early, or where a guard leaves out an element "
    "that needs a 0."
)
ONLY_SOME_STORE = (
    "Shared memory is not zeroed: which thread was to write this element? No thread does where one returns first, "
    "where a loop steps too far or ends too early, or where a guard that is meant for the output keeps it from loading "
    "its share: let each load ask for its own row and column, and store a 0 where there is nothing."
)

NEVER_WRITTEN = (
    "{function} gives memory that holds anything: what is read here must have been written before, by a "
    "`cudaMemset({name}, 0, bytes)`, a cudaMemcpy or an earlier launch."
)


def on_unwritten(case: CaseGrade) -> str:
    """Whether the threads are enough, of a case that lacks elements; "" where they are fewer and no cause is told."""
    threads, elements = case.details.get("launched_threads", 0), case.details.get("total", 0)
    if case.details.get("pattern") == "nothing_written" and threads:
        return NO_STORE.format(buffer=case.details["buffer"])
    shared = any("the same value" in finding.message for finding in case.findings)
    told = case.details.get("pattern_message", "")  # which may ask for more blocks itself
    if (case.details.get("pattern") in ("index", "swapped_grid", COUNTED_WORD) or "launch " in told) and not shared:
        return RUBBISH
    said = SHARED_ELEMENTS if shared else ENOUGH_THREADS
    if threads >= elements > 0:
        return said.format(threads=threads, elements=elements)
    # Fewer threads than elements may have several each: what asks for the cause already is not asked again.
    return RUBBISH if "?" in case.details.get("pattern_message", "") else ""


def on_shared(told: str, array: str, source: Sequence[str]) -> str:
    """The same of an element of shared memory that is read first, of which a finding has told."""
    return (ONLY_SOME_STORE if "threads stored in" in told else NOT_YET_WRITTEN) + or_swapped(array, source)


def on_allocated(told: str) -> str:
    """The same of memory that a program has from cudaMalloc and a thread reads first; "" for other memory."""
    found = re.search(r"([\w.\->\[\]]+) \((cudaMalloc\w*) in line \d+\) before anything was written there", told)
    return NEVER_WRITTEN.format(name=found[1], function=found[2]) if found else ""
