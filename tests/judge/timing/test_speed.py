"""Timing a kernel, with a worker that does in Python what a kernel would do and a clock that is turned by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
import torch

from grader.course.lesson import Case, Rung, Task, Timed
from grader.devices.cuda import buffers, ceilings, clock
from grader.devices.cuda.card import Card
from grader.judge.timing import runs, speed, timed_sets
from grader.judge.timing.speed import SpeedTest, number_of_sets

N = 20_000
CARD = Card("a card", "90a", 132, l2_bytes=1 << 16, uuid="")
SLOW_US = 100.0  # a copy of the same bytes, in the same time as an honest kernel
LAUNCH = {
    "kernel": "add_all",
    "grid": [79, 1, 1],
    "block": [256, 1, 1],
    "given_stream": True,
    "registers": 12,
    "local_bytes": 0,
    "shared_bytes": 0,
    "occupancy": 1.0,
}


class FakeMemory:
    """Bytes on the host in the place of those on a GPU."""

    def __init__(self, size):
        self.tensor = torch.zeros(size, dtype=torch.uint8)
        self.descriptor = 0

    def close(self):
        pass


class World:
    """The wall clock, and a worker whose kernel is `add(x, y, z, set)`; it says how long that took."""

    def __init__(self):
        self.now = 0.0
        self.kernel = honest
        self.claimed = lambda us: us  # what the worker's events say
        self.card = CARD
        self.refused = ()  # orders that the worker cannot carry out
        self.orders = []
        self.captured = []
        self.own = []  # the worker's sets, where nothing is shared
        self.launches = [{**LAUNCH}]

    @property
    def runs(self):
        return sum(order in ("look", "once") for order in self.orders)

    def draw(self, draw, variant, n):
        self.now += 2e-3
        return {"x": draw.normal(n), "y": draw.normal(n)}

    def contender(self, call):
        result = call()
        us = result if isinstance(result, float) else SLOW_US
        self.now += us * 1e-6
        return us

    def graph(self, calls):
        """As clock.captured: its microseconds are those of all calls."""
        return lambda: [call() for call in calls] and SLOW_US * len(calls)

    def run(self, test, number):
        sets = self.own or test._sets.device.sets
        us = self.kernel(*(sets[number].read(name) for name in "xyz"), number)
        self.now += us * 1e-6
        return us

    def answer(self, test, order):
        self.now += 50e-6
        self.orders.append(order["do"])
        if order["do"] in self.refused:
            return {"failed": {"kind": "launch_error", "message": "cannot"}}
        device = test._sets.device
        match order["do"]:
            case "open":
                return {}
            case "copies":
                memories = [FakeMemory(order["bytes"]) for _ in range(order["sets"])]
                self.own = [buffers.DeviceSet(device.slots, memory) for memory in memories]
                return {}
            case "put":
                self.own[order["set"]].memory.tensor.copy_(device.staging.tensor)
                return {}
            case "get":
                device.staging.tensor.copy_(self.own[order["set"]].memory.tensor)
                return {}
            case "capture":
                self.captured = order["sets"]
                return {}
            case "replay":
                numbers = self.captured * order["times"]
            case "many":
                numbers = order["sets"]
            case _:
                numbers = [order["set"]]
        us = sum((self.run(test, number) for number in numbers), 0.0)
        return {"us": self.claimed(us), "launches": self.launches}

    def time(self, task):
        test = SpeedTest(replace(task, make_inputs=self.draw), self.card, seed=1)
        test.prepare()
        dialogue = test.dialogue(lambda: True)
        answer = None
        try:
            while True:
                answer = self.answer(test, dialogue.send(answer))
        except StopIteration:
            test.close()
            return test.speed


def honest(x, y, z, number):
    torch.add(x, y, out=z)
    return SLOW_US


def task(baselines=("torch.add",), goals=()):
    return Task(
        prototype="void add(const float* x, const float* y, float* z, int n, cudaStream_t stream)",
        shapes=dict.fromkeys("xyz", "n"),
        cases=[Case(n=5)],
        timed_case=Case(n=N),
        make_inputs=lambda draw, variant, n: {"x": draw.normal(n), "y": draw.normal(n)},
        reference=lambda x, y, n: {"z": x + y},
        baselines={name: lambda x, y, z, n: torch.add(x, y, out=z) for name in baselines},
        ladder=[Rung("fast", "fast", goals)],
    )


@pytest.fixture
def one_thread():
    """Small tensors in many threads take long where others use the processors, too."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def world(monkeypatch, one_thread):
    world = World()
    monkeypatch.setattr(buffers, "DeviceMemory", FakeMemory)
    for module in (buffers, timed_sets):
        monkeypatch.setattr(module, "DEVICE", "cpu")
    monkeypatch.setattr(torch.cuda, "init", lambda: None)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (1 << 30, 1 << 30))
    monkeypatch.setattr(clock, "JudgeClock", lambda l2_bytes: SimpleNamespace(once=world.contender))
    monkeypatch.setattr(clock, "captured", world.graph)
    units = {"copy": "B/s", "read": "B/s", "fp32": "flop/s", "special": "op/s"}
    rates = {name: partial(ceilings.Ceiling, name, unit, 12.0 * N, int) for name, unit in units.items()}
    monkeypatch.setattr(ceilings, "MAKERS", {name: lambda free, make=make: make() for name, make in rates.items()})
    monkeypatch.setattr(speed, "state_of", lambda card: {"temperature_c": 40.0})
    for module in (speed, runs):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: world.now))
    monkeypatch.setattr(clock, "LEAST_GPU_SECONDS", 0.01)
    monkeypatch.setattr(speed, "LONGEST_SECONDS", 0.5)
    monkeypatch.setattr(speed, "BATCH_SECONDS", 0.01)
    return world


