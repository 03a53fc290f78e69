"""A kernel's pointer that is another array of the task's is told by both names, and no other is."""

from __future__ import annotations

import pytest

from grader.devices.evidence import Finding
from grader.report.advice import on_finding

SOURCE = """__global__ void k(const float* x, float* out, float* lse, int n) {
    lse[threadIdx.x] = x[threadIdx.x];
    out[threadIdx.x] += x[threadIdx.x] * lse[0];
    out[n] = lse[n] + x[n];
}
extern "C" void f(const float* x, float* out,
                  float* lse, int n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, lse, out, n);
}
""".splitlines()


def said(line: int, array: str, access: str, kind: str = "out_of_bounds", source: list[str] = SOURCE) -> str:
    details = {"array": array, "access": access, "elements": 4, "index": 7, "space": "global"}
    return on_finding(
        Finding(kind, f"{array}[7]", line=line, kernel="k", block=(0, 0, 0), thread=(9, 0, 0), details=details), source
    )


@pytest.mark.parametrize(
    ("line", "array", "access", "name"),
    [(2, "out", "write", "lse"), (3, "out", "read", ""), (2, "out", "read", "x"), (2, "x", "write", "")],
)
def test_both_names_are_told(line, array, access, name):
    told = said(line, array, access)
    expected = f"What line {line} calls `{name}` is {array}, which the launch in line 8 hands over in its place"
    assert told.startswith(expected) == bool(name)


@pytest.mark.parametrize("kind", ["input_modified", "uninitialized_read", "misaligned"])
def test_of_other_findings_too(kind):
    assert "What line 2 calls `lse` is out" in said(2, "out", "write", kind)


@pytest.mark.parametrize(
    ("line", "array", "access", "source"),
    [
        (4, "q", "read", SOURCE),  # not the task's
        (4, "lse", "read", SOURCE),  # by its own name
        (2, "out", "write", [text.replace("lse", "y") if at < 4 else text for at, text in enumerate(SOURCE)]),
        (2, "out", "write", [text.replace("lse[", "tile[") for text in SOURCE]),
    ],
)
def test_nothing_is_said_of_other_names(line, array, access, source):
    assert "hands over in its place" not in said(line, array, access, source=source)
