// The 8-bit formats E4M3 (no infinity, largest 448) and E5M2 (largest 57344), after OCP's "8-bit Floating Point".
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;

namespace ladder {

inline LADDER_UNSEEN unsigned char to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format) {
    const int digits = format == __NV_E4M3 ? 3 : 2, bias = format == __NV_E4M3 ? 7 : 15;
    const unsigned largest = format == __NV_E4M3 ? 0x7e : 0x7b;
    if (x != x) return 0x7f;
    const unsigned char sign = __builtin_signbit(x) ? 0x80 : 0;
    const double size = __builtin_fabs(x);
    unsigned magnitude = 0xff;
    if (size < 1e6) {
        int exponent = size > 0 ? __builtin_ilogb(size) : 1 - bias;
        if (exponent < 1 - bias) exponent = 1 - bias;
        const auto units = static_cast<unsigned>(__builtin_rint(__builtin_ldexp(size, digits - exponent)));
        magnitude = units + (static_cast<unsigned>(exponent - 1 + bias) << digits);
    }
    if (magnitude <= largest) return static_cast<unsigned char>(sign | magnitude);
    if (saturate == __NV_SATFINITE) return static_cast<unsigned char>(sign | largest);
    return static_cast<unsigned char>(sign | (format == __NV_E4M3 ? 0x7f : 0x7c));
}
inline LADDER_UNSEEN float from_fp8(unsigned char bits, __nv_fp8_interpretation_t format) {
    const int digits = format == __NV_E4M3 ? 3 : 2, bias = format == __NV_E4M3 ? 7 : 15;
    const int magnitude = bits & 0x7f, exponent = magnitude >> digits, fraction = magnitude & ((1 << digits) - 1);
    double value = exponent ? __builtin_ldexp(fraction + (1 << digits), exponent - bias - digits) : __builtin_ldexp(fraction, 1 - bias - digits);
    if (format == __NV_E4M3 && magnitude == 0x7f) value = __builtin_nan("");
    if (format == __NV_E5M2 && exponent == 31) value = fraction ? __builtin_nan("") : __builtin_inf();
    return static_cast<float>(bits & 0x80 ? -value : value);
}

}  // namespace ladder

LADDER_INLINE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s, __nv_fp8_interpretation_t f) { return ladder::to_fp8(x, s, f); }
LADDER_INLINE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t s, __nv_fp8_interpretation_t f) { return ladder::to_fp8(x, s, f); }
LADDER_INLINE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t s, __nv_fp8_interpretation_t f) {
    return static_cast<unsigned short>(ladder::to_fp8(x.x, s, f) | ladder::to_fp8(x.y, s, f) << 8);
}
LADDER_INLINE __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t s, __nv_fp8_interpretation_t f) {
    return static_cast<unsigned short>(ladder::to_fp8(x.x, s, f) | ladder::to_fp8(x.y, s, f) << 8);
}
LADDER_INLINE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t f) {
    return ladder::to_fp8(__half2float(__half(x)), s, f);
}
LADDER_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t f) {
    return ladder::to_fp8(__bfloat162float(__nv_bfloat16(x)), s, f);
}
LADDER_INLINE __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t f) {
    return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), s, f);
}
LADDER_INLINE __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t f) {
    return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)), s, f);
}
LADDER_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t f) {
    return static_cast<__half_raw>(__float2half(ladder::from_fp8(x, f)));
}
LADDER_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t f) {
    return static_cast<__half2_raw>(
        __floats2half2_rn(ladder::from_fp8(static_cast<unsigned char>(x), f), ladder::from_fp8(static_cast<unsigned char>(x >> 8), f)));
}

