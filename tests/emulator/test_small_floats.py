"""half and bfloat16: conversions for every bit pattern, arithmetic against numpy and torch's rounding rules."""

from __future__ import annotations

import numpy as np

SOURCE = r"""
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// ---- conversions ----

template <class T> __global__ void widen_kernel(const T* x, float* z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[i];
}
extern "C" void widen_half(const half* x, float* z, cudaStream_t stream) { widen_kernel<<<256, 256, 0, stream>>>(x, z); }
extern "C" void widen_bfloat(const __nv_bfloat16* x, float* z, cudaStream_t stream) { widen_kernel<<<256, 256, 0, stream>>>(x, z); }

template <class T> __global__ void narrow_kernel(const float* x, T* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i];
}
extern "C" void narrow_half(const float* x, half* z, int n, cudaStream_t stream) { narrow_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, z, n); }
extern "C" void narrow_bfloat(const float* x, __nv_bfloat16* z, int n, cudaStream_t stream) {
    narrow_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, z, n);
}

__global__ void modes_kernel(const float* x, half* h, __nv_bfloat16* b, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    h[i] = __float2half_rn(x[i]);
    h[n + i] = __float2half_rz(x[i]);
    h[2 * n + i] = __float2half_ru(x[i]);
    h[3 * n + i] = __float2half_rd(x[i]);
    b[i] = __float2bfloat16_rn(x[i]);
    b[n + i] = __float2bfloat16_rz(x[i]);
    b[2 * n + i] = __float2bfloat16_ru(x[i]);
    b[3 * n + i] = __float2bfloat16_rd(x[i]);
}
extern "C" void modes(const float* x, half* h, __nv_bfloat16* b, int n, cudaStream_t stream) { modes_kernel<<<1, n, 0, stream>>>(x, h, b, n); }

__global__ void integers_kernel(int* z) {
    half h = 2.5f;
    z[0] = __half2int_rn(h);
    z[1] = __half2int_rz(__hneg(h));
    z[2] = __half2int_ru(h);
    z[3] = __half2uint_rd(h);
    z[4] = __half2short_rn(half(-40000.f));
    z[5] = (float)__int2half_rn(2049);
    z[6] = (float)__uint2half_ru(2049);
    z[7] = (float)__ll2half_rz(-2051);
    z[8] = __bfloat162int_rz(__float2bfloat16(-7.75f));
    z[9] = (float)__int2bfloat16_rn(257);
    z[10] = (int)half(3.9f) + (int)__nv_bfloat16(4.9f);
    z[11] = __half_as_ushort(half(1.0)) == 0x3c00 && __ushort_as_half(0xc000) == half(-2) && __bfloat16_as_ushort(__nv_bfloat16(1)) == 0x3f80;
    z[12] = bool(half(0.f)) * 2 + bool(half(-1)) + __hisnan(half(NAN)) * 10 + __hisinf(half(-1e6f)) * 100;
}
extern "C" void integers(int* z, cudaStream_t stream) { integers_kernel<<<1, 1, 0, stream>>>(z); }

// ---- arithmetic ----

__global__ void arithmetic_kernel(const half* x, const half* y, half* z, int n) {
    __shared__ half s[256];
    int i = threadIdx.x;
    s[i] = y[i];
    __syncthreads();
    half a = x[i], b = s[i], c = a;
    c += b;
    half result[] = {a + b, a - b, a * b, a / b, -a, c, __hfma(a, b, a), __hadd_sat(a, b), __hmax(a, b), __habs(a), __hmul(a, b), hsqrt(__habs(a)), hexp(a),
                     hlog(__habs(a)), hfloor(a), hrcp(b)};
    for (int k = 0; k < 16; ++k) z[k * n + i] = result[k];
}
extern "C" void arithmetic(const half* x, const half* y, half* z, int n, cudaStream_t stream) { arithmetic_kernel<<<1, n, 0, stream>>>(x, y, z, n); }

__global__ void bfloat_kernel(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* z, int n) {
    __shared__ __nv_bfloat16 s[256];
    int i = threadIdx.x;
    s[i] = y[i];
    __syncthreads();
    __nv_bfloat16 a = x[i], b = s[i];
    __nv_bfloat16 result[] = {a + b, a - b, a * b, a / b, __hfma(a, b, b), __hmin(a, b)};
    for (int k = 0; k < 6; ++k) z[k * n + i] = result[k];
}
extern "C" void bfloat_arithmetic(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* z, int n, cudaStream_t stream) {
    bfloat_kernel<<<1, n, 0, stream>>>(x, y, z, n);
}

__global__ void compare_kernel(int* z) {
    half one = 1, two = 2, nan = NAN, minus_zero = -0.0f;
    z[0] = (one < two) + 2 * (two <= one) + 4 * (one == one) + 8 * (one != two) + 16 * (two > one) + 32 * (one >= two) + 64 * (minus_zero == half(0));
    z[1] = (nan == nan) + 2 * (nan != nan) + 4 * (nan < one) + 8 * __heq(nan, nan) + 16 * __hequ(nan, nan) + 32 * __hltu(nan, one) + 64 * __hne(nan, one);
    z[2] = __hlt(one, two) + 2 * __hgt(one, two) + 4 * __hge(two, two);
    z[3] = (float)__hmax(nan, one) == 1 && __hisnan(__hmax_nan(nan, one));
    half2 a(one, two), b(two, two);
    z[4] = __hbeq2(a, b) + 2 * __hble2(a, b) + 4 * (a == a) + 8 * (__hlt2(a, b) == half2(1, 0));
    z[5] = __heq2_mask(a, b) == 0xffff0000u;
    z[6] = (one < two ? one : two) == one;
}
extern "C" void comparisons(int* z, cudaStream_t stream) { compare_kernel<<<1, 1, 0, stream>>>(z); }

// ---- pairs ----

__global__ void pairs_kernel(const half2* x, const half2* y, half2* z, float* f) {
    int i = threadIdx.x;
    half2 a = x[i], b = y[i];                                       // load pairs
    z[i] = __hfma2(a, b, __float2half2_rn(1));                      // store pair
    z[i + 32] = __hadd2(a, b) * b - __lowhigh2highlow(a);
    z[i + 64] = half2{a.y, b.x};                                    // store braced
    z[i + 96] = __halves2half2(__high2half(a), __low2half(b));      // store halves
    z[i + 128] = __hmax2(__hneg2(a), __low2half2(b));
    z[i + 160] = h2exp(a);
    z[i + 192] = __shfl_xor_sync(0xffffffffu, a, 1);
    z[i + 224] = half2(__shfl_down_sync(0xffffffffu, a.x, 2), __ldg(&y[i]).y);
    float2 both = __half22float2(a);
    f[i] = both.x + both.y + __low2float(b) - __high2float(b);
}
extern "C" void pairs(const half* x, const half* y, half* z, float* f, cudaStream_t stream) {
    pairs_kernel<<<1, 32, 0, stream>>>(reinterpret_cast<const half2*>(x), reinterpret_cast<const half2*>(y), reinterpret_cast<half2*>(z), f);
}

union Eight { uint4 whole; half parts[8]; half2 pairs[4]; };
__global__ void eight_kernel(const half* x, half* z) {
    Eight e;
    e.whole = reinterpret_cast<const uint4*>(x)[threadIdx.x];       // load eight
    for (half& part : e.parts) part = part * part;
    e.pairs[0] = __floats2half2_rn(1, 2);
    reinterpret_cast<uint4*>(z)[threadIdx.x] = e.whole;             // store eight
}
extern "C" void eights(const half* x, half* z, cudaStream_t stream) { eight_kernel<<<1, 4, 0, stream>>>(x, z); }

__global__ void bfloat_pairs_kernel(const __nv_bfloat162* x, __nv_bfloat162* z, float* f) {
    int i = threadIdx.x;
    __nv_bfloat162 a = x[i];
    z[i] = __hmul2(a, __floats2bfloat162_rn(2, 0.5f)) + __bfloat162bfloat162(__float2bfloat16(1));
    z[i + 32] = __float22bfloat162_rn(make_float2(__low2float(a), 1.0f));
    z[i + 64] = __shfl_xor_sync(0xffffffffu, a, 3);
    f[i] = __bfloat1622float2(a).y + __bfloat162float(__high2bfloat16(a));
}
extern "C" void bfloat_pairs(const __nv_bfloat16* x, __nv_bfloat16* z, float* f, cudaStream_t stream) {
    bfloat_pairs_kernel<<<1, 32, 0, stream>>>(reinterpret_cast<const __nv_bfloat162*>(x), reinterpret_cast<__nv_bfloat162*>(z), f);
}
"""

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