def test_an_honest_kernel_gets_its_ratios(world):
    found = world.time(task())
    assert found.status == "passed" and not found.message
    assert found.values == pytest.approx({"fraction_of_copy": 1.0, "x_torch.add": 1.0})
    assert found.launches == [LAUNCH] and found.timings["launched"] == "one by one"
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


def warm(world, slower):
    """A kernel that takes `slower` times as long if another run, or what is heavy work, came just before."""
    before = [0.0]

    def kernel(x, y, z, number):
        honest(x, y, z, number)
        key, us = float(x[0]), 3000.0
        follows_work = world.now == before[0] or world.seen.get(number) != key
        world.seen[number] = key
        us *= slower if follows_work else 1
        before[0] = world.now + us * 1e-6
        return us

    world.seen = {}
    return kernel


@pytest.mark.parametrize("slower", [1.05, 1.1])
def test_a_gpu_that_slows_down_when_it_works_on_is_no_fault_of_the_kernels(world, slower):
    world.kernel = warm(world, slower)
    found = world.time(task())
    assert found.status == "passed", found.message
    assert found.timings["events_us"] == pytest.approx(3000, rel=0.001)
    assert found.timings["median_us"] == pytest.approx(slower * 3000, rel=0.001)  # a liar wins nothing


def test_who_lies_of_the_runs_in_a_row_alone_wins_nothing(world):
    world.kernel = short(3000.0)
    world.claimed = lambda us: 0.3 * us if us > 3500 else us
    found = world.time(task())
    assert found.status == "passed" and found.timings["median_us"] == pytest.approx(3000, rel=0.001)


@pytest.mark.parametrize("claimed", [0.9, 0.8])
def test_events_that_were_tampered_with_win_nothing(world, claimed):
    world.claimed = lambda us: claimed * us
    found = world.time(task())
    assert found.values == pytest.approx({"fraction_of_copy": 1.0, "x_torch.add": 1.0})
    assert found.timings["events_us"] == pytest.approx(claimed * SLOW_US)


def test_events_that_contradict_the_judges_clock_are_refused(world):
    world.kernel = short(3000.0)
    world.claimed = lambda us: 0.3 * us
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


@pytest.mark.parametrize(
    "failed",
    [
        {"kind": "out_of_bounds", "message": "an address"},
        {"kind": "race", "message": "of a block without three numbers", "block": [1]},
        {"no": "finding"},
        3,
    ],
)
def test_a_run_that_fails_ends_the_timing(world, failed):
    world.claimed = lambda us: us
    answer = world.answer
    world.answer = lambda test, order: {"failed": failed} if order["do"] == "once" else answer(test, order)
    assert world.time(task()).status in ("out_of_bounds", "crash")


def test_without_shared_gpu_memory_copies_go_through_the_host(world):
    world.refused = ("open",)
    found = world.time(task())
    assert found.status == "passed" and found.values["x_torch.add"] == pytest.approx(1.0)
    assert not found.timings["shared_memory"] and found.timings["sets"] == speed.COPIED_SETS
    assert world.orders.count("put") == world.orders.count("get") > 10


def test_copies_are_checked_like_shared_memory(world):
    world.refused = ("open",)

    def kernel(x, y, z, number):
        honest(x, y, z, number)
        y[5] = 0
        return SLOW_US

    world.kernel = kernel
    assert world.time(task()).status == "input_modified"


def test_without_any_way_to_the_worker_nothing_is_timed_and_it_is_said(world):
    world.refused = ("open", "copies")
    found = world.time(task())
    assert (found.status, found.values) == ("passed", {}) and "not timed" in found.message


def test_without_enough_memory_nothing_is_timed_and_it_is_said(world, monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (1 << 20, 1 << 20))
    found = world.time(task())
    assert found.values == {} and "GB of free GPU memory" in found.message


def jumps_about(world, us):
    """An honest kernel that takes so long at first, and ever longer."""

    def kernel(x, y, z, number):
        honest(x, y, z, number)
        return us * (1.0 + world.runs / 20)

    return kernel


def test_times_that_jump_about_give_no_result(world):
    world.kernel = jumps_about(world, SLOW_US)
    found = world.time(task(goals=[Timed("x_torch.add", at_least=0.1), Timed("x_torch.add", 1)]))
    assert (found.status, found.values) == ("passed", {}) and "too noisy to count" in found.message


