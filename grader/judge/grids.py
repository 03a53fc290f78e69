"""Whether a grid may be too large where there is more to do than in the cases that were judged."""

from __future__ import annotations

from collections.abc import Sequence

from grader.course.call import Call
from grader.course.lesson import Task
from grader.devices.evidence import CaseRun

MOST_IN_Y = 65_535  # blocks of a grid, as in z (CUDA C++ Programming Guide, Compute Capabilities)


def may_outgrow_a_grid(task: Task, runs: Sequence[CaseRun]) -> bool:
    """Whether a launch has several blocks in y or z, and the task's wide case is larger than a grid may be there."""
    if not task.wide_case or max(Call(task, task.wide_case).scalars.values()) <= MOST_IN_Y:
        return False
    return any(max(launch["grid"][1:]) > 1 for run in runs for launch in run.launches)
