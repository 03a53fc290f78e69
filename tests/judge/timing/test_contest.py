"""Many kernels side by side, played on the CPU: contenders are Python functions, and a clock that is turned by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from grader.course.lesson import Case, Task
from grader.devices.cuda import buffers
from grader.devices.cuda.card import Card
from grader.devices.cuda.ceilings import Ceiling
from grader.judge.timing import contest, timed_sets
from grader.judge.timing.contest import Broken, Contender, Effort, hold, take_turns

N = 1000
CARD = Card("a card", "90a", 132, l2_bytes=1 << 16, uuid="")
EFFORT = Effort(samples=12, seconds=1.0)
COPY = Ceiling("copy", "B/s", 12.0 * N, lambda: 10.0)  # of as many bytes as the case has, in 10 us


class FakeMemory:
    """Bytes on the host in the place of those on a GPU."""

    def __init__(self, size):
        self.tensor, self.descriptor = torch.zeros(size, dtype=torch.uint8), 0

    def close(self):
        pass


class FakeClock:
    """Believes what a call says of itself: it returns its microseconds."""

    def __init__(self, l2_bytes, flushes):
        pass

    def once(self, call):
        return call() or 50.0


class Nothing:
    """In the place of contest.Memory."""

    peak_bytes = kept_bytes = 4096

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch):
    monkeypatch.setattr(buffers, "DeviceMemory", FakeMemory)
    for module in (buffers, timed_sets):
        monkeypatch.setattr(module, "DEVICE", "cpu")
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(contest, "JudgeClock", FakeClock)
    monkeypatch.setattr(contest, "Memory", Nothing)
    monkeypatch.setattr(contest, "state_of", lambda card: {"temperature_c": 40.0})
    monkeypatch.setattr(contest, "captured", lambda calls: lambda: sum(call() or 50.0 for call in calls) / 2)


def task(**changes):
    settings = {
        "prototype": "void add(const float* x, const float* y, float* z, int n, cudaStream_t stream)",
        "shapes": {"x": "n", "y": "n", "z": "n"},
        "cases": [Case(n=1)],
        "timed_case": Case(n=N),
        "make_inputs": lambda draw, variant, n: {"x": draw.normal(n), "y": draw.normal(n)},
        "reference": lambda x, y, n: {"z": x + y},
        "flops": "n",
    }
    return Task(**(settings | changes))


def right(us):
    def call(x, y, z, n):
        torch.add(x, y, out=z)
        return us

    return call


def forgets_the_tail(x, y, z, n):
    torch.add(x[:-3], y[:-3], out=z[:-3])
    return 1.0


def writes_beside(x, y, z, n):
    torch.as_strided(z, (n + 1,), (1,)).fill_(0)
    torch.add(x, y, out=z)
    return 1.0


def raises(**_):
    raise RuntimeError("no kernel image is available\nand more")


def race(*contenders, case=None, **changes):
    return hold(task(**changes), case or Case(n=N), contenders, [COPY], CARD, EFFORT)


@pytest.mark.slow
def test_everybody_is_timed_in_one_run():
    found = race(Contender("1_one", "rung", right(20.0)), Contender("torch.add", "baseline", right(25.0)))
    assert [(each.name, each.status, each.median_us) for each in found.results] == [
        ("1_one", "passed", 20.0),
        ("torch.add", "passed", 25.0),
    ]
    assert all(each.samples == EFFORT.samples and each.noise == 0 for each in found.results)
    assert found.results[0].graph_us == pytest.approx(10.0)
    assert found.state == {"temperature_c": 40.0}
    assert (found.bytes, found.flops, found.is_timed_case, found.sizes) == (12 * N, N, True, {"n": N})


@pytest.mark.slow
def test_what_limits_the_case_is_the_ceiling_it_meets_first():
    found = race(Contender("1_one", "rung", right(20.0)))
    assert found.ceilings == {"copy": {"rate": pytest.approx(12.0 * N / 10e-6), "unit": "B/s", "noise": 0.0}}
    assert found.limit == {
        "name": "copy", "unit": "B/s", "work": 12 * N, "rate": pytest.approx(1.2e9), "us": pytest.approx(10.0)
    }  # fmt: skip


@pytest.mark.slow
def test_a_function_of_torch_may_leave_an_output_out():
    def adds(x, y, z, total, n):
        return right(20.0)(x, y, z, n)

    named = [("1_one", "rung", True), ("torch.add", "baseline", False)]
    found = race(
        *(Contender(name, kind, adds, is_native=native) for name, kind, native in named),
        prototype="void add(const float* x, const float* y, float* z, float* total, int n, cudaStream_t stream)",
        shapes={"x": "n", "y": "n", "z": "n", "total": "n"},
        reference=lambda x, y, n: {"z": x + y, "total": x},
    )
    assert [(each.status, each.median_us) for each in found.results] == [("not_written", None), ("passed", 20.0)]
    assert found.results[1].message == "without total"


def test_scratch_memory_is_no_work():
    def adds(x, y, z, scratch, n):
        return right(20.0)(x, y, z, n)

    found = race(
        Contender("1_one", "rung", adds),
        prototype="void add(const float* x, const float* y, float* z, float* scratch, int n, cudaStream_t stream)",
        shapes={"x": "n", "y": "n", "z": "n", "scratch": "9 * n"},
        scratch=["scratch"],
    )
    assert [each.status for each in found.results] == ["passed"]
    assert (found.bytes, found.limit["work"]) == (12 * N, 12 * N)


def test_a_task_that_hardly_writes_is_held_against_reading():
    read, fp32 = Ceiling("read", "B/s", 1e3, lambda: 1.0), Ceiling("fp32", "flop/s", 1e5, lambda: 1.0)
    one_number = {"shapes": {"x": "n", "y": "n", "z": "1"}, "reference": lambda x, y, n: {"z": (x + y)[:1]}}

    def first(x, y, z, n):
        z.copy_((x + y)[:1])

    found = hold(task(**one_number), Case(n=N), [Contender("1", "rung", first)], [COPY, read, fp32], CARD, EFFORT)
    assert found.limit["name"] == "read"
    heavy = hold(task(flops="2000 * n"), Case(n=N), [], [COPY, read, fp32], CARD, EFFORT)
    assert heavy.limit["name"] == "fp32" and heavy.limit["us"] == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("kernel", "status"), [(forgets_the_tail, "not_written"), (writes_beside, "out_of_bounds"), (raises, "failed")]
)
def test_a_kernel_that_is_wrong_is_named_and_not_timed_and_stops_nobody(kernel, status):
    found = race(Contender("1_bad", "rung", kernel), Contender("2_good", "rung", right(20.0)))
    bad, good = found.results
    assert (bad.status, bad.median_us, bad.samples) == (status, None, 0)
    assert bad.message and "\n" not in bad.message
    assert (good.status, good.median_us) == ("passed", 20.0)


def test_a_rung_that_errs_as_its_lesson_expects_is_no_wrong_kernel():
    why = {"1_bad": "one thread cannot add millions of numbers"}

    def errs(x, y, z, n):
        torch.add(x + 1, y, out=z)

    first, second, third = race(
        Contender("1_bad", "rung", errs),
        Contender("1_bad", "yours", errs),
        Contender("2_bad", "rung", errs),
        inexact=why,
    ).results
    assert (first.status, first.median_us) == ("inexact", None) and first.message.startswith(why["1_bad"])
    assert second.status == third.status == "wrong_result"


def test_a_kernel_that_gets_wrong_while_it_is_timed_has_no_time():
    runs = []

    def at_first(x, y, z, n):
        runs.append(None)
        torch.add(x, y if len(runs) < 10 else x, out=z)
        return 5.0

    found = race(Contender("1_at_first", "rung", at_first))
    assert (found.results[0].status, found.results[0].median_us) == ("wrong_result", None)


def test_a_rival_outside_the_tolerance_is_timed_and_marked():
    def in_half(x, y, z, n):
        z.copy_((x + y).half())

    found = race(Contender("half", "rival", in_half, is_native=False))
    assert found.results[0].status == "wrong_result" and found.results[0].median_us == 50.0


def test_code_for_the_cpu_works_on_the_host_and_is_timed_by_the_wall_clock(monkeypatch):
    ticks = iter(range(10_000))
    monkeypatch.setattr(contest, "time", SimpleNamespace(perf_counter=lambda: 1e-4 * next(ticks)))
    addresses = []

    def loop(x, y, z, n):
        addresses.append(z.data_ptr())
        torch.add(x, y, out=z)

    found = race(Contender("openmp", "cpu", loop)).results[0]
    assert (found.status, found.median_us) == ("passed", pytest.approx(100.0))
    assert found.graph_us is None and found.extra_bytes is None


def test_the_memory_that_native_code_keeps_counts():
    found = race(Contender("1", "rung", right(1.0)), Contender("t", "baseline", right(1.0), is_native=False))
    assert [each.extra_bytes for each in found.results] == [8192, 4096]


def test_a_case_that_cannot_be_run_says_why():
    def too_much(draw, variant, n):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 EiB\nand so on")

    found = race(Contender("1", "rung", right(1.0)), make_inputs=too_much)
    assert "out of memory" in found.message and found.message.startswith("not measured") and not found.results


def test_a_gpu_that_answers_no_more_ends_it_all(monkeypatch):
    def answer():
        raise RuntimeError("an illegal memory access was encountered")

    def kernel(**_):
        monkeypatch.setattr(torch.cuda, "synchronize", answer)

    with pytest.raises(Broken, match=r"after 1_bad this process can use the GPU no more .an illegal memory"):
        race(Contender("1_bad", "rung", kernel))


def test_slow_racers_take_fewer_turns_spread_over_all_rounds():
    turns = []

    def racer(name, us):
        return lambda: turns.append(name) or us

    speeds = {"quick": 10.0, "slow": 150_000.0, "asleep": 2e6}
    found = take_turns({name: racer(name, us) for name, us in speeds.items()}, Effort(samples=12, seconds=3.0))
    assert {name: len(samples) for name, samples in found.items()} == {"quick": 12, "slow": 6, "asleep": 1}
    assert turns.index("slow", 3) < 6 and "slow" in turns[-3:]


def test_one_that_fails_in_a_later_round_has_no_samples():
    left = [1.0, 1.0]
    assert take_turns({"a": left.pop, "b": lambda: 1.0}, Effort(5, 1.0)) == {"a": [], "b": [1.0] * 5}
