"""Many kernels for one task, side by side: each is checked against the reference, then all are timed in turn.

    inputs -> for each contender: run, check, memory -> rounds: every contender and ceiling, in random order -> check

Everything runs in this process, so that all share one clock, one temperature and one set of buffers. That is for the
course's own code, and for a learner's kernel that has passed its grade.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Final, Literal

import torch

from grader.course.call import Call
from grader.course.lesson import Case, Task
from grader.course.prototype import evaluate_shape
from grader.devices.cuda.buffers import DeviceSets
from grader.devices.cuda.card import Card, state_of
from grader.devices.cuda.ceilings import Ceiling
from grader.devices.cuda.clock import JudgeClock, captured, summarize
from grader.devices.cuda.memory import Memory
from grader.devices.evidence import Json
from grader.judge.timing.timed_sets import Refused, TimedSets
from grader.judge.verdict import Status

SEED = 1  # a benchmark has no secrets, and the same data each time
LEAST_SAMPLES = 3
SLOW_US = 1e6  # longer runs are timed once
TURN_US = 1200.0  # what a sample costs beside the run itself: flushing the L2, two events
FLUSHES = 24  # 0.9 ms of an H200's time, in which the host prepares the run: torch.compile's checks take it 0.4
GRAPH_RUNS = 20
GRAPH_SAMPLES = 10
GRAPH_US = 200.0  # the launch does not show in longer runs
READ_SHARE = 1 / 8  # a task that writes less than this share of its bytes is held against reading alone

INEXACT: Final = "inexact"  # a rung's status where its lesson expects that it is not right

Kind = Literal["rung", "yours", "baseline", "rival", "cpu"]
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Contender:
    """`call(**buffers, **scalars)` does the task: on the GPU, or on host memory if the kind is "cpu"."""

    name: str
    kind: Kind
    call: Callable[..., None]
    is_native: bool = True  # not a function of torch


@dataclass(frozen=True)
class Effort:
    """How long to measure one case: at most `samples` of each, about `seconds` in all."""

    samples: int
    seconds: float


@dataclass
class Result:
    """One contender at one case. Times are microseconds of one run; `noise` as in clock.Summary.

    `median_us`: alone, the L2 flushed before. `graph_us`: one of many in a CUDA graph, on the same buffers; no launch
    shows, and the L2 holds what fits. `extra_bytes`: the most memory held beside the buffers. A rung that is not right
    has no times; a baseline that is not has them, and says so. It may leave an output out: `message` names it.
    """

    name: str
    kind: Kind
    status: Status | Literal["inexact", "failed"] = "passed"
    message: str = ""
    median_us: float | None = None
    noise: float | None = None
    samples: int = 0
    graph_us: float | None = None
    extra_bytes: int | None = None


@dataclass
class CaseResults:
    """All contenders at one case; `message` says why nothing ran.

    `limit` is the ceiling that this task meets first, `state` the card's clocks and power at the end of the timing.
    """

    name: str
    sizes: Json
    is_timed_case: bool
    bytes: int
    flops: int | None
    specials: int | None
    ceilings: Json = field(default_factory=dict)
    limit: Json | None = None
    state: Json = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    message: str = ""

    def to_json(self) -> Json:
        return asdict(self)


class Broken(RuntimeError):
    """A contender after which the GPU answers no more; nothing else can be measured in this process."""


def hold(task: Task, case: Case, contenders: Sequence[Contender], ceilings: Sequence[Ceiling],
         card: Card, effort: Effort) -> CaseResults:  # fmt: skip
    """Runs one case. A contender that fails is noted, and the others go on. Raises Broken."""
    call = Call(task, case)
    results = CaseResults(
        name=case.name,
        sizes={**case.sizes, **({"variant": case.variant} if case.variant else {})},
        is_timed_case=case == task.timed_case,
        bytes=call.moved_bytes,
        flops=call.flops,
        specials=call.specials,
    )
    torch.compiler.reset()  # after eight recompilations torch gives up, and runs eagerly what is called compiled
    try:
        with DeviceSets(task.signature, call.shapes, 1) as device:
            _Contest(TimedSets(call, SEED, device), ceilings, card, effort).run(contenders, results)
    except Broken:
        raise
    except Exception as error:  # too little memory, or a lesson that is broken at this size
        results.message = f"not measured: {_first_line(error)}"
    torch.cuda.empty_cache()
    return results


class _Contest:
    """One case's buffers, and who runs on them."""

    def __init__(self, sets: TimedSets, ceilings: Sequence[Ceiling], card: Card, effort: Effort):
        self.sets, self.ceilings, self.card, self.effort = sets, ceilings, card, effort
        self.clock = JudgeClock(card.l2_bytes, FLUSHES)
        self.values = sets.arguments(0)
        self.host: dict[str, Any] = {}

    def run(self, contenders: Sequence[Contender], results: CaseResults) -> None:
        entered: list[tuple[Contender, Result]] = []
        for contender in contenders:
            result = Result(contender.name, contender.kind)
            results.results.append(result)
            with _noted(result):
                result.extra_bytes = self._try_out(contender, result)
                entered.append((contender, result))
        samples = self._time([contender for contender, _ in entered], results)
        for contender, result in entered:
            self._conclude(contender, result, samples[contender.name])
        results.ceilings = self._rates(samples)
        results.limit = limit_of(self.sets.call.task, results)

    def _time(self, contenders: Sequence[Contender], results: CaseResults) -> dict[str, list[float]]:
        """Samples of all contenders and ceilings. The CPU's come last: its threads get in the way of launches."""
        racers = {each.name: partial(self._once, each) for each in contenders if each.kind != "cpu"}
        racers |= {f"ceiling {each.name}": partial(self.clock.once, each.call) for each in self.ceilings}
        samples = take_turns(racers, self.effort)
        results.state = state_of(self.card)
        on_cpu = {each.name: partial(self._once, each) for each in contenders if each.kind == "cpu"}
        return samples | take_turns(on_cpu, replace(self.effort, seconds=self.effort.seconds / 4))

    def _try_out(self, contender: Contender, result: Result) -> int | None:
        """The first two runs: whether it is right, and the memory it takes. Raises Refused if a kernel is wrong."""
        start = time.perf_counter()
        with Memory() as first:
            self._checked(contender, result)
        if contender.kind == "cpu":
            return None
        if 1e6 * (time.perf_counter() - start) > SLOW_US and contender.kind in ("rung", "yours"):
            return first.peak_bytes + first.kept_bytes
        with Memory() as second:  # what torch.compile needs at the first call is not counted
            self._call(contender)
        return second.peak_bytes + (first.kept_bytes if contender.is_native else 0)

    def _checked(self, contender: Contender, result: Result) -> None:
        """A run on poisoned outputs, and the verdict on it. Raises Refused for native code, notes it for the others."""
        self.sets.poison([0])
        self._call(contender)
        try:
            self._bring_back(contender)
            left_out = self._left_out(contender)
            self.sets.check([0], but=left_out)
            self.sets.check_inputs()
            result.message = f"without {' and '.join(left_out)}" if left_out else ""
        except Refused as refused:
            result.status, result.message = refused.status, str(refused)
            why = self.sets.call.task.inexact.get(result.name) if result.kind == "rung" else None
            if why and refused.status == "wrong_result":
                result.status, result.message = INEXACT, f"{why}: {refused}"
            if contender.kind in ("rung", "yours"):
                raise

    def _call(self, contender: Contender) -> None:
        contender.call(**self._values(contender))
        torch.cuda.synchronize()

    def _values(self, contender: Contender) -> Values:
        if contender.kind != "cpu":
            return self.values
        if not self.host:
            self.host = {n: v.cpu() if isinstance(v, torch.Tensor) else v for n, v in self.values.items()}
        return self.host

    def _left_out(self, contender: Contender) -> list[str]:
        """The outputs that a function of torch has no word for; a kernel must give them all."""
        if contender.is_native:
            return []
        buffers, outputs = self.sets.device.sets[0], self.sets.call.task.results
        ends = {output.name: (0, buffers.read(output.name).numel() - 1) for output in outputs}
        left = [name for name, places in ends.items() if all(buffers.is_unwritten(name, at) for at in places)]
        return left if len(left) < len(ends) else []

    def _bring_back(self, contender: Contender) -> None:
        """Puts the outputs of a CPU's work where the check looks for them."""
        for output in self.sets.call.task.signature.outputs if contender.kind == "cpu" else ():
            self.values[output.name].copy_(self.host[output.name])

    def _once(self, contender: Contender) -> float:
        """Microseconds of one run, by CUDA events; of CPU code by the wall clock, the second of two runs."""
        call = partial(contender.call, **self._values(contender))
        if contender.kind != "cpu":
            return self.clock.once(call)
        call()
        start = time.perf_counter()
        call()
        return 1e6 * (time.perf_counter() - start)

    def _conclude(self, contender: Contender, result: Result, samples: Sequence[float]) -> None:
        """Checks a kernel once more, after all the timing, and only then says how long it took."""
        with _noted(result):
            if not samples:
                raise RuntimeError("it failed while it was timed")
            if contender.kind in ("rung", "yours") and samples[0] < SLOW_US:
                self._checked(contender, result)
            summary = summarize(samples)
            result.median_us, result.noise, result.samples = summary.median_us, summary.noise, summary.samples
            if contender.kind != "cpu" and summary.median_us < GRAPH_US:
                result.graph_us = self._graph_us(contender)

    def _graph_us(self, contender: Contender) -> float | None:
        """Of one run in a row of many, or None if the contender cannot be captured."""
        replay = captured([partial(contender.call, **self.values)] * GRAPH_RUNS)
        if replay is None:
            return None
        replay()
        return summarize([self.clock.once(replay) for _ in range(GRAPH_SAMPLES)]).median_us / GRAPH_RUNS

    def _rates(self, samples: Mapping[str, Sequence[float]]) -> Json:
        """What the ceilings came to."""
        taken = {each: samples[f"ceiling {each.name}"] for each in self.ceilings}
        summaries = {each: summarize(times) for each, times in taken.items() if times}
        return {
            each.name: {"rate": each.rate(summary.median_us), "unit": each.unit, "noise": summary.noise}
            for each, summary in summaries.items()
        }


