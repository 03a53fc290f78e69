// The approximate functions: __sinf and its kin, which on a GPU are one or two instructions of the special-function
// unit.
//
// What makes them inaccurate is modelled: the arithmetic in float around the unit (the reduction of an angle, the
// product with log2(e)) is done as the hardware does it. On an H200 this explains every result of __sinf and __cosf for
// angles up to 1e30 to within 2^-21.5, and of __expf and __exp10f to within 1.2 ulp: the unit's own error, which is not
// modelled. Here the unit's result is the double's, rounded once; for sine and cosine, to a multiple of 2^-21.
#pragma once

#include "math.h"
#include "rounding.h"

namespace ladder {

constexpr float log2_e = 1.4426950408889634f, ln_2 = 0.69314718055994531f;
constexpr float log2_10 = 3.3219280948873623f, log10_2 = 0.30102999566398120f;

// The unit takes turns, not radians: the product, rounded towards zero, is all that is left of a large angle.
inline LADDER_UNSEEN float turns(float angle) {
    return in_mode<float>(FE_TOWARDZERO, '*', angle, 0.15915494309189535f);
}

// Sine and cosine come in steps of a fixed size: they are accurate to an absolute error, not a relative one.
inline LADDER_UNSEEN float in_steps(double x) { return static_cast<float>(__builtin_rint(x * 0x1p21) * 0x1p-21); }

inline LADDER_UNSEEN float exp2_approximate(float x) { return static_cast<float>(__builtin_exp2(x)); }
inline LADDER_UNSEEN float log2_approximate(float x) { return static_cast<float>(__builtin_log2(x)); }

}  // namespace ladder

inline LADDER_UNSEEN float __sinf(float x) { return ladder::in_steps(ladder::sin_pi(2.0 * ladder::turns(x))); }
inline LADDER_UNSEEN float __cosf(float x) { return ladder::in_steps(ladder::cos_pi(2.0 * ladder::turns(x))); }
LADDER_INLINE void __sincosf(float x, float* sine, float* cosine) {
    *sine = __sinf(x);
    *cosine = __cosf(x);
}
inline LADDER_UNSEEN float __expf(float x) { return ladder::exp2_approximate(x * ladder::log2_e); }
inline LADDER_UNSEEN float __exp10f(float x) { return ladder::exp2_approximate(x * ladder::log2_10); }
inline LADDER_UNSEEN float __log2f(float x) { return ladder::log2_approximate(x); }
inline LADDER_UNSEEN float __logf(float x) { return ladder::log2_approximate(x) * ladder::ln_2; }
inline LADDER_UNSEEN float __log10f(float x) { return ladder::log2_approximate(x) * ladder::log10_2; }
inline LADDER_UNSEEN float __powf(float x, float y) {
    return ladder::exp2_approximate(y * ladder::log2_approximate(x));
}
inline LADDER_UNSEEN float __tanhf(float x) { return static_cast<float>(__builtin_tanh(x)); }

// A divisor above 2^126 has a reciprocal too small for the unit: the quotient is 0, or NaN for an infinite dividend.
inline LADDER_UNSEEN float __fdividef(float x, float y) {
    const float reciprocal = __builtin_fabsf(y) > 0x1p126f ? __builtin_copysignf(0.0f, y) : 1.0f / y;
    return x * reciprocal;
}
inline LADDER_UNSEEN float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }

// Not approximate, but at home here: clamps to [0, 1], and a NaN to 0.
LADDER_INLINE float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