def test_every_half_becomes_its_float(call):
    with np.errstate(invalid="ignore"):
        assert same(call("widen_half", x=HALVES, z=np.zeros(65536, np.float32))["z"], HALVES.astype(np.float32))


def test_every_bfloat_becomes_its_float(call):
    assert same(call("widen_bfloat", x=PATTERNS, z=np.zeros(65536, np.float32))["z"], from_bfloat(PATTERNS))


def test_floats_round_to_the_nearest_half(call):
    finite = np.sort(HALVES[np.isfinite(HALVES)].astype(np.float32))
    middles = (finite[1:] + finite[:-1]) / 2
    x = np.concatenate([finite, middles, np.nextafter(middles, np.float32(9e9)), np.nextafter(middles, -np.float32(9e9))])
    x = np.concatenate([x, np.array([65519.996, 65520, 1e30, -1e30, np.inf, -np.inf, np.nan, 1e-30, -1e-30, -0.0], np.float32)])
    with np.errstate(over="ignore"):
        expected = x.astype(np.float16)
    z = call("narrow_half", x=x, z=np.zeros(len(x), np.float16), n=len(x))["z"]
    assert same(z, expected)
    assert np.array_equal(np.signbit(z)[:-4], np.signbit(expected)[:-4])


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
    expected = [a + b, a - b, a * b, a / b, -a, a + b, a * b + a, np.clip(a + b, 0, 1), np.maximum(a, b), np.abs(a), a * b]
    expected += [np.sqrt(np.abs(a)), np.exp(a), np.log(np.abs(a)), np.floor(a), 1 / b]
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
    z = call("comparisons", z=np.zeros(7, np.int32))["z"].tolist()
    assert z == [1 + 4 + 8 + 16 + 64, 2 + 16 + 32, 1 + 4, 1, 2 + 4 + 8, 1, 1]


def test_pairs_of_halves(call):
    rng = np.random.default_rng(8)
    x, y = (rng.normal(0, 2, (32, 2)).astype(np.float16) for _ in range(2))
    result = call("pairs", x=x, y=y, z=np.zeros((8, 32, 2), np.float16), f=np.zeros(32, np.float32))
    z, a, b = result["z"], x.astype(np.float64), y.astype(np.float64)
    assert np.array_equal(z[0], (a * b + 1).astype(np.float16))
    assert np.array_equal(z[1], ((x + y) * y - x[:, ::-1]))
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
