"""NVIDIA's tools on real kernels: compute-sanitizer names the line, Nsight Compute counts what the emulator counts."""

from __future__ import annotations

import pytest

from grader.course import catalog
from grader.course.catalog import UsageError
from grader.faces import nvidia_tools
from grader.grade import grade
from grader.report.explain import to_json


def tool(name: str):
    try:
        return nvidia_tools.ready(name)
    except UsageError as error:
        pytest.skip(str(error))


def sanitized(lesson: str, mistake: str | None):
    program, entry = tool("compute-sanitizer"), catalog.find(lesson)
    file = entry.folder / "mistakes" / f"{mistake}.cu" if mistake else None
    found = grade(entry, file, reference=mistake is None, device="cuda", seed=1)
    nvidia_tools.sanitize(program, entry, found)
    return found


@pytest.mark.parametrize("lesson", ["01", "02"])
def test_the_reference_is_clean(lesson):
    found = sanitized(lesson, None)
    assert found.status in ("passed", "below_target")
    assert not [f for task in found.tasks for case in task.cases for f in case.findings if "tool" in f.details]


@pytest.mark.parametrize(
    ("lesson", "mistake", "by", "kind"),
    [
        ("01", "no_guard", "memcheck", "out_of_bounds"),
        ("01", "reads_z", "initcheck", "uninitialized_read"),
        ("01", "never_freed", "memcheck", "leak"),
        ("02", "missing_barrier", "racecheck", "race"),
        ("02", "overlapping_float4", "memcheck", "misaligned"),
    ],
)
def test_a_mistake_is_found_and_its_line_named(lesson, mistake, by, kind):
    found = sanitized(lesson, mistake)
    findings = [f for task in found.tasks for case in task.cases for f in case.findings if f.details.get("tool") == by]
    assert kind in {finding.kind for finding in findings}
    assert kind == "leak" or next(finding for finding in findings if finding.kind == kind).line
    assert not found.passed and found.stars == 0


@pytest.mark.parametrize("lesson", ["01", "02"])
def test_nsight_compute_counts_what_the_emulator_counts(lesson):
    ncu, entry = tool("ncu"), catalog.find(lesson)
    emulated = grade(entry, reference=True, device="emulator", seed=1)
    (task,) = to_json(emulated, "", nvidia_tools.count_on_gpu(ncu, entry, emulated))["tasks"]
    counters = task["gpu"]["counters"]
    for name in ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors"):
        assert counters[name]["gpu"] == counters[name]["emulator"] > 0, name
    assert task["gpu"]["launches"][0]["registers"] > 0
