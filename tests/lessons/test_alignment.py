"""The rungs of lessons 01 and 02 are right for pointers into the middle of an array, where float4 loads would fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.course.catalog import Entry, find
from grader.course.inline import inlined
from grader.grade import grade
from tests.shared import long_tail

ROOT = Path(__file__).parents[2]
LESSONS = [find(name, ROOT) for name in ("01", "02")]
RUNGS = [(entry, rung) for entry in LESSONS for rung in entry.rungs if "reinterpret_cast" in inlined(rung)]


def shifted(entry: Entry, rung: Path, shifts: tuple[int, ...]) -> str:
    """The rung behind an entry point that first moves each array `shifts` floats away from a multiple of 256 bytes."""
    (task,) = entry.lesson.tasks
    name = task.name
    floats = {buffer: "n" if "2" not in shape else "2 * n" for buffer, shape in task.shapes.items()}
    before, after, moved = "", "", {}
    for (buffer, count), shift in zip(floats.items(), shifts, strict=False):
        moved[buffer] = f"{buffer}_block + {shift}"
        before += f"    float* {buffer}_block;\n    cudaMalloc(&{buffer}_block, ({count} + {shift}) * sizeof(float));\n"
        if f"const float* {buffer}" in task.prototype:
            before += (
                f"    cudaMemcpyAsync({moved[buffer]}, {buffer}, {count} * 4, cudaMemcpyDeviceToDevice, stream);\n"
            )
        else:
            after += f"    cudaMemcpyAsync({buffer}, {moved[buffer]}, {count} * 4, cudaMemcpyDeviceToDevice, stream);\n"
        after += f"    cudaFree({buffer}_block);\n"
    arguments = ", ".join([*moved.values(), "n", "stream"])
    inner = re.sub(rf'extern "C" void {name}\b', f"static void {name}_rung", inlined(rung))
    return f'{inner}\nextern "C" {task.prototype} {{\n{before}    {name}_rung({arguments});\n{after}}}\n'


SHIFTS = [(1, 1, 1), *(pytest.param(each, marks=pytest.mark.slow) for each in ((0, 0, 1), (2, 2, 2), (3, 1, 0)))]


@pytest.mark.parametrize("shifts", SHIFTS)
@pytest.mark.parametrize(("entry", "rung"), long_tail(RUNGS, every=4), ids=[rung.stem for _, rung in RUNGS])
def test_any_alignment(entry: Entry, rung: Path, shifts: tuple[int, ...], tmp_path: Path):
    file = tmp_path / "shifted.cu"
    file.write_text(shifted(entry, rung, shifts))
    result = grade(entry, file, device="emulator", seed=1)
    assert result.status == "passed", [task.message for task in result.tasks]
