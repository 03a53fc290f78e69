// Mathematical functions that the C library lacks, or spells otherwise. The rest (sinf, expf, erff, ...) is the C
// library's: within 1 ulp, where CUDA promises 1 to 4 ulp. So results may differ from a GPU's in the last bits.
#pragma once

#include "standard.h"
#include "qualifiers.h"

// ---- min and max, with CUDA's overloads: int and unsigned give unsigned, float and double give double ----
// Not constexpr: a file may declare them again, as in `int min(int, int);`.

#define LADDER_MIN_MAX(A, B, T)                                                               \
    LADDER_INLINE T min(A a, B b) {                                                           \
        return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b); \
    }                                                                                         \
    LADDER_INLINE T max(A a, B b) {                                                           \
        return static_cast<T>(a) > static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b); \
    }
#define LADDER_MIN_MAX_OF(S, U) \
    LADDER_MIN_MAX(S, S, S) LADDER_MIN_MAX(U, U, U) LADDER_MIN_MAX(S, U, U) LADDER_MIN_MAX(U, S, U)

LADDER_MIN_MAX_OF(int, unsigned)
LADDER_MIN_MAX_OF(long, unsigned long)
LADDER_MIN_MAX_OF(long long, unsigned long long)

#undef LADDER_MIN_MAX_OF
#undef LADDER_MIN_MAX

// A NaN loses against a number, as in fmin and fmax.
#define LADDER_MIN_MAX(A, B, T, suffix)                                                  \
    LADDER_INLINE T min(A a, B b) { return __builtin_fmin##suffix(a, b); }               \
    LADDER_INLINE T max(A a, B b) { return __builtin_fmax##suffix(a, b); }

LADDER_MIN_MAX(float, float, float, f)
LADDER_MIN_MAX(double, double, double, )
LADDER_MIN_MAX(float, double, double, )
LADDER_MIN_MAX(double, float, double, )

#undef LADDER_MIN_MAX

LADDER_INLINE unsigned umin(unsigned a, unsigned b) { return min(a, b); }
LADDER_INLINE unsigned umax(unsigned a, unsigned b) { return max(a, b); }
LADDER_INLINE long long llmin(long long a, long long b) { return min(a, b); }
LADDER_INLINE long long llmax(long long a, long long b) { return max(a, b); }
LADDER_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
LADDER_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// ---- sine and cosine together ----

// The C library has these too, but behind a call that would force the learner's two variables into memory.
#ifndef __CUDA__
extern "C" {
__attribute__((gnu_inline)) LADDER_INLINE void sincosf(float x, float* sine, float* cosine) noexcept {
    *sine = sinf(x);
    *cosine = cosf(x);
}
__attribute__((gnu_inline)) LADDER_INLINE void sincos(double x, double* sine, double* cosine) noexcept {
    *sine = sin(x);
    *cosine = cos(x);
}
}
#endif
LADDER_INLINE void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }

namespace ladder {

constexpr double pi = 3.14159265358979323846;

// sin(pi x) and cos(pi x), exact at multiples of 1/2: the reduction to |r| <= 1/4 is exact in binary.
inline LADDER_UNSEEN double sin_pi(double x) {
    const double halves = __builtin_rint(2 * x);
    const double r = pi * __builtin_fma(halves, -0.5, x);
    switch (static_cast<int>(__builtin_fmod(halves, 4)) & 3) {
        case 0: return halves == 0 ? __builtin_sin(r) : __builtin_sin(r) + 0.0;
        case 1: return __builtin_cos(r);
        case 2: return 0.0 - __builtin_sin(r);
        default: return -__builtin_cos(r);
    }
}
inline LADDER_UNSEEN double cos_pi(double x) {
    const double halves = __builtin_rint(2 * x);
    const double r = pi * __builtin_fma(halves, -0.5, x);
    switch (static_cast<int>(__builtin_fmod(halves, 4)) & 3) {
        case 0: return __builtin_cos(r);
        case 1: return 0.0 - __builtin_sin(r);
        case 2: return -__builtin_cos(r);
        default: return __builtin_sin(r) + 0.0;
    }
}

// The normal distribution's inverse: the root of erfc(-x / sqrt 2) / 2 = p by Newton's method on log p, which converges
// from below everywhere since log of that function is concave.
inline LADDER_UNSEEN double inverse_normal(double p) {
    if (!(p > 0 && p < 1)) return p == 0 ? -__builtin_inf() : p == 1 ? __builtin_inf() : __builtin_nan("");
    if (p > 0.5) return -inverse_normal(1 - p);
    double x = -__builtin_sqrt(-2 * __builtin_log(2 * p));   // a lower bound: the tail is below exp(-x^2 / 2) / 2
    for (int i = 0; i < 60; ++i) {
        const double tail = 0.5 * __builtin_erfc(-x * 0.70710678118654752440);
        const double density = 0.39894228040143267794 * __builtin_exp(-0.5 * x * x);
        const double step = tail / density * (__builtin_log(tail) - __builtin_log(p));
        x -= step;
        if (__builtin_fabs(step) < 1e-16 * __builtin_fabs(x)) break;
    }
    return x;
}

// The modified Bessel function of the first kind and of order 0 or 1 (Abramowitz and Stegun 9.6.10 and 9.7.1): a series of
// positive terms, and from 30 on the asymptotic one, whose terms shrink there until they no longer count.
inline LADDER_UNSEEN double bessel_i(int order, double x) {
    const double size = __builtin_fabs(x), quarter = 0.25 * x * x;
    if (!(size < __builtin_inf())) return order == 0 ? size : x;
    double term = size <= 30 && order == 1 ? 0.5 * size : 1, sum = term;
    for (int k = 1; k < 100 && __builtin_fabs(term) > 1e-18 * sum; ++k) {
        const double odd = 2 * k - 1;
        term *= size <= 30 ? quarter / (k * (k + order)) : (odd * odd - 4 * order) / (8 * k * size);
        sum += term;
    }
    const double half = __builtin_exp(0.5 * size);   // of exp(x), which overflows sooner than the result
    if (size > 30) sum = half * (sum / __builtin_sqrt(2 * pi * size)) * half;
    return order == 1 && x < 0 ? -sum : sum;
}

}  // namespace ladder

// ---- functions of one argument: f for double, ff for float, the float's result rounded once from the double's ----

#define LADDER_OF_FLOAT(name) LADDER_INLINE float name(float x) { return name##f(x); }
#define LADDER_FUNCTION(name, expression)                                                     \
    inline LADDER_UNSEEN double name(double x) { return expression; }                         \
    inline LADDER_UNSEEN float name##f(float value) {                                         \
        const double x = value;                                                               \
        return static_cast<float>(expression);                                                \
    }                                                                                         \
    LADDER_OF_FLOAT(name)

