"""Single runs of a timed kernel: each on poisoned buffers, by an order to the worker, and checked afterwards."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Sequence
from typing import Any

import torch

from grader.devices.cuda.orders import Do
from grader.devices.evidence import finding_from_json
from grader.devices.worker.job import Answer, Dialogue, Order
from grader.judge.timing.timed_sets import Refused, TimedSets
from grader.judge.verdict import status_of


class Runs:
    """Has the worker run the kernel on sets of buffers; `checking_us` is how long the last check of outputs took."""

    def __init__(self, sets: TimedSets):
        self.sets = sets
        self.checking_us = 0.0

    def timed(self, order: Order, numbers: Sequence[int]) -> Generator[Order, Answer, tuple[Answer, float]]:
        """Poisons the sets, gives the order, checks the sets; the answer, and the wall clock's microseconds."""
        self.sets.poison(numbers)
        yield from self._hand_over(numbers)
        torch.cuda.synchronize()
        start = time.perf_counter()
        answer = yield from self.ordered(order)
        wall_us = 1e6 * (time.perf_counter() - start)
        yield from self._take_back(numbers)
        start = time.perf_counter()
        self.sets.check(numbers)
        self.checking_us = 1e6 * (time.perf_counter() - start)
        return answer, wall_us

    def ordered(self, order: Order) -> Generator[Order, Answer, Answer]:
        """Gives an order that must succeed; its answer."""
        answer = yield order
        if "failed" in answer:
            raise _failure(answer["failed"])
        return answer

    def _hand_over(self, numbers: Sequence[int]) -> Dialogue:
        """Brings sets to a worker that has copies of them."""
        for number in numbers if self.sets.device.staging else ():
            self.sets.device.to_staging(number)
            yield from self.ordered({"do": Do.PUT, "set": number})

    def _take_back(self, numbers: Sequence[int]) -> Dialogue:
        for number in numbers if self.sets.device.staging else ():
            yield from self.ordered({"do": Do.GET, "set": number})
            self.sets.device.from_staging(number)


def microseconds(answer: Answer) -> float:
    """What the worker's events say. Raises Refused if that is no time."""
    us = answer.get("us")
    if not isinstance(us, float) or not math.isfinite(us) or us <= 0:
        raise Refused("impossible_speed", f"The submission's process claims to have needed {us} microseconds.")
    return us


def _failure(said: Any) -> Refused:
    """From what the worker says of a run that failed; a submission may have said it in its place."""
    try:
        finding = finding_from_json(said)
        return Refused(status_of(finding), str(finding.message), finding)
    except (TypeError, ValueError, AttributeError, KeyError):
        return Refused("crash", "The submission's process failed in a timed run.")