def limit_of(task: Task, case: CaseResults) -> Json | None:
    """The ceiling under which this case's work takes longest: {"name", "unit", "work", "rate", "us"}.

    Memory is held against a copy, or against reading where hardly anything is written. The work is what must be done:
    each buffer's bytes once, and the operations that the task counts (Williams, Waterman, Patterson, "Roofline", 2009).
    """
    written = sum(
        math.prod(evaluate_shape(task.shapes[output.name], case.sizes)) * output.type.bytes for output in task.results
    )
    work = {
        "read" if written < READ_SHARE * case.bytes else "copy": case.bytes,
        "bf16" if task.signature.is_narrow else "fp32": case.flops,
        "special": case.specials,
    }
    limits = []
    for name, amount in work.items():
        if amount and name in case.ceilings:
            unit, rate = case.ceilings[name]["unit"], case.ceilings[name]["rate"]
            limits.append({"name": name, "unit": unit, "work": amount, "rate": rate, "us": 1e6 * amount / rate})
    return max(limits, key=lambda limit: limit["us"], default=None)


def take_turns(racers: Mapping[str, Callable[[], float]], effort: Effort) -> dict[str, list[float]]:
    """Microseconds of every racer, in rounds of random order; the slow ones sit out most rounds.

    A racer's first run is not counted, unless it is slow enough to be the only one. One that fails has no samples.
    """
    samples: dict[str, list[float]] = {name: [] for name in racers}
    wanted: dict[str, int] = {}
    share_us = 1e6 * effort.seconds / max(len(racers), 1)
    for name, once in racers.items():
        first = _or_none(once)
        if first is not None and first > SLOW_US:
            samples[name].append(first)
        elif first is not None:
            wanted[name] = min(effort.samples, max(LEAST_SAMPLES, int(share_us / (first + TURN_US))))
    order = random.Random(SEED)
    for turn in range(effort.samples):
        due = [name for name, count in wanted.items() if _is_due(turn, count, effort.samples)]
        for name in order.sample(due, len(due)):
            took = _or_none(racers[name])
            if took is None:
                del wanted[name]
                samples[name] = []
            else:
                samples[name].append(took)
    return samples


def _is_due(turn: int, count: int, turns: int) -> bool:
    """Spreads `count` runs evenly over the turns."""
    return (turn + 1) * count // turns > turn * count // turns


def _or_none(once: Callable[[], float]) -> float | None:
    try:
        return once()
    except Exception:
        _must_answer()
        return None


@contextmanager
def _noted(result: Result) -> Iterator[None]:
    """Turns what goes wrong inside into the contender's status. Raises Broken if the GPU went with it."""
    try:
        yield
    except Refused:
        pass  # _checked has noted it
    except Exception as error:
        result.status, result.message = "failed", _first_line(error)
        _must_answer(result.name)


def _must_answer(name: str = "a contender") -> None:
    try:
        torch.cuda.synchronize()
    except RuntimeError as error:
        said = f"after {name} this process can use the GPU no more ({_first_line(error)})"
        raise Broken(f"{said}: find out why with `ladder check`") from None


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]
