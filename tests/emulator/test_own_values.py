"""`--set N=64` changes what a program's own constants and variables begin with, and nothing else."""

from __future__ import annotations

import pytest

from grader.devices.emulator.own_values import with_values


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#define N 4096", "#define N 64"),
        ("#define N(x) 4096\n#define M N", None),
        ("const int M = 1, N = 1 << 20;", "const int M = 1, N = 64;"),
        ("int f(int M = 1, int N = 2);", "int f(int M = 1, int N = 64);"),
        ("void f() { N = 3; g(M, N == 2); return N; }", None),
        ("void f() { for (int N = 0; N < 9; ++N) g(N); }", None),
        ("void f() { for (int i = 0, N = 9; i < N; ++i) g(i); }", None),
        ("void f() { for (int i = 1; i;) { int N = i; } }", "void f() { for (int i = 1; i;) { int N = 64; } }"),
        ("int N = 9;\nvoid f() { for (N = 0; N < 9; ++N); }", "int N = 64;\nvoid f() { for (N = 0; N < 9; ++N); }"),
    ],
)  # fmt: skip
def test_constants_and_variables_begin_with_the_value_and_counters_do_not(before, after):
    assert with_values(before, {"N": "64"}) == ((before, set()) if after is None else (after, {"N"}))
