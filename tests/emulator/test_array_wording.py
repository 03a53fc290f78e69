"""Which element of an array a race is about: the runtime knows of words, the text of types."""

from __future__ import annotations

import pytest

from grader.devices.emulator.array_wording import bytes_of_element
from grader.devices.emulator.reading import Reading


@pytest.mark.parametrize(
    ("text", "array", "widths", "bytes_"),
    [
        ("__shared__ double s[4];", "k::s", (8, 8), 8),
        ("__shared__ float s[4];", "k::s", (16, 16), 4),
        ("__shared__ float4 s[4]; z = s[0].x;", "k::s", (16, 4), 16),
        ("extern __shared__ float2 s[];", "", (8, 4), 8),
        ("__shared__ Pair s[4];", "k::s", (8, 4), 4),
        ("__shared__ Pair s[4];", "k::s", (8, 8), 8),
        ("__shared__ half s[4];", "k::s", (2, 4), 2),
        ("extern __shared__ unsigned char s[]; float* first = (float*)s;", "", (4, 4), 1),
        ("float a[4]; double a[4];", "k::a", (8, 8), 8),
        ("", "cudaMalloc", (16, 16), 4),
        ("", "cudaMalloc", (8, 8), 8),
        ("", "cudaMalloc", (), 0),
    ],
)
def test_bytes_of_an_element(text, array, widths, bytes_):
    fact = {"array": array, "pc": 1, "other_pc": 2}
    assert bytes_of_element(fact, dict(enumerate(widths, 1)), Reading(text)) == bytes_
