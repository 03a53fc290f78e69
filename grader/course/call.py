"""One call of a task's entry point: the shapes, numbers and sizes of a task at a case, worked out once."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from grader.course.drawing import Condition, drawn_cases
from grader.course.lesson import Case, Task
from grader.course.prototype import Prototype, evaluate_shape, evaluate_shapes


@dataclass(frozen=True, eq=False)
class Call:
    """A task at one of its cases. What it says of them is computed when it is first asked for, and kept."""

    task: Task
    case: Case

    @cached_property
    def name(self) -> str:
        """The case's: `rows=3 cols=5`."""
        return self.case.name

    @cached_property
    def signature(self) -> Prototype:
        return self.task.signature

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every buffer by name. Raises PrototypeError."""
        return evaluate_shapes(self.task.shapes, [buffer.name for buffer in self.signature.buffers], self.case.sizes)

    @property
    def memory(self) -> tuple[Prototype, dict[str, tuple[int, ...]]]:
        """What an arena has to hold: the prototype, and the shapes of its buffers."""
        return self.signature, self.shapes

    @cached_property
    def scalars(self) -> dict[str, Any]:
        """The value of every number that the entry point takes, by name."""
        return {scalar.name: self.case.sizes[scalar.name] for scalar in self.signature.scalars}

    @cached_property
    def bytes(self) -> dict[str, int]:
        """The bytes of every buffer by name."""
        return {b.name: math.prod(self.shapes[b.name]) * b.type.bytes for b in self.signature.buffers}

    @cached_property
    def facts(self) -> dict[str, int]:
        """What targets need to know of a call beside a device's counters: elements and bytes of inputs and results."""
        facts = {}
        for what, buffers in (("input", self.signature.inputs), ("output", self.task.results)):
            names = [buffer.name for buffer in buffers]
            facts[f"{what}_elements"] = sum(math.prod(self.shapes[name]) for name in names)
            facts[f"{what}_bytes"] = sum(self.bytes[name] for name in names)
        return facts

    @property
    def moved_bytes(self) -> int:
        """Of all inputs and results: what a run must move at least."""
        return self.facts["input_bytes"] + self.facts["output_bytes"]

    @cached_property
    def terms(self) -> int:
        """How many values the error model takes to be summed for one output element (lesson.Tolerance)."""
        return math.prod(evaluate_shape(self.task.tolerance.terms, self.case.sizes))

    @cached_property
    def flops(self) -> int | None:
        """Arithmetic operations; None if the task does not count them."""
        return self._count(self.task.flops)

    @cached_property
    def specials(self) -> int | None:
        """Special functions (exp, log, sin and their kin); None if the task does not count them."""
        return self._count(self.task.specials)

    def _count(self, expression: str) -> int | None:
        return evaluate_shape(expression, self.case.sizes)[0] if expression else None


def calls_of(task: Task, cases: Iterable[Case] | None = None) -> list[Call]:
    """The task at these cases, or at all that are judged."""
    return [Call(task, case) for case in (task.judged_cases if cases is None else cases)]


def graded_calls(
    task: Task, seed: int, numbers: Collection[int] = (), conditions: Sequence[Condition] = ()
) -> list[Call]:
    """All calls that a grade of this task makes: the lesson's cases, and before the counted one, which is the last,
    those whose sizes the seed and the file's own `numbers` and `conditions` choose.
    """
    *cases, counted = task.judged_cases
    return calls_of(task, [*cases, *drawn_cases(task, seed, numbers, conditions), counted])