#define LADDER_FP8(name, format)                                                                                          \
    struct __nv_fp8_##name {                                                                                              \
        __nv_fp8_storage_t __x;                                                                                           \
        __nv_fp8_##name() = default;                                                                                      \
        LADDER_INLINE explicit __nv_fp8_##name(float x) : __x(ladder::to_fp8(x, __NV_SATFINITE, format)) {}                \
        LADDER_INLINE explicit __nv_fp8_##name(double x) : __x(ladder::to_fp8(x, __NV_SATFINITE, format)) {}               \
        template <class T, LADDER_IF(std::is_integral_v<T>)>                                                              \
        LADDER_INLINE explicit __nv_fp8_##name(T x) : __x(ladder::to_fp8(static_cast<double>(x), __NV_SATFINITE, format)) {} \
        LADDER_INLINE explicit __nv_fp8_##name(__half x) : __x(ladder::to_fp8(static_cast<float>(x), __NV_SATFINITE, format)) {} \
        LADDER_INLINE explicit __nv_fp8_##name(__nv_bfloat16 x) : __x(ladder::to_fp8(static_cast<float>(x), __NV_SATFINITE, format)) {} \
        LADDER_INLINE explicit operator float() const { return ladder::from_fp8(__x, format); }                           \
        LADDER_INLINE explicit operator double() const { return ladder::from_fp8(__x, format); }                          \
        template <class T, LADDER_IF(std::is_integral_v<T>)>                                                              \
        LADDER_INLINE explicit operator T() const { return static_cast<T>(__half(ladder::from_fp8(__x, format))); }       \
        LADDER_INLINE explicit operator __half() const { return __half(ladder::from_fp8(__x, format)); }                  \
        LADDER_INLINE explicit operator __nv_bfloat16() const { return __nv_bfloat16(ladder::from_fp8(__x, format)); }    \
    };                                                                                                                    \
    struct __nv_fp8x2_##name {                                                                                            \
        __nv_fp8x2_storage_t __x;                                                                                         \
        __nv_fp8x2_##name() = default;                                                                                    \
        LADDER_INLINE explicit __nv_fp8x2_##name(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, format)) {}  \
        LADDER_INLINE explicit __nv_fp8x2_##name(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, format)) {} \
        LADDER_INLINE explicit __nv_fp8x2_##name(__half2 x) : __x(__nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, format)) {} \
        LADDER_INLINE explicit __nv_fp8x2_##name(__nv_bfloat162 x) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(x, __NV_SATFINITE, format)) {} \
        LADDER_INLINE explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, format)); }      \
        LADDER_INLINE explicit operator float2() const {                                                                  \
            return {ladder::from_fp8(static_cast<unsigned char>(__x), format), ladder::from_fp8(static_cast<unsigned char>(__x >> 8), format)}; \
        }                                                                                                                 \
    };                                                                                                                    \
    struct __nv_fp8x4_##name {                                                                                            \
        __nv_fp8x4_storage_t __x;                                                                                         \
        __nv_fp8x4_##name() = default;                                                                                    \
        LADDER_INLINE explicit __nv_fp8x4_##name(float4 x)                                                                \
            : __x(__nv_cvt_float2_to_fp8x2({x.x, x.y}, __NV_SATFINITE, format) |                                          \
                  static_cast<unsigned>(__nv_cvt_float2_to_fp8x2({x.z, x.w}, __NV_SATFINITE, format)) << 16) {}           \
        LADDER_INLINE explicit __nv_fp8x4_##name(double4 x)                                                               \
            : __x(__nv_cvt_double2_to_fp8x2({x.x, x.y}, __NV_SATFINITE, format) |                                         \
                  static_cast<unsigned>(__nv_cvt_double2_to_fp8x2({x.z, x.w}, __NV_SATFINITE, format)) << 16) {}          \
        LADDER_INLINE explicit __nv_fp8x4_##name(__half2 low, __half2 high)                                               \
            : __x(__nv_cvt_halfraw2_to_fp8x2(low, __NV_SATFINITE, format) |                                               \
                  static_cast<unsigned>(__nv_cvt_halfraw2_to_fp8x2(high, __NV_SATFINITE, format)) << 16) {}               \
        LADDER_INLINE explicit __nv_fp8x4_##name(__nv_bfloat162 low, __nv_bfloat162 high)                                 \
            : __x(__nv_cvt_bfloat16raw2_to_fp8x2(low, __NV_SATFINITE, format) |                                           \
                  static_cast<unsigned>(__nv_cvt_bfloat16raw2_to_fp8x2(high, __NV_SATFINITE, format)) << 16) {}           \
        LADDER_INLINE explicit operator float4() const {                                                                  \
            return {ladder::from_fp8(static_cast<unsigned char>(__x), format), ladder::from_fp8(static_cast<unsigned char>(__x >> 8), format), \
                    ladder::from_fp8(static_cast<unsigned char>(__x >> 16), format), ladder::from_fp8(static_cast<unsigned char>(__x >> 24), format)}; \
        }                                                                                                                 \
    };
LADDER_FP8(e4m3, __NV_E4M3)
LADDER_FP8(e5m2, __NV_E5M2)
#undef LADDER_FP8
