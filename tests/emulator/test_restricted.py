"""Reads by a parameter that is `const` and `__restrict__`, past what the same launch has written by another pointer."""

from __future__ import annotations

import pytest

from grader.devices.emulator.restricted import restricted_lines
from tests.emulator.test_libraries import line, ran  # noqa: F401

HEAD = "__global__ void k(const float* __restrict__ x, const int *__restrict y, float* z, const float* w, int n) {\n"


@pytest.mark.parametrize(
    "text",
    [
        "z[i] = x[i];",
        "if (i < n) z[i] = x[i + 1] * 2;",
        "const float a = x[i] * y[i];",
        "sum += fmaxf(x[i], 0);",
        "for (int j = 0; j < n; ++j) sum += x[j * W];",
        "x += n; sum = x[0];",
        "if (x[i] == 1) return;",
        "sum = (x[i] + 2) * n;",
    ],
)
def test_lines_that_read_by_it_alone(text):
    assert restricted_lines(f"#define W (1 << 3)\n{HEAD}{text}\n}}") == [3]


@pytest.mark.parametrize(
    "text",
    [
        "z[i] += x[i];",
        "z[i] = x[i] + z[j];",
        "z[x[i]] = w[i] + x[0];",
        "sum += x[i] + *z;",
        "sum += x[i] + AT(i);",
        "sum += x[i] + p->a;",
        "z[i] = 1;",
        "float x[4] = {}; sum = x[i];",
        "x = z; sum += x[i];",
        "const float* x = z; sum += x[i];",
        "f(&x); sum += x[i];",
        "sum += w[i];",
        "__shared__ float s[8]; sum += x[i] * s[i];",
    ],
)
def test_lines_that_may_read_by_another(text):
    assert restricted_lines(f"#define AT(i) z[i]\n{HEAD}{text}\n}}") == []


def test_other_functions_and_declarations_have_none():
    assert restricted_lines("void f(const float* __restrict__ x) { y = x[0]; }\n" + HEAD.replace("{", ";")) == []
    assert restricted_lines("__device__ float f(const float* __restrict__ x) { return x[0]; }") == []
    assert (
        restricted_lines(HEAD.replace("const float* __restrict__ x", "float* __restrict__ x") + "z[0] = x[0];}") == []
    )


@pytest.mark.slow
def test_what_a_launch_has_written_is_not_read_past_its_stores(ran):  # noqa: F811
    """In place, where each thread reads its own element first, nothing is found."""
    name = "past_stores.cu"
    printed, found, told = ran(name)
    assert printed == ["1 3", "2 63"]
    places = ["y[i] = x[63 - i]", "tex1Dfetch<float>(texture, 63 - i)", "surf2Dread<float>(surface, 4 * (63 - i)"]
    assert found == [("race", line(name, each)) for each in places]
    assert (
        "by a pointer that is `const` and `__restrict__`, and thread" in told[0]
        and "take the `__restrict__`" in told[0]
    )
    assert all("by a texture or surface, and thread" in each and "let a launch behind" in each for each in told[1:])
