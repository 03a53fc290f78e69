// Arithmetic and conversions with the rounding in the name: _rn to nearest even, _rz to zero, _ru up, _rd down.
#pragma once

#include <fenv.h>

#include "bits.h"

namespace ladder {

// One operation in a rounding mode. The volatile variables keep the compiler from doing it earlier, in another mode.
template <class T> LADDER_UNSEEN T in_mode(int mode, char operation, T a, T b = 0, T c = 0) {
    volatile T x = a, y = b, z = c;
    const int before = fegetround();
    fesetround(mode);
    volatile T result = 0;
    switch (operation) {
        case '+': result = x + y; break;
        case '-': result = x - y; break;
        case '*': result = x * y; break;
        case '/': result = x / y; break;
        case 'r':
            result = sizeof(T) == 4 ? static_cast<T>(__builtin_sqrtf(x)) : static_cast<T>(__builtin_sqrt(x));
            break;
        case 'f':
            result = sizeof(T) == 4 ? static_cast<T>(__builtin_fmaf(x, y, z)) : static_cast<T>(__builtin_fma(x, y, z));
            break;
    }
    fesetround(before);
    return result;
}

template <class To, class From> LADDER_UNSEEN To convert(int mode, From from) {
    volatile From x = from;
    const int before = fegetround();
    fesetround(mode);
    volatile To result = static_cast<To>(x);
    fesetround(before);
    return result;
}

// To an integer that holds it; beyond the type's ends to the nearer end, as the hardware does. A float's NaN gives 0, any
// other, or where 64 bits come out, the pattern with only the top bit set.
template <class To, class From> __host__ LADDER_UNSEEN To to_integer(int mode, From from) {
    constexpr To top = static_cast<To>(To{1} << (8 * sizeof(To) - 1));
    constexpr To lowest = static_cast<To>(-1) < 0 ? top : To{0}, highest = static_cast<To>(~lowest);
    if (from != from) return sizeof(To) == 8 || sizeof(From) == 8 ? top : To{0};
    const double x = from;
    const double rounded = mode == FE_TONEAREST ? __builtin_rint(x) : mode == FE_UPWARD ? __builtin_ceil(x)
                         : mode == FE_DOWNWARD ? __builtin_floor(x) : __builtin_trunc(x);
    if (rounded <= static_cast<double>(lowest)) return lowest;
    if (rounded >= static_cast<double>(highest)) return highest;
    return static_cast<To>(rounded);
}

}  // namespace ladder

#define LADDER_ROUNDED_ARITHMETIC(suffix, mode)                                                                      \
    inline LADDER_UNSEEN float __fadd_##suffix(float a, float b) { return ladder::in_mode<float>(mode, '+', a, b); } \
    inline LADDER_UNSEEN float __fsub_##suffix(float a, float b) { return ladder::in_mode<float>(mode, '-', a, b); } \
    inline LADDER_UNSEEN float __fmul_##suffix(float a, float b) { return ladder::in_mode<float>(mode, '*', a, b); } \
    inline LADDER_UNSEEN float __fdiv_##suffix(float a, float b) { return ladder::in_mode<float>(mode, '/', a, b); } \
    inline LADDER_UNSEEN float __frcp_##suffix(float a) { return ladder::in_mode<float>(mode, '/', 1.0f, a); }       \
    inline LADDER_UNSEEN float __fsqrt_##suffix(float a) { return ladder::in_mode<float>(mode, 'r', a); }            \
    inline LADDER_UNSEEN float __fmaf_##suffix(float a, float b, float c) {                                          \
        return ladder::in_mode<float>(mode, 'f', a, b, c);                                                           \
    }                                                                                                                \
    inline LADDER_UNSEEN double __dadd_##suffix(double a, double b) {                                                \
        return ladder::in_mode<double>(mode, '+', a, b);                                                             \
    }                                                                                                                \
    inline LADDER_UNSEEN double __dsub_##suffix(double a, double b) {                                                \
        return ladder::in_mode<double>(mode, '-', a, b);                                                             \
    }                                                                                                                \
    inline LADDER_UNSEEN double __dmul_##suffix(double a, double b) {                                                \
        return ladder::in_mode<double>(mode, '*', a, b);                                                             \
    }                                                                                                                \
    inline LADDER_UNSEEN double __ddiv_##suffix(double a, double b) {                                                \
        return ladder::in_mode<double>(mode, '/', a, b);                                                             \
    }                                                                                                                \
    inline LADDER_UNSEEN double __drcp_##suffix(double a) { return ladder::in_mode<double>(mode, '/', 1.0, a); }     \
    inline LADDER_UNSEEN double __dsqrt_##suffix(double a) { return ladder::in_mode<double>(mode, 'r', a); }         \
    inline LADDER_UNSEEN double __fma_##suffix(double a, double b, double c) {                                       \
        return ladder::in_mode<double>(mode, 'f', a, b, c);                                                          \
    }

