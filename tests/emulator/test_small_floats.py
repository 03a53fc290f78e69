"""half and bfloat16: conversions for every bit pattern, arithmetic against numpy and torch's rounding rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

SOURCE = (Path(__file__).parent / "kernels" / "small_floats.cu").read_text()

PATTERNS = np.arange(65536, dtype=np.uint32).astype(np.uint16)
HALVES = PATTERNS.view(np.float16)


def from_bfloat(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def to_bfloat(x: np.ndarray) -> np.ndarray:
    """Bits of the nearest bfloat16, ties to even, for values that are no NaN."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return np.array_equal(a, b, equal_nan=True)


@pytest.mark.slow
def test_every_half_becomes_its_float(call):
    with np.errstate(invalid="ignore"):
        assert same(call("widen_half", x=HALVES, z=np.zeros(65536, np.float32))["z"], HALVES.astype(np.float32))


@pytest.mark.slow
def test_every_bfloat_becomes_its_float(call):
    assert same(call("widen_bfloat", x=PATTERNS, z=np.zeros(65536, np.float32))["z"], from_bfloat(PATTERNS))


@pytest.mark.slow
def test_floats_round_to_the_nearest_half(call):
    finite = np.sort(HALVES[np.isfinite(HALVES)].astype(np.float32))
    middles = (finite[1:] + finite[:-1]) / 2
    beside = [np.nextafter(middles, np.float32(9e9)), np.nextafter(middles, -np.float32(9e9))]
    ends = np.array([65519.996, 65520, 1e30, -1e30, np.inf, -np.inf, np.nan, 1e-30, -1e-30, -0.0], np.float32)
    x = np.concatenate([finite, middles, *beside, ends])
    with np.errstate(over="ignore"):
        expected = x.astype(np.float16)
    z = call("narrow_half", x=x, z=np.zeros(len(x), np.float16), n=len(x))["z"]
    assert same(z, expected)
    numbers = ~np.isnan(x)
    assert np.array_equal(np.signbit(z)[numbers], np.signbit(expected)[numbers])


def test_floats_round_to_the_nearest_bfloat(call):
    rng = np.random.default_rng(5)
    x = rng.integers(0, 2**32, 20000, dtype=np.uint32)
    ties = (rng.integers(0, 2**16, 2000, dtype=np.uint32) << 16) | 0x8000
    x = np.concatenate([x, ties, ties + 1, ties - 1]).view(np.float32)
    x = x[~np.isnan(x)]
    z = call("narrow_bfloat", x=x, z=np.zeros(len(x), np.uint16), n=len(x))["z"]
    assert np.array_equal(z, to_bfloat(x))


def test_directed_rounding(call):
    x = np.array([1.0001, -1.0001, 1e-9, -1e-9, 70000, -70000, 3e38, 2.0, 0], np.float32)
    result = call("modes", x=x, h=np.zeros((4, 9), np.float16), b=np.zeros((4, 9), np.uint16), n=9)
    up, inf, tiny, top = 1 + 2**-10, np.inf, 2.0**-24, 65504
    expected = [
        [1, -1, 0, 0, inf, -inf, inf, 2, 0],
        [1, -1, 0, 0, top, -top, top, 2, 0],
        [up, -1, tiny, 0, inf, -top, inf, 2, 0],
        [1, -up, 0, -tiny, top, -inf, top, 2, 0],
    ]
    assert np.array_equal(result["h"], np.array(expected))
    exact = x.astype(np.float64)
    nearest, zero, upward, downward = from_bfloat(result["b"]).astype(np.float64)
    assert (np.abs(nearest - exact) <= np.minimum(np.abs(upward - exact), np.abs(downward - exact))).all()
    assert (downward <= exact).all() and (exact <= upward).all()
    assert np.array_equal(zero, np.where(exact >= 0, downward, upward))


def test_integers_and_bits(call):
    z = call("integers", z=np.zeros(13, np.int32))["z"].tolist()
    assert z == [2, -2, 3, 2, -32768, 2048, 2050, -2050, -7, 256, 7, 1, 1 + 10 - 100]


def test_half_arithmetic_rounds_once(call):
    rng = np.random.default_rng(6)
    x, y = (rng.normal(0, 3, 256).astype(np.float16) for _ in range(2))
    z = call("arithmetic", x=x, y=y, z=np.zeros((16, 256), np.float16), n=256)["z"]
    a, b = x.astype(np.float64), y.astype(np.float64)
    expected = [a + b, a - b, a * b, a / b, -a, a + b, a * b + a, np.clip(a + b, 0, 1), np.maximum(a, b)]
    expected += [np.abs(a), a * b, np.sqrt(np.abs(a)), np.exp(a), np.log(np.abs(a)), np.floor(a), 1 / b]
    for row, answer in zip(z, expected, strict=True):
        assert same(row, answer.astype(np.float16))


def test_bfloat_arithmetic_rounds_once(call):
    rng = np.random.default_rng(7)
    x, y = (to_bfloat(rng.normal(0, 3, 256)) for _ in range(2))
    z = call("bfloat_arithmetic", x=x, y=y, z=np.zeros((6, 256), np.uint16), n=256)["z"]
    a, b = from_bfloat(x), from_bfloat(y)
    fused = (a.astype(np.float64) * b + b).astype(np.float32)
    for row, answer in zip(z, [a + b, a - b, a * b, a / b, fused, np.minimum(a, b)], strict=True):
        assert np.array_equal(row, to_bfloat(answer))


