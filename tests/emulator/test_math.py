"""Mathematical functions and intrinsics against numpy, or against values worked out on paper."""

from __future__ import annotations

import math

import numpy as np
import pytest

SOURCE = r"""
#include <math_constants.h>
#include <cfloat>

// ---- accurate functions ----

__global__ void functions_kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], s, c, sp, cp;
    sincosf(v, &s, &c);
    sincospif(v, &sp, &cp);
    float result[] = {sinf(v), cosf(v), s, c, expf(v), logf(v), rsqrtf(v), sqrtf(v), tanhf(v), erff(v), powf(v, 1.5f), exp10f(v), exp2f(v),
                      cbrtf(v), sp, cp, normcdff(v), fmaf(v, v, 1), hypotf(v, 3), rcbrtf(v), log1pf(v), expm1f(v), erfcxf(v), erfinvf(v / 8)};
    for (int k = 0; k < 24; ++k) z[k * n + i] = result[k];
}
extern "C" void functions(const float* x, float* z, int n, cudaStream_t stream) { functions_kernel<<<(n + 63) / 64, 64, 0, stream>>>(x, z, n); }

__global__ void overloads_kernel(double* z) {
    float f = 2;
    double result[] = {sin(f), exp(1.0), fabs(-f), abs(-3), abs(-2.5f), pow(f, 3), sqrt(2.0), rsqrt(4.0), normcdfinv(0.975), sinpi(2.5),
                       (double)max(1, 2u), (double)min(-1, 1), max(1.5f, 2.0), min(3.f, NAN), fmaxf(NAN, 1), fminf(-0.f, 1),
                       (double)max(3ll, 2ll), (double)min(threadIdx.x, 5), floorf(-1.5f), rintf(2.5f), roundf(2.5f), truncf(-1.5f),
                       fmodf(7, 4), copysignf(1, -2), ldexpf(3, 4), norm3df(2, 3, 6), rnorm3df(2, 3, 6), fdimf(5, 3), erfcinv(1.0), cospi(1.0)};
    for (int k = 0; k < 30; ++k) z[k] = result[k];
}
extern "C" void overloads(double* z, cudaStream_t stream) { overloads_kernel<<<1, 1, 0, stream>>>(z); }

__global__ void special_values_kernel(int* z) {
    float inf = CUDART_INF_F, nan = CUDART_NAN_F;
    z[0] = isinf(inf) && isinf(-INFINITY) && !isinf(1.f);
    z[1] = isnan(nan) && isnan(inf - inf) && !isnan(inf);
    z[2] = isfinite(1e30f) && !isfinite(inf) && !isfinite(nan);
    z[3] = signbit(-0.0f) && CUDART_PI_F == (float)3.14159265358979 && CUDART_PI == 3.14159265358979323846;
    z[4] = expf(-inf) == 0 && logf(0) == -inf && sqrtf(-1) != sqrtf(-1) && 1 / -0.0f == -inf;
    z[5] = FLT_MAX == CUDART_MAX_NORMAL_F && sinpif(1e8f) == 0 && cospif(0.5f) == 0;
}
extern "C" void special_values(int* z, cudaStream_t stream) { special_values_kernel<<<1, 1, 0, stream>>>(z); }

// ---- approximate functions ----

__global__ void approximate_kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], s, c;
    __sincosf(v, &s, &c);
    float result[] = {__sinf(v), __cosf(v), s, c, __tanf(v), __expf(v), __exp10f(v), __logf(v), __log2f(v), __log10f(v), __powf(v, 2.5f),
                      __fdividef(1, v), __saturatef(v - 1)};
    for (int k = 0; k < 13; ++k) z[k * n + i] = result[k];
}
extern "C" void approximate(const float* x, float* z, int n, cudaStream_t stream) { approximate_kernel<<<(n + 63) / 64, 64, 0, stream>>>(x, z, n); }

__global__ void limits_kernel(float* z) {
    z[0] = __fdividef(8e37f, 8e37f);
    z[1] = __fdividef(1e38f, 1e38f) == 0;    // the divisor is above 2^126
    z[2] = __saturatef(NAN);
    z[3] = __expf(1000) == INFINITY;
    z[4] = __logf(0) == -INFINITY;
    z[5] = isnan(__sinf(INFINITY));
}
extern "C" void approximate_limits(float* z, cudaStream_t stream) { limits_kernel<<<1, 1, 0, stream>>>(z); }

// ---- rounding ----

__global__ void rounding_kernel(float* z, double* d) {
    float third = __fdiv_rn(1, 3);
    float result[] = {__fadd_ru(1, 1e-9f), __fadd_rd(1, 1e-9f), __fadd_rz(-1, -1e-9f), __fadd_rn(1, 1e-9f), __fmul_ru(third, 3), __fmul_rd(third, 3),
                      __fsub_rd(1, 1e-9f), __fdiv_ru(1, 3), __fdiv_rd(1, 3), __fsqrt_ru(2), __fsqrt_rd(2), __frcp_ru(3), __frcp_rz(3),
                      __fmaf_rn(third, 3, -1), __fmaf_ru(1, 1, 1e-9f), __frsqrt_rn(4)};
    for (int k = 0; k < 16; ++k) z[k] = result[k];
    d[0] = __dadd_ru(1, 1e-20);
    d[1] = __dmul_rd(1.1, 1.1);
    d[2] = __dmul_ru(1.1, 1.1);
    d[3] = __dsqrt_rz(2);
    d[4] = __fma_rn(1.1, 1.1, -__dmul_rn(1.1, 1.1));
}
extern "C" void rounding(float* z, double* d, cudaStream_t stream) { rounding_kernel<<<1, 1, 0, stream>>>(z, d); }

__global__ void conversions_kernel(long long* z, float* f) {
    long long result[] = {__float2int_rn(2.5f), __float2int_rn(3.5f), __float2int_rz(-2.7f), __float2int_ru(2.1f), __float2int_rd(-2.1f),
                          __float2int_rz(1e20f), __float2int_rn(-1e20f), __float2int_rz(NAN), __float2uint_rz(-5), __float2uint_rn(4e9f),
                          __double2int_rn(-0.5), __float2ll_rz(-1e15f), __double2ll_rd(-0.1), __float2ull_rn(1e19f) == 9999999980506447872ull,
                          (int)3.99f, __double2uint_ru(0.01)};
    for (int k = 0; k < 16; ++k) z[k] = result[k];
    f[0] = __int2float_rn(16777217);
    f[1] = __int2float_ru(16777217);
    f[2] = __uint2float_rd(0xffffffffu);
    f[3] = __double2float_ru(0.1);
    f[4] = __double2float_rd(0.1);
    f[5] = __ll2float_rz(-16777219);
    f[6] = __int2double_rn(-7);
    f[7] = __ull2float_rn(1ull << 63);
}
extern "C" void conversions(long long* z, float* f, cudaStream_t stream) { conversions_kernel<<<1, 1, 0, stream>>>(z, f); }

__global__ void bits_kernel(unsigned* z) {
    z[0] = __float_as_uint(-1.5f);
    z[1] = __float_as_int(1.0f);
    z[2] = __int_as_float(0x40490fdb) == CUDART_PI_F;
    z[3] = __double2hiint(1.0);
    z[4] = __hiloint2double(0x40080000, 0) == 3.0 && __longlong_as_double(__double_as_longlong(-2.5)) == -2.5;
    z[5] = __brev(0x00000013);
    z[6] = __brevll(1) == 1ull << 63;
    z[7] = __clz(0) * 1000 + __clz(1) * 10 + __clz(-1);
    z[8] = __clzll(0) * 1000 + __clzll(1ll << 40);
    z[9] = __ffs(0) * 1000 + __ffs(8) * 10 + __ffsll(1ll << 40);
    z[10] = __popc(0xf0f0u) * 100 + __popcll(~0ull);
    z[11] = __byte_perm(0x33221100, 0x77665544, 0x7531);
    z[12] = __byte_perm(0x00008000, 0, 0x2229);
    z[13] = __funnelshift_l(0x80000001, 0x00000002, 4);
    z[14] = __funnelshift_r(0x80000001, 0x00000002, 4);
    z[15] = __funnelshift_lc(1, 2, 40) * 10 + __funnelshift_rc(1, 2, 99);
    z[16] = __fns(0xf0, 0, 2);
}
extern "C" void bits(unsigned* z, cudaStream_t stream) { bits_kernel<<<1, 1, 0, stream>>>(z); }

__global__ void products_kernel(int* z) {
    z[0] = __mul24(-3, 7) + __umul24(1 << 24 | 5, 3);
    z[1] = __mulhi(1 << 30, -8);
    z[2] = __umulhi(0xffffffffu, 0xffffffffu) == 0xfffffffe;
    z[3] = __mul64hi(1ll << 62, 12) + (__umul64hi(~0ull, ~0ull) == ~0ull - 1);
    z[4] = __sad(-5, 9, 100u) + __usad(3, 10, 1000);
    z[5] = __hadd(7, -2) * 100 + __rhadd(7, 2) * 10 + __uhadd(7, 2);
    z[6] = __dp4a(0x01020304, 0x01010101, 5);
    z[7] = __dp4a((int)0xff000001, (int)0x02000003, 0);
    z[8] = __dp4a(0xff000001u, 0x02000003u, 0u);
    z[9] = __dp2a_lo(0x00030002, 0x7f7f0504, 0);
    z[10] = __vadd4(0x01ff7f02, 0x01018001);
    z[11] = __vadd2(0xffff0001, 0x00010001);
    z[12] = __vmaxs4(0x80017f00, 0x7f02ff01);
    z[13] = __vabsdiffu4(0x0105ff00, 0x05010001);
    z[14] = __vsadu4(0x0105ff00, 0x05010001);
    z[15] = __vcmpeq4(0x01020304, 0x01ff03ff);
    z[16] = __vsub4(0, 0x01020304) == __vneg4(0x01020304);
}
extern "C" void products(int* z, cudaStream_t stream) { products_kernel<<<1, 1, 0, stream>>>(z); }
"""

