"""Whole grades on a GPU: right and wrong kernels, and what they are told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.course import catalog
from grader.course.lesson import Case
from grader.devices.cuda import buffers, clock
from grader.devices.cuda.orders import Do
from grader.devices.cuda.runtime import CudaError
from grader.grade import grade
from grader.judge.timing.runs import Runs

PROTOTYPE = 'extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream)'
ADD = """
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
"""
LAUNCH = "add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);"


def check(tmp_path, source, **options):
    file = tmp_path / "kernel.cu"
    file.write_text(source)
    return grade("01", file, device="cuda", **options)


def rungs():
    return [(entry.name, rung) for entry in catalog.entries() for rung in entry.rungs]


@pytest.mark.parametrize("rung", rungs(), ids=lambda each: f"{each[0]}/{each[1].stem}")
def test_every_rung_is_right(rung):
    found = grade(rung[0], rung[1], device="cuda", seed=1)
    assert found.status in ("passed", "below_target"), [task.message for task in found.tasks]
    assert all(case.status == "passed" for task in found.tasks for case in task.cases)
    assert found.device["kind"] == "cuda"


@pytest.mark.parametrize("lesson", ["01", "02"])
def test_the_reference_is_timed_and_earns_stars(lesson):
    found = grade(lesson, reference=True, device="cuda", seed=1, emulator=False)  # which would take the clock's time
    task = found.tasks[0]
    assert found.passed and found.stars >= 2
    assert task.timings["samples"] >= 10 and 0.5 < task.timings["fractions"]["copy"] < 1.2
    assert task.timings["judge_clock_us"] == pytest.approx(task.timings["median_us"], rel=0.1)


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("no_guard", "out_of_bounds"),
        ("no_tail", "not_written"),
        ("block_too_large", "launch_error"),
        ("host_loop", "crash"),
        ("writes_x", "input_modified"),
        ("half_precision", "wrong_result"),
        ("cxx_name", "missing_entry_point"),
    ],
)
def test_a_mistake_is_refused(name, status):
    entry = catalog.find("01")
    found = grade(entry, entry.folder / "mistakes" / f"{name}.cu", device="cuda")
    assert (found.status, found.stars) == (status, 0)


def test_host_code_that_does_the_work_is_no_kernel(tmp_path):
    body = "float *a = new float[2 * n], *b = a + n;"
    body += "cudaMemcpy(a, x, 4l * n, cudaMemcpyDefault); cudaMemcpy(b, y, 4l * n, cudaMemcpyDefault);"
    body += "for (int i = 0; i < n; ++i) a[i] += b[i]; cudaMemcpy(z, a, 4l * n, cudaMemcpyDefault); delete[] a;"
    found = check(tmp_path, PROTOTYPE + "{" + body + "}")
    assert found.status == "host_access" and "No kernel" in found.tasks[0].cases[-1].message


def test_one_thread_for_everything_ends_in_time_and_says_where():
    entry = catalog.find("01")
    found = grade(entry, entry.folder / "mistakes" / "one_thread.cu", device="cuda")
    last = found.tasks[0].cases[-1]
    assert (found.status, last.name, last.status) == ("timeout", "n=268435456", "timeout")
    assert "more than 10 s" in last.message


def test_one_block_for_everything_is_timed_in_few_runs(monkeypatch):
    entry, timed, orders = catalog.find("01"), Runs.timed, []

    def counted(self, order, numbers):
        orders.append(order["do"])
        return (yield from timed(self, order, numbers))

    monkeypatch.setattr(Runs, "timed", counted)
    found = grade(entry, entry.folder / "mistakes" / "one_block.cu", device="cuda")
    assert found.status == "below_target"
    assert Do.MANY not in orders and 2 < len(orders) < clock.LEAST_SAMPLES + 10, orders


def test_what_a_kernel_takes_is_told(tmp_path):
    tile = "__shared__ float tile[256]; tile[threadIdx.x] = threadIdx.x; __syncthreads(); float local[64];"
    tile += "for (int k = 0; k < 64; ++k) local[(k * n) % 64] = tile[k]; if (tile[n % 256] + local[n % 64] < 0) return;"
    found = check(tmp_path, ADD.replace("    if", tile + " if") + PROTOTYPE + "{" + LAUNCH + "}")
    (kernel,) = found.tasks[0].kernels
    assert (kernel["kernel"], kernel["block"], kernel["grid"]) == ("add", [256, 1, 1], [1 << 20, 1, 1])
    assert kernel["registers"] > 8 and kernel["shared_bytes"] == 1024 and kernel["local_bytes"] >= 256
    assert 0.2 < kernel["occupancy"] <= 1.0


def test_without_shared_gpu_memory_the_time_is_the_same(monkeypatch):
    shared = grade("01", reference=True, device="cuda", seed=1)

    def refuse(size):
        raise CudaError(801, "CUDA_ERROR_NOT_SUPPORTED", "as on WSL")

    monkeypatch.setattr(buffers, "SharedMemory", refuse)
    copied = grade("01", reference=True, device="cuda", seed=1)
    assert copied.passed and copied.stars == shared.stars
    times = [found.tasks[0].timings for found in (shared, copied)]
    assert [timing["shared_memory"] for timing in times] == [True, False]
    assert times[1]["median_us"] == pytest.approx(times[0]["median_us"], rel=0.02)


def test_a_fault_comes_with_the_emulators_line(tmp_path):
    found = check(tmp_path, ADD.replace("if (i < n)", "i += 1 << 30;") + PROTOTYPE + "{" + LAUNCH + "}")
    assert found.status == "out_of_bounds"
    findings = next(case for case in found.tasks[0].cases if case.status == "out_of_bounds").findings
    assert findings[0].details["cuda_error"] in (700, 717)
    assert findings[-1].details["emulated"] and findings[-1].line == 4


def test_a_misaligned_access_is_named(tmp_path):
    source = ADD.replace("z[i] = x[i] + y[i];", "*(float2*)((char*)z + 4) = *(const float2*)((const char*)x + 4);")
    assert check(tmp_path, source + PROTOTYPE + "{" + LAUNCH + "}").status == "misaligned"


def test_work_on_another_stream_that_is_not_awaited_is_not_faster(tmp_path):
    body = "static cudaStream_t other = [] { cudaStream_t s; cudaStreamCreate(&s); return s; }();"
    source = ADD + PROTOTYPE + "{" + body + LAUNCH.replace("stream", "other") + "}"
    assert check(tmp_path, source, emulator=False).status == "impossible_speed"
    assert check(tmp_path, source).status == "race"


def test_an_answer_that_is_remembered_is_refused(tmp_path):
    body = f"static int calls = 0; if (n < (1 << 20) || calls++ < 12) {{ {LAUNCH} }}"
    assert check(tmp_path, ADD + PROTOTYPE + "{" + body + "}").status in ("not_written", "impossible_speed")


def test_half_of_the_work_is_noticed_at_the_timed_size_too(tmp_path):
    body = "if (n > (1 << 20)) n -= 1000; " + LAUNCH
    found = check(tmp_path, ADD + PROTOTYPE + "{" + body + "}")
    assert found.status == "not_written" and "timed run" in found.tasks[0].cases[-1].message


def test_the_same_kernel_gets_the_same_time():
    timings = [grade("01", reference=True, device="cuda").tasks[0].timings for _ in range(3)]
    times = [timing["median_us"] for timing in timings]
    ratios = [timing["ratios"]["torch.add"] for timing in timings]
    assert max(times) < 1.01 * min(times) and max(ratios) < 1.01 * min(ratios)


# ---- kernels of a few microseconds ----


@pytest.fixture
def small():
    """Lesson 01, timed at a size where a launch takes as long as the addition."""
    entry = catalog.find("01")
    task = replace(entry.lesson.tasks[0], timed_case=Case(n=1 << 18), ladder=(), stars={}, floor=())
    vars(entry)["lesson"] = replace(entry.lesson, tasks=[task])  # a cached property
    return entry


def time_of(entry, tmp_path, body, kernel=ADD):
    file = tmp_path / "kernel.cu"
    file.write_text(f"{kernel}{PROTOTYPE} {{ {body} }}")
    found = grade(entry, file, device="cuda")
    print(found.status, found.tasks[0].message, found.tasks[0].timings)
    return found


def test_short_kernels_are_timed_in_a_graph(small, tmp_path):
    found = time_of(small, tmp_path, LAUNCH)
    timings = found.tasks[0].timings
    assert found.passed and timings["launched"] == "as a graph"
    assert timings["median_us"] < 10 and 0.5 < timings["ratios"]["torch.add"] < 2
    assert timings["judge_clock_us"] < 1.05 * timings["median_us"]


def test_a_short_kernel_that_cannot_be_captured_is_timed_as_it_is(small, tmp_path):
    found = time_of(small, tmp_path, LAUNCH + "cudaStreamSynchronize(stream);")
    assert found.passed and "cannot be captured" in found.tasks[0].timings["launched"]


def test_memory_of_its_own_costs_time_and_is_allowed(small, tmp_path):
    assert time_of(small, tmp_path, "float* p; cudaMalloc(&p, 4 * n);" + LAUNCH + "cudaFree(p);").passed


def test_work_outside_of_the_graph_is_missing_from_it(small, tmp_path):
    found = time_of(small, tmp_path, LAUNCH.replace("stream", "0"))
    assert found.status == "not_written" and "launched on another stream" in found.tasks[0].cases[-1].message
