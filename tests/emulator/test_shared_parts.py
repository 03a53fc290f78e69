"""Two parts of one `extern __shared__` array that overlap are told as that, and a missing barrier as such."""

from __future__ import annotations

import pytest

from grader.devices.emulator.reading import Reading
from grader.devices.emulator.shared_parts import overlapping_parts
from tests.shared import long_tail

KERNEL = """
__global__ void k(const float* x, float* z, int n) {
    extern __shared__ float s[];
    PARTS
    const int t = threadIdx.x;
    FIRST
    SECOND
    __syncthreads();
    z[t] = s[t];
}
"""
TWO = "float* a = s; float *b = s + n / 2;"
WRITES = ("write", "write")
ROWS = [
    (TWO, "a[t] = x[t];", "b[t] = 2 * x[t];", WRITES, "`a` and `b` are parts of s"),
    (TWO, "s[t] = x[t];", "b[t] += 2 * x[t];", WRITES, "`s` and `b` are parts of s"),
    ("float *a = s, *b = &a[n / 2];", "a[t] = x[t];", "z[t] = b[t];", ("write", "read"), "`a` and `b` are parts of s"),
    ("float* a = s; int* b = (int*)(a + n / 2);", "b[t] = 1;", "a[t] = x[t];", WRITES, "`a` and `b` are parts of s"),
    (
        "float* a = s; auto* b = reinterpret_cast<int*>(&s[8]);",
        "b[t] = 1;",
        "a[t] = 0;",
        WRITES,
        "`a` and `b` are parts",
    ),
    (TWO, "a[t] = x[t];", "a[t] += a[t + 1];", ("write", "read"), ""),  # a barrier is missing
    (TWO, "a[t] = x[t];", "z[t] = b[t] + a[t + 1];", ("write", "read"), ""),
    ("float* a = s; float* b = s;", "a[t] = x[t];", "b[t] = x[t];", WRITES, ""),  # two names of one part
    ("float* a = (float*)s; int* b = (int*)s;", "a[t] = x[t];", "b[t + 1] = 1;", WRITES, ""),
    ("float* a = s; float* b = s + n; swap(a, b);", "a[t] = x[t];", "z[t] = b[t + 1];", ("write", "read"), ""),
    ("float* a = s; float* b = s + n; b += 4;", "a[t] = x[t];", "z[t] = b[t + 1];", ("write", "read"), ""),
    ("float* a = s; float* b = s + n;", "s[t] = x[t];", "z[t] = s[t + 1];", ("write", "read"), ""),
    ("", "s[t] = x[t];", "s[t + 1] = x[t];", WRITES, ""),
]


def fact(text: str, lines: tuple[int, int], accesses: tuple[str, str]) -> dict[str, object]:
    told = dict(zip(("line", "other_line", "access", "other_access"), (*lines, *accesses), strict=True))
    return {**told, "space": "shared", "reading": Reading(text)}


@pytest.mark.parametrize(("parts", "first", "second", "accesses", "told"), long_tail(ROWS, every=4))
def test_parts_that_overlap_are_told_by_their_names(parts, first, second, accesses, told):
    text = KERNEL.replace("PARTS", parts).replace("FIRST", first).replace("SECOND", second)
    said = overlapping_parts(fact(text, (6, 7), accesses), "s")
    assert said.startswith(told) and bool(said) == bool(told), said
    turned = overlapping_parts(fact(text, (7, 6), accesses[::-1]), "s")
    assert turned == said


def test_two_parts_that_are_written_in_one_line_are_told():
    text = KERNEL.replace("PARTS", TWO).replace("FIRST", "a[t] = x[t]; b[t] = 2 * x[t];").replace("SECOND", "")
    assert overlapping_parts(fact(text, (6, 6), WRITES), "s").startswith("`a` and `b` are parts of s, and both reach")
    alone = KERNEL.replace("PARTS", TWO).replace("FIRST", "a[t % 8] = x[t];").replace("SECOND", "")
    assert not overlapping_parts(fact(alone, (6, 6), WRITES), "s")
