"""Of a kernel whose time was up: whether each of its threads did all of the work in the cases before, as counted."""

from __future__ import annotations

import math
from collections.abc import Sequence

from grader.devices.evidence import CaseRun
from grader.judge.verdict import CaseGrade

FEWEST_THREADS, FEWEST_BYTES = 64, 256
ALL = 0.95  # of the bytes of the inputs, for each thread

EACH_LOADS_ALL = (
    "At {case}, which came to its end, each of the {threads:,} threads loaded all that any of them did, {bytes:,}"
    " bytes: let each take its own part, one element or every {threads:,}th, and let no thread do what others do, too."
)


def name_all_work(grades: Sequence[CaseGrade], runs: Sequence[CaseRun]) -> None:
    """Gives the last case, whose time was up, what the largest one before tells of who did how much."""
    said = [
        sentence for grade, run in zip(grades[:-1], runs, strict=False) if (sentence := _each_loads_all(grade, run))
    ]
    if said:
        grades[-1].details["all_work"] = said[-1]


def _each_loads_all(grade: CaseGrade, run: CaseRun) -> str:
    threads = sum(math.prod([*launch["grid"], *launch["block"]]) for launch in run.launches)
    loaded, distinct = (run.counters.get(f"global_load_{which}", 0) for which in ("bytes", "distinct_bytes"))
    is_enough = len(run.launches) == 1 and threads >= FEWEST_THREADS and distinct >= FEWEST_BYTES
    if not is_enough or loaded < ALL * threads * distinct:
        return ""
    return EACH_LOADS_ALL.format(case=grade.name, threads=threads, bytes=distinct)
