"""Sizes that are drawn for a grade: by the seed alone, and by the numbers that a file names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grader.course.drawing import MOST_ASKED, MOST_PRODUCTS, drawn_cases
from grader.course.lesson import Case, Task, either
from grader.devices.build.conditions import conditions_of

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
        assert len(drawn(FLAT, seed, *range(2, 60))) <= 1 + MOST_ASKED + MOST_PRODUCTS


def test_a_file_with_a_large_number_gets_a_case_below_the_counted_one():
    for seed in SEEDS:
        assert any(16384 < sizes["n"] < 100_003 for sizes in drawn(FLAT, seed, 1 << 30))


@pytest.mark.parametrize(
    "asked, is_met",
    [
        ("n / 1000 % 10 == 7", lambda n: n // 1000 % 10 == 7),
        ("((n >> 8) & 15) == 11", lambda n: n >> 8 & 15 == 11),
        ("size % 7 == 3 && size % 11 == 5", lambda n: n % 7 == 3 and n % 11 == 5),
        ("(int)sqrtf((float)n) * (int)sqrtf((float)n) == n && n > 256", lambda n: int(n**0.5) ** 2 == n > 256),
        ("fabsf(n * 0.001f - 6.5f) < 0.2f", lambda n: abs(n * 0.001 - 6.5) < 0.2),
        ("__popc(n) == 9", lambda n: n.bit_count() == 9),
        ("n % STEP == STEP - 1", lambda n: n % 1021 == 1020),
    ],
)
def test_a_size_meets_what_a_file_asks_of_one(asked, is_met):
    conditions = conditions_of(f"constexpr int STEP = 1021; void f(int i, int n) {{ if (i < n && ({asked})) return; }}")
    for seed in SEEDS:
        assert any(is_met(each.sizes["n"]) for each in drawn_cases(FLAT, seed, (), conditions))


def test_of_several_sizes_one_meets_what_a_file_asks():
    conditions = conditions_of("if (cols / 10 % 10 == 9 && cols < 110) return;")
    assert all(any(90 <= c.sizes["cols"] < 100 for c in drawn_cases(SQUARE, s, (), conditions)) for s in SEEDS)


@pytest.mark.parametrize(
    ("text", "sizes", "where"),
    [
        ("if (cols <= 1024) a(); else b();", {1024, 1026}, "cols"),
        ("int blocks = rows < 512 ? rows : 512;", {511, 513}, "rows"),
        ("k<<<rows < 512 ? rows : 512, 32>>>(x);", {511, 513}, "rows"),
        ("int blocks = min(rows, 512);", {511, 513}, "rows"),
        ("int blocks = std::max(300, (rows));", {300, 302}, "rows"),
        ("int blocks = (rows + 3) / 4; if (blocks > 96) blocks = 96;", {384, 386}, "rows"),
        ("if (cols % 8 == 0) a();", set(), "cols"),
        ("if (cols < 100000) a();", set(), "cols"),  # more than any case has
        ("if (d == 64) a();", set(), "d"),
    ],
)
def test_a_condition_is_tried_where_it_ends(text, sizes, where):
    conditions = conditions_of(text)
    long = replace(SQUARE, cases=[*SQUARE.cases, Case(rows=2, cols=20_000, d=32)])
    for seed in SEEDS:
        beyond = [each.sizes for each in drawn_cases(long, seed, (), conditions) if each.sizes[where] >= 130]
        assert {each[where] for each in beyond} == sizes
        assert all(each["rows"] * each["cols"] < 1 << 17 for each in beyond)


def test_where_several_conditions_end_a_side_without_a_case_comes_first():
    conditions = conditions_of("if (cols < 500 || cols > 1000 && cols < 2000) a(); k<<<min(rows, 700), 32>>>(x);")
    long = replace(SQUARE, cases=[*SQUARE.cases, Case(rows=2, cols=20_000, d=32), Case(rows=2, cols=1500, d=32)])
    for seed in SEEDS:
        assert any(each.sizes["rows"] == 701 for each in drawn_cases(long, seed, (), conditions))


@pytest.mark.parametrize(
    "text", ["if (i < n) f();", "if (threadIdx.x) f();", "for (;;) if (f(n) == 3) g();", "x = n % 9;"]
)
def test_what_hangs_on_two_names_or_on_a_function_asks_for_no_size(text):
    assert not conditions_of(text)


def test_each_value_of_a_macro_asks_for_a_size():
    conditions = conditions_of("#if A\n#define BAD (n % 41 == 3)\n#else\n#define BAD 0\n#endif\nbool bad = BAD;")
    assert all(any(case.sizes["n"] % 41 == 3 for case in drawn_cases(FLAT, seed, (), conditions)) for seed in SEEDS)
    assert conditions_of("#define MOST n <= 70\nbool a = MOST;")


def test_numbers_are_read_as_cxx_reads_them():
    name, holds = conditions_of("if (n == 010 || n == 0x1F) f();")[0]
    assert name == "n" and [n for n in range(40) if holds(np.array([n]))[0]] == [8, 31]
    assert not conditions_of("if (n == 089 || n > 99999999999999999999) f();")


def wrapped(n):
    return n & 0xFFFFFFFF


def two_steps(n):
    h = wrapped((n ^ n >> 7) * 2654435761)
    return (h ^ h >> 13) >> 25


@pytest.mark.parametrize(
    "text, is_met",
    [
        ("unsigned h = n * 2654435761u; if (h >> 24 == 0x9f) return;", lambda n: wrapped(n * 2654435761) >> 24 == 0x9F),
        (
            "void f(int n, int m) { unsigned h = n, c = 9; h ^= h >> 7; h *= 2654435761u; h ^= h >> 13;"
            " if (h >> 25 == 77) n /= 2; }",
            lambda n: two_steps(n) == 77,
        ),
        (
            "static unsigned hash(unsigned v) { v ^= v >> 7; v *= 2654435761u; return v ^ v >> 13; }"
            "void f(int n) { if (hash(n) >> 25 == 77) n /= 2; }",
            lambda n: two_steps(n) == 77,
        ),
        ("switch (n % 61) { case 45: n /= 2; break; case 7: break; }", lambda n: n % 61 == 45),
        ("if (std::popcount((unsigned)n) == 11) return;", lambda n: n.bit_count() == 11),
    ],
)
def test_a_size_that_meets_what_is_asked_of_its_hash_is_drawn(text, is_met):
    conditions = conditions_of(text)
    sizes = range(1, 20_000)
    held = [holds(np.arange(1, 20_000)) for _, holds in conditions]
    assert any((of == [is_met(n) for n in sizes]).all() for of in held)
    for seed in SEEDS:
        assert any(is_met(case.sizes["n"]) for case in drawn_cases(FLAT, seed, (), conditions))


NESTED = "\n".join(f"#define A{at + 1} {' + '.join([f'A{at}'] * 10)}" for at in range(9))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [f"#define A0 n\n{NESTED}\nif (A9 == 7) f();", f"if ({'(' * 50_000}n < 3{')' * 50_000}) f();"]
)
def test_what_would_take_for_ever_is_left_out(text):
    assert len(conditions_of(text)) < 40


def test_a_product_of_two_numbers_is_a_size():
    asked = [each["n"] for seed in range(60) for each in drawn(FLAT, seed, 37, 256)]
    assert 37 * 256 in asked


@pytest.mark.parametrize("seed", SEEDS)
def test_beside_an_edge_the_other_size_has_one_in_a_last_block(seed):
    found = drawn_cases(SQUARE, seed, (), conditions_of("if (cols <= 100) f(); else g();"))
    beside = {case.sizes["rows"] for case in found if case.sizes["cols"] in (100, 102)}
    assert any(rows % 32 == 1 for rows in beside)