#define LADDER_CONVERSION(from, From, to, To, suffix, mode) \
    inline LADDER_UNSEEN To __##from##2##to##_##suffix(From x) { return ladder::convert<To>(mode, x); }
#define LADDER_TO_INTEGER(from, From, to, To, suffix, mode) \
    inline LADDER_UNSEEN To __##from##2##to##_##suffix(From x) { return ladder::to_integer<To>(mode, x); }

#define LADDER_ROUNDED_CONVERSIONS(suffix, mode)                             \
    LADDER_TO_INTEGER(float, float, int, int, suffix, mode)                  \
    LADDER_TO_INTEGER(float, float, uint, unsigned, suffix, mode)            \
    LADDER_TO_INTEGER(float, float, ll, long long, suffix, mode)             \
    LADDER_TO_INTEGER(float, float, ull, unsigned long long, suffix, mode)   \
    LADDER_TO_INTEGER(double, double, int, int, suffix, mode)                \
    LADDER_TO_INTEGER(double, double, uint, unsigned, suffix, mode)          \
    LADDER_TO_INTEGER(double, double, ll, long long, suffix, mode)           \
    LADDER_TO_INTEGER(double, double, ull, unsigned long long, suffix, mode) \
    LADDER_CONVERSION(int, int, float, float, suffix, mode)                  \
    LADDER_CONVERSION(uint, unsigned, float, float, suffix, mode)            \
    LADDER_CONVERSION(ll, long long, float, float, suffix, mode)             \
    LADDER_CONVERSION(ull, unsigned long long, float, float, suffix, mode)   \
    LADDER_CONVERSION(ll, long long, double, double, suffix, mode)           \
    LADDER_CONVERSION(ull, unsigned long long, double, double, suffix, mode) \
    LADDER_CONVERSION(double, double, float, float, suffix, mode)

LADDER_ROUNDED_ARITHMETIC(rn, FE_TONEAREST)
LADDER_ROUNDED_ARITHMETIC(rz, FE_TOWARDZERO)
LADDER_ROUNDED_ARITHMETIC(ru, FE_UPWARD)
LADDER_ROUNDED_ARITHMETIC(rd, FE_DOWNWARD)
LADDER_ROUNDED_CONVERSIONS(rn, FE_TONEAREST)
LADDER_ROUNDED_CONVERSIONS(rz, FE_TOWARDZERO)
LADDER_ROUNDED_CONVERSIONS(ru, FE_UPWARD)
LADDER_ROUNDED_CONVERSIONS(rd, FE_DOWNWARD)

#undef LADDER_ROUNDED_ARITHMETIC
#undef LADDER_ROUNDED_CONVERSIONS
#undef LADDER_CONVERSION
#undef LADDER_TO_INTEGER

// Exact: a double holds every int.
LADDER_INLINE double __int2double_rn(int x) { return x; }
LADDER_INLINE double __uint2double_rn(unsigned x) { return x; }
inline LADDER_UNSEEN float __frsqrt_rn(float x) {
    return static_cast<float>(1 / __builtin_sqrt(static_cast<double>(x)));
}
