"""The judge's part in timing a kernel: it owns the buffers, gives the orders, checks every run, and believes no clock.

    for each round, on one set of buffers after the other:  poison - worker: kernel - check - judge: baselines, ceilings

Each set gets new content again and again, so that an answer that was remembered is a wrong one.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch

from grader.course.catalog import UsageError
from grader.course.lesson import Task
from grader.devices.cuda import ceilings, clock
from grader.devices.cuda.buffers import DEVICE, DeviceSet, DeviceSets, lay_out
from grader.devices.cuda.card import Card, state_of
from grader.devices.evidence import Finding, finding_from_json
from grader.devices.job import Answer, Dialogue, Order
from grader.judge.bounds import Bounds, bounds_of
from grader.judge.compare import expect, guard_broken, input_modified
from grader.judge.findings import status_of
from grader.judge.inputs import Draw, case_seed
from grader.judge.patterns import place

MOST_SETS = 6
MOST_SMALL_SETS = 64  # of buffers that the L2 would hold
LONGEST_SECONDS = 4.0  # of measuring, by the wall clock
FRESH_SHARE = 0.3  # of that time goes into new content
FRESH_AGREES = 0.03
BATCHES = 3
BATCH_US = 40_000.0  # a batch is long beside clock.BATCH_OVERHEAD_US
MOST_BATCH = 2000
FLOOR = 1.3  # nothing moves bytes this many times as fast as a copy; reading alone can be a little faster
WORKSPACE = 8  # bytes of workspace for each byte of a set while its expected outputs are computed in float64


@dataclass
class Speed:
    """What timing has found: `values` by the metric's name, for targets; `status` is "passed" or what was wrong."""

    status: str = "passed"
    message: str = ""
    case: str = ""
    values: dict[str, float] = field(default_factory=dict)
    timings: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


class _Refused(Exception):
    """A timed run that was not right ends the measurement."""

    def __init__(self, status: str, message: str, finding: Finding | None = None):
        super().__init__(message)
        self.status = status
        self.finding = finding


