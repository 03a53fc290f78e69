"""Sizes that are drawn for a grade: by the seed alone, and by the numbers that a file names."""

from __future__ import annotations

import pytest

from grader.course.drawing import MOST_ASKED, drawn_cases
from grader.course.lesson import Case, Task, either

SMALL, LARGE = range(2, 1500), range(2048, 16385, 1024)
FLAT = Task(
    prototype="void f(const float* x, float* z, int n, cudaStream_t stream)",
    shapes={"x": "n", "z": "n"},
    cases=[Case(n=n) for n in (1, 32, 33, 256, 257, 5000, 100_003)],
    drawn={"n": either(SMALL, LARGE)},
    make_inputs=lambda draw, variant, n: {"x": draw.normal(n)},
    reference=lambda x, n: {"z": x},
)
SQUARE = Task(
    prototype="void f(const float* x, float* z, int rows, int cols, int d, cudaStream_t stream)",
    shapes={"x": "rows, cols", "z": "rows, cols"},
    cases=[Case(rows=3, cols=5, d=32), Case(rows=70, cols=80, d=64)],
    drawn={"rows": range(2, 130), "cols": range(2, 130), "d": (32, 64)},
    make_inputs=lambda draw, variant, **sizes: {},
    reference=lambda **given: {},
)
SEEDS = range(12)


def drawn(task, seed, *numbers):
    return [case.sizes for case in drawn_cases(task, seed, numbers)]


@pytest.mark.parametrize(
    "is_wrong, numbers",
    [
        (lambda n: n % 64 == 0 and n > 300, (64, 300)),
        (lambda n: n % 4096 == 0, (4096, 256)),
        (lambda n: n % 1024 == 0 and n > 2048, (1024, 2048, 256)),
        (lambda n: n == 777, (777,)),
        (lambda n: n > 9000, (32, 9000)),
    ],
)
def test_each_seed_draws_a_size_that_the_numbers_of_a_file_tell_from_others(is_wrong, numbers):
    assert all(any(is_wrong(sizes["n"]) for sizes in drawn(FLAT, seed, *numbers)) for seed in SEEDS)


def test_sizes_that_are_multiples_of_a_number_together_are_drawn():
    assert all(any(not s["rows"] % 48 and not s["cols"] % 48 for s in drawn(SQUARE, seed, 48)) for seed in SEEDS)


def test_of_a_size_with_few_values_there_are_no_others():
    asked = [sizes for seed in SEEDS for sizes in drawn(SQUARE, seed, 48, 100, 7)]
    assert {sizes["d"] for sizes in asked} <= {32, 64}
    assert all(2 <= sizes[name] < 130 for sizes in asked for name in ("rows", "cols"))


def test_a_file_without_numbers_of_its_own_gets_the_case_of_the_seed_alone():
    for seed in SEEDS:
        alone = drawn(FLAT, seed)
        assert drawn(FLAT, seed, 0, 1) == alone and len(alone) == 1
        assert drawn(FLAT, seed, 64, 300)[0] == alone[0]
        assert len(drawn(FLAT, seed, *range(2, 60))) <= 1 + MOST_ASKED
