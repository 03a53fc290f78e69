// Values as the bits in which they cross to the runtime, and CUDA's own reinterpretations (__float_as_int and its kin).
#pragma once

#include "qualifiers.h"

namespace ladder {

using Bits = unsigned long;

template <unsigned bytes> struct Unsigned;
template <> struct Unsigned<1> { using type = unsigned char; };
template <> struct Unsigned<2> { using type = unsigned short; };
template <> struct Unsigned<4> { using type = unsigned; };
template <> struct Unsigned<8> { using type = unsigned long; };

// Zero-extended.
template <class T> LADDER_INLINE constexpr Bits to_bits(T value) {
    return __builtin_bit_cast(typename Unsigned<sizeof(T)>::type, value);
}

template <class T> LADDER_INLINE constexpr T from_bits(Bits bits) {
    return __builtin_bit_cast(T, static_cast<typename Unsigned<sizeof(T)>::type>(bits));
}

}  // namespace ladder

LADDER_INLINE LADDER_KNOWN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
LADDER_INLINE LADDER_KNOWN unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
LADDER_INLINE LADDER_KNOWN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
LADDER_INLINE LADDER_KNOWN float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
LADDER_INLINE LADDER_KNOWN long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
LADDER_INLINE LADDER_KNOWN double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
LADDER_INLINE LADDER_KNOWN int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
LADDER_INLINE LADDER_KNOWN int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
LADDER_INLINE LADDER_KNOWN double __hiloint2double(int high, int low) {
    return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}

// The position of the offset-th set bit, counted from `base`, downwards for a negative offset; ~0 if there is none.
inline LADDER_UNSEEN unsigned __fns(unsigned mask, unsigned base, int offset) {
    if (offset == 0) return base < 32 && mask >> base & 1 ? base : ~0u;
    if (offset < -__INT_MAX__) return 0;   // what an H200 gives where offset has no absolute value
    const int step = offset > 0 ? 1 : -1;
    int left = offset > 0 ? offset : -offset;
    for (int position = static_cast<int>(base); position >= 0 && position < 32; position += step)
        if (mask >> position & 1 && --left == 0) return static_cast<unsigned>(position);
    return ~0u;
}