def test_a_target_that_even_the_fastest_of_them_misses_is_missed(world):
    world.kernel = jumps_about(world, 10 * SLOW_US)
    found = world.time(task(goals=[Timed("x_torch.add", at_least=0.5), Timed("fraction_of_copy", 0.05)]))
    assert found.status == "passed" and "too noisy to count" in found.message
    assert found.values == {"x_torch.add": pytest.approx(1 / 14)}  # the first that counts is the eighth


def test_sets_are_enough_to_leave_the_cache():
    l2 = 50 << 20
    assert number_of_sets(3 << 30, 140 << 30, l2) == speed.MOST_SETS
    assert number_of_sets(3 << 30, 15 << 30, l2) == 0  # a T4 has no room for the reference in double precision
    small = number_of_sets(4 << 20, 140 << 30, l2)
    assert small * (4 << 20) > 2 * l2
    assert number_of_sets(1 << 10, 140 << 30, l2) == speed.MOST_SMALL_SETS


# ---- short and long kernels ----


def short(us):
    """An honest kernel of few microseconds."""

    def kernel(x, y, z, number):
        honest(x, y, z, number)
        return us

    return kernel


@pytest.fixture
def small(world, monkeypatch):
    """Kernels and baselines take 5 us, and a card moves the bytes in 4."""
    monkeypatch.setattr("test_speed.SLOW_US", 5.0)
    monkeypatch.setattr(ceilings, "MAKERS", {"copy": lambda free: ceilings.Ceiling("copy", "B/s", 15.0 * N, int)})
    world.card = replace(CARD, l2_bytes=1 << 17)
    world.kernel = short(5.0)
    return world


@pytest.mark.slow
def test_short_kernels_run_as_graphs_of_all_sets_and_so_do_the_baselines(small):
    found = small.time(task())
    assert found.status == "passed" and found.timings["launched"] == "as a graph"
    assert found.timings["median_us"] == pytest.approx(5.0) == found.timings["judge_clock_us"]
    assert found.values["x_torch.add"] == pytest.approx(1.0)
    assert small.orders.count("replay") > clock.LEAST_SAMPLES and "many" not in small.orders


def test_what_is_done_while_a_graph_is_captured_does_not_count(small):
    answer = small.answer

    def eager(test, order):
        if order["do"] == "replay":
            return {"us": 1.0}
        result = answer(test, order)
        for number in order["sets"] if order["do"] == "capture" else ():
            small.run(test, number)
        return result

    small.answer = eager
    assert small.time(task()).status == "not_written"


@pytest.mark.slow
def test_what_a_graph_does_after_its_last_event_counts_all_the_same(small):
    small.claimed = lambda us: us if us < 20 else 0.9 * us
    found = small.time(task())
    assert found.timings["events_us"] == pytest.approx(4.5) and found.timings["median_us"] == pytest.approx(5.0)


def test_a_short_kernel_that_cannot_be_captured_is_timed_as_it_is_and_it_is_said(small):
    small.refused = ("capture",)
    found = small.time(task())
    assert found.status == "passed" and "cannot be captured" in found.timings["launched"]
    assert "replay" not in small.orders


def test_a_very_slow_kernel_needs_few_runs(world):
    world.kernel = short(3e6)
    found = world.time(task())
    assert found.status == "passed" and found.values["x_torch.add"] < 1e-4
    assert len(world.orders) < 6


# ---- what is measured beside the kernel, and said of it ----


def test_the_ceilings_that_targets_name_are_measured(world):
    named = [Timed(f"fraction_of_{name}", at_least=0.5) for name in ("special", "fp32", "read")]
    found = world.time(replace(task(goals=named), flops="2 * n", specials="3 * n"))
    fractions = {"copy": 1.0, "read": 1.0, "fp32": 2 / 12, "special": 3 / 12}
    assert found.timings["fractions"] == pytest.approx(fractions)
    assert found.values["fraction_of_fp32"] == pytest.approx(2 / 12)


def test_a_task_that_counts_no_operations_has_no_fraction_of_them(world):
    found = world.time(task(goals=[Timed("fraction_of_fp32", at_least=0.5)]))
    assert "fraction_of_fp32" not in found.values and "fp32" in found.timings["ceilings"]


def test_a_launch_on_another_stream_is_named_when_the_clocks_disagree(world):
    world.launches = [{**LAUNCH, "given_stream": False}]
    world.kernel = short(3000.0)
    world.claimed = lambda us: 0.3 * us
    assert "add_all is launched on another stream" in world.time(task()).message


@pytest.mark.parametrize("launches", [None, "words", [3], [{"kernel": "add"}], [{**LAUNCH, "registers": "many"}]])
def test_launches_that_our_worker_cannot_have_told_are_left_out(world, launches):
    world.launches = launches
    found = world.time(task())
    assert found.status == "passed" and found.launches == []
