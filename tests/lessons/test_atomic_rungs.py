"""Lesson 05's rungs: right at every alignment, and the order of the rungs is what the counters say."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.catalog import find
from grader.course.inline import inlined
from grader.faces.authoring import SEED
from grader.grade import grade

ROOT = Path(__file__).parents[2]
LESSON = find("05", ROOT)

# An entry point that calls the rung's with x and the output moved away from the allocator's multiple of 256 bytes.
MOVED = """
extern "C" void {name}(const {type}* x, {out}* out, int n, cudaStream_t stream) {{
    {type}* moved;
    {out}* target;
    cudaMalloc(&moved, (n + {by}) * sizeof({type}));
    cudaMalloc(&target, ({count} + 1) * sizeof({out}));
    cudaMemcpyAsync(moved + {by}, x, n * sizeof({type}), cudaMemcpyDeviceToDevice, stream);
    {name}_rung(moved + {by}, target + 1, n, stream);
    cudaMemcpyAsync(out, target + 1, {count} * sizeof({out}), cudaMemcpyDeviceToDevice, stream);
    cudaFree(moved);
    cudaFree(target);
}}
"""
USING = "using namespace sums;\nusing namespace histograms;\n"


@pytest.mark.whole
@pytest.mark.parametrize("by", [1, 2, 3, 13])
def test_the_top_rung_is_right_at_any_alignment(by: int, tmp_path: Path):
    source = inlined(LESSON.reference)
    for task in LESSON.lesson.tasks:
        source = source.replace(f'extern "C" void {task.name}(', f"static void {task.name}_rung(")
    source += USING + MOVED.format(name="sum", type="float", out="float", count=1, by=by)
    source += MOVED.format(name="histogram", type="unsigned char", out="unsigned int", count=256, by=by)
    file = tmp_path / "moved.cu"
    file.write_text(source)
    result = grade(LESSON, file, device="emulator", seed=1)
    assert result.status == "passed", [task.message for task in result.tasks]


def metric(task, name: str) -> float:
    return next(target.value for target in task.targets if target.metric == name)


@pytest.mark.whole
def test_each_rung_has_fewer_atomics_or_barriers_than_the_one_below(graded_lessons):
    sums, histograms = (
        [grade(LESSON, rung, device="emulator", seed=SEED).tasks[0] for rung in LESSON.rungs_of(task)]
        for task in ("sum", "histogram")
    )
    atomics = [metric(task, "global_atomics_per_input") for task in sums]
    assert atomics == sorted(atomics, reverse=True) and len(set(atomics)) == len(atomics) - 1
    assert atomics[1] == atomics[2] and metric(sums[1], "barriers") > 5 * metric(sums[2], "barriers")
    assert metric(histograms[0], "global_atomics_per_input") > 30 * metric(histograms[1], "global_atomics_per_input")
    assert metric(histograms[1], "shared_atomic_max_multiplicity") > 8
    assert metric(histograms[-1], "shared_atomic_max_multiplicity") == 1
