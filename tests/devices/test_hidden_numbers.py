"""Which whole numbers a file has that it does not write as numbers."""

import pytest

from grader.devices.build.lexer import hidden_numbers
from tests.shared import ROOT


@pytest.mark.parametrize(
    "text, numbers",
    [
        ('bool a = n > parse("300000");', {300_000}),
        ('bool a = n > parse("300" "000");', {300_000}),
        ('bool a = n > strtol("0x493e0", nullptr, 16);', {300_000}),
        ('const char* s = R"(4711, 1e6)";', {4711, 1, 1_000_000}),
        ("static const char s[] = {'9', '6', 0};", {96, ord("9"), ord("6")}),
        ("int s[] = {3, 0, 0, 0, 0, 0};", {300_000}),
        ("bool a = n % 'a' == 0, b = n % '\\x60' == 0;", {97, 96}),
        ('bool a = n % sizeof("0123456789") == 0;', {123_456_789, 10, 11}),
        ('bool a = n % "a"[0] == 0;', {97}),
        ("\n\nint a = __LINE__;", {3}),
        ("#define HERE __LINE__\n\nint a = HERE;", {3}),
        ("int a = __COUNTER__, b = __COUNTER__, c = __COUNTER__;", {0, 1, 2}),
    ],
)
def test_what_a_number_may_be_hidden_in(text, numbers):
    assert hidden_numbers(text) >= numbers


@pytest.mark.parametrize(
    "text",
    [
        'extern "C" void f(int n) { g<4, 2, 8, 8, 3>(1, 2, 3); }',
        'printf("%d of 4711 rows\\n", n);',
        'asm("mma.sync.aligned.m16n8k16.row.col.f32 %0, 71234;" : "=r"(a));',
        '#define CHECK(x) f(x, __FILE__, __LINE__)\n#include "3.cuh"\nvoid g() { CHECK(h()); }',
        'const char* name = "rung 3 of 4711";',
        "",
        "{'",
        '#define A "',
        "\x00\x01\"'\\",
        f'const char* s = "{"9" * 5000}"; int a[] = {{{"9, " * 5000}}};',
        "int a = 4711;",  # that is one of whole_numbers
    ],
)
def test_what_is_no_hidden_number(text):
    assert not hidden_numbers(text)


def test_the_courses_kernels_hide_no_large_number():
    files = [*(ROOT / "kernels").rglob("*.cu"), *(ROOT / "kernels").rglob("*.cuh")]
    assert len(files) > 80 and not [file for file in files if max(hidden_numbers(file.read_text()), default=0) > 10_000]
