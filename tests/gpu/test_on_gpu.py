"""Whole grades on a GPU: right and wrong kernels, and what they are told."""

from __future__ import annotations

import pytest

from grader.course import catalog
from grader.grade import grade

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
    found = grade(lesson, reference=True, device="cuda", seed=1)
    task = found.tasks[0]
    assert found.passed and found.stars >= 2
    assert task.timings["samples"] >= 10 and 0.5 < task.timings["fractions"]["copy"] < 1.2
    assert task.timings["judge_clock_us"] == pytest.approx(task.timings["median_us"], rel=0.03)


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
    found = check(tmp_path, ADD + PROTOTYPE + "{" + body + LAUNCH.replace("stream", "other") + "}")
    assert found.status == "impossible_speed"


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