erf = np.vectorize(math.erf)


def test_functions_against_numpy(call):
    x = np.linspace(0.05, 7.9, 301).astype(np.float32)
    z = call("functions", x=x, z=np.zeros((24, 301), np.float32), n=301)["z"]
    v = x.astype(np.float64)
    normal = 0.5 * (1 + erf(v / math.sqrt(2)))
    expected = [np.sin(v), np.cos(v), np.sin(v), np.cos(v), np.exp(v), np.log(v), v**-0.5, np.sqrt(v), np.tanh(v), erf(v), v**1.5]
    expected += [10**v, 2**v, np.cbrt(v), np.sin(np.pi * v), np.cos(np.pi * v), normal, v * v + 1, np.hypot(v, 3), 1 / np.cbrt(v)]
    expected += [np.log1p(v), np.expm1(v), [math.exp(a * a) * math.erfc(a) for a in v]]
    for row, answer in zip(z[:23], expected, strict=True):
        assert (np.abs(row - answer) <= 4e-7 * np.abs(answer) + 1e-7).all()
    assert erf(z[23].astype(np.float64)) == pytest.approx(v / 8, rel=1e-5)


def test_overloads_and_special_cases(call):
    z = call("overloads", z=np.zeros(30))["z"]
    expected = [math.sin(2), math.e, 2, 3, 2.5, 8, math.sqrt(2), 0.5, 1.959963984540054, 1, 2, -1, 2, 3, 1, 0, 3, 0, -2, 2, 3, -1]
    expected += [3, -1, 48, 7, 1 / 7, 2, 0, -1]
    assert z == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_infinities_and_nans(call):
    assert call("special_values", z=np.zeros(6, np.int32))["z"].all()


