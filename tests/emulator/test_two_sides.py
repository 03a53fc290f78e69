"""Which `#if` about __CUDA_ARCH__ becomes a question that is asked while a program runs, and which stays as it is."""

from __future__ import annotations

import re

import pytest

from grader.devices.emulator import first_lines, two_sides
from grader.devices.emulator.translate import rewritten, translate

IN_KERNEL = "ladder_in_kernel"
BODY = "__host__ __device__ int f(int x) {{\n{}\n  return x;\n}}\n"


def asked(text: str) -> bool:
    return IN_KERNEL in rewritten(text, "a.cu")


def between(condition: str, one: str = "  return 1;", other: str | None = "  return 2;") -> str:
    lines = [condition, one, *(["#else", other] if other is not None else []), "#endif"]
    return BODY.format("\n".join(lines))


@pytest.mark.parametrize(
    "condition",
    [
        "#ifdef __CUDA_ARCH__",
        "#ifndef __CUDA_ARCH__",
        "#if defined(__CUDA_ARCH__)",
        "#if defined __CUDA_ARCH__",
        "#if !defined(__CUDA_ARCH__)",
        "#if __CUDA_ARCH__",
        "#if __CUDA_ARCH__ >= 600",
        "#if __CUDA_ARCH__ >= 900",
        "#if (__CUDA_ARCH__ > 300)",
        "#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 350)",
        "#if __CUDA_ARCH__ < 100",
    ],
)
def test_a_condition_that_is_true_of_one_side_is_asked_while_it_runs(condition):
    assert asked(between(condition)) and asked(between(condition, "  x += 1;", None))


@pytest.mark.parametrize(
    "text",
    [
        between("#if __CUDA_ARCH__ >= 1000"),  # of neither
        between("#if __CUDA_ARCH__ >= 900").replace("int", "CUtensorMap* map, int", 1),  # nor is this, here
        between("#if defined(__CUDA_ARCH__) && \\\n    __CUDA_ARCH__ >= 600"),
        between("#if !defined(__CUDA_ARCH__) || defined(OTHER)"),
        between("#ifdef OTHER"),
        between("#ifdef __CUDA_ARCH__").replace("__host__ __device__", "__device__"),
        between("#ifdef __CUDA_ARCH__").replace("__host__ __device__ int", "__global__ void"),
        between("#ifdef __CUDA_ARCH__").replace("__host__ __device__", "constexpr"),
        between("#ifdef __CUDA_ARCH__").replace("#else", "#elif OTHER"),
        between("#ifdef __CUDA_ARCH__", "  const int y = 1;", "  const int y = 2;").replace("return x", "return y"),
        between("#ifdef __CUDA_ARCH__", "  if (x) {", "  while (x) {").replace("return x;", "}"),
        between("#ifdef __CUDA_ARCH__", "  x = 1 +", "  x = 2 +"),
        BODY.format("  int y = x +\n#ifdef __CUDA_ARCH__\n  1;\n#else\n  2;\n#endif"),
        BODY.format("  switch (x) {\n#ifdef __CUDA_ARCH__\n  case 1: return 1;\n#endif\n  default: return 2;\n  }"),
        "#ifdef __CUDA_ARCH__\n__device__ int side = 1;\n#else\nint side = 2;\n#endif\n",
    ],
)
def test_all_else_stays_as_it_is(text):
    assert not asked(text)


def test_lines_stay_where_they_are_and_a_graded_file_is_left_alone():
    text = between("#ifdef __CUDA_ARCH__")
    assert rewritten(text, "a.cu").count("\n") == text.count("\n") + 1
    assert IN_KERNEL not in translate(text, "a.cu")


def test_the_device_is_the_one_that_the_headers_name():
    header = (two_sides.__file__).replace("two_sides.py", "include/ladder/standard.h")
    with open(header) as file:
        assert re.findall(r"define __CUDA_ARCH__ (\d+)", file.read()) == [str(first_lines.ARCHITECTURE)]