// To clang these are a function of the GPU's beside one of the host's, which the C library may have: glibc has sinpi and
// cospi since 2.41, rsqrt since 2.42.
#ifdef __CUDA__
#define LADDER_OF_C23(name, expression)                                     \
    __host__ double name(double x);                                         \
    __host__ float name##f(float x);                                        \
    __device__ double name(double x);                                       \
    __device__ float name##f(float x);                                      \
    __host__ inline float name(float x) { return name##f(x); }              \
    __device__ inline float name(float x) { return name##f(x); }
#else
#define LADDER_OF_C23 LADDER_FUNCTION
#endif

LADDER_OF_C23(rsqrt, 1 / __builtin_sqrt(x))
LADDER_OF_C23(sinpi, ladder::sin_pi(x))
LADDER_OF_C23(cospi, ladder::cos_pi(x))
LADDER_FUNCTION(rcbrt, 1 / __builtin_cbrt(x))
LADDER_FUNCTION(normcdf, 0.5 * __builtin_erfc(-x * 0.70710678118654752440))
LADDER_FUNCTION(normcdfinv, ladder::inverse_normal(x))
LADDER_FUNCTION(erfinv, ladder::inverse_normal(0.5 * (1 + x)) * 0.70710678118654752440)
LADDER_FUNCTION(erfcinv, -ladder::inverse_normal(0.5 * x) * 0.70710678118654752440)
LADDER_FUNCTION(erfcx, x < 25 ? __builtin_exp(x * x) * __builtin_erfc(x) : 0.56418958354775628695 / (x + 0.5 / x))
LADDER_FUNCTION(cyl_bessel_i0, ladder::bessel_i(0, x))
LADDER_FUNCTION(cyl_bessel_i1, ladder::bessel_i(1, x))

LADDER_OF_FLOAT(exp10)   // of the C library, which has no such overloads
LADDER_OF_FLOAT(j0)
LADDER_OF_FLOAT(j1)
LADDER_OF_FLOAT(y0)
LADDER_OF_FLOAT(y1)
LADDER_INLINE float jn(int n, float x) { return jnf(n, x); }
LADDER_INLINE float yn(int n, float x) { return ynf(n, x); }

#undef LADDER_FUNCTION
#undef LADDER_OF_C23
#undef LADDER_OF_FLOAT

LADDER_INLINE void sincospif(float x, float* sine, float* cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}
LADDER_INLINE void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
LADDER_INLINE void sincospi(double x, double* sine, double* cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}

// ---- lengths: of the GPU alone, as what follows ----

#undef LADDER_SIDE
#define LADDER_SIDE __device__

inline LADDER_UNSEEN double norm3d(double a, double b, double c) { return __builtin_hypot(__builtin_hypot(a, b), c); }
inline LADDER_UNSEEN double norm4d(double a, double b, double c, double d) {
    return __builtin_hypot(norm3d(a, b, c), d);
}
inline LADDER_UNSEEN float norm3df(float a, float b, float c) { return static_cast<float>(norm3d(a, b, c)); }
inline LADDER_UNSEEN float norm4df(float a, float b, float c, float d) {
    return static_cast<float>(norm4d(a, b, c, d));
}
inline LADDER_UNSEEN double rhypot(double a, double b) { return 1 / __builtin_hypot(a, b); }
inline LADDER_UNSEEN float rhypotf(float a, float b) { return static_cast<float>(rhypot(a, b)); }
inline LADDER_UNSEEN double rnorm3d(double a, double b, double c) { return 1 / norm3d(a, b, c); }
inline LADDER_UNSEEN float rnorm3df(float a, float b, float c) { return static_cast<float>(rnorm3d(a, b, c)); }
inline LADDER_UNSEEN double rnorm4d(double a, double b, double c, double d) { return 1 / norm4d(a, b, c, d); }
inline LADDER_UNSEEN float rnorm4df(float a, float b, float c, float d) {
    return static_cast<float>(rnorm4d(a, b, c, d));
}
LADDER_INLINE double norm(int n, const double* p) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum = __builtin_hypot(sum, p[i]);
    return sum;
}
LADDER_INLINE float normf(int n, const float* p) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += static_cast<double>(p[i]) * p[i];
    return static_cast<float>(__builtin_sqrt(sum));
}
LADDER_INLINE double rnorm(int n, const double* p) { return 1 / norm(n, p); }
LADDER_INLINE float rnormf(int n, const float* p) { return 1 / normf(n, p); }

LADDER_INLINE float fdividef(float a, float b) { return a / b; }
LADDER_INLINE double fdivide(double a, double b) { return a / b; }

#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES
