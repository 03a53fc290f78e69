"""What is said of a launch that leaves elements of an array as they were, and how its arrays are called."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from grader.devices.emulator.result_wording import RESULTS
from grader.devices.evidence import Finding
from grader.faces.ran import _is_excused, allocated_in


@pytest.mark.parametrize(
    ("threads", "elements", "rounded"),
    [
        ("2 2 32 32 2048 2", 6144, False),  # 64 x 96: a whole block is left
        ("2 2 32 32 904 2", 5000, False),  # 50 x 100
        ("3 3 32 32 784 2", 10_000, True),  # 100 x 100
        ("2 3 32 32 1056 2", 7200, True),  # 72 x 100
    ],
)
def test_a_grid_that_is_too_small_is_rounded_down_where_less_than_a_block_is_left(threads, elements, rounded):
    where = SimpleNamespace(elements=elements, name="c", index=0)
    said = RESULTS["untouched"]({"text": threads}, where)
    assert ("rounds down" in said) == rounded != ("are the numbers of blocks swapped" in said)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("CHECK(cudaMalloc(reinterpret_cast<void **>(&d_A), bytes));", "d_A"),
        ("cudaMalloc(static_cast<void**>(p), 4);", "p"),
        ("cudaMalloc((void **)&d_A, bytes);", "d_A"),
        ("cudaMallocManaged<float>(&x, n);", "x"),
        ("cudaMalloc(reinterpret_cast<void**>(&a), n), cudaMalloc(reinterpret_cast<void**>(&b), n);", ""),
    ],
)
def test_the_variable_that_memory_is_allocated_for(text, name):
    program = SimpleNamespace(line=lambda number: text)
    assert allocated_in(program, 1, text[text.index("cudaM") :].partition("(")[0].partition("<")[0]) == name


def test_a_library_has_as_many_threads_as_it_needs():
    for kernel, is_left_out in (
        ("cub::DeviceReduce::Sum", True),
        ("thrust::reduce", True),
        ("sum", False),
        (None, False),
    ):
        assert _is_excused(Finding("untouched", "", "note", kernel=kernel), "") == is_left_out
    assert not _is_excused(Finding("race", "", "note", kernel="thrust::reduce"), "")


def test_the_order_of_calls_in_one_line_tells_which():
    text = "cudaMalloc(reinterpret_cast<void**>(&a), n), cudaMalloc(reinterpret_cast<void**>(&b), n);"
    assert allocated_in(SimpleNamespace(line=lambda number: text), 1, "cudaMalloc", 1) == "b"
