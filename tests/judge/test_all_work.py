"""Where the time was up and each thread loaded all in the cases before, that is told; of others nothing is."""

from __future__ import annotations

import pytest

from grader.devices.evidence import CaseRun, Finding
from grader.judge.all_work import name_all_work
from grader.judge.verdict import CaseGrade
from grader.report.advice import advice


def run(name: str, threads: int, loaded: int, distinct: int = 4000) -> CaseRun:
    launches = [{"kernel": "k", "grid": [threads // 64, 1, 1], "block": [64, 1, 1]}]
    counters = {"global_load_bytes": loaded, "global_load_distinct_bytes": distinct}
    return CaseRun(name=name, launches=launches, seconds=0.1, counters=counters)


def told(*runs: CaseRun) -> str:
    findings = [Finding("timeout", "was still running", line=1, kernel="k")]
    grades = [*(CaseGrade(each.name, "passed") for each in runs), CaseGrade("n=9", "timeout", findings=findings)]
    name_all_work(grades, runs)
    return advice("timeout", grades[-1], ["for (;;)"], grades)


def test_threads_that_load_all_are_told_with_their_case():
    said = told(run("n=1", 64, 64 * 4, 4), run("n=1000", 1024, 1024 * 4000))
    assert "At n=1000, which came to its end, each of the 1,024 threads loaded all that any of them did, 4,000" in said


@pytest.mark.parametrize("loaded", [4000, 512 * 4000])
def test_threads_that_share_are_not(loaded):
    assert "came to its end, each" not in told(run("n=1000", 1024, loaded))
