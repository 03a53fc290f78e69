"""What a teacher says next of elements that are not written."""

from __future__ import annotations

from grader.judge.verdict import CaseGrade

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


def on_unwritten(case: CaseGrade) -> str:
    """Whether the threads are enough, of a case that lacks elements; "" where they are too few."""
    threads, elements = case.details.get("launched_threads", 0), case.details.get("total", 0)
    if case.details.get("pattern") == "nothing_written" and threads:
        return NO_STORE.format(buffer=case.details["buffer"])
    shared = any("the same value" in finding.message for finding in case.findings)
    if case.details.get("pattern") in ("index", "swapped_grid") and not shared:
        return RUBBISH
    said = SHARED_ELEMENTS if shared else ENOUGH_THREADS
    return said.format(threads=threads, elements=elements) if threads >= elements > 0 else ""
