"""What is said of two blocks that race: of a lock without fences or given back by a plain store, else of flags."""

from __future__ import annotations

import pytest

from grader.devices.evidence import Finding
from grader.report.advice import on_finding
from grader.report.two_blocks import READ_ELSEWHERE, TWO_BLOCKS, of_lock, of_two_blocks

TAKES = "    while (atomicCAS(LOCK, 0, 1) != 0) { }"


@pytest.mark.parametrize(
    ("lock", "lines", "said"),
    [
        ("&m", ["total += 1;", "atomicExch(&m, 0);"], "the lock of line 1 guards this, it needs two fences"),
        ("&m", ["// __threadfence();", "m = 0;"], "needs two fences"),
        ("&m", ["__threadfence();", "m = 0;"], "Line 3 gives the lock back by a plain store"),
        ("mutex", ["__threadfence();", "*mutex = 0;"], "`__threadfence(); atomicExch(mutex, 0);`"),
        ("&locks[b]", ["__threadfence();", "if (b) locks[b] = 0;"], "atomicExch(&locks[b], 0);`"),
        ("&m", ["__threadfence();", "int sum = 0;", "atomicExch(&m, 0);"], ""),
        ("&m", ["__threadfence();", "*m = 0;", "a->m = 0;"], ""),
    ],
)
def test_what_is_said_of_a_lock(lock, lines, said):
    told = of_lock([TAKES.replace("LOCK", lock), *lines])
    assert said in told and bool(said) == bool(told)


def test_no_barrier_is_advised_between_blocks():
    def of(what: str, space: str = "global") -> str:
        said = f"thread 0 of block (1, 0, 0) reads x[0] while it is written, in any order: {what}"
        return on_finding(Finding("race", said, line=1, details={"space": space}), ["x[0] = 1;"])

    assert of("blocks run in no order; use an atomic") == READ_ELSEWHERE
    assert of("two blocks write one element; use an atomic") == TWO_BLOCKS
    both = "thread 0 of block (1, 0, 0) writes y[0] in line 4 while thread 0 of block (0, 0, 0) writes it in line 4, in"
    assert of_two_blocks(f"{both} any order: is a row missing?", []) == TWO_BLOCKS
    assert of_two_blocks(f"{both} any order: use an atomic".replace("(1, 0, 0)", "(0, 0, 0)"), []) == ""
    volatile = "volatile orders nothing, of block (0, 0, 0)"
    assert of(volatile) == READ_ELSEWHERE
    assert of(volatile, "shared") not in (READ_ELSEWHERE, TWO_BLOCKS), "of a cluster, which has a barrier"
    assert of("volatile orders nothing, of block (1, 0, 0)") != READ_ELSEWHERE
