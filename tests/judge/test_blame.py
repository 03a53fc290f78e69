"""Each counted target that a lesson's rung or mistake misses has a line that is to blame for it."""

from pathlib import Path

import pytest

from grader.course.catalog import find
from grader.course.work import read_kernel
from grader.devices.emulator.counted import ZERO
from grader.faces.authoring import SEED
from grader.grade import grade
from grader.judge.blame import blame, wastes_a_little
from grader.judge.targets import METRICS
from grader.judge.verdict import TargetResult
from grader.report.words import is_counted
from tests.shared import long_tail

ROOT = Path(__file__).parents[2]
KERNELS = [
    "lessons/01_vector_add/mistakes/one_thread.cu",
    "lessons/01_vector_add/mistakes/every_block_everything.cu",
    "kernels/02_warp_divergence/1_even_odd.cu",
    "kernels/04_tiled_matmul/4_register_tile.cu",
    "kernels/05_atomics/histogram/2_every_block.cu",
]
KERNEL = {"name": "k<int>", "blocks": 4, "threads": 1024, "line": 1}
SOURCE = ["__global__ void k() {}", "// k<<<1, 1>>>()", "void f() {", "    k<<<4, 256>>>();", "}"]


def missed(metric: str, goal: str = "<= 0", value: float = 1.0) -> TargetResult:
    return TargetResult(metric, value, goal, 2, False)


def counted(line: int, **counters: int) -> dict:
    return {"kernel": "k<int>", "line": line} | ZERO | counters


@pytest.mark.parametrize("kernel", long_tail(KERNELS, every=6))
def test_every_missed_target_of_a_kernel_of_the_course_has_a_line(kernel, graded_lessons):
    file = ROOT / kernel
    entry = find(Path(kernel).parts[1])
    lines = read_kernel(file, entry).split("\n")
    for task in grade(entry, file, device="emulator", seed=SEED, by_counts=True).tasks:
        asked = [target for target in task.targets if is_counted(target) and not target.met]
        found = blame(asked, task.lines, task.kernels, lines)
        assert asked and {each.metric for each in found} == {target.metric for target in asked}
        assert all(lines[each.line - 1].strip() and each.message for each in found)


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_has_a_line_even_where_nothing_is_counted(metric):
    (found,) = blame([missed(metric)], [counted(1)], [KERNEL], SOURCE)
    assert (found.line, found.message) == (4, "4 blocks of 256 threads are launched")


def test_the_line_that_adds_most_is_named():
    few = counted(1, shared_load_wavefronts=9, shared_load_ideal_wavefronts=8, global_atomic_requests=2)
    many = counted(2, shared_load_wavefronts=40, shared_load_ideal_wavefronts=10, global_atomic_requests=1)
    targets = [missed("shared_bank_conflicts"), missed("global_atomics_per_input"), missed("shared_bank_conflicts")]
    assert [(each.metric, each.line) for each in blame(targets, [few, many], [KERNEL], SOURCE)] == [
        ("shared_bank_conflicts", 2),
        ("global_atomics_per_input", 1),
    ]


@pytest.mark.parametrize(("value", "line"), [(9.0, 1), (18.0, 2)])
def test_requests_may_have_too_few_sectors_or_too_many(value, line):
    narrow = counted(1, global_load_requests=10, global_load_sectors=40, global_load_useful_bytes=1280)
    wide = counted(2, global_load_requests=10, global_load_sectors=320, global_load_useful_bytes=1280)
    (found,) = blame([missed("sectors_per_load", ">= 12 and <= 16", value)], [narrow, wide], [KERNEL], SOURCE)
    assert found.line == line and "sectors a request, for 128 bytes" in found.message


def test_waste_that_is_not_worth_a_word_is_waste():
    tight = counted(1, global_load_requests=10, global_load_sectors=40, global_load_useful_bytes=1280)
    loose = counted(1, global_load_requests=1, global_load_sectors=32, global_load_useful_bytes=128)
    assert wastes_a_little(loose) and not wastes_a_little(tight)
