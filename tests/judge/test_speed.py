"""Timing a kernel, with a worker that does in Python what a kernel would do and a clock that is turned by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
import torch

from grader.course.lesson import Case, Task
from grader.devices.cuda import buffers, ceilings, clock
from grader.devices.cuda.card import Card
from grader.judge import speed
from grader.judge.speed import SpeedTest, number_of_sets

N = 20_000
CARD = Card("a card", "90a", 132, l2_bytes=1 << 16, uuid="")
SLOW_US = 100.0  # a copy of the same bytes, in the same time as an honest kernel


class FakeMemory:
    """Bytes on the host in the place of those on a GPU."""

    def __init__(self, size):
        self.tensor = torch.zeros(size, dtype=torch.uint8)
        self.descriptor = -1

    def close(self):
        pass


class World:
    """The wall clock, and a worker whose kernel is `add(x, y, z, set)`; it says how long that took."""

    def __init__(self):
        self.now = 0.0
        self.kernel = honest
        self.claimed = lambda us: us  # what the worker's events say
        self.runs = 0

    def draw(self, draw, variant, n):
        self.now += 2e-3
        return {"x": draw.normal(n), "y": draw.normal(n)}

    def contender(self, call):
        call()
        self.now += SLOW_US * 1e-6
        return SLOW_US

    def run(self, test, number):
        self.runs += 1
        us = self.kernel(*(test._sets.sets[number].read(name) for name in "xyz"), number)
        self.now += us * 1e-6
        return us

    def answer(self, test, order):
        self.now += 50e-6
        if order["do"] == "open":
            return {"event": "answer"}
        numbers = [order["set"]] if order["do"] == "once" else order["sets"]
        us = sum(self.run(test, number) for number in numbers)
        return {"event": "answer", "us": self.claimed(us)}

    def time(self, task):
        test = SpeedTest(replace(task, make_inputs=self.draw), CARD, seed=1)
        test.prepare()
        dialogue = test.dialogue(lambda: True)
        answer = None
        try:
            while True:
                answer = self.answer(test, dialogue.send(answer))
        except StopIteration:
            return test.speed


def honest(x, y, z, number):
    torch.add(x, y, out=z)
    return SLOW_US


def task(baselines=("torch.add",)):
    return Task(
        prototype="void add(const float* x, const float* y, float* z, int n, cudaStream_t stream)",
        shapes=dict.fromkeys("xyz", "n"),
        cases=[Case(n=5)],
        timed_case=Case(n=N),
        make_inputs=lambda draw, variant, n: {"x": draw.normal(n), "y": draw.normal(n)},
        reference=lambda x, y, n: {"z": x + y},
        baselines={name: lambda x, y, z, n: torch.add(x, y, out=z) for name in baselines},
    )


@pytest.fixture
def world(monkeypatch):
    world = World()
    monkeypatch.setattr(buffers, "DeviceMemory", FakeMemory)
    for module in (buffers, speed):
        monkeypatch.setattr(module, "DEVICE", "cpu")
    monkeypatch.setattr(torch.cuda, "init", lambda: None)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (1 << 30, 1 << 30))
    monkeypatch.setattr(clock, "JudgeClock", lambda l2_bytes: SimpleNamespace(once=world.contender))
    rates = [ceilings.Ceiling(name, "B/s", 12.0 * N, partial(int)) for name in ("copy", "read")]
    monkeypatch.setattr(ceilings, "bandwidths", lambda free: rates)
    monkeypatch.setattr(speed, "state_of", lambda card: {"temperature_c": 40.0})
    monkeypatch.setattr(speed, "time", SimpleNamespace(perf_counter=lambda: world.now))
    monkeypatch.setattr(clock, "LEAST_GPU_SECONDS", 0.01)
    return world


def test_an_honest_kernel_gets_its_ratios(world):
    found = world.time(task())
    assert found.status == "passed" and not found.message
    assert found.values == pytest.approx({"fraction_of_copy": 1.0, "fraction_of_read": 1.0, "x_torch.add": 1.0})
    assert found.timings["median_us"] == SLOW_US and found.timings["samples"] >= clock.LEAST_SAMPLES
    assert found.timings["judge_clock_us"] == pytest.approx(SLOW_US)
    assert found.timings["state"] == {"temperature_c": 40.0}


def test_what_failed_before_is_not_timed(world):
    test = SpeedTest(task(), CARD, seed=1)
    test.prepare()
    assert list(test.dialogue(lambda: False)) == []
    assert test.speed.values == {} and world.runs == 0


def test_a_remembered_answer_is_a_wrong_one(world):
    remembered = {}

    def kernel(x, y, z, number):
        z.copy_(remembered.setdefault(number, x + y))
        return SLOW_US

    world.kernel = kernel
    found = world.time(task())
    assert found.status == "wrong_result" and "in a timed run of n=20000" in found.message


def test_an_answer_left_from_the_run_before_is_not_there_any_more(world):
    done = set()

    def kernel(x, y, z, number):
        if number not in done:
            torch.add(x, y, out=z)
        done.add(number)
        return SLOW_US

    world.kernel = kernel
    found = world.time(task())
    assert found.status == "not_written" and "20,000 of 20,000 elements" in found.message


def test_known_inputs_must_not_be_faster_than_new_ones(world):
    seen = set()

    def kernel(x, y, z, number):
        torch.add(x, y, out=z)
        key = float(x[0])
        known, _ = key in seen, seen.add(key)
        return 0.9 * SLOW_US if known else SLOW_US

    world.kernel = kernel
    found = world.time(task())
    assert found.status == "impossible_speed" and "on new inputs" in found.message


@pytest.mark.parametrize("claimed", [0.9, 0.8])
def test_events_that_were_tampered_with_disagree_with_the_judges_clock(world, claimed):
    world.claimed = lambda us: claimed * us
    found = world.time(task())
    assert found.status == "impossible_speed" and "Two clocks disagree" in found.message


def test_a_time_below_the_physical_floor_is_no_time(world):
    def kernel(x, y, z, number):
        honest(x, y, z, number)
        return 0.7 * SLOW_US

    world.kernel = kernel
    found = world.time(task())
    assert found.status == "impossible_speed" and "too good to be true" in found.message


@pytest.mark.parametrize("us", [float("nan"), -1.0, 0.0, "12", None])
def test_a_claim_that_is_no_time_is_refused(world, us):
    world.claimed = lambda _: us
    assert world.time(task()).status == "impossible_speed"


def test_inputs_may_not_be_written(world):
    def kernel(x, y, z, number):
        honest(x, y, z, number)
        x[7] += 1
        return SLOW_US

    world.kernel = kernel
    assert world.time(task()).status == "input_modified"


def test_guard_bands_are_looked_at_after_each_run(world, monkeypatch):
    sets = []
    monkeypatch.setattr(speed, "DeviceSets", lambda *a: sets.append(buffers.DeviceSets(*a)) or _Context(sets[0]))

    def kernel(x, y, z, number):
        honest(x, y, z, number)
        memory = sets[0].memories[number].tensor
        memory[sets[0].slots[2].right_guard[0] + 5] = 0
        return SLOW_US

    world.kernel = kernel
    found = world.time(task())
    assert found.status == "out_of_bounds" and "beyond the end of z" in found.message and "5 bytes" in found.message


class _Context:
    def __init__(self, sets):
        self.sets = sets

    def __enter__(self):
        return self.sets

    def __exit__(self, *_):
        pass


@pytest.mark.parametrize("failed", [{"kind": "out_of_bounds", "message": "an address"}, {"no": "finding"}, 3])
def test_a_run_that_fails_ends_the_timing(world, failed):
    world.claimed = lambda us: us
    answer = world.answer
    world.answer = lambda test, order: {"failed": failed} if order["do"] == "once" else answer(test, order)
    assert world.time(task()).status in ("out_of_bounds", "crash")


def test_without_shared_gpu_memory_nothing_is_timed_and_it_is_said(world):
    world.answer = lambda test, order: {"failed": {"kind": "launch_error", "message": ""}}
    found = world.time(task())
    assert (found.status, found.values) == ("passed", {}) and "not timed" in found.message


def test_without_enough_memory_nothing_is_timed_and_it_is_said(world, monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (1 << 20, 1 << 20))
    found = world.time(task())
    assert found.values == {} and "GB of free GPU memory" in found.message


def test_times_that_jump_about_give_no_result(world):
    def kernel(x, y, z, number):
        honest(x, y, z, number)
        return SLOW_US * (2.0 if world.runs % 3 == 0 else 1.0 + world.runs / 50)

    world.kernel = kernel
    world_time = world.time(task())
    assert world_time.values == {} and world_time.status in ("passed", "impossible_speed")


def test_sets_are_enough_to_leave_the_cache():
    l2 = 50 << 20
    assert number_of_sets(3 << 30, 140 << 30, l2) == speed.MOST_SETS
    assert number_of_sets(3 << 30, 15 << 30, l2) == 0  # a T4 has no room for the reference in double precision
    small = number_of_sets(4 << 20, 140 << 30, l2)
    assert small * (4 << 20) > 2 * l2
    assert number_of_sets(1 << 10, 140 << 30, l2) == speed.MOST_SMALL_SETS
