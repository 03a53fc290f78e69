"""Asynchronous copies in words: what is said where nothing has waited for one."""

from __future__ import annotations

from typing import Any

from grader.devices.emulator.barrier_wording import thread_of
from grader.devices.emulator.kinds import WAITED

# How a thread waits for a copy, by what the copy belongs to.
_WAITS = {
    "primitives": "__pipeline_commit() behind it, then __pipeline_wait_prior(n), n being how many groups were committed"
    " later, then __syncthreads()",
    "group": "cooperative_groups::wait() of its group, then __syncthreads()",
    "barrier": "arrive_and_wait() of its barrier",
    "pipeline": "producer_commit() and consumer_wait() of its pipeline",
    "own_pipeline": "producer_commit() and consumer_wait() of its pipeline, then __syncthreads()",
    "ptx": "cp.async.commit_group behind it, then cp.async.wait_group n, n being how many groups were committed later,"
    " then __syncthreads()",
}


_TWO_COPIES = "give each copy under way a buffer of its own (`stage % STAGES`), or wait for the one before"


def under_way(fact: dict[str, Any]) -> str:
    """What is said of a copy that nothing has waited for, whose place is used ("in flight") or source is written."""
    what, number = fact["text"].rsplit(" ", 1)
    wait, own = _WAITS[WAITED[int(number)]], thread_of(fact, "other_") == thread_of(fact)
    copy = f"the copy that {'it' if own else thread_of(fact, 'other_')} began in line {fact['other_line']}"
    if what == "taken":
        wait = wait.removesuffix(", then __syncthreads()") if own else wait
        return f"{copy} may still read it, for that is under way: wait for it first, with {wait}"
    if fact["access"] == "write" and fact["line"] == fact["other_line"]:
        return f"{copy} to this very place is under way: {_TWO_COPIES}"
    return f"{copy} is under way: wait for it there, with {wait}"
