// The functions of the C library that device code has, too. For clang, to which they are functions beside the host's:
// they stand before <cmath>, whose `using ::sin` takes what is there.
#pragma once

#define LADDER_DEVICE extern "C" __attribute__((device, nothrow))
#define LADDER_ONE(name) LADDER_DEVICE double name(double); LADDER_DEVICE float name##f(float);
#define LADDER_TWO(name) LADDER_DEVICE double name(double, double); LADDER_DEVICE float name##f(float, float);

LADDER_ONE(acos) LADDER_ONE(acosh) LADDER_ONE(asin) LADDER_ONE(asinh) LADDER_ONE(atan) LADDER_ONE(atanh)
LADDER_ONE(cbrt) LADDER_ONE(ceil) LADDER_ONE(cos) LADDER_ONE(cosh) LADDER_ONE(erf) LADDER_ONE(erfc)
LADDER_ONE(exp) LADDER_ONE(exp10) LADDER_ONE(exp2) LADDER_ONE(expm1) LADDER_ONE(fabs) LADDER_ONE(floor)
LADDER_ONE(j0) LADDER_ONE(j1) LADDER_ONE(lgamma) LADDER_ONE(log) LADDER_ONE(log10) LADDER_ONE(log1p) LADDER_ONE(log2)
LADDER_ONE(logb) LADDER_ONE(nearbyint) LADDER_ONE(rint) LADDER_ONE(round) LADDER_ONE(sin) LADDER_ONE(sinh)
LADDER_ONE(sqrt) LADDER_ONE(tan) LADDER_ONE(tanh) LADDER_ONE(tgamma) LADDER_ONE(trunc) LADDER_ONE(y0) LADDER_ONE(y1)
LADDER_TWO(atan2) LADDER_TWO(copysign) LADDER_TWO(fdim) LADDER_TWO(fmax) LADDER_TWO(fmin) LADDER_TWO(fmod)
LADDER_TWO(hypot) LADDER_TWO(nextafter) LADDER_TWO(pow) LADDER_TWO(remainder)
LADDER_DEVICE double fma(double, double, double);
LADDER_DEVICE float fmaf(float, float, float);
LADDER_DEVICE double frexp(double, int*);
LADDER_DEVICE float frexpf(float, int*);
LADDER_DEVICE double ldexp(double, int);
LADDER_DEVICE float ldexpf(float, int);
LADDER_DEVICE double modf(double, double*);
LADDER_DEVICE float modff(float, float*);
LADDER_DEVICE double nan(const char*);
LADDER_DEVICE float nanf(const char*);
LADDER_DEVICE void sincos(double, double*, double*);
LADDER_DEVICE void sincosf(float, float*, float*);
LADDER_DEVICE double remquo(double, double, int*);
LADDER_DEVICE float remquof(float, float, int*);
LADDER_DEVICE double scalbn(double, int);
LADDER_DEVICE float scalbnf(float, int);
LADDER_DEVICE double scalbln(double, long);
LADDER_DEVICE float scalblnf(float, long);
LADDER_DEVICE int ilogb(double);
LADDER_DEVICE int ilogbf(float);
LADDER_DEVICE double jn(int, double);
LADDER_DEVICE float jnf(int, float);
LADDER_DEVICE double yn(int, double);
LADDER_DEVICE float ynf(int, float);
LADDER_DEVICE long lrint(double);
LADDER_DEVICE long lrintf(float);
LADDER_DEVICE long lround(double);
LADDER_DEVICE long lroundf(float);
LADDER_DEVICE long long llrint(double);
LADDER_DEVICE long long llrintf(float);
LADDER_DEVICE long long llround(double);
LADDER_DEVICE long long llroundf(float);
LADDER_DEVICE int abs(int);
LADDER_DEVICE long labs(long);
LADDER_DEVICE long long llabs(long long);

LADDER_DEVICE void* malloc(__SIZE_TYPE__);
LADDER_DEVICE void free(void*);
LADDER_DEVICE void* memcpy(void*, const void*, __SIZE_TYPE__);
LADDER_DEVICE void* memset(void*, int, __SIZE_TYPE__);
LADDER_DEVICE long clock(void);
// Of a text that the compiler knows: any other is for the host's.
LADDER_DEVICE constexpr __SIZE_TYPE__ strlen(const char* text)
    __attribute__((enable_if(__builtin_strlen(text) + 1, "the text is a constant"))) {
    return __builtin_strlen(text);
}
// Of a number that the compiler knows it is known, too: on both sides, and of no other type.
extern "C" __attribute__((host, device, nothrow)) constexpr int abs(int x)
    __attribute__((enable_if(x == x, "the number is a constant"))) {
    return x < 0 ? -x : x;
}
LADDER_DEVICE __attribute__((noreturn)) void __assert_fail(const char*, const char*, unsigned, const char*);
__attribute__((device)) void* operator new(__SIZE_TYPE__);
__attribute__((device)) void* operator new[](__SIZE_TYPE__);
__attribute__((device)) void operator delete(void*) noexcept;
__attribute__((device)) void operator delete[](void*) noexcept;
__attribute__((device)) void operator delete(void*, __SIZE_TYPE__) noexcept;
__attribute__((device)) void operator delete[](void*, __SIZE_TYPE__) noexcept;

// Of the headers' own (rounding.h).
LADDER_DEVICE int fegetround(void);
LADDER_DEVICE int fesetround(int);

#undef LADDER_TWO
#undef LADDER_ONE
#undef LADDER_DEVICE
