"""Which whole numbers a file names."""

import pytest

from grader.devices.build.lexer import compared_numbers, whole_numbers


@pytest.mark.parametrize(
    "text, numbers",
    [
        ("if (n % 64 == 0 && n > 300) return;", {64, 0, 300}),
        ("#define SIDE 48\nint a[SIDE];", {48}),
        ("bool large = n > 1 << 20;", {1, 20, 1 << 20}),
        ("int a = 1024 * 1024;", {1024, 1 << 20}),
        ("int a = 7 * 11 * 13 + 5 * 3;", {7, 8, 11, 13, 77, 143, 1001, 5, 3, 4, 15}),
        ("bool a = (n & 1022) == n >> 11 << 6;", {1022, 11, 6, 1 << 11, 1 << 6, 11 << 6}),
        ("bool a = n & 1023;", {1023, 1024}),
        ("int a = 0x40 + 0b11 + 010 + 100'000u + 7ull;", {64, 3, 4, 8, 100_000, 7}),
        ('float a = 1.5f + 3e-4f + .5f; // 99\nconst char* b = "98";', set()),
        ("bool a = n > 3e4f, b = n > 70000.0, c = n > 1e+6;", {30_000, 70_000, 1_000_000}),
    ],
)
def test_whole_numbers_are_those_of_the_code(text, numbers):
    assert whole_numbers(text) == numbers


def test_compared_numbers_are_those_that_something_is_held_against():
    text = "const int a = 132 * 2048; if (n > 1 << 20 || i <= 70'000 || (i & 0xffff) == 3) f(min(n, 65535), b[9]);"
    assert compared_numbers(text) == {132, 1 << 20, 70_000, 0xFFFF, 3}
    assert compared_numbers("#define MOST 20000\nbool a = gridDim.x < MOST, b = n > 1e6;") == {20_000, 1_000_000}
    assert not compared_numbers(f"bool a = n > {'9' * 5000};")
