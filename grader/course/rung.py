"""A rung of a task's ladder: one idea, and the goals that a kernel must meet to stand there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.course.lesson import Case

SPEED_AGAINST, FRACTION_OF = "x_", "fraction_of_"  # how the metrics of timed goals begin


@dataclass(frozen=True)
class Counted:
    """A goal for something the emulator counts. `metric` is a name of judge.targets.METRICS or a counter's own."""

    metric: str
    at_least: float | None = None
    at_most: float | None = None
    why: str = ""
    case: Case | None = None  # one of the task's cases to count at, instead of its counted case


@dataclass(frozen=True)
class Timed:
    """A goal for a ratio measured on a GPU: "x_torch.add" (times as fast as that baseline) or "fraction_of_" a ceiling.

    Ceilings are measured in the same run: copy and read (bytes of all buffers), fp32 and bf16 (matrix products; the
    task's `flops`) and special (special functions; its `specials`).
    """

    metric: str
    at_least: float
    why: str = ""


Goal = Counted | Timed


@dataclass(frozen=True)
class Rung:
    """One step of a ladder. `name` is that of its file, kernels/NN_name/K_NAME.cu, which may serve several tasks.

    A right kernel has reached a rung when it meets the goals of this rung and of all rungs below. So a goal must hold
    for every rung above it, too: one that a later idea makes moot belongs nowhere, or needs a wider bound. Each device
    judges its own goals, the emulator `Counted` ones and a GPU `Timed` ones. A rung without a goal for a device is not
    claimed there: a kernel is taken to stand below it until it reaches a rung above it. Only rung 1 needs no goal, as a
    kernel that is right has reached it then.
    """

    name: str
    idea: str  # a few words, as they stand behind `next:`
    reached: Sequence[Goal] = ()

    @property
    def title(self) -> str:
        """`register tile`"""
        return self.name.replace("_", " ")
