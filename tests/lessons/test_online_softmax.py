"""Lesson 06's rungs: right at every alignment and in every shape, and the order of the rungs is what is counted."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch

from grader.course.catalog import Entry, find
from grader.course.inline import inlined
from grader.course.lesson import Case, Lesson
from grader.grade import grade
from tests.shared import long_tail

ROOT = Path(__file__).parents[2]
ENTRY = find("06", ROOT)
[TASK] = ENTRY.lesson.tasks
LONG_ROW = TASK.goals[-1].case


@dataclass(frozen=True)
class Other(Entry):
    """The lesson with other cases."""

    changed: Lesson | None = None

    @property
    def lesson(self) -> Lesson:
        return self.changed


def with_cases(*cases: Case) -> Other:
    task = replace(TASK, cases=cases, counted_case=None, ladder=(), stars={})
    return Other(ENTRY.root, ENTRY.name, replace(ENTRY.lesson, tasks=[task]))


def case(rows: int, cols: int, scratch_len: int = 1024) -> Case:
    return Case(rows=rows, cols=cols, scratch_len=scratch_len)


# ---- right ----

# The rung behind an entry point that moves each array some floats away from the allocator's multiple of 256 bytes: by
# which of these, the number of rows says.
MOVED = """
extern "C" {prototype} {{
    const int moves[3][3] = {{{{1, 1, 1}}, {{0, 2, 3}}, {{4, 4, 1}}}}, *by = moves[rows % 3];
    std::int64_t count = std::int64_t{{rows}} * cols;
    float *block_x, *block_y, *block_scratch;
    cudaMalloc(&block_x, (count + by[0]) * sizeof(float));
    cudaMalloc(&block_y, (count + by[1]) * sizeof(float));
    cudaMalloc(&block_scratch, (scratch_len + by[2]) * sizeof(float));
    cudaMemcpyAsync(block_x + by[0], x, count * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    softmax_rung(block_x + by[0], block_y + by[1], rows, cols, block_scratch + by[2], scratch_len, stream);
    cudaMemcpyAsync(y, block_y + by[1], count * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    cudaFree(block_x);
    cudaFree(block_y);
    cudaFree(block_scratch);
}}
"""
WITH_VECTORS = ENTRY.rungs[5:]


@pytest.mark.slow
@pytest.mark.parametrize("rung", long_tail(WITH_VECTORS, every=100, slow=4), ids=lambda rung: rung.stem)
def test_any_alignment(rung: Path, tmp_path: Path):
    source = re.sub(r'extern "C" void softmax\b', "static void softmax_rung", inlined(rung))
    file = tmp_path / "moved.cu"
    file.write_text(source + MOVED.format(prototype=TASK.prototype))
    few = with_cases(*(case(rows, cols) for cols in (1, 32, 35, 36, 500, 4096, 20_004, 20_001) for rows in (1, 2, 3)))
    result = grade(few, file, device="emulator", seed=1)
    assert result.status == "passed", result.tasks[0].message


@pytest.mark.slow
@pytest.mark.parametrize("rung", long_tail(WITH_VECTORS, every=100, slow=4), ids=lambda rung: rung.stem)
def test_more_long_rows_than_blocks_and_scratch_for_few(rung: Path):
    shapes = with_cases(case(40, 16_388), case(5, 33_000, 8), case(3, 16_385, 6), case(1, 16_384, 8), case(300, 129))
    result = grade(shapes, rung, device="emulator", seed=1)
    assert result.status == "passed", result.tasks[0].message


@pytest.mark.parametrize("seed", long_tail(range(3), every=4))
def test_a_single_thread_may_add_up_a_whole_row(seed: int):
    """The slowest form of all has the longest sums: it must lie within the tolerance whatever the seed."""
    shapes = with_cases(LONG_ROW)
    assert grade(shapes, ENTRY.rungs[0], device="emulator", seed=seed).status == "passed"


def test_rows_without_numbers_are_what_torch_makes_of_them():
    x = torch.tensor([[1.0, torch.nan], [1.0, torch.inf], [-torch.inf, -torch.inf], [-torch.inf, 2.0]])
    expected = torch.tensor([[torch.nan] * 2] * 3 + [[0.0, 1.0]]).double()
    y = TASK.reference(x=x.double(), rows=4, cols=2, scratch_len=0)["y"]
    torch.testing.assert_close(y, expected, equal_nan=True, rtol=0, atol=0)


# ---- counted ----


def counted(rung: Path, at: Case) -> dict[str, float]:
    return grade(with_cases(at), rung, device="emulator", seed=1).tasks[0].counters


def loads(counters: dict[str, float]) -> float:
    return counters["global_load_bytes"] / counters["input_bytes"]


@pytest.mark.whole
def test_the_rungs_read_a_row_three_times_then_twice_then_once():
    found = [round(loads(counted(rung, TASK.cases[-1])), 2) for rung in ENTRY.rungs]
    assert found == [3, 3, 2] + 7 * [1]


@pytest.mark.slow
def test_a_long_row_gets_all_blocks_and_then_stays_on_the_chip():
    one, many, once = (counted(rung, LONG_ROW) for rung in ENTRY.rungs[-3:])
    assert [c["busy_blocks"] for c in (one, many, once)] == [1, 25, 25]
    assert [c["launches"] for c in (one, many, once)] == [1, 2, 1]
    assert round(loads(one), 3) == 2 and 2 < loads(many) < 2.05 and 1 < loads(once) < 1.05  # each block loads all pairs
