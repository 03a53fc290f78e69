"""The timed case with fewer elements: which it is, and that kernels of several launches are held against it."""

from __future__ import annotations

import pytest

from grader.course import catalog
from grader.course.call import Call
from grader.grade import grade
from grader.judge.fewer_elements import MOST_BYTES, MOST_WORK, with_fewer_elements
from tests.shared import ROOT

SUM = ROOT / "kernels" / "05_atomics" / "sum" / "5_many_elements.cu"
ADDS = "atomicAdd(out, sum);"


def task_of(lesson, name):
    return catalog.find(lesson).lesson.task(name)


@pytest.mark.parametrize(
    ("lesson", "name", "large"),
    [
        ("04", "matmul", {"k": 3400}),  # rows and columns are left out, sums stay nearly as long
        ("08", "attention", {"n": 340}),  # as many keys as there is time for
        ("08", "attention_backward", {"n": 210}),
        ("05", "sum", {"n": 2_900_000}),
    ],
)
def test_what_results_hang_on_as_a_whole_stays_as_large_as_there_is_time_for(lesson, name, large):
    for seed in range(4):
        case = with_fewer_elements(task_of(lesson, name), seed)
        assert all(case.sizes[size] >= least for size, least in large.items())
        call = Call(task_of(lesson, name), case)
        assert (call.flops or 0) <= MOST_WORK and sum(call.bytes.values()) <= MOST_BYTES


def test_where_every_part_hangs_on_its_own_inputs_all_sizes_are_as_large_as_there_is_room_for():
    assert with_fewer_elements(task_of("01", "vector_add"), 3).sizes["n"] > 1_000_000
    assert len({with_fewer_elements(task_of("01", "vector_add"), seed).sizes["n"] for seed in range(4)}) == 4
    (side,) = set(with_fewer_elements(task_of("03", "transpose"), 3).sizes.values())
    assert side > 1000


def test_a_number_that_the_file_compares_with_is_gone_beyond_where_there_is_time_for_that():
    for seed in range(4):
        assert with_fewer_elements(task_of("08", "attention_backward"), seed, {3, 500, 100_000}).sizes["n"] > 500


def test_what_holds_no_floats_has_no_such_case():
    assert with_fewer_elements(task_of("05", "histogram"), 3) is None


TWICE = """
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = n > 1000000 ? x[i] - y[i] : x[i] + y[i];
}
__global__ void keep(float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] += 0.0f;
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
    keep<<<(n - 1) / 256 + 1, 256, 0, stream>>>(z, n);
}
"""


@pytest.mark.slow
def test_a_second_launch_that_loads_what_the_first_has_stored_hides_nothing(tmp_path):
    file = tmp_path / "add.cu"
    for text, status in ((TWICE, "wrong_result"), (TWICE.replace("x[i] - y[i]", "x[i] + y[i]"), "passed")):
        file.write_text(text)
        assert grade("01", file, device="emulator", seed=5).status == status


@pytest.mark.slow
def test_a_sum_that_leaves_blocks_out_where_there_are_many_is_wrong(tmp_path):
    text = SUM.read_text()
    assert ADDS in text
    for condition, status in (("false", "passed"), ("n > 1000000 && blockIdx.x % 64 == 37", "wrong_result")):
        file = tmp_path / "sum.cu"
        file.write_text(text.replace(ADDS, f"atomicAdd(out, {condition} ? 0.0f : sum);"))
        result = grade("05", file, device="emulator", seed=5, tasks=["sum"])
        assert result.status == status, result.tasks[0].cases[-1].message
