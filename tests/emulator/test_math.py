"""Mathematical functions and intrinsics against numpy, or against values worked out on paper."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

SOURCE = (Path(__file__).parent / "kernels" / "math.cu").read_text()

erf = np.vectorize(math.erf)


@pytest.mark.slow
def test_functions_against_numpy(call):
    x = np.linspace(0.05, 7.9, 301).astype(np.float32)
    z = call("functions", x=x, z=np.zeros((24, 301), np.float32), n=301)["z"]
    v = x.astype(np.float64)
    normal = 0.5 * (1 + erf(v / math.sqrt(2)))
    expected = [np.sin(v), np.cos(v), np.sin(v), np.cos(v), np.exp(v), np.log(v), v**-0.5, np.sqrt(v), np.tanh(v)]
    expected += [erf(v), v**1.5, 10**v, 2**v, np.cbrt(v), np.sin(np.pi * v), np.cos(np.pi * v), normal, v * v + 1]
    expected += [np.hypot(v, 3), 1 / np.cbrt(v), np.log1p(v), np.expm1(v)]
    expected += [[math.exp(a * a) * math.erfc(a) for a in v]]
    for row, answer in zip(z[:23], expected, strict=True):
        assert (np.abs(row - answer) <= 4e-7 * np.abs(answer) + 1e-7).all()
    assert erf(z[23].astype(np.float64)) == pytest.approx(v / 8, rel=1e-5)


@pytest.mark.slow
def test_overloads_and_special_cases(call):
    z = call("overloads", z=np.zeros(30))["z"]
    expected = [math.sin(2), math.e, 2, 3, 2.5, 8, math.sqrt(2), 0.5, 1.959963984540054, 1]
    expected += [2, -1, 2, 3, 1, 0, 3, 0, -2, 2, 3, -1, 3, -1, 48, 7, 1 / 7, 2, 0, -1]
    assert z == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_infinities_and_nans(call):
    assert call("special_values", z=np.zeros(6, np.int32))["z"].all()


def test_approximate_functions_are_close_for_small_arguments(call):
    x = np.linspace(0.05, 3.1, 200).astype(np.float32)
    z = call("approximate", x=x, z=np.zeros((13, 200), np.float32), n=200)["z"]
    v = x.astype(np.float64)
    assert np.abs(z[0] - np.sin(v)).max() < 2**-20.5  # an H200 reaches 2^-20.8 here
    assert np.abs(z[1] - np.cos(v)).max() < 2**-20.5
    assert np.array_equal(z[2:4], z[0:2])
    expected = [np.exp(v), 10**v, np.log(v), np.log2(v), np.log10(v), v**2.5, 1 / v]
    for row, answer in zip(z[5:12], expected, strict=True):
        assert (np.abs(row - answer) <= 2e-6 * np.abs(answer) + 2e-7).all()
    assert np.array_equal(z[12], np.clip(x - np.float32(1), 0, 1))


def test_approximate_functions_lose_large_arguments(call):
    x = (np.random.default_rng(3).random(200) * 2e4 + 1e4).astype(np.float32)
    z = call("approximate", x=x, z=np.zeros((13, 200), np.float32), n=200)["z"]
    errors = np.abs(z[0] - np.sin(x.astype(np.float64)))
    # About 4000 turns: a float has 11 bits left for the fraction, so the angle is off by up to 2^-11 turns.
    assert 1e-4 < errors.max() < 2 * math.pi * 2.0**-10
    rng = np.random.default_rng(4).random(200) * 30 + 50
    x = rng.astype(np.float32)
    z = call("approximate", x=x, z=np.zeros((13, 200), np.float32), n=200)["z"]
    relative = np.abs(z[5] / np.exp(x.astype(np.float64)) - 1).max()
    assert 1e-6 < relative < 1e-5  # x log2(e) is rounded to 2^-18, of which the power keeps ln 2 / 2


def test_approximate_functions_at_their_limits(call):
    assert call("approximate_limits", z=np.zeros(6, np.float32))["z"] == pytest.approx([1, 1, 0, 1, 1, 1], rel=1e-6)


def test_rounding_modes(call):
    result = call("rounding", z=np.zeros(16, np.float32), d=np.zeros(5))
    up, down = np.nextafter(np.float32(1), np.float32(2)), np.nextafter(np.float32(1), np.float32(0))
    third = np.float32(1) / np.float32(3)  # rounded up: 0.33333334
    below = np.nextafter(third, np.float32(0))
    root = np.sqrt(np.float32(2))  # rounded down
    above_root = np.nextafter(root, np.float32(2))
    error = np.float32(3 * float(third) - 1)
    expected = [up, 1, -1, 1, up, 1, down, third, below, above_root, root, third, below, error, up, 0.5]
    assert result["z"].tolist() == [float(value) for value in expected]
    product = 1.1 * 1.1
    assert result["d"][0] == np.nextafter(1, 2)
    assert result["d"][1] < result["d"][2] == np.nextafter(result["d"][1], 2)
    assert result["d"][1] <= product <= result["d"][2]
    assert result["d"][3] == np.nextafter(math.sqrt(2), 0)  # sqrt rounds up
    a, b = (1.1).as_integer_ratio()
    p, q = product.as_integer_ratio()
    assert result["d"][4] == (a * a * q - p * b * b) / (b * b * q)


def test_conversions_round_saturate_and_drop_nans(call):
    result = call("conversions", z=np.zeros(19, np.int64), f=np.zeros(8, np.float32))
    top, low = 2**31 - 1, -(2**31)
    z = result["z"].tolist()
    assert z[:16] == [2, 4, -2, 3, -3, top, low, 0, 0, 4000000000, 0, -999999986991104, -1, 1, 3, 1]
    assert z[16:] == [low, 2**31, 1]  # a double's NaN, and one that becomes a number of 64 bits
    tenth = np.float32(0.1)  # rounded up
    expected = [16777216, 16777218, 4294967040, tenth, np.nextafter(tenth, np.float32(0)), -16777218, -7, 2.0**63]
    assert result["f"].tolist() == [float(value) for value in expected]


def test_bit_functions(call):
    z = call("bits", z=np.zeros(17, np.uint32))["z"].tolist()
    assert z[:7] == [0xBFC00000, 0x3F800000, 1, 0x3FF00000, 1, 0xC8000000, 1]
    assert z[7:11] == [32000 + 310, 64000 + 23, 0 + 40 + 41, 864]
    assert z[11] == 0x77553311
    assert z[12] == 0x00000080  # the fourth bit of a selector means nothing
    assert z[13:16] == [0x28, 0x28000000, 1 * 10 + 2]
    assert z[16] == 5


def test_integer_products_and_packed_lanes(call):
    z = call("products", z=np.zeros(17, np.int32))["z"].astype(np.uint32).tolist()
    assert z[0] == 2**32 - 21 + 15
    assert z[1:4] == [2**32 - 2, 1, 3 + 1]
    assert z[4:7] == [114 + 1007, 200 + 50 + 4, 10 + 5]
    assert z[7:10] == [-2 + 3, 255 * 2 + 3, 2 * 4 + 3 * 5]
    assert z[10:12] == [0x0200FF03, 0x00000002]
    assert z[12:15] == [0x7F027F01, 0x0404FF01, 4 + 4 + 255 + 1]
    assert z[15:] == [0xFF00FF00, 1]
