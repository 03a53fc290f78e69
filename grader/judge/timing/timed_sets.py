"""The sets of buffers that a timed kernel runs on: what is in them, and what a run must leave there.

All of it is the judge's own. A set gets new content again and again, so that an answer that was remembered is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from grader.course.call import Call
from grader.devices.cuda.buffers import DEVICE, DeviceSet, DeviceSets
from grader.devices.evidence import Finding
from grader.judge.causes.elements import element_name
from grader.judge.compare import expect, guard_broken, input_modified
from grader.judge.inputs import Draw, case_seed, draw_into
from grader.judge.timing.bounds import Bounds, bounds_of
from grader.judge.verdict import Status


class Refused(Exception):
    """A timed run that was not right ends the measurement."""

    def __init__(self, status: Status, message: str, finding: Finding | None = None):
        super().__init__(message)
        self.status = status
        self.finding = finding


class TimedSets:
    """Sets of one call's buffers, by number, each with the bounds of its expected outputs."""

    def __init__(self, call: Call, seed: int, device: DeviceSets):
        self.call, self.seed, self.device = call, seed, device
        self._contents = 0  # drawn so far
        self._bounds: list[dict[str, Bounds]] = [{} for _ in device.sets]
        for number in range(len(self)):
            self.renew(number)

    def __len__(self) -> int:
        return len(self.device.sets)

    @property
    def bytes(self) -> int:
        """Of all inputs and results of one set: what a run must move at least."""
        return self.call.moved_bytes

    def arguments(self, number: int) -> dict[str, Any]:
        """What a baseline is called with to run on a set."""
        buffers = self.device.sets[number]
        return {name: buffers.read(name) for name in buffers.slots} | self.call.scalars

    def renew(self, number: int) -> None:
        """Draws new content for a set, and works out what its outputs must be. Raises UsageError."""
        self._contents += 1
        call, buffers = self.call, self.device.sets[number]
        draw = Draw(case_seed(self.seed, call.task.name, f"{call.name} #{self._contents}"), DEVICE)
        expected = expect(call, draw_into(call, buffers, draw))
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

    def _describe(self, buffers: DeviceSet, name: str, bounds: Bounds, wrong: torch.Tensor) -> tuple[Status, str]:
        first, total = int(wrong.int().argmax()), int(wrong.sum())
        values = buffers.read(name)
        where = element_name(name, first, values.shape)
        share = f" ({total:,} of {wrong.numel():,} elements are wrong)"
        if buffers.is_unwritten(name, first):
            return "not_written", f"{where} was not written in a timed run of {self.call.name}{share}."
        got, low, high = (float(each.reshape(-1)[first]) for each in (values, bounds.low, bounds.high))
        asked = f"{low:.9g}" if low == high else f"between {low:.9g} and {high:.9g}"
        return "wrong_result", f"{where} is {got:.9g} in a timed run of {self.call.name}, not {asked}{share}."
