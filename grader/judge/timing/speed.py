"""The judge's part in timing a kernel: it owns the buffers, gives the orders, checks every run, and believes no clock.

    for each round:  new content, now and then - poison - worker: kernel - check - judge: baselines, ceilings

A round is one run on one set of buffers. Of a kernel so short that the way to it would be measured, a round is a CUDA
graph of one run on each set; the baselines then run as graphs, too.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

import torch

from grader.course.call import Call
from grader.course.lesson import FRACTION_OF, SPEED_AGAINST, Task, Timed
from grader.devices.cuda import ceilings, clock
from grader.devices.cuda.buffers import DeviceSets, lay_out
from grader.devices.cuda.card import Card, state_of
from grader.devices.cuda.orders import Do
from grader.devices.evidence import launches_from_json
from grader.devices.worker.job import Answer, Dialogue, Order
from grader.judge.timing import doubts
from grader.judge.timing.runs import Runs, microseconds
from grader.judge.timing.timed_sets import Refused, TimedSets
from grader.judge.verdict import Speed

LEAST_SETS = 2
MOST_SETS = 6
MOST_SMALL_SETS = 64  # of buffers that the L2 would hold
COPIED_SETS = 2  # where every set must go through the host
LONGEST_SECONDS = 4.0  # of measuring, by the wall clock
FRESH_SHARE = 0.3  # of that time goes into new content
GRAPH_US = 20.0  # shorter kernels are timed in graphs
SLOW_US = 200_000.0  # longer ones need no ten samples
LEAST_BATCHES = 5
BATCH_SECONDS = 0.6  # for the judge's own clock, and as much again if the two clocks disagree
BATCH_US = 5000.0  # a batch is long beside the time that it takes to order one
LOOKS = 2
WORKSPACE = 8  # bytes of workspace for each byte of a set while its expected outputs are computed in float64


@dataclass(frozen=True)
class Contender:
    """What is timed beside the kernel, in this process: `call` does `runs` of it."""

    call: Callable[[], object]
    runs: int = 1


class SpeedTest:
    """Times one task: `begin` prepares it, and `dialogue` is what a Job wants."""

    def __init__(self, task: Task, card: Card, seed: int):
        assert task.timed_case is not None
        self.task, self.call, self.card, self.seed = task, Call(task, task.timed_case), card, seed
        self.speed = Speed(case=self.call.name)
        self._stack = ExitStack()
        self._order = random.Random()  # a kernel must not know which set is next
        self._made: TimedSets | None = None
        self._is_graph, self._launched = False, "one by one"
        self._samples: dict[str, list[float]] = {"kernel": []}
        self._late: list[float] = []  # how much longer the first check after a batch took than the second
        self._fresh: list[float] = []
        self._seen: list[float] = []
        self._in_a_row_us = 0.0  # a run in a batch, by the judge's clock

    def begin(self, thread: Executor, has_turn: Callable[[], bool]) -> Future[bool]:
        """Has `prepare` run in this thread, while the worker builds, once the card is this grading's to use."""
        self._prepared = thread.submit(lambda: has_turn() and self.prepare())
        return self._prepared

    def is_prepared(self) -> bool:
        """Waits until it is; raises what went wrong."""
        return self._prepared.result()

    def close(self) -> None:
        """Frees the GPU's memory; not before the worker has ended."""
        self._stack.close()
        for holder in ("_made", "_runs", "_clock", "_ceilings", "_captured"):
            vars(self).pop(holder, None)
        torch.cuda.empty_cache()  # others may grade on this card next

    @property
    def _sets(self) -> TimedSets:
        """Those that `prepare` has made; the dialogue ends at once if it could not."""
        assert self._made is not None
        return self._made

    # ---- before ----

    def prepare(self) -> bool:
        """Allocates and fills all sets; True. Without enough memory there are none, and the message says so."""
        torch.cuda.init()
        size = lay_out(self.task.signature, self.call.shapes)[-1].end
        free = torch.cuda.mem_get_info()[0]
        count = number_of_sets(size, free, self.card.l2_bytes)
        if count < LEAST_SETS:
            need = (WORKSPACE + 3 * LEAST_SETS) * size / 0.9e9
            self.speed.message = f"{self.call.name} was not timed: it needs {need:.0f} GB of free GPU memory"
            return True
        device = self._stack.enter_context(DeviceSets(self.task.signature, self.call.shapes, count))
        self._made = TimedSets(self.call, self.seed, device)
        self._runs = Runs(self._sets)
        self._clock = clock.JudgeClock(self.card.l2_bytes)
        self._ceilings = ceilings.wanted(ceilings_of(self.task), free // 8)
        for _ in range(2):  # loads torch's kernels
            for name, contender in self._contenders([0]).items():
                self._samples[name] = []
                self._clock.once(contender.call)
        return True

    def _contenders(self, numbers: Sequence[int]) -> dict[str, Contender]:
        """What runs in this process in every round: the baselines, on the same sets as the kernel, and the ceilings."""
        found = {f"ceiling {ceiling.name}": Contender(ceiling.call) for ceiling in self._ceilings}
        for name, baseline in self.task.baselines.items():
            calls = [partial(baseline, **self._sets.arguments(number)) for number in numbers]
            graph = clock.captured(calls) if self._is_graph else None
            found[name] = Contender(graph, len(calls)) if graph else Contender(calls[0])
        return found

    # ---- the dialogue ----

    def dialogue(self, is_right: Callable[[], bool]) -> Dialogue:
        """Orders, for the worker. `is_right` says whether what ran before deserves to be timed at all."""
        if not is_right() or self._made is None:
            return
        try:
            yield from self._measure()
        except Refused as refused:
            self.speed.status, self.speed.message = refused.status, str(refused) + self._stream_hint(refused.status)
            self.speed.findings = [refused.finding] if refused.finding else []

    def _measure(self) -> Dialogue:
        if not (yield from self._open()):
            self.speed.message = "not timed: there is no way to bring the inputs into the submission's process"
            return
        first_us = yield from self._look()
        if first_us < SLOW_US:
            yield from self._warm_up()
        yield from self._rounds(least=clock.LEAST_SAMPLES if first_us < SLOW_US else 2)
        summaries = {name: clock.summarize(samples) for name, samples in self._samples.items()}
        self._record(summaries, summaries["kernel"].median_us)
        self._sets.check_inputs()
        us, moved, copy = summaries["kernel"].median_us, self._sets.bytes, self.speed.timings["ceilings"]["copy"]
        if moved > self.card.l2_bytes:
            doubts.refuse_wonder(us, moved, copy)  # first: what does not wait for its work may well be noisy
        if clock.is_too_noisy(self._samples["kernel"]):
            self._refuse_memory()
            said = f"its times differ by {summaries['kernel'].noise:.0%}, perhaps because another program uses this GPU"
            self.speed.message = f"The timing of {self.call.name} is too noisy to count ({said}): run it again."
            self.speed.values = self._missed_anyway()
            return
        if first_us < SLOW_US:  # who says that he is slow is believed
            us = yield from self._second_clock(us)
            self._record(summaries, us)
        self._refuse_memory()
        self.speed.values = self._values()

    def _open(self) -> Generator[Order, Answer, bool]:
        """Has the worker map the sets, or make copies of them; False if it can do neither."""
        device = self._sets.device
        answer = (yield device.share()) if device.can_be_shared else {"failed": "this process cannot"}
        self.speed.timings["shared_memory"] = "failed" not in answer
        if "failed" in answer:
            answer = yield device.copy(COPIED_SETS)
        return "failed" not in answer

    def _look(self) -> Generator[Order, Answer, float]:
        """The first run, which loads the kernel and is not counted: what it launches, and its microseconds."""
        answer, _ = yield from self._runs.timed({"do": Do.LOOK, "set": 0}, [0])
        self.speed.launches = launches_from_json(answer.get("launches"))
        return microseconds(answer)

    def _warm_up(self) -> Dialogue:
        """A run on each set, not counted either; then it is known whether the kernel is one for graphs."""
        numbers = range(len(self._sets))
        times = []
        for number in numbers:
            times.append((yield from self._run([number])))
        if statistics.median(times) >= GRAPH_US or self._sets.bytes > 2 * self.card.l2_bytes:
            return  # long enough, or too good to be true
        answer = yield {"do": Do.CAPTURE, "sets": list(numbers)}
        self._is_graph = "failed" not in answer
        self._launched = "as a graph" if self._is_graph else "one by one, as it cannot be captured in a graph"
        self._captured = self._contenders(numbers) if self._is_graph else {}

    def _rounds(self, least: int) -> Dialogue:
        """Samples of the kernel and of all contenders in turn, until there are enough."""
        start = time.perf_counter()
        renewing, gpu_us, kernel = 0.0, 0.0, self._samples["kernel"]
        waiting: list[int] = []
        while not clock.is_enough(kernel, gpu_us / 1e6) or len(self._fresh) < clock.LEAST_SAMPLES // 2:
            spent = time.perf_counter() - start
            if spent > LONGEST_SECONDS and len(kernel) >= least:
                break
            waiting = waiting or self._shuffled()
            numbers, waiting = (waiting, []) if self._is_graph else (waiting[:1], waiting[1:])
            is_fresh = renewing <= FRESH_SHARE * spent
            took = yield from self._run(numbers, is_fresh)
            if is_fresh:
                renewing += time.perf_counter() - start - spent
            kernel.append(took)
            (self._fresh if is_fresh else self._seen).append(took)
            gpu_us += took * len(numbers)
            for name, contender in (self._captured if self._is_graph else self._contenders(numbers)).items():
                us = self._clock.once(contender.call)
                self._samples[name].append(us / contender.runs)
                gpu_us += us
        self.speed.timings["state"] = state_of(self.card)

    def _run(self, numbers: Sequence[int], is_fresh: bool = False) -> Generator[Order, Answer, float]:
        """One checked run on a set, or one on each as a graph; the microseconds of a run by the worker's events.

        New content comes after the capture, so that nothing can be done in advance.
        """
        if self._is_graph:
            yield from self._runs.ordered({"do": Do.CAPTURE, "sets": list(numbers)})
        for number in numbers if is_fresh else ():
            self._sets.renew(number)
        order = {"do": Do.REPLAY, "times": 1} if self._is_graph else {"do": Do.ONCE, "set": numbers[0]}
        answer, _ = yield from self._runs.timed(order, numbers)
        return microseconds(answer) / len(numbers)

    def _second_clock(self, events_us: float) -> Generator[Order, Answer, float]:
        """What a run takes: by the events in the submission's process, unless the judge's own clock says more.

        It may say a little more: what the host does of a call while the GPU is busy with flushing takes no time by the
        events, and runs in a row take longer than one by itself, by the events, too. Raises Refused if neither
        explains it.
        """
        count = len(self._sets) if self._is_graph else min(len(self._sets), max(math.ceil(BATCH_US / events_us), 2))
        times = max(math.ceil(BATCH_US / (events_us * count)), 2) if self._is_graph else 1
        batches = clock.Batches(count * times, count * (times // 2) if self._is_graph else count // 2)
        for _ in range(LOOKS):
            yield from self._batches(batches, count)
            wall_us = clock.contradicted(events_us, batches)
            if wall_us is None:
                break
        slope, error = batches.slope
        self._in_a_row_us = slope
        self.speed.timings |= {"events_us": events_us, "judge_clock_us": slope, "judge_clock_error_us": error}
        late_us = statistics.median(self._late)
        self.speed.timings["late_us"] = late_us / batches.runs
        doubts.refuse_late_work(late_us, events_us, batches.runs)
        doubts.refuse_contradiction(max(events_us, batches.events_us), wall_us or 0.0, self._flush_us())
        return wall_us or events_us

    def _flush_us(self) -> float:
        """How long the GPU needs at most to flush the L2 before a run: as for so many bytes at half a copy's rate."""
        copy: float = self.speed.timings["ceilings"]["copy"]  # bytes a second
        return 1e6 * clock.FLUSHES * 2 * self.card.l2_bytes / (copy / 2)

    def _batches(self, batches: clock.Batches, count: int) -> Dialogue:
        """Times batches of many runs, of fewer and of none, in turn, on `count` sets.

        Each set is poisoned before a batch and comes in it once, so that every run must do all of its work. Only what
        a graph does is repeated, for it cannot know whether it will be.
        """
        start = time.perf_counter()
        turns = 0
        while turns < LEAST_BATCHES or time.perf_counter() - start < BATCH_SECONDS:
            numbers = self._shuffled()[:count]
            if self._is_graph:
                yield from self._runs.ordered({"do": Do.CAPTURE, "sets": numbers})
            full, late_us, told_us = yield from self._batch(numbers, batches.runs)
            half, *_ = yield from self._batch(numbers, batches.fewer)
            empty, *_ = yield from self._batch(numbers, 0)
            batches.told.append(told_us)
            batches.full.append(full)
            batches.half.append(half)
            batches.empty.append(empty)
            self._late.append(late_us)
            turns += 1

    def _batch(self, numbers: Sequence[int], runs: int) -> Generator[Order, Answer, tuple[float, float, float]]:
        """The judge's microseconds for so many runs; how much longer the first check takes than another one, when
        certainly nothing runs on the GPU any more; and the microseconds by the worker's events, 0 for no runs.
        """
        if self._is_graph:
            order, used = {"do": Do.REPLAY, "times": runs // len(numbers)}, numbers if runs else []
        else:
            order, used = {"do": Do.MANY, "sets": numbers[:runs]}, numbers[:runs]
        answer, wall_us = yield from self._runs.timed(order, used)
        start = time.perf_counter()
        self._sets.check(used)
        late_us = self._runs.checking_us - 1e6 * (time.perf_counter() - start)
        return wall_us, late_us, microseconds(answer) if runs else 0.0

    def _shuffled(self) -> list[int]:
        return self._order.sample(range(len(self._sets)), len(self._sets))

    # ---- the result ----

    def _record(self, summaries: Mapping[str, clock.Summary], us: float) -> None:
        """What was measured, as numbers for the report; `us` is what a run takes."""
        kernel = summaries["kernel"]
        rates = {each.name: each.rate(summaries[f"ceiling {each.name}"].median_us) for each in self._ceilings}
        ours = {each.name: self._work(each.unit) / (us * 1e-6) for each in self._ceilings}
        self.speed.timings |= {
            "case": self.call.name,
            "median_us": us,
            "noise": kernel.noise,
            "samples": kernel.samples,
            "new_inputs_us": statistics.median(self._fresh),
            "bytes": self._sets.bytes,
            "sets": len(self._sets),
            "launched": self._launched,
            "baselines_us": {name: summaries[name].median_us for name in self.task.baselines},
            "ratios": {name: summaries[name].median_us / us for name in self.task.baselines},
            "fractions": {name: ours[name] / rate for name, rate in rates.items() if ours[name]},
            "ceilings": rates,
            "units": {each.name: each.unit for each in self._ceilings},
        }

    def _values(self) -> dict[str, float]:
        """What was recorded, by the metrics that goals name."""
        fractions, ratios = self.speed.timings["fractions"], self.speed.timings["ratios"]
        values = {f"{FRACTION_OF}{name}": value for name, value in fractions.items()}
        return values | {f"{SPEED_AGAINST}{name}": value for name, value in ratios.items()}

    def _missed_anyway(self) -> dict[str, float]:
        """The metrics of which even the fastest run misses every rung's goal: no noise explains those."""
        gain = self.speed.timings["median_us"] / min(self._samples["kernel"])
        best = {metric: gain * value for metric, value in self._values().items()}
        timed = [goal for goal in self.task.goals if isinstance(goal, Timed) and goal.metric in best]
        within_reach = {goal.metric for goal in timed if best[goal.metric] >= goal.at_least}
        return {goal.metric: best[goal.metric] for goal in timed if goal.metric not in within_reach}

    def _work(self, unit: str) -> float:
        """What a run does, in a ceiling's unit: bytes of all buffers, or operations as the task counts them."""
        if unit == "B/s":
            return self._sets.bytes
        return (self.call.flops if unit == "flop/s" else self.call.specials) or 0.0

    def _refuse_memory(self) -> None:
        """What is faster on inputs that it has seen. Raises Refused."""
        if min(len(self._fresh), len(self._seen)) < clock.LEAST_SAMPLES // 2:
            return
        fresh, seen = clock.summarize(self._fresh), clock.summarize(self._seen)
        jitter_us = doubts.FRESH_JITTER_US / (len(self._sets) if self._is_graph else 1)
        doubts.refuse_memory(fresh, seen, self._in_a_row_us, jitter_us)

    def _stream_hint(self, status: str) -> str:
        """Why a run may look unfinished."""
        elsewhere = next((launch["kernel"] for launch in self.speed.launches if not launch["given_stream"]), None)
        if elsewhere is None or status not in ("impossible_speed", "not_written"):
            return ""
        return f" {elsewhere} is launched on another stream: write {elsewhere}<<<grid, block, shared, stream>>>(...)."


def ceilings_of(task: Task) -> list[str]:
    """The ceilings that its goals name, and the copy, whatever they name: nothing is faster than that."""
    goals = [*task.goals, *task.floor]
    named = [goal.metric.removeprefix(FRACTION_OF) for goal in goals if isinstance(goal, Timed)]
    return ["copy", *(name for name in ceilings.MAKERS if name in named and name != "copy")]


def number_of_sets(size: int, free: int, l2_bytes: int) -> int:
    """How many sets of `size` bytes to rotate: enough to exceed the L2 many times over, a few at least, if they fit.

    A graph has one run on each set, so it is the longer the shorter a run is.
    """
    wanted = max(MOST_SETS, min(16 * l2_bytes // size, MOST_SMALL_SETS))
    each = 3 * size  # the set itself, and two bounds for each output at most
    return min(wanted, max(int(0.9 * free) - WORKSPACE * size, 0) // each)
