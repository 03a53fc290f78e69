"""A statement that goes over several lines is read as one by rules that read a line at a time."""

from __future__ import annotations

import pytest

from grader.devices.evidence import Finding
from grader.report.advice import on_finding
from grader.report.statements import begin, statements
from grader.report.text_slips import slip

SPLIT = [
    (["int i = blockIdx.x * blockDim.x", "        + threadIdx.x;"], "int i = blockIdx.x * blockDim.x + threadIdx.x;"),
    (["sum +=", "    x[i];"], "sum += x[i];"),
    (
        ["k<<<grid, block,", "    0, stream>>>(x,  // the input", "                 n);"],
        "k<<<grid, block, 0, stream>>>(x, n);",
    ),
    (["for (int i = 0;", "     i < n;", "     ++i)"], "for (int i = 0; i < n; ++i)"),
    (["float v = a", "    * b;"], "float v = a * b;"),
    (["y[i] = inside", "    ? x[i]", "    : 0;"], "y[i] = inside ? x[i]"),
]
WHOLE = [
    ["if (i < n)", "    *z = 1;"],
    ["if (i < n)", "    ++z;"],
    ["each([&](int i) {", "    z[i] = 0;", "});"],
    ["__global__ void k(float* z)", "{"],
    ["else", "    *z = 1;"],
    ["#define I \\", "    (a +", "     b)"],
    ["int i;", "*z = 1;"],
]


@pytest.mark.parametrize(("lines", "first"), SPLIT)
def test_a_statement_stands_in_its_first_line(lines, first):
    found, begins = statements(["int before;", *lines, "int behind;"])
    assert found[1] == first and len(found) == len(lines) + 2
    assert begin(begins, 3) == 2 and begin(begins, 1) == 1 and begin(begins, len(found)) == len(found)


@pytest.mark.parametrize("lines", WHOLE)
def test_what_is_no_statement_over_several_lines_stays(lines):
    assert list(statements(lines)[0]) == lines


@pytest.mark.parametrize(
    ("status", "lines", "line", "said"),
    [
        ("out_of_bounds", ["*(z", "  + i * sizeof(float)) = 1;"], 2, "so that the sizeof in line 1 goes too far"),
        (
            "race",
            ["for (row = blockIdx.y;", "     row < n;", "     row += gridDim.y * blockDim.y)"],
            1,
            "row += gridDim.y",
        ),
        (
            "timeout",
            ["for (unsigned char i = 0;", "     i < n; ++i) z[i] = 0;"],
            1,
            "`i` in line 1 is an `unsigned char`",
        ),
    ],
)
def test_a_slip_of_several_lines_is_told(status, lines, line, said):
    assert said in slip(status, lines, line)


def test_a_launch_of_several_lines_is_found():
    source = [
        "__global__ void k(const float* x, float* y) {",
        "    y[threadIdx.x] =",
        "        x[threadIdx.x];",
        "}",
        'extern "C" void f(const float* x, const float* w,',
        "                  float* y, cudaStream_t s) {",
        "    k<<<1, 32, 0,",
        "        s>>>(w, y);",
        "}",
    ]
    details = {"array": "w", "access": "read", "elements": 5, "index": 7}
    finding = Finding(
        "out_of_bounds", "thread (7, 0, 0) reads w[7]", line=3, kernel="k", thread=(7, 0, 0), details=details
    )
    assert on_finding(finding, source).startswith("What line 2 calls `x` is w, which the launch in line 7 hands over")