class SpeedTest:
    """Times one task. `prepare` may run in a thread while the worker builds; `dialogue` is what a Job wants."""

    def __init__(self, task: Task, card: Card, seed: int):
        assert task.timed_case is not None
        self.task, self.case, self.card, self.seed = task, task.timed_case, card, seed
        self.speed = Speed(case=self.case.name)
        self._stack = ExitStack()
        self._contents = 0  # drawn so far
        self._order = random.Random()  # which set is next is nobody's business
        self._bounds: list[dict[str, Bounds]] = []
        self._samples: dict[str, list[float]] = {"kernel": []}
        self._fresh: list[float] = []
        self._seen: list[float] = []

    @property
    def scalars(self) -> dict[str, Any]:
        return {scalar.name: self.case.sizes[scalar.name] for scalar in self.task.signature.scalars}

    def close(self) -> None:
        """Frees the GPU's memory; not before the worker has ended."""
        self._stack.close()

    # ---- before ----

    def prepare(self) -> None:
        """Allocates and fills all sets. Without enough memory there are none, and the message says so."""
        torch.cuda.init()
        shapes = {buffer.name: self.task.shape(buffer.name, self.case) for buffer in self.task.signature.buffers}
        size = lay_out(self.task.signature, shapes)[-1].end
        free = torch.cuda.mem_get_info()[0]
        count = number_of_sets(size, free, self.card.l2_bytes)
        if count < 2:
            need = (WORKSPACE + 4) * size / 1e9
            self.speed.message = f"{self.case.name} was not timed: it needs {need:.0f} GB of free GPU memory"
            return
        self._sets = self._stack.enter_context(DeviceSets(self.task.signature, shapes, count))
        self._bounds = [{} for _ in range(count)]
        for number in range(count):
            self._renew(number)
        self._clock = clock.JudgeClock(self.card.l2_bytes)
        self._ceilings = ceilings.bandwidths(free // 8)
        for _ in range(2):  # loads torch's kernels
            for name, call in self._contenders(self._sets.sets[0]).items():
                self._samples[name] = []
                self._clock.once(call)

    def _renew(self, number: int) -> None:
        """Draws new content for a set, and works out what its outputs must be."""
        self._contents += 1
        draw = Draw(case_seed(self.seed, self.task.name, f"{self.case.name} #{self._contents}"), DEVICE)
        buffers = self._sets.sets[number]
        try:
            inputs = dict(self.task.make_inputs(draw, self.case.variant, **self.case.sizes))
            for parameter in self.task.signature.inputs:
                shape = self.task.shape(parameter.name, self.case)
                inputs[parameter.name] = inputs[parameter.name].reshape(shape)
                buffers.fill(parameter.name, inputs[parameter.name])
        except Exception as error:  # whatever a lesson's author can get wrong
            said = f"{type(error).__name__}: {error}"
            raise UsageError(f"make_inputs of task {self.task.name} failed at {self.case.name}: {said}") from error
        self._bounds[number] = {}
        for name, want in expect(self.task, self.case, inputs).items():
            self._bounds[number][name] = bounds_of(want, buffers.read(name).dtype)

    def _contenders(self, buffers: DeviceSet) -> dict[str, Callable[[], object]]:
        """What runs in this process in every round: the baselines, on the set's own buffers, and the ceilings."""
        arguments = {name: buffers.read(name) for name in buffers.slots} | self.scalars
        calls = {name: partial(baseline, **arguments) for name, baseline in self.task.baselines.items()}
        return calls | {f"ceiling {ceiling.name}": ceiling.call for ceiling in self._ceilings}

    # ---- the dialogue ----

    def dialogue(self, is_right: Callable[[], bool]) -> Dialogue:
        """Orders, for the worker. `is_right` says whether what ran before deserves to be timed at all."""
        if not is_right() or not self._bounds:
            return
        try:
            yield from self._measure()
        except _Refused as refused:
            self.speed.status, self.speed.message = refused.status, str(refused)
            self.speed.findings = [refused.finding] if refused.finding else []

    def _measure(self) -> Dialogue:
        answer = yield self._sets.open_order
        if "failed" in answer:
            self.speed.message = "not timed: this system does not let two processes share the GPU's memory"
            return
        for number in range(len(self._bounds)):
            yield from self._run(number)  # the first runs load the kernel and are not counted
        yield from self._rounds()
        summaries = {name: clock.summarize(samples) for name, samples in self._samples.items()}
        self._record(summaries)
        self._refuse_wonders()
        short, long = yield from self._batches()
        self.speed.timings["judge_clock_us"] = clock.wall_slope(short, long)
        self._compare_clocks(short, long)
        self._conclude(summaries)

    def _rounds(self) -> Dialogue:
        """Samples of the kernel and of all contenders in turn, until there are enough."""
        start = time.perf_counter()
        renewing, gpu_us, kernel = 0.0, 0.0, self._samples["kernel"]
        numbers: list[int] = []
        while not clock.is_enough(kernel, gpu_us / 1e6) or len(self._fresh) < clock.LEAST_SAMPLES // 2:
            spent = time.perf_counter() - start
            if spent > LONGEST_SECONDS and len(kernel) >= clock.LEAST_SAMPLES:
                return
            numbers = numbers or self._order.sample(range(len(self._bounds)), len(self._bounds))
            number = numbers.pop()
            is_fresh = renewing <= FRESH_SHARE * spent
            if is_fresh:
                self._renew(number)
                renewing += time.perf_counter() - start - spent
            took = yield from self._run(number)
            kernel.append(took)
            (self._fresh if is_fresh else self._seen).append(took)
            gpu_us += took
            for name, call in self._contenders(self._sets.sets[number]).items():
                self._samples[name].append(self._clock.once(call))
                gpu_us += self._samples[name][-1]
        self.speed.timings["state"] = state_of(self.card)

    def _run(self, number: int) -> Generator[Order, Answer, float]:
        """One checked run on a set; its microseconds as the worker's events have them."""
        answer, _ = yield from self._timed({"do": "once", "set": number}, [number])
        return answer["us"]

    def _batches(self) -> Generator[Order, Answer, tuple[list[clock.Batch], list[clock.Batch]]]:
        """N and 2 N runs in a row by the judge's own clock, in turn; the first of all on new content."""
        median = statistics.median(self._samples["kernel"])
        count = len(self._bounds)
        rounds = min(max(math.ceil(BATCH_US / (median * count)), 1), max(MOST_BATCH // count, 1))
        for number in range(count):
            self._renew(number)
        batches: tuple[list[clock.Batch], list[clock.Batch]] = ([], [])
        for _ in range(BATCHES):
            for times, found in zip((1, 2), batches, strict=True):
                once = self._order.sample(range(count), count)
                order = {"do": "many", "sets": once * rounds * times}
                _, wall_us = yield from self._timed(order, once)
                found.append(clock.Batch(len(order["sets"]), wall_us))
        return batches

    def _timed(self, order: Order, numbers: Sequence[int]) -> Generator[Order, Answer, tuple[Answer, float]]:
        """Poisons the sets, gives the order, checks the sets; the answer, and the wall clock's microseconds."""
        for number in numbers:
            self._sets.sets[number].poison()
        torch.cuda.synchronize()
        start = time.perf_counter()
        answer = yield order
        wall_us = 1e6 * (time.perf_counter() - start)
        if "failed" in answer:
            raise _failure(answer["failed"])
        us = answer.get("us")
        if not isinstance(us, float) or not math.isfinite(us) or us <= 0:
            raise _Refused("impossible_speed", f"The submission's process claims to have needed {us} microseconds.")
        for number in numbers:
            self._check(number)
        return answer, wall_us

    def _check(self, number: int) -> None:
        """Guards and outputs of a set, after a run, as the judge itself finds them. Raises _Refused."""
        buffers = self._sets.sets[number]
        for name, bounds in self._bounds[number].items():
            wrong = bounds.wrong(buffers.read(name))
            if bool(wrong.any()):
                changed = buffers.changed_input()
                if changed:
                    raise _Refused("input_modified", input_modified(changed).message)
                raise _Refused(*self._describe(buffers, name, bounds, wrong))
        if breach := buffers.broken_guard():
            raise _Refused("out_of_bounds", guard_broken(breach.buffer, breach.side, breach.byte).message)

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

    # ---- the result ----

    def _record(self, summaries: Mapping[str, clock.Summary]) -> None:
        """What was measured, as numbers for the report."""
        kernel = summaries["kernel"]
        moved = sum(slot.bytes for slot in self._sets.slots)
        rates = {c.name: c.rate(summaries[f"ceiling {c.name}"].median_us) for c in self._ceilings}
        self.speed.timings |= {
            "case": self.case.name,
            "median_us": kernel.median_us,
            "noise": kernel.noise,
            "samples": kernel.samples,
            "new_inputs_us": statistics.median(self._fresh),
            "bytes": moved,
            "sets": len(self._bounds),
            "baselines_us": {name: summaries[name].median_us for name in self.task.baselines},
            "ratios": {name: summaries[name].median_us / kernel.median_us for name in self.task.baselines},
            "fractions": {name: moved / (kernel.median_us * 1e-6) / rate for name, rate in rates.items()},
            "ceilings": rates,
        }

    def _refuse_wonders(self) -> None:
        """What is too good to be true. Raises _Refused."""
        us, moved = self.speed.timings["median_us"], self.speed.timings["bytes"]
        floor = moved / (FLOOR * self.speed.timings["ceilings"]["copy"]) * 1e6
        if moved > self.card.l2_bytes and us < floor:
            raise _Refused(
                "impossible_speed",
                f"{us:.1f} us is too good to be true: moving {moved / 1e6:,.0f} MB takes this card {floor:.1f} us.",
            )
        if min(len(self._fresh), len(self._seen)) < clock.LEAST_SAMPLES // 2:
            return
        fresh, seen = statistics.median(self._fresh), statistics.median(self._seen)
        if fresh > (1 + FRESH_AGREES) * seen + 2.0:
            raise _Refused(
                "impossible_speed",
                f"A run takes {fresh:.1f} us on new inputs and {seen:.1f} us on inputs that it has seen before: "
                "it must not remember anything from one run to the next.",
            )

    def _compare_clocks(self, short: Sequence[clock.Batch], long: Sequence[clock.Batch]) -> None:
        """The events' time against the wall's. Raises _Refused."""
        us = self.speed.timings["median_us"]
        wall = clock.clocks_disagree(us, short, long)
        if wall is not None:
            raise _Refused(
                "impossible_speed",
                f"Two clocks disagree: {us:.1f} us a run by the events in the submission's process, {wall:.1f} us by "
                "the judge's own. All work must be on the stream that is handed over, and done when that is done.",
            )

    def _conclude(self, summaries: Mapping[str, clock.Summary]) -> None:
        """Inputs as they were, times that mean something: then they count."""
        for buffers in self._sets.sets:
            if changed := buffers.changed_input():
                raise _Refused("input_modified", input_modified(changed).message)
        if clock.is_too_noisy(self._samples["kernel"]):
            said = f"its times differ by {summaries['kernel'].noise:.0%}, perhaps because somebody else uses this GPU"
            self.speed.message = f"The timing of {self.case.name} is too noisy to count ({said}): run it again."
            return
        timings = self.speed.timings
        self.speed.values = {f"fraction_of_{name}": value for name, value in timings["fractions"].items()}
        self.speed.values |= {f"x_{name}": value for name, value in timings["ratios"].items()}


def _failure(said: Any) -> _Refused:
    """From what the worker says of a run that failed; a submission may have said it in its place."""
    try:
        finding = finding_from_json(said)
        return _Refused(status_of(finding), str(finding.message), finding)
    except (TypeError, AttributeError, KeyError):
        return _Refused("crash", "The submission's process failed in a timed run.")


def number_of_sets(size: int, free: int, l2_bytes: int) -> int:
    """How many sets of `size` bytes to rotate: enough to exceed twice the L2, a few more for variety, if they fit."""
    wanted = max(MOST_SETS, min(math.ceil(2 * l2_bytes / size) + 1, MOST_SMALL_SETS))
    each = 3 * size  # the set itself, and two bounds for each output at most
    return min(wanted, max(int(0.9 * free) - WORKSPACE * size, 0) // each)