def test_comparisons_and_nans(call):
    z = call("comparisons", z=np.zeros(9, np.int32))["z"].tolist()
    assert z[:7] == [1 + 4 + 8 + 16 + 64, 2 + 16 + 32, 1 + 4, 1, 2 + 4 + 8, 1, 1]
    assert z[7:] == [63, 15]  # of two zeros -0 is the lesser; a product and a sum are rounded once


def test_pairs_of_halves(call):
    rng = np.random.default_rng(8)
    x, y = (rng.normal(0, 2, (32, 2)).astype(np.float16) for _ in range(2))
    result = call("pairs", x=x, y=y, z=np.zeros((8, 32, 2), np.float16), f=np.zeros(32, np.float32))
    z, a, b = result["z"], x.astype(np.float64), y.astype(np.float64)
    assert np.array_equal(z[0], (a * b + 1).astype(np.float16))
    assert np.array_equal(z[1], ((x + y) * y)[:, ::-1])
    assert np.array_equal(z[2], np.stack([x[:, 1], y[:, 0]], -1))
    assert np.array_equal(z[3], z[2])
    assert np.array_equal(z[4], np.maximum(-x, y[:, :1]))
    assert np.array_equal(z[5], np.exp(a).astype(np.float16))
    assert np.array_equal(z[6], x[np.arange(32) ^ 1])
    down = np.where(np.arange(32) < 30, (np.arange(32) + 2) % 32, np.arange(32))
    assert np.array_equal(z[7], np.stack([x[down, 0], y[:, 1]], -1))
    assert np.allclose(result["f"], a.sum(1) + b[:, 0] - b[:, 1], atol=1e-5)
    assert result.at_line("// load pairs", SOURCE)["global_load_requests"] == 2
    for store in ("pair", "braced", "halves"):
        counters = result.at_line(f"// store {store}", SOURCE)
        assert [counters["global_store_requests"], counters["global_store_sectors"]] == [1, 4], store


def test_eight_halves_move_as_one_vector(call):
    x = np.arange(32, dtype=np.float16).reshape(4, 8)
    result = call("eights", x=x, z=np.zeros((4, 8), np.float16))
    expected = x * x
    expected[:, :2] = [1, 2]
    assert np.array_equal(result["z"], expected)
    assert result.at_line("// load eight", SOURCE)["global_load_requests"] == 1
    assert result.at_line("// store eight", SOURCE)["global_store_requests"] == 1


def test_pairs_of_bfloats(call):
    x = to_bfloat(np.random.default_rng(9).normal(0, 2, (32, 2)))
    result = call("bfloat_pairs", x=x, z=np.zeros((3, 32, 2), np.uint16), f=np.zeros(32, np.float32))
    a = from_bfloat(x)
    assert np.array_equal(result["z"][0], to_bfloat(from_bfloat(to_bfloat(a * [2, 0.5])) + np.float32(1)))
    assert np.array_equal(result["z"][1], np.stack([x[:, 0], np.full(32, 0x3F80, np.uint16)], -1))
    assert np.array_equal(result["z"][2], x[np.arange(32) ^ 3])
    assert np.array_equal(result["f"], 2 * a[:, 1])


def test_the_headers_constants(call):
    given = call("constants", h=np.zeros(7, np.uint16), b=np.zeros(7, np.uint16))
    assert given["h"].tolist() == [0x7C00, 0x7FFF, 0x0001, 0x7BFF, 0x8000, 0x0000, 0x3C00]
    assert given["b"].tolist() == [0x7F80, 0x7FFF, 0x0001, 0x7F7F, 0x8000, 0x0000, 0x3F80]


def test_one_small_format_becomes_another_and_pairs_multiply_as_complex_numbers(call):
    x = np.linspace(-200, 200, 64).astype(np.float16)
    z = call(
        "between", x=x, b=np.zeros(64, np.uint16), h=np.zeros(64, np.float16), i=np.zeros(64, np.int32),
        c=np.zeros(128, np.float16),
    )  # fmt: skip
    bits = to_bfloat(x.astype(np.float32))
    assert np.array_equal(z["b"], bits)
    assert np.array_equal(z["h"], from_bfloat(bits).astype(np.float16))
    eighths = torch.from_numpy(x.astype(np.float32)).to(torch.float8_e4m3fn).float().numpy()
    assert np.array_equal(z["i"], np.trunc(eighths).astype(np.int32))
    # (x + 2i) * (0.5 + xi) + (1 - i), each sum rounded once
    wide = x.astype(np.float64)
    real = ((wide * 0.5 + 1).astype(np.float16) - 2 * wide).astype(np.float16)
    imaginary = ((wide * wide - 1).astype(np.float16) + 2 * 0.5).astype(np.float16)
    assert same(z["c"].reshape(-1, 2), np.stack([real, imaginary], axis=1))


def test_modified_bessel_functions(call):
    x = np.concatenate([np.linspace(-40, 40, 1024), np.linspace(-700, 709, 1020), [0.0, 1e-9, 30.0, -30.0]])
    zeros = {name: np.zeros(2048, np.float64 if name[0] == "i" else np.float32) for name in ("i0", "i1", "f0", "f1")}
    z = call("bessel", x=x, **zeros)
    with np.errstate(over="ignore"):
        for order, known in enumerate((torch.special.i0, torch.special.i1)):
            expected = known(torch.from_numpy(x)).numpy()
            np.testing.assert_allclose(z[f"i{order}"], expected, rtol=3e-13)
            narrow = known(torch.from_numpy(x.astype(np.float32)).double()).numpy().astype(np.float32)
            np.testing.assert_allclose(z[f"f{order}"], narrow, rtol=2e-7)
