"""The sets of buffers that a timed kernel runs on: what is in them, and what a run must leave there.

All of it is the judge's own. A set gets new content again and again, so that an answer that was remembered is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from grader.course.catalog import UsageError
from grader.course.lesson import Case, Task
from grader.devices.cuda.buffers import DEVICE, DeviceSet, DeviceSets
from grader.devices.evidence import Finding
from grader.judge.bounds import Bounds, bounds_of
from grader.judge.compare import expect, guard_broken, input_modified
from grader.judge.inputs import Draw, case_seed
from grader.judge.patterns import place


class Refused(Exception):
    """A timed run that was not right ends the measurement."""

    def __init__(self, status: str, message: str, finding: Finding | None = None):
        super().__init__(message)
        self.status = status
        self.finding = finding


class TimedSets:
    """Sets of one case's buffers, by number, each with the bounds of its expected outputs."""

    def __init__(self, task: Task, case: Case, seed: int, device: DeviceSets):
        self.task, self.case, self.seed, self.device = task, case, seed, device
        self._contents = 0  # drawn so far
        self._bounds: list[dict[str, Bounds]] = [{} for _ in device.sets]
        for number in range(len(self)):
            self.renew(number)

    def __len__(self) -> int:
        return len(self.device.sets)

    @property
    def bytes(self) -> int:
        """Of all inputs and results of one set: what a run must move at least."""
        return sum(slot.bytes for slot in self.device.slots if slot.name not in self.task.scratch)

    @property
    def scalars(self) -> dict[str, Any]:
        return {scalar.name: self.case.sizes[scalar.name] for scalar in self.task.signature.scalars}

    def arguments(self, number: int) -> dict[str, Any]:
        """What a baseline is called with to run on a set."""
        buffers = self.device.sets[number]
        return {name: buffers.read(name) for name in buffers.slots} | self.scalars

    def renew(self, number: int) -> None:
        """Draws new content for a set, and works out what its outputs must be. Raises UsageError."""
        self._contents += 1
        draw = Draw(case_seed(self.seed, self.task.name, f"{self.case.name} #{self._contents}"), DEVICE)
        buffers = self.device.sets[number]
        try:
            inputs = dict(self.task.make_inputs(draw, self.case.variant, **self.case.sizes))
            for parameter in self.task.signature.inputs:
                shape = self.task.shape(parameter.name, self.case)
                inputs[parameter.name] = inputs[parameter.name].reshape(shape)
                buffers.fill(parameter.name, inputs[parameter.name])
        except Exception as error:  # whatever a lesson's author can get wrong
            said = f"{type(error).__name__}: {error}"
            raise UsageError(f"make_inputs of task {self.task.name} failed at {self.case.name}: {said}") from error
        expected = expect(self.task, self.case, inputs)
        self._bounds[number] = {name: bounds_of(want, buffers.read(name).dtype) for name, want in expected.items()}

    def poison(self, numbers: Sequence[int]) -> None:
        """Before a run: marks the outputs of these sets as unwritten."""
        for number in numbers:
            self.device.sets[number].poison()

    def check(self, numbers: Sequence[int], but: Sequence[str] = ()) -> None:
        """After a run: raises Refused unless all outputs of these sets but those are right, and the guards intact."""
        for number in numbers:
            buffers = self.device.sets[number]
            for name, bounds in self._bounds[number].items():
                if name in but:
                    continue
                wrong = bounds.wrong(buffers.read(name))
                if bool(wrong.any()):
                    self._check_inputs(buffers)
                    raise Refused(*self._describe(buffers, name, bounds, wrong))
            if breach := buffers.broken_guard():
                raise Refused("out_of_bounds", guard_broken(breach.buffer, breach.side, breach.byte).message)

    def check_inputs(self) -> None:
        """Raises Refused if an input of any set is not what it was."""
        for buffers in self.device.sets:
            self._check_inputs(buffers)

    def _check_inputs(self, buffers: DeviceSet) -> None:
        if changed := buffers.changed_input():
            raise Refused("input_modified", input_modified(changed).message)

    def _describe(self, buffers: DeviceSet, name: str, bounds: Bounds, wrong: torch.Tensor) -> tuple[str, str]:
        first, total = int(wrong.int().argmax()), int(wrong.sum())
        values = buffers.read(name)
        where = place(name, first, values.shape)
        share = f" ({total:,} of {wrong.numel():,} elements are wrong)"
        if buffers.is_unwritten(name, first):
            return "not_written", f"{where} was not written in a timed run of {self.case.name}{share}."
        got, low, high = (float(each.reshape(-1)[first]) for each in (values, bounds.low, bounds.high))
        asked = f"{low:.9g}" if low == high else f"between {low:.9g} and {high:.9g}"
        return "wrong_result", f"{where} is {got:.9g} in a timed run of {self.case.name}, not {asked}{share}."