def test_approximate_functions_are_close_for_small_arguments(call):
    x = np.linspace(0.05, 3.1, 200).astype(np.float32)
    z = call("approximate", x=x, z=np.zeros((13, 200), np.float32), n=200)["z"]
    v = x.astype(np.float64)
    assert np.abs(z[0] - np.sin(v)).max() < 2**-21  # CUDA's promise is 2^-21.41 for |x| <= pi, and 2^-21.19
    assert np.abs(z[1] - np.cos(v)).max() < 2**-21
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
    a, b = 1.1.as_integer_ratio()
    p, q = product.as_integer_ratio()
    assert result["d"][4] == (a * a * q - p * b * b) / (b * b * q)


def test_conversions_round_saturate_and_drop_nans(call):
    result = call("conversions", z=np.zeros(16, np.int64), f=np.zeros(8, np.float32))
    top, low = 2**31 - 1, -(2**31)
    assert result["z"].tolist() == [2, 4, -2, 3, -3, top, low, 0, 0, 4000000000, 0, -999999986991104, -1, 1, 3, 1]
    tenth = np.float32(0.1)  # rounded up
    expected = [16777216, 16777218, 4294967040, tenth, np.nextafter(tenth, np.float32(0)), -16777218, -7, 2.0**63]
    assert result["f"].tolist() == [float(value) for value in expected]


def test_bit_functions(call):
    z = call("bits", z=np.zeros(17, np.uint32))["z"].tolist()
    assert z[:7] == [0xBFC00000, 0x3F800000, 1, 0x3FF00000, 1, 0xC8000000, 1]
    assert z[7:11] == [32000 + 310, 64000 + 23, 0 + 40 + 41, 864]
    assert z[11] == 0x77553311
    assert z[12] == 0x000000FF  # selector 9: byte 1's sign
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
